import { eq, getTableColumns, type SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { List } from '../store/page.js'
import type { Read } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import type { Entries, Entry, ToldPage } from '../store/told.js'
import type { Context } from './builder.js'

/**
 * How the store tells a field by itself, without its resolver: a value that it computes of the row, or what stands in
 * other rows. It says the same as the resolver, and the database puts it into JSON.
 */
export type Telling = Computed | { readonly related: Related }

interface Computed {
  readonly value: (read: Read, row: PgTable) => SQL
  /** It goes through other rows, so it is told of rows that come up once, and not of what many rows refer to. */
  readonly isCount: boolean
}

export interface Related {
  readonly isList: boolean
  readonly table: (t: Tables) => PgTable
  /** What lies between the two, where they do not refer to each other. */
  readonly through: ((t: Tables) => PgTable) | undefined
  readonly where: (read: Read, row: PgTable, related: PgTable) => SQL | undefined
  readonly order: (related: PgTable) => readonly AnyPgColumn[]
}

/** The arguments of a field, as graphql has coerced them. */
export type Arguments = Readonly<Record<string, unknown>>

/** How the store tells a list at the root of Query, once it is said how a row becomes JSON. */
export interface ListTelling {
  readonly pages: (entries: Entries) => (context: Context, args: Arguments) => Promise<ToldPage>
  readonly count: (context: Context, args: Arguments) => Promise<number>
}

/** The same of a single thing. */
export interface OneTelling {
  readonly one: (entry: Entry) => (context: Context, args: Arguments) => Promise<Buffer | undefined>
}

/** A value that is computed of the row. */
export function toldBy<T extends PgTable>(value: (read: Read, row: T) => SQL, isCount = false): { told: Telling } {
  // A field is only ever told of rows of its own type.
  return { told: { value: value as (read: Read, row: PgTable) => SQL, isCount } }
}

/** A value that is computed of what belongs to the row. */
export function toldByCount<T extends PgTable>(value: (read: Read, row: T) => SQL): { told: Telling } {
  return toldBy(value, true)
}

/** The row of a list whose id stands in this column. */
export function toldByReference<T extends PgTable & { id: AnyPgColumn }, F>(
  list: List<T, F>,
  member: string,
): { told: Telling } {
  const where = (_: Read, row: PgTable, related: PgTable) => eq((related as T).id, columnOf(row, member))
  return { told: { related: { isList: false, table: list.table, through: undefined, where, order: () => [] } } }
}

/** The rows of a list that belong to this one, in the list's own order. */
export function toldAsList<T extends PgTable, R extends PgTable, F>(
  list: List<R, F>,
  through: (t: Tables) => PgTable,
  where: (read: Read, row: T, related: R) => SQL | undefined,
): { told: Telling } {
  const related: Related = {
    isList: true,
    table: list.table,
    through,
    where: where as Related['where'],
    order: list.order as Related['order'],
  }
  return { told: { related } }
}

export function columnOf(table: PgTable, member: string): AnyPgColumn {
  const column = getTableColumns(table)[member]
  if (!column) throw new Error(`There is no column for ${member}.`)
  return column
}
