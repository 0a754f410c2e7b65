import type { RowUnit } from './table.js'

/** A flaw at one place of a sheet. */
export interface SheetFlaw {
  /** The header or member name; '' for the whole record. */
  readonly column: string
  readonly value: string
  readonly detail: string
}

/** One shared array for the many records without a flaw. */
export const NO_FLAWS: readonly SheetFlaw[] = Object.freeze([])

/** Where in a file; nowhere in particular without a line. */
export interface Place {
  readonly line?: number | undefined
  readonly unit?: RowUnit
}

/** A file that is not a readable table; the message is for people and begins with the file's name. */
export class UnreadableSheet extends Error {
  constructor(name: string, sentence: string, { line, unit = 'line' }: Place = {}) {
    super(`${name}${line === undefined ? '' : `, ${unit} ${line}`}: ${sentence}`)
    this.name = 'UnreadableSheet'
  }
}

const EXCERPT_CHARACTERS = 40

/** The beginning of a text for a message, on one line and without control characters. */
export function excerpt(text: string): string {
  // A code point has at most two UTF-16 units, so this is enough of them; a split one at the end is dropped.
  const start = text.trimStart().slice(0, 2 * EXCERPT_CHARACTERS)
  return Array.from(start)
    .slice(0, EXCERPT_CHARACTERS)
    .join('')
    .replace(/[\s\p{Cc}]+/gu, ' ')
}

const LISTED_MAX = 100

/** Names of a file for a message, the first few only. */
export function listed(names: Iterable<string>): string {
  const all = [...names]
  const shown = all.slice(0, LISTED_MAX).map((name) => excerpt(name) || '""')
  const more = all.length - LISTED_MAX
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
