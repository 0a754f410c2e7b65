import { type AnyColumn, isNull, or, type SQL, sql } from 'drizzle-orm'
import { badArgument } from '../errors.js'
import { checkText, fold } from '../text.js'
import type { Read } from './store.js'

/** A filter as callers give it: absent and null both mean "any". */
export type Optional<T> = T | null | undefined

/** Case-insensitive substring match without LIKE: engines differ in its case folding and its backslash escapes. */
export function mentions(column: AnyColumn, text: string): SQL {
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return sql`lower(${column}) like ${anywhere(lower)} escape '\\'`
}

function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** One of these folded columns contains the folded text. */
export function contains(text: string, ...columns: AnyColumn[]): SQL | undefined {
  const checked = checkText(text, 'search')
  if ('flaw' in checked) throw badArgument('search', checked.flaw)
  const pattern = anywhere(fold(checked.text))
  return or(...columns.map((column) => sql`${column} like ${pattern} escape '\\'`))
}

/** The column has one of these ids; a null among them matches NULL. */
export function isOneOf({ among }: Read, column: AnyColumn, ids: readonly Optional<string>[]): SQL | undefined {
  const some = ids.filter((id) => id != null)
  const none = some.length < ids.length ? isNull(column) : undefined
  return some.length === 0 && none ? none : or(among(column, some), none)
}

/** Wraps the column in a no-op, so that the planner uses no index on it. */
export function unindexed(column: AnyColumn): SQL {
  return column.dataType === 'number' ? sql`(${column} + 0)` : sql`coalesce(${column}, '')`
}
