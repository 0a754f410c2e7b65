import { getTableColumns, getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type Bulk, selectHavingAny, selectHavingPairs } from '../bulk.js'

type Rows = readonly Readonly<Record<string, unknown>>[]

const SEQUENCE = 'bigserial'

/** Large enough to make round trips negligible, small enough for the time limit of one statement. */
const ROWS_A_STATEMENT = 5_000

/** Writes many rows by one statement with one array parameter per column: PostgreSQL allows 65,535 parameters. */
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
    async havingPairs(table, members, pairs) {
      const sql = selectHavingPairs(table, members, 'select * from unnest($1::text[], $2::text[])')
      const { rows } = await run(sql, [pairs.map(([one]) => one), pairs.map(([, other]) => other)])
      return rows.map((row) => rowOf(table, row))
    },
    // Keep the indexes: other sessions read meanwhile.
    suspendIndexes: async () => async () => {},
  }
}

interface Column {
  readonly member: string
  /** As a quoted identifier. */
  readonly name: string
  readonly type: string
  /** Whether a sequence generates the value if it is absent. */
  readonly isCounted: boolean
}

/** The columns that these rows set; an absent sequence column is left to the engine. */
function columnsOf(table: PgTable, rows: Rows): Column[] {
  return Object.entries(getTableColumns(table))
    .filter(([member, column]) => !column.hasDefault || rows.some((row) => row[member] !== undefined))
    .map(([member, column]) => ({
      member,
      name: `"${column.name}"`,
      type: arrayType(column.getSQLType()),
      isCounted: column.getSQLType() === SEQUENCE,
    }))
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
