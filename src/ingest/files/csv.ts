import { SEPARATOR_NAMES, type Separator } from '../../csv.js'
import { CELL_CHARACTERS_MAX, COLUMNS_MAX, excerpt, type Table, type TableRow, UnreadableSheet } from './table.js'

const SEPARATORS = Object.values(SEPARATOR_NAMES)

/** The records of a CSV text (RFC 4180), without blank lines and comments, which begin with `# `. */
export function* csvRecords(text: string, separator: Separator, { name = 'The text', start = 0 } = {}) {
  const [nextCr, nextLf, nextQuote] = [finder(text, '\r'), finder(text, '\n'), finder(text, '"')]
  const nextSeparator = finder(text, separator)
  let at = start
  let line = 1 + lineEnds(text.slice(0, start))
  const lineEnd = () => Math.min(nextCr(at), nextLf(at), text.length)
  const refuse = (sentence: string): never => {
    throw new UnreadableSheet(name, sentence, { line })
  }
  const requireWidth = (cells: number) => {
    if (cells <= COLUMNS_MAX) return
    const found = `There are more than ${COLUMNS_MAX.toLocaleString('en')} cells in this row.`
    refuse(`${found} Leave columns out, or is a line break missing?`)
  }
  const requireShort = (characters: number, column: number) => {
    if (characters <= CELL_CHARACTERS_MAX) return
    const found = `Cell ${column + 1} has more than ${CELL_CHARACTERS_MAX.toLocaleString('en')} characters.`
    refuse(`${found} Shorten it, or is a quote missing?`)
  }

  const plainCell = (column: number) => {
    const first = at
    at = Math.min(nextSeparator(first), lineEnd())
    requireShort(at - first, column)
    return text.slice(first, at)
  }

  const quotedCell = (column: number) => {
    const first = at + 1
    let close = nextQuote(first)
    while (text[close + 1] === '"') close = nextQuote(close + 2)
    if (close > text.length) refuse('A quote opens here and never closes.')
    requireShort(close - first, column)
    const raw = text.slice(first, close)
    if (lineEnd() < close) line += lineEnds(raw)
    at = close + 1
    if (at < lineEnd() && text[at] !== separator) {
      const rest = JSON.stringify(excerpt(text.slice(at, lineEnd())))
      refuse(`Unexpected ${rest} after a closing quote. Write a quote inside a cell twice.`)
    }
    return raw.replaceAll('""', '"')
  }

  const quotedRow = () => {
    const cells: string[] = []
    for (;;) {
      requireWidth(cells.length + 1)
      cells.push(text[at] === '"' ? quotedCell(cells.length) : plainCell(cells.length))
      if (text[at] !== separator) return cells
      at++
    }
  }

  // Most lines have no quote, and `split` is several times as fast as parsing cell by cell.
  const plainRow = (end: number) => {
    const cells = text.slice(at, end).split(separator, COLUMNS_MAX + 1)
    requireWidth(cells.length)
    if (end - at > CELL_CHARACTERS_MAX) for (const [column, { length }] of cells.entries()) requireShort(length, column)
    at = end
    return cells.length === 1 && cells[0]?.trim() === '' ? undefined : cells
  }

  while (at < text.length) {
    const [first, end] = [line, lineEnd()]
    const isComment = text.startsWith('# ', at)
    const cells = isComment ? undefined : nextQuote(at) < end ? quotedRow() : plainRow(end)
    if (isComment) at = end
    at += text.startsWith('\r\n', at) ? 2 : 1
    line++
    if (cells) yield { line: first, cells } satisfies TableRow
  }
}

/** Finds the next position of a character. Positions only increase, so each part of the text is searched once. */
function finder(text: string, character: string) {
  let place = -1
  return (from: number): number => {
    if (place < from) {
      const found = text.indexOf(character, from)
      place = found === -1 ? Number.POSITIVE_INFINITY : found
    }
    return place
  }
}

function lineEnds(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0
}

/** A text as a table, once for each separator that it may have, the likeliest one first. */
export function csvTables(text: string, name: string): Table[] {
  const { separators, start } = separatorsOf(text)
  const table = { name, unit: 'line', isOpenEnded: !/[\r\n]$/.test(text), notes: [], sheets: [] } as const
  return separators.map((separator) => ({ ...table, rows: () => csvRecords(text, separator, { name, start }) }))
}

/** The likeliest separators first, and where the first record begins: Excel writes `sep=;` on a line before it. */
export function separatorsOf(text: string): { separators: Separator[]; start: number } {
  const declared = /^"?sep=([,;\t])"?(?:\r\n?|\n|$)/i.exec(text)
  const separator = SEPARATORS.find((one) => one === declared?.[1])
  if (declared && separator) return { separators: [separator], start: declared[0].length }
  const bare = text.slice(0, HEADER_CHARACTERS).replaceAll(/"[^"]*"?/g, '')
  const header = bare.split(/[\r\n]/).find((line) => line.trim() !== '' && !line.startsWith('# ')) ?? ''
  const count = (one: string) => header.split(one).length
  return { separators: SEPARATORS.toSorted((one, other) => count(other) - count(one)), start: 0 }
}

/** Where the first line with cells is, outside of quotes. */
const HEADER_CHARACTERS = 100_000
