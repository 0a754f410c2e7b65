import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Fault } from '../../errors.js'
import type { Extent, Read } from '../store.js'
import type { Naming } from './conditions.js'
import { listed } from './json.js'
import type { List } from './page.js'

/** A list of a view; its rows have their place in it. */
export type Positioned = PgTable & { readonly position: AnyPgColumn }

/** An object that SQL derives from many rows: one row and lists beside it, each a WITH clause of one statement. */
export interface View<A> {
  readonly row: PgTable
  /** By the name of their field. */
  readonly lists: Readonly<Record<string, Positioned>>
  /** The members of the filter that name rows of other tables. */
  readonly names: Readonly<Record<string, Naming>>
  /** Throws a Fault for arguments that do not fit together. */
  check(args: A): void
  /** Whether the arguments bound its lists, so that none is too long. */
  isBounded?(args: A): boolean
  /** The rows that it may read, with the alias that takes the guard. */
  extent(read: Read): Extent
  /** The WITH clause; a list has at most one row more than `most`. */
  tables(read: Read, args: A, how: ViewLimits): SQL
  /** The length of its lists, computed from its row, and the Fault if that is more than `most`. */
  readonly size: SQL
  tooMany(most: number): Fault
}
export type AnyView = View<never>

interface ViewLimits {
  readonly guard: SQL | undefined
  readonly most: number
}

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
  const columns = listed(by(table))
  return sql`select ${columns}, count(*) from ${table}${where} group by ${columns}`
}

/** The value, from the rows of that statement. */
export function summaryOf({ fold }: AnySummary, rows: readonly (readonly unknown[])[]): object {
  return fold(rows.map((row) => ({ values: row.slice(0, -1), count: Number(row.at(-1)) })))
}

export function total(groups: readonly Pick<Group, 'count'>[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}
