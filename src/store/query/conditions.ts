import { type AnyColumn, or, type SQL, sql } from 'drizzle-orm'
import { badArgument } from '../../errors.js'
import { checkText, fold, foldedName } from '../../text.js'
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

/** The form in which a text is compared. */
export type Canonical = (text: string) => string

export type Texts = readonly (string | null | undefined)[]

/** By list: all aliases and all steps of a request share the list of a variable. */
const known = new WeakMap<Texts, Map<Canonical, readonly string[]>>()

/**
 * The canonical forms of the texts of a list, made once for each list; undefined if they have more than `most` characters
 * together. Stops there: folding can make a text 18 times as long.
 */
export function canonicalWithin(texts: Texts, canonical: Canonical, most: number): readonly string[] | undefined {
  const ofList = known.get(texts) ?? new Map<Canonical, readonly string[]>()
  known.set(texts, ofList)
  const made = ofList.get(canonical) ?? madeWithin(texts, canonical, most)
  if (made) ofList.set(canonical, made)
  return made
}

function madeWithin(texts: Texts, canonical: Canonical, most: number): readonly string[] | undefined {
  const made: string[] = []
  let left = most
  for (const text of texts) {
    const one = canonical(text ?? '')
    left -= one.length
    if (left < 0) return undefined
    made.push(one)
  }
  return made
}

/** The canonical forms of texts whose number and lengths are known to be bounded; null becomes an empty text. */
export function canonicalTexts(texts: Texts, canonical: Canonical): readonly string[] {
  return canonicalWithin(texts, canonical, Number.POSITIVE_INFINITY) ?? []
}
