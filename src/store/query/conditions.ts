import { type AnyColumn, or, type SQL, sql } from 'drizzle-orm'
import { badArgument } from '../../errors.js'
import { checkText, fold, foldedName } from '../../text.js'
import type { Read } from '../store.js'
import { canonicalTexts } from './canonicalTexts.js'

/** A filter as callers give it: absent and null both mean "any". */
export type Optional<T> = T | null | undefined

/** Case-insensitive substring match without LIKE: engines differ in its case folding and its backslash escapes. */
export function mentions(column: AnyColumn, text: string): SQL {
  return sql`lower(${column}) like ${anywhere(lowered(text))} escape '\\'`
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

/** The folded column has one of these texts. */
export function equalsFolded({ among }: Read, column: AnyColumn, texts: readonly string[]): SQL {
  return among(column, canonicalTexts(texts, foldedName))
}

/** Lower-cases ASCII only, as both engines do. */
function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Wraps the column in a no-op, so that the planner uses no index on it. */
export function unindexed(column: AnyColumn): SQL {
  return column.dataType === 'number' ? sql`(${column} + 0)` : sql`coalesce(${column}, '')`
}
