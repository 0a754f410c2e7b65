import { getTableColumns, getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/** A statement made ready, to be run for row after row. */
export type Prepare = (sql: string) => { run(values: unknown[]): unknown; all(values: unknown[]): unknown[] }

/** Many rows of one table, by one prepared statement each way: the path that imports take. */
export interface Bulk {
  insertAll<T extends PgTable>(table: T, rows: readonly T['$inferInsert'][]): Promise<void>
  /** Replaces whole rows, found by their `id`. */
  updateAll<T extends PgTable>(table: T, rows: readonly T['$inferSelect'][]): Promise<void>
  /** Leaves the indexes of a table away until the returned function is called: built at once they cost far less. */
  suspendIndexes(table: PgTable): Promise<() => Promise<void>>
}

interface Statement {
  readonly sql: string
  /** The row's members, in the order of the statement's parameters. */
  readonly members: readonly string[]
}

const inserts = new WeakMap<PgTable, Statement>()
const updates = new WeakMap<PgTable, Statement>()

export function bulkOn(prepare: Prepare): Bulk {
  const runAll = async ({ sql, members }: Statement, rows: readonly Readonly<Record<string, unknown>>[]) => {
    if (rows.length === 0) return
    const statement = prepare(sql)
    for (const row of rows) statement.run(members.map((member) => row[member] ?? null))
  }
  return {
    insertAll: (table, rows) => runAll(known(inserts, table, insertInto), rows),
    updateAll: (table, rows) => runAll(known(updates, table, updateOf), rows),
    async suspendIndexes(table) {
      const suspended = prepare(INDEXES).all([getTableName(table)]) as { name: string; sql: string }[]
      for (const { name } of suspended) prepare(`drop index "${name}"`).run([])
      return async () => {
        for (const { sql } of suspended) prepare(sql).run([])
      }
    },
  }
}

/** Those that were made by a statement; a primary key's own stays. */
const INDEXES = "select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null"

function known(cache: WeakMap<PgTable, Statement>, table: PgTable, make: (table: PgTable) => Statement): Statement {
  const statement = cache.get(table) ?? make(table)
  cache.set(table, statement)
  return statement
}

function insertInto(table: PgTable): Statement {
  const { name, columns } = describe(table)
  const slots = columns.map(() => '?').join(', ')
  return {
    sql: `insert into ${name} (${columns.map(({ column }) => column).join(', ')}) values (${slots})`,
    members: columns.map(({ member }) => member),
  }
}

function updateOf(table: PgTable): Statement {
  const { name, columns } = describe(table)
  const others = columns.filter(({ member }) => member !== 'id')
  return {
    sql: `update ${name} set ${others.map(({ column }) => `${column} = ?`).join(', ')} where id = ?`,
    members: [...others.map(({ member }) => member), 'id'],
  }
}

function describe(table: PgTable) {
  const columns = Object.entries(getTableColumns(table)).map(([member, { name }]) => ({ member, column: `"${name}"` }))
  return { name: `"${getTableName(table)}"`, columns }
}
