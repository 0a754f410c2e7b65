import { getTableColumns, getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type Bulk, selectHavingAny } from './bulk.js'

type Rows = readonly Readonly<Record<string, unknown>>[]

/** Large enough that the way to the server hardly counts, small enough for one statement's time. */
const ROWS_A_STATEMENT = 5_000

/** Many rows by one statement, each column as one array: a parameter for every value would soon be too many. */
export function postgresBulk(run: (sql: string, values: unknown[]) => Promise<{ rows: unknown[][] }>): Bulk {
  const inParts = async (table: PgTable, rows: Rows, statement: (table: PgTable, columns: Column[]) => string) => {
    for (let start = 0; start < rows.length; start += ROWS_A_STATEMENT) {
      const part = rows.slice(start, start + ROWS_A_STATEMENT)
      const columns = columnsOf(table, part)
      const arrays = columns.map(({ member }) => part.map((row) => row[member] ?? null))
      await run(statement(table, columns), arrays)
    }
  }
  return {
    async insertAll(table, rows) {
      await inParts(table, rows, insertInto)
      for (const { name } of columnsOf(table, rows).filter(({ isCounted }) => isCounted))
        await run(countOn(table, name), [])
    },
    updateAll: (table, rows) => inParts(table, rows, updateOf),
    async havingAny(table, values) {
      const sql = selectHavingAny(table, Object.keys(values), (index) => `$${index + 1}`)
      const { rows } = await run(sql, Object.values(values))
      return rows.map((row) => rowOf(table, row))
    },
    // Others go on reading meanwhile, and they need the indexes.
    suspendIndexes: async () => async () => {},
  }
}

interface Column {
  readonly member: string
  /** Quoted. */
  readonly name: string
  readonly type: string
  /** Whether the engine counts it up by itself where nobody gives it. */
  readonly isCounted: boolean
}

/** The columns that these rows have something for; the engine itself counts up a sequence that nobody gives. */
function columnsOf(table: PgTable, rows: Rows): Column[] {
  return Object.entries(getTableColumns(table))
    .filter(([member, column]) => !column.hasDefault || rows.some((row) => row[member] !== undefined))
    .map(([member, column]) => ({
      member,
      name: `"${column.name}"`,
      type: arrayType(column.getSQLType()),
      isCounted: column.hasDefault,
    }))
}

function rowOf<T extends PgTable>(table: T, values: readonly unknown[]): T['$inferSelect'] {
  const members = Object.entries(getTableColumns(table)).map(([member, column], index) => {
    const value = values[index]
    return [member, value === null ? null : column.mapFromDriverValue(value)]
  })
  return Object.fromEntries(members)
}

/** From where a sequence was given, the engine must go on behind it. */
function countOn(table: PgTable, column: string): string {
  const name = getTableName(table)
  const sequence = `pg_get_serial_sequence('"${name}"', '${column.replaceAll('"', '')}')`
  return `select setval(${sequence}, (select max(${column}) from "${name}"))`
}

function arrayType(type: string): string {
  return `${type === 'bigserial' ? 'bigint' : type.replace(/ collate .*/, '')}[]`
}

function insertInto(table: PgTable, columns: Column[]): string {
  return `insert into "${getTableName(table)}" (${namesOf(columns)}) select * from ${unnested(columns)}`
}

function updateOf(table: PgTable, columns: Column[]): string {
  const others = columns.filter(({ member }) => member !== 'id')
  const changes = others.map(({ name }) => `${name} = given.${name}`).join(', ')
  return `update "${getTableName(table)}" as kept set ${changes} from ${unnested(columns)} where kept.id = given.id`
}

function unnested(columns: Column[]): string {
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}`).join(', ')
  return `unnest(${arrays}) as given (${namesOf(columns)})`
}

function namesOf(columns: Column[]): string {
  return columns.map(({ name }) => name).join(', ')
}
