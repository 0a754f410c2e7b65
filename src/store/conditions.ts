import { type AnyColumn, or, type SQL, sql } from 'drizzle-orm'
import { badArgument } from '../errors.js'
import { checkText, fold } from '../text.js'
import type { Read } from './store.js'

/** A filter as callers give it: absent and null both mean "no matter". */
export type Optional<T> = T | null | undefined

/** The text stands somewhere in the column, in capitals or not: engines differ in what LIKE makes of both and of backslashes. */
export function mentions(column: AnyColumn, text: string): SQL {
  return sql`lower(${column}) like ${anywhere(lowered(text))} escape '\\'`
}

function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** The folded text stands somewhere in one of these (folded) columns. */
export function contains(text: string, ...columns: AnyColumn[]): SQL | undefined {
  const checked = checkText(text, 'search')
  if ('flaw' in checked) throw badArgument('search', checked.flaw)
  const pattern = anywhere(fold(checked.text))
  return or(...columns.map((column) => sql`${column} like ${pattern} escape '\\'`))
}

/**
 * The column holds one of these texts, in any case; for columns that have no folded form beside them. Engines agree on
 * the lower case of ASCII alone, so of other letters the usual spellings are looked for.
 */
export function isSpelled({ among }: Read, column: AnyColumn, texts: readonly string[]): SQL {
  const spellings = texts
    .map((text) => text.trim())
    .flatMap((text) => [text, fold(text), text.toUpperCase(), titled(text)])
  return among(sql`lower(${column})`, [...new Set(spellings.map(lowered))])
}

function titled(text: string): string {
  return fold(text).replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())
}

/** With the capitals of ASCII alone in lower case. */
function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** The column behind a function, where no index sees it. */
export function unindexed(column: AnyColumn): SQL {
  return column.dataType === 'number' ? sql`(${column} + 0)` : sql`coalesce(${column}, '')`
}
