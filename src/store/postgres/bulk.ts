import { getTableColumns, getTableName } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { oncePer } from '../../caches.js'
import { type Bulk, type NamedColumn, selectHavingAny, selectHavingPairs } from '../bulk.js'

type Rows = readonly Readonly<Record<string, unknown>>[]

const SEQUENCE = 'bigserial'

/** Large enough to make round trips negligible, small enough for the time limit of one statement. */
const ROWS_A_STATEMENT = 5_000

/** Writes many rows by one statement with one array parameter per column: PostgreSQL allows 65,535 parameters. */
export function postgresBulk(run: (sql: string, values: unknown[]) => Promise<{ rows: unknown[][] }>): Bulk {
  const writeAll = async (table: PgTable, rows: Rows, kind: 'insert' | 'update') => {
    for (let start = 0; start < rows.length; start += ROWS_A_STATEMENT) {
      const part = rows.slice(start, start + ROWS_A_STATEMENT)
      const { columns, [kind]: statement } = writingTo(table, part)
      const valuesOf = ({ member }: Column) => part.map((row) => row[member] ?? null)
      // A single row, as most writes have, takes half as long without arrays.
      if (part.length === 1) await run(statement.one, columns.flatMap(valuesOf))
      else await run(statement.many, columns.map(valuesOf))
    }
  }
  return {
    async insertAll(table, rows) {
      await writeAll(table, rows, 'insert')
      for (const { name, isCounted } of writingTo(table, rows).columns)
        if (isCounted) await run(countOn(table, name), [])
    },
    updateAll: (table, rows) => writeAll(table, rows, 'update'),
    async havingAny(table, values) {
      const sql = selectHavingAny(table, Object.keys(values), { show: showRow, slot: slotOf })
      const { rows } = await run(sql, Object.values(values))
      return rows.map(([row]) => rowOf(table, row as unknown[]))
    },
    async havingPairs(table, members, pairs) {
      const among = 'select * from unnest($1::text[], $2::text[])'
      const sql = selectHavingPairs(table, members, { show: showRow, pairs: among })
      const { rows } = await run(sql, [pairs.map(([one]) => one), pairs.map(([, other]) => other)])
      return rows.map(([row]) => rowOf(table, row as unknown[]))
    },
    // Keep the indexes: other sessions read meanwhile.
    suspendIndexes: async () => async () => {},
  }
}

// One value for the whole row: the driver describes the columns of each result anew, which takes longer than the look-up.
const showRow = (columns: readonly NamedColumn[]) =>
  `json_build_array(${columns.map(({ column }) => column).join(', ')})`
const slotOf = (index: number) => `$${index + 1}`

interface Column {
  readonly member: string
  /** As a quoted identifier. */
  readonly name: string
  readonly type: string
  /** Whether a sequence generates the value if it is absent. */
  readonly isCounted: boolean
}

interface Statement {
  readonly one: string
  readonly many: string
}

/** How rows that set these columns are written. */
interface Writing {
  readonly columns: readonly Column[]
  readonly insert: Statement
  readonly update: Statement
}

const writingsTo = oncePer((_: PgTable) => new Map<string, Writing>())

/** Kept by the columns that no row sets: an absent sequence column is left to the engine. */
function writingTo(table: PgTable, rows: Rows): Writing {
  const all = Object.entries(getTableColumns(table))
  const absent = all.filter(([member, { hasDefault }]) => hasDefault && rows.every((row) => row[member] === undefined))
  const key = absent.map(([member]) => member).join()
  const ofTable = writingsTo(table)
  const known = ofTable.get(key)
  if (known) return known
  const columns = all.filter((one) => !absent.includes(one)).map(([member, column]) => describe(member, column))
  const writing = { columns, insert: insertInto(table, columns), update: updateOf(table, columns) }
  ofTable.set(key, writing)
  return writing
}

function describe(member: string, column: Pick<AnyPgColumn, 'name' | 'getSQLType'>): Column {
  const type = column.getSQLType()
  return { member, name: `"${column.name}"`, type: arrayType(type), isCounted: type === SEQUENCE }
}

function rowOf<T extends PgTable>(table: T, values: readonly unknown[]): T['$inferSelect'] {
  const members = Object.entries(getTableColumns(table)).map(([member, column], index) => {
    const value = values[index]
    return [member, value === null ? null : column.mapFromDriverValue(value)]
  })
  return Object.fromEntries(members)
}

/** Advances the sequence past the highest inserted value. */
function countOn(table: PgTable, column: string): string {
  const name = getTableName(table)
  const sequence = `pg_get_serial_sequence('"${name}"', '${column.replaceAll('"', '')}')`
  return `select setval(${sequence}, (select max(${column}) from "${name}"))`
}

function arrayType(type: string): string {
  return `${type === SEQUENCE ? 'bigint' : type.replace(/ collate .*/, '')}[]`
}

function insertInto(table: PgTable, columns: readonly Column[]): Statement {
  const into = `insert into "${getTableName(table)}" (${namesOf(columns)})`
  const slots = columns.map((_, index) => slotOf(index)).join(', ')
  return { one: `${into} values (${slots})`, many: `${into} select * from ${unnested(columns)}` }
}

function updateOf(table: PgTable, columns: readonly Column[]): Statement {
  const update = `update "${getTableName(table)}" as kept set`
  const others = columns.filter(({ member }) => member !== 'id')
  const changesTo = (value: (column: Column) => string) =>
    others.map((column) => `${column.name} = ${value(column)}`).join(', ')
  const slot = (column: Column) => slotOf(columns.indexOf(column))
  const id = slotOf(columns.findIndex(({ member }) => member === 'id'))
  return {
    one: `${update} ${changesTo(slot)} where id = ${id}`,
    many: `${update} ${changesTo(({ name }) => `given.${name}`)} from ${unnested(columns)} where kept.id = given.id`,
  }
}

function unnested(columns: readonly Column[]): string {
  const arrays = columns.map(({ type }, index) => `${slotOf(index)}::${type}`).join(', ')
  return `unnest(${arrays}) as given (${namesOf(columns)})`
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ')
}
