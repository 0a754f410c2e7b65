import { CELL_CHARACTERS_MAX, COLUMNS_MAX, excerpt, type Table, type TableRow, UnreadableSheet } from './table.js'

const SEPARATORS = [',', ';', '\t'] as const
export type Separator = (typeof SEPARATORS)[number]

/** Where to start, and the name of the text for messages. */
interface CsvOptions {
  readonly name?: string
  readonly start?: number
}

/** The records of a CSV text (RFC 4180), without blank lines and comments, which begin with `# `. */
export function* csvRecords(text: string, separator: Separator, options: CsvOptions = {}): Generator<TableRow, void> {
  const reader = new CsvReader(text, separator, options)
  while (reader.at < text.length) {
    const record = reader.next()
    if (record) yield record
  }
}

const LINE_END = /\r\n?|\n/g

class CsvReader {
  at: number
  readonly #text: string
  readonly #separator: Separator
  readonly #name: string
  readonly #nextCr: Finder
  readonly #nextLf: Finder
  readonly #nextQuote: Finder
  readonly #nextSeparator: Finder
  #line: number

  constructor(text: string, separator: Separator, { name = 'The text', start = 0 }: CsvOptions) {
    this.at = start
    this.#text = text
    this.#separator = separator
    this.#name = name
    this.#nextCr = finder(text, '\r')
    this.#nextLf = finder(text, '\n')
    this.#nextQuote = finder(text, '"')
    this.#nextSeparator = finder(text, separator)
    this.#line = 1 + lineEnds(text.slice(0, start))
  }

  /** The record that begins here; undefined for a comment or a blank line. */
  next(): TableRow | undefined {
    const line = this.#line
    const end = this.#lineEnd()
    if (this.#text.startsWith('# ', this.at)) return this.#endLine(end)
    if (this.#nextQuote(this.at) < end) return { line, cells: this.#cells() }
    // Most lines have no quote, and `split` is several times as fast as parsing cell by cell.
    const cells = this.#text.slice(this.at, end).split(this.#separator, COLUMNS_MAX + 1)
    if (cells.length > COLUMNS_MAX) this.#refuseWidth()
    if (end - this.at > CELL_CHARACTERS_MAX)
      for (const [at, { length }] of cells.entries()) this.#requireShort(length, at)
    this.#endLine(end)
    return cells.length === 1 && cells[0]?.trim() === '' ? undefined : { line, cells }
  }

  #cells(): string[] {
    const cells: string[] = []
    for (;;) {
      if (cells.length === COLUMNS_MAX) this.#refuseWidth()
      cells.push(this.#text[this.at] === '"' ? this.#quotedCell(cells.length) : this.#plainCell(cells.length))
      if (this.#text[this.at] !== this.#separator) break
      this.at++
    }
    this.#endLine(this.at)
    return cells
  }

  #plainCell(column: number): string {
    const start = this.at
    this.at = Math.min(this.#nextSeparator(start), this.#lineEnd())
    this.#requireShort(this.at - start, column)
    return this.#text.slice(start, this.at)
  }

  #quotedCell(column: number): string {
    const start = this.at + 1
    let close = this.#nextQuote(start)
    while (this.#text[close + 1] === '"') close = this.#nextQuote(close + 2)
    if (close > this.#text.length) this.#refuse('A quote opens here and never closes.')
    this.#requireShort(close - start, column)
    const raw = this.#text.slice(start, close)
    if (this.#lineEnd() < close) this.#line += lineEnds(raw)
    this.at = close + 1
    if (this.at < this.#lineEnd() && this.#text[this.at] !== this.#separator) {
      const rest = JSON.stringify(excerpt(this.#text.slice(this.at, this.#lineEnd())))
      this.#refuse(`Unexpected ${rest} after a closing quote. Write a quote inside a cell twice.`)
    }
    return raw.replaceAll('""', '"')
  }

  #lineEnd(): number {
    return Math.min(this.#nextCr(this.at), this.#nextLf(this.at), this.#text.length)
  }

  #endLine(end: number): undefined {
    this.at = end + (this.#text.startsWith('\r\n', end) ? 2 : 1)
    this.#line++
  }

  #requireShort(characters: number, column: number): void {
    if (characters <= CELL_CHARACTERS_MAX) return
    const most = CELL_CHARACTERS_MAX.toLocaleString('en')
    this.#refuse(`Cell ${column + 1} has more than ${most} characters. Shorten it, or is a quote missing?`)
  }

  #refuseWidth(): never {
    const most = COLUMNS_MAX.toLocaleString('en')
    this.#refuse(`There are more than ${most} cells in this row. Leave columns out, or is a line break missing?`)
  }

  #refuse(sentence: string): never {
    throw new UnreadableSheet(this.#name, sentence, { line: this.#line })
  }
}

type Finder = (from: number) => number

/** Finds the next position of a character. Positions only increase, so each part of the text is searched once. */
function finder(text: string, character: string): Finder {
  let place = -1
  return (from) => {
    if (place < from) {
      const found = text.indexOf(character, from)
      place = found === -1 ? Number.POSITIVE_INFINITY : found
    }
    return place
  }
}

function lineEnds(text: string): number {
  return text.match(LINE_END)?.length ?? 0
}

/** A text as a table, once for each separator that it may have, the likeliest one first. */
export function csvTables(text: string, name: string): Table[] {
  const { separators, start } = separatorsOf(text)
  const isOpenEnded = !/[\r\n]$/.test(text)
  return separators.map((separator) => ({
    name,
    unit: 'line',
    isOpenEnded,
    notes: [],
    sheets: [],
    rows: () => csvRecords(text, separator, { name, start }),
  }))
}

/**
 * The separators that a text may have, by their number in its first record, and where that begins: Excel writes `sep=;`
 * on a line before it.
 */
export function separatorsOf(text: string): { separators: Separator[]; start: number } {
  const declared = /^"?sep=([,;\t])"?(?:\r\n?|\n|$)/i.exec(text)
  const separator = SEPARATORS.find((one) => one === declared?.[1])
  if (declared && separator) return { separators: [separator], start: declared[0].length }
  const header = outsideQuotes(text)
  const count = (one: string) => header.split(one).length
  return { separators: SEPARATORS.toSorted((one, other) => count(other) - count(one)), start: 0 }
}

/** The first record without its quoted parts. */
function outsideQuotes(text: string): string {
  // The first line that is neither blank nor a comment.
  let at = Math.max(0, text.search(/^(?!# |[^\S\r\n]*$)/m))
  let outside = ''
  for (;;) {
    const [plain = ''] = /^[^"\r\n]*/.exec(text.slice(at)) ?? []
    outside += plain
    const quote = at + plain.length
    const close = text[quote] === '"' ? text.indexOf('"', quote + 1) : -1
    if (close === -1) return outside
    at = close + 1
  }
}

// White space at an end and a single blank cell are quoted too: other programs drop them.
const MUST_QUOTE: Readonly<Record<Separator, RegExp>> = {
  ',': /[",\r\n]|^\s|\s$/,
  ';': /[";\r\n]|^\s|\s$/,
  '\t': /["\t\r\n]|^\s|\s$/,
}

/** The separators by name. */
export const SEPARATOR_NAMES = { comma: ',', semicolon: ';', tab: '\t' } as const satisfies Record<string, Separator>
export type SeparatorName = keyof typeof SEPARATOR_NAMES

/** One record as a line, quoted where needed, so that parsing it returns these cells. */
export function csvLine(cells: readonly string[], separator: Separator = ','): string {
  const line = cells.map((cell, index) => {
    const isComment = index === 0 && cell.startsWith('# ')
    const isBlankLine = cells.length === 1 && cell === ''
    return isComment || isBlankLine || MUST_QUOTE[separator].test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  })
  return `${line.join(separator)}\r\n`
}

/**
 * Where a formula could begin. A spreadsheet set to another separator than the file's also splits at that one and at
 * line breaks, and treats a quote as one only at the start of its own cells; one of an East Asian language takes the
 * full-width signs as well.
 */
const FORMULA = /(^|[,;\t\r\n])(?='*[=+\-@\t\r＝＋－＠])/
const FORMULAS = /(?<=^|[,;\t\r\n])(?='*[=+\-@\t\r＝＋－＠])/g
const GUARDS = /(?<=^|[,;\t\r\n])'(?='*[=+\-@\t\r＝＋－＠])/g

/** A text as a cell that no spreadsheet runs as a formula. */
export function guarded(text: string): string {
  // Most cells have none, and `test` is five times as fast as `replaceAll`.
  return FORMULA.test(text) ? text.replaceAll(FORMULAS, "'") : text
}

/** The text of a guarded cell. */
export function unguarded(text: string): string {
  return text.includes("'") ? text.replaceAll(GUARDS, '') : text
}
