import { plain } from '../../../text.js'
import type { Rule } from '../mapping.js'
import { firstOf, type TableRow } from '../table.js'
import { slipsOf } from './headings.js'
import { BLANKS } from './words.js'

export interface Occurrence {
  readonly text: string
  count: number
  /** The first few only. */
  readonly lines: number[]
}

/** What a column contains: its distinct texts, and how long they are. */
export interface Column {
  readonly heading: string
  readonly at: number
  /** The distinct texts in their order, without blanks. */
  readonly texts: readonly Occurrence[]
  /** There are more distinct texts than are kept. */
  readonly isOverfull: boolean
  /** The same with every text, for a reader whom a late one may tell something else. */
  whole(): Column
  readonly filled: number
  readonly blankCount: number
  /** The length of the longest text, in UTF-16 units. */
  readonly longest: number
  readonly hasLineBreaks: boolean
}

/** How a column is read: the members of its rule, and what the reader should know. */
export interface Reading {
  readonly rule: Omit<Rule, 'from'>
  readonly how?: string | undefined
  /** Several texts become the same: the texts themselves are worth keeping. */
  readonly isLossy?: boolean | undefined
  /** Texts that mean nothing here, and the values of which they could be one. */
  readonly unknown?: readonly Occurrence[] | undefined
  readonly choices?: readonly string[]
  /** Why it cannot be decided, and what would decide it. */
  readonly question?: string | undefined
  readonly warning?: string | undefined
}

const DISTINCT_MAX = 2_000
const LINES_MAX = 5
const LINE_BREAK = /[\r\n\t\u2028\u2029]/

export function columnsUnder(headings: readonly string[], rows: readonly TableRow[]): Column[] {
  return headings.flatMap((heading, at) => (heading === '' ? [] : [columnAt(heading, at, rows)]))
}

function columnAt(heading: string, at: number, rows: readonly TableRow[], most = DISTINCT_MAX): Column {
  const texts = new Map<string, Occurrence>()
  let [filled, longest] = [0, 0]
  let [isOverfull, hasLineBreaks] = [false, false]
  for (const { line, cells } of rows) {
    const text = (cells[at] ?? '').trim()
    if (text === '') continue
    filled++
    if (text.length > longest) longest = text.length
    hasLineBreaks ||= LINE_BREAK.test(text)
    const occurrence = texts.get(text)
    if (occurrence) {
      occurrence.count++
      if (occurrence.lines.length < LINES_MAX) occurrence.lines.push(line)
    } else if (texts.size < most) texts.set(text, { text, count: 1, lines: [line] })
    else isOverfull = true
  }
  const measures = { filled, blankCount: rows.length - filled, longest, hasLineBreaks }
  const whole = () => (isOverfull ? columnAt(heading, at, rows, Number.POSITIVE_INFINITY) : column)
  const column: Column = { heading, at, texts: [...texts.values()], isOverfull, whole, ...measures }
  return column
}

const BLANK_WORDS = new Set(BLANKS.split(', ').map(plain))
/** No word of a table is longer, nor a text that stands for a blank. */
const WORD_CHARACTERS_MAX = 200

/** Whether a text stands for a blank, as n/a and TBD do. */
export function isBlankWord(text: string): boolean {
  const word = text.trim()
  return word.length <= WORD_CHARACTERS_MAX && (BLANK_WORDS.has(plain(word)) || /^-+$/.test(word))
}

/** The part of a text that says what it is: before a bracket, a dash or a slash. */
function headOf(text: string): string {
  const mark = text.slice(1).search(/[([:/;,|–—]|\s-/)
  return (mark === -1 ? text : text.slice(0, mark + 1)).trim()
}

/** The words of a vocabulary by their meanings, which are the keys of its tables. */
export class Words<V extends string> {
  readonly values: readonly string[]
  readonly #meanings = new Map<string, V>()

  constructor(...tables: Readonly<Record<string, string>>[]) {
    const all = tables.flatMap((table) => Object.entries(table))
    this.values = all.map(([meaning]) => meaning)
    // Of a word in two tables, the first counts.
    for (const [meaning, words] of all.toReversed())
      for (const word of words.split(', ')) this.#meanings.set(key(word), meaning as V)
  }

  get(text: string): V | undefined {
    // The beginning tells: a longer text is a sentence.
    const start = text.slice(0, WORD_CHARACTERS_MAX)
    const whole = key(start)
    const found = this.#meanings.get(whole) ?? this.#meanings.get(key(headOf(start))) ?? this.#firstOf(start)
    if (found !== undefined) return found
    // A long word with a typo, such as unlikly, unless it could be several.
    const [nearest, ...others] = new Set(slipsOf(this.#meanings, whole))
    return others.length === 0 ? nearest : undefined
  }

  /** Of two that are joined, as in Medium-High, the first. */
  #firstOf(text: string): V | undefined {
    const [first = '', second = '', more] = text.split('-')
    const isPair = more === undefined && this.#meanings.has(key(second))
    return isPair ? this.#meanings.get(key(first)) : undefined
  }
}

function key(text: string): string {
  return plain(text)
    .replaceAll(/[\s_.-]+/g, ' ')
    .trim()
}

/** The share of the rows that slips may have: one row in ten. */
export const SLIP_SHARE = 10

export function countOf(texts: readonly Occurrence[]): number {
  return texts.reduce((sum, { count }) => sum + count, 0)
}

export function occurrencesInWords(texts: readonly Occurrence[], most = 5): string {
  const shown = texts.map(
    ({ text, count, lines }) => `${JSON.stringify(text.slice(0, 40))} (${rowsInWords(lines, count)})`,
  )
  return firstOf(shown, most, ', ', ' and')
}

export function linesOfRows(rows: readonly TableRow[]): string {
  const lines = rows.map(({ line }) => line)
  return rowsInWords(lines, lines.length)
}

export function rowsInWords(lines: readonly number[], count: number): string {
  const shown = lines.slice(0, LINES_MAX)
  const more = count > shown.length ? ` and ${count - shown.length} more` : ''
  return `${count === 1 ? 'row' : 'rows'} ${shown.join(', ')}${more}`
}
