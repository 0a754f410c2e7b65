import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { oncePer } from '../../caches.js'
import { type Bulk, bulkColumns, columnsThenId, insertInto, lookUpsOf, type Rows, updateOf, valueIn } from '../bulk.js'
import type { OnStatement } from '../store.js'
import { timed } from './handle.js'
import type { Statements } from './statements.js'

const slot = () => '?'

const insertOf = oncePer((table: PgTable) => {
  const columns = bulkColumns(table)
  return { columns, sql: insertInto(table, columns, slot) }
})

const updateById = oncePer((table: PgTable) => {
  const columns = columnsThenId(table)
  return { columns, sql: updateOf(table, columns, slot) }
})

const lookUps = lookUpsOf({
  slot,
  show: (columns) => columns,
  pairs: 'select value ->> 0, value ->> 1 from json_each(?)',
  pairValues: (pairs) => [JSON.stringify(pairs)],
})

/** Indexes made by CREATE INDEX; the index of a primary key stays. */
const INDEXES = "select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null"

export function sqliteBulk({ prepare }: Statements, onStatement?: OnStatement): Bulk {
  const runAll = async ({ sql, columns }: ReturnType<typeof insertOf>, rows: Rows) => {
    if (rows.length === 0) return
    const statement = prepare(sql)
    const runEach = () => {
      for (const row of rows) statement.run(columns.map((column) => valueIn(row, column)))
    }
    timed({ text: sql, values: [] }, onStatement, runEach, rows.length)
  }
  return {
    insertAll: (table, rows) => runAll(insertOf(table), rows),
    updateAll: (table, rows) => runAll(updateById(table), rows),
    ...lookUps(async (text, values) =>
      timed({ text, values }, onStatement, () => prepare(text).raw().all(values) as unknown[][]),
    ),
    async suspendIndexes(table) {
      const suspended = prepare(INDEXES).all([getTableName(table)]) as { name: string; sql: string }[]
      for (const { name } of suspended) prepare(`drop index "${name}"`).run([])
      return async () => {
        for (const { sql } of suspended) prepare(sql).run([])
      }
    },
  }
}
