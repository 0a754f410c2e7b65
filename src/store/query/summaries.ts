import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Read } from '../store.js'
import type { List } from './page.js'

/** A summary of a list: a value computed from the number of rows for each combination of some columns. */
export interface Summary<T extends PgTable, F, V> {
  readonly list: List<T, F>
  by(table: T): readonly AnyPgColumn[]
  /** Gets the number of rows for each combination of values that occurs. */
  fold(groups: readonly Group[]): V
}
export type AnySummary = Summary<PgTable, object, object>

interface Group {
  /** In the order of `by`. */
  readonly values: readonly unknown[]
  readonly count: number
}

/** The statement that counts the rows of each group. */
export function countedGroups({ t }: Read, { list, by }: AnySummary, where: SQL): SQL {
  const table = list.table(t)
  const columns = sql.join([...by(table)], sql.raw(', '))
  return sql`select ${columns}, count(*) from ${table}${where} group by ${columns}`
}

/** The value, from the rows of that statement. */
export function summaryOf({ fold }: AnySummary, rows: readonly (readonly unknown[])[]): object {
  return fold(rows.map((row) => ({ values: row.slice(0, -1), count: Number(row.at(-1)) })))
}

/** The number of rows in all of these groups. */
export function total(groups: readonly Pick<Group, 'count'>[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}
