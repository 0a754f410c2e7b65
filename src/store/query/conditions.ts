import { type AnyColumn, or, type SQL, sql } from 'drizzle-orm'
import { badArgument } from '../../errors.js'
import { checkText, fold } from '../../text.js'
import type { Read } from '../store.js'

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

/**
 * The column has one of these texts, case-insensitive; for columns without a folded copy. The engines lower-case only
 * ASCII alike, so for other letters the spellings are compared.
 */
export function equalsIgnoringCase({ among }: Read, column: AnyColumn, texts: readonly string[]): SQL {
  const spellings = texts.map((text) => text.trim()).flatMap((text) => [text, ...spellingsOf(fold(text))])
  return among(sql`lower(${column})`, [...new Set(spellings.map(lowered))])
}

/** Two to the power of this many spellings are compared. */
const LETTERS_MAX = 4

/** Each letter beyond ASCII in both cases; of a text with more of them the usual spellings. */
function spellingsOf(folded: string): readonly string[] {
  const letters = [...folded]
  const others = letters.filter((letter) => letter > '\x7f' && letter !== letter.toUpperCase())
  if (others.length <= LETTERS_MAX) return letters.reduce(inBothCases, [''])
  const sentence = folded.replace(/^\P{L}*\p{L}/u, (start) => start.toUpperCase())
  const titled = folded.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())
  return [folded, folded.toUpperCase(), sentence, titled]
}

function inBothCases(starts: readonly string[], letter: string): string[] {
  const cases = letter > '\x7f' ? new Set([letter, letter.toUpperCase()]) : [letter]
  return [...cases].flatMap((one) => starts.map((start) => start + one))
}

/** Lower-cases ASCII only, as both engines do. */
function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Wraps the column in a no-op, so that the planner uses no index on it. */
export function unindexed(column: AnyColumn): SQL {
  return column.dataType === 'number' ? sql`(${column} + 0)` : sql`coalesce(${column}, '')`
}
