/** What is wrong with one place of a sheet. */
export interface SheetFlaw {
  /** The header or member that it stands under; '' when it is the whole record. */
  readonly column: string
  readonly value: string
  readonly detail: string
}

/** One array for all the records without a flaw: there are many of them. */
export const NO_FLAWS: readonly SheetFlaw[] = Object.freeze([])

/** A file that is no table which can be read; the message is for people and begins with the file's name. */
export class UnreadableSheet extends Error {
  constructor(name: string, sentence: string, line?: number) {
    super(`${name}${line === undefined ? '' : `, line ${line}`}: ${sentence}`)
    this.name = 'UnreadableSheet'
  }
}

const EXCERPT_CHARACTERS = 40

/** The beginning of a text, on one line and without control characters, for a message. */
export function excerpt(text: string): string {
  // A character has at most two units: so much holds enough of them, and a cut one at the end is left out.
  const start = text.trimStart().slice(0, 2 * EXCERPT_CHARACTERS)
  return Array.from(start)
    .slice(0, EXCERPT_CHARACTERS)
    .join('')
    .replace(/[\s\p{Cc}]+/gu, ' ')
}

const LISTED_MAX = 100

/** Names of a file, for a message; a file can have any number of them. */
export function listed(names: Iterable<string>): string {
  const all = Array.from(names, (name) => excerpt(name) || '""')
  const more = all.length - LISTED_MAX
  return `${all.slice(0, LISTED_MAX).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
