import { getTableColumns, getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { oncePer, oncePerPair } from '../caches.js'

type Pairs = readonly (readonly [string, string])[]

/** Inserts, updates and reads whole rows of one table by prepared statements: for bulk work and hot paths. */
export interface Bulk {
  insertAll<T extends PgTable>(table: T, rows: readonly T['$inferInsert'][]): Promise<void>
  /** Replaces whole rows by `id`. */
  updateAll<T extends PgTable>(table: T, rows: readonly T['$inferSelect'][]): Promise<void>
  /** The rows whose column has one of these values; null never matches. */
  havingAny<T extends PgTable>(table: T, values: Partial<T['$inferSelect']>): Promise<T['$inferSelect'][]>
  /** The rows whose two columns have one of these pairs of values. */
  havingPairs<T extends PgTable>(
    table: T,
    members: readonly [keyof T['$inferSelect'] & string, keyof T['$inferSelect'] & string],
    pairs: Pairs,
  ): Promise<T['$inferSelect'][]>
  /** Drops the indexes of a table until the returned function is called: rebuilding them once is much cheaper. */
  suspendIndexes(table: PgTable): Promise<() => Promise<void>>
}

/** Rows to write, by the members of their table. */
export type Rows = readonly Readonly<Record<string, unknown>>[]

export interface Column {
  readonly member: string
  /** As a quoted identifier. */
  readonly name: string
  readonly type: string
  /** What an absent value is; null also where the engine numbers rows. */
  readonly fallback: unknown
}

export const bulkColumns = oncePer((table: PgTable): readonly Column[] =>
  Object.entries(getTableColumns(table)).map(([member, column]) => {
    return { member, name: `"${column.name}"`, type: column.getSQLType(), fallback: column.default ?? null }
  }),
)

/** The value of a row to write: not left to the engine, because rows of one statement may differ in what they set. */
export function valueIn(row: Rows[number], { member, fallback }: Column): unknown {
  return row[member] === undefined ? fallback : row[member]
}

/** The columns with `id` last, in the order of the parameters of an UPDATE. */
export function columnsThenId(table: PgTable): Column[] {
  const isId = ({ member }: Column) => member === 'id'
  return [...bulkColumns(table).filter((one) => !isId(one)), ...bulkColumns(table).filter(isId)]
}

export function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ')
}

/** Writes the placeholder of a parameter. */
type Slot = (index: number) => string

export function insertInto(table: PgTable, columns: readonly Column[], slot: Slot): string {
  const slots = columns.map((_, index) => slot(index))
  return `insert into "${getTableName(table)}" (${namesOf(columns)}) values (${slots.join(', ')})`
}

/** Updates one row, by the order of `columnsThenId`. */
export function updateOf(table: PgTable, columns: readonly Column[], slot: Slot): string {
  const changes = columns.slice(0, -1).map(({ name }, index) => `${name} = ${slot(index)}`)
  return `update "${getTableName(table)}" set ${changes.join(', ')} where id = ${slot(changes.length)}`
}

interface Spelling {
  readonly slot: Slot
  readonly show: (columns: string) => string
  /** Selects the pairs that are passed as these parameters. */
  readonly pairs: string
  readonly pairValues: (pairs: Pairs) => unknown[]
}

/** The look-ups of an engine on a function that returns each row as an array; their texts are built once. */
export function lookUpsOf({ slot, show, pairs: among, pairValues }: Spelling) {
  const selectFrom = (table: PgTable) => `select ${show(namesOf(bulkColumns(table)))} from "${getTableName(table)}"`
  const named = (table: PgTable, members: string) =>
    members.split(',').flatMap((member) => bulkColumns(table).filter((one) => one.member === member))
  const anyIn = oncePerPair((table: PgTable, members: string) => {
    const conditions = named(table, members).map(({ name }, index) => `${name} = ${slot(index)}`)
    return `${selectFrom(table)} where ${conditions.join(' or ')}`
  })
  const pairsIn = oncePerPair((table: PgTable, members: string) => {
    return `${selectFrom(table)} where (${namesOf(named(table, members))}) in (${among})`
  })
  return (find: (sql: string, values: unknown[]) => Promise<unknown[][]>): Pick<Bulk, 'havingAny' | 'havingPairs'> => ({
    async havingAny(table, values) {
      return asRows(table, await find(anyIn(table, Object.keys(values).join()), Object.values(values)))
    },
    async havingPairs(table, members, pairs) {
      return asRows(table, await find(pairsIn(table, members.join()), pairValues(pairs)))
    },
  })
}

/** Named here: drivers take as long to name the values of a row as to read them. */
function asRows<T extends PgTable>(table: T, found: readonly unknown[][]): T['$inferSelect'][] {
  const columns = bulkColumns(table)
  return found.map((values) => {
    const row: Record<string, unknown> = {}
    columns.forEach(({ member }, place) => {
      row[member] = values[place]
    })
    return row
  })
}
