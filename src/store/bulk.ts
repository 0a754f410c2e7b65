import { getTableColumns, getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { oncePer } from '../caches.js'

/** A prepared statement that runs once for each row. */
type Prepare = (sql: string) => {
  run(values: unknown[]): unknown
  all(values: unknown[]): unknown[]
  /** Makes `all` return each row as an array of its values. */
  raw(): unknown
}

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
    pairs: readonly (readonly [string, string])[],
  ): Promise<T['$inferSelect'][]>
  /** Drops the indexes of a table until the returned function is called: rebuilding them once is much cheaper. */
  suspendIndexes(table: PgTable): Promise<() => Promise<void>>
}

interface Statement {
  readonly sql: string
  /** The row's members in the order of the parameters. */
  readonly members: readonly string[]
}

export function bulkOn(prepare: Prepare): Bulk {
  const runAll = async ({ sql, members }: Statement, rows: readonly Readonly<Record<string, unknown>>[]) => {
    if (rows.length === 0) return
    const statement = prepare(sql)
    for (const row of rows) statement.run(members.map((member) => row[member] ?? null))
  }
  return {
    insertAll: (table, rows) => runAll(insertInto(table), rows),
    updateAll: (table, rows) => runAll(updateOf(table), rows),
    async havingAny(table, values) {
      const sql = selectHavingAny(table, Object.keys(values), { show: showColumns, slot: () => '?' })
      return prepare(sql).all(Object.values(values)) as (typeof table)['$inferSelect'][]
    },
    async havingPairs(table, keys, pairs) {
      const among = 'select value ->> 0, value ->> 1 from json_each(?)'
      const sql = selectHavingPairs(table, keys, { show: showColumns, pairs: among })
      const statement = prepare(sql)
      // Rows as arrays: the driver takes as long to name the values of a row as to read them.
      statement.raw()
      const members = describe(table).columns.map(({ member }) => member)
      const rows = statement.all([JSON.stringify(pairs)]) as unknown[][]
      return rows.map((values) => named(members, values)) as (typeof table)['$inferSelect'][]
    },
    async suspendIndexes(table) {
      const suspended = prepare(INDEXES).all([getTableName(table)]) as { name: string; sql: string }[]
      for (const { name } of suspended) prepare(`drop index "${name}"`).run([])
      return async () => {
        for (const { sql } of suspended) prepare(sql).run([])
      }
    },
  }
}

function named(members: readonly string[], values: readonly unknown[]): object {
  const row: Record<string, unknown> = {}
  for (let place = 0; place < members.length; place++) row[members[place] ?? ''] = values[place]
  return row
}

/** Indexes made by CREATE INDEX; the index of a primary key stays. */
const INDEXES = "select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null"

const insertInto = oncePer((table: PgTable): Statement => {
  const { name, columns } = describe(table)
  const slots = columns.map(() => '?').join(', ')
  return {
    sql: `insert into ${name} (${columns.map(({ column }) => column).join(', ')}) values (${slots})`,
    members: columns.map(({ member }) => member),
  }
})

const updateOf = oncePer((table: PgTable): Statement => {
  const { name, columns } = describe(table)
  const others = columns.filter(({ member }) => member !== 'id')
  return {
    sql: `update ${name} set ${others.map(({ column }) => `${column} = ?`).join(', ')} where id = ?`,
    members: [...others.map(({ member }) => member), 'id'],
  }
})

const selectsFrom = oncePer((_: PgTable) => new Map<string, string>())

export interface NamedColumn {
  readonly member: string
  /** As a quoted identifier. */
  readonly column: string
}

/** Writes the select list for all columns of a table, in their order. */
type Show = (columns: readonly NamedColumn[]) => string

const showColumns: Show = (columns) => columns.map(({ member, column }) => `${column} as "${member}"`).join(', ')

interface HavingAny {
  readonly show: Show
  /** Writes the placeholder of each parameter. */
  readonly slot: (index: number) => string
}

export function selectHavingAny(table: PgTable, members: readonly string[], { show, slot }: HavingAny): string {
  return selectWhere(table, members, members.join(), show, (columns) =>
    columns.map((column, index) => `${column} = ${slot(index)}`).join(' or '),
  )
}

interface HavingPairs {
  readonly show: Show
  /** Selects the pairs. */
  readonly pairs: string
}

export function selectHavingPairs(table: PgTable, members: readonly string[], { show, pairs }: HavingPairs): string {
  const key = `${members.join()} in pairs`
  return selectWhere(table, members, key, show, (columns) => `(${columns.join(', ')}) in (${pairs})`)
}

/** The text is kept under the key. */
function selectWhere(
  table: PgTable,
  members: readonly string[],
  key: string,
  show: Show,
  where: (columns: (string | undefined)[]) => string,
): string {
  const ofTable = selectsFrom(table)
  const known = ofTable.get(key)
  if (known !== undefined) return known
  const { name, columns } = describe(table)
  const named = members.map((member) => columns.find((one) => one.member === member)?.column)
  const sql = `select ${show(columns)} from ${name} where ${where(named)}`
  ofTable.set(key, sql)
  return sql
}

function describe(table: PgTable) {
  const columns = Object.entries(getTableColumns(table)).map(([member, { name }]) => ({ member, column: `"${name}"` }))
  return { name: `"${getTableName(table)}"`, columns }
}
