/** Characters of one cell, in a CSV file and in a workbook. */
export const CELL_CHARACTERS_MAX = 1_000_000
/** The columns that a sheet has in every program. */
export const COLUMNS_MAX = 16_384

export interface TableRow {
  /** In a text the line on which it begins, in a workbook the number of the row; from 1. */
  readonly line: number
  readonly cells: string[]
  /** The columns whose cells are merged with those of the row above. */
  readonly merged?: ReadonlySet<number>
  /** Over how many columns the widest of its merged cells goes. */
  readonly across?: number
}

export type RowUnit = 'line' | 'row'

/** A table as it is in a file, wherever in it the header may be. */
export interface Table {
  /** The file's name for messages, with the sheet of a workbook. */
  readonly name: string
  readonly unit: RowUnit
  /** Whether the last row may be truncated, because no line end follows it. */
  readonly isOpenEnded: boolean
  /** What its reader should know, such as rows that were hidden. */
  readonly notes: readonly string[]
  readonly sheet?: string
  /** The sheets of a workbook among which none was chosen by name. */
  readonly sheets: readonly string[]
  /** The rows from the first one, at each call; some may be blank. */
  rows(): Iterable<TableRow>
}

export function isBlank(cell: string | undefined): boolean {
  if (cell === undefined) return true
  const first = cell.charCodeAt(0)
  // Most cells begin with a letter or a digit, and this is several times as fast as trimming each.
  return !(first > 0x20 && first < 0x7f) && cell.trim() === ''
}

/** A record by field names: a blank cell is '', JSON values are as they are, a field without a column is absent. */
export interface SheetRecord {
  readonly index: number
  /** The line on which it begins; in JSON the number of the element. From 1. */
  readonly line: number
  readonly values: Readonly<Record<string, unknown>>
  readonly violations: readonly SheetViolation[]
}

/** The records of a file, and what became of its columns. */
export interface ReadSheet {
  readonly records: readonly SheetRecord[]
  /** What its reader should know about how it was read. */
  readonly notes: readonly string[]
  /** What was changed on the way. */
  readonly warnings: readonly string[]
  readonly unit: RowUnit
  readonly ignored: readonly string[]
  /** Known columns that are computed, and so not taken from a file. */
  readonly derived: readonly string[]
  /** The headings, or the paths of members, that have something below them; only if it was read by a map. */
  readonly headings: readonly string[]
  /** The source's name for the column of a field: the header, or the field's own name. */
  columnOf(field: string): string
}

/** The column is the header or member name; '' for the whole record. */
export type SheetViolation = Readonly<Record<'column' | 'value' | 'detail', string>>

/** One shared array for the many records without a violation. */
export const NO_FLAWS: readonly SheetViolation[] = Object.freeze([])

/** Where in a file; nowhere in particular without a line. */
export type Place = Readonly<{ line?: number | undefined; unit?: RowUnit }>

/** A file that is not a readable table; the message is for people and begins with the file's name. */
export class UnreadableSheet extends Error {
  constructor(name: string, sentence: string, { line, unit = 'line' }: Place = {}) {
    super(`${name}${line === undefined ? '' : `, ${unit} ${line}`}: ${sentence}`)
    this.name = 'UnreadableSheet'
  }
}

/** What a function returns; undefined if it throws. */
export function attempt<V>(make: () => V): V | undefined {
  try {
    return make()
  } catch {
    return undefined
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

/** The first of some texts, and how many there are besides. */
export function firstOf(texts: readonly string[], most = LISTED_MAX, separator = '; ', and = '; and'): string {
  const more = texts.length > most ? `${and} ${texts.length - most} more` : ''
  return texts.slice(0, most).join(separator) + more
}

/** Names of a file for a message, the first few only. */
export function listed(names: Iterable<string>): string {
  return firstOf(Array.from(names, (name) => excerpt(name) || '""'))
}
