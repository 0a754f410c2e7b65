import type { Headings } from '../guess/headings.js'
import { headingKey } from '../header.js'
import { isBlank, type RowUnit, type TableRow } from '../table.js'

/** A row with fewer cells says too little to be typical. */
const FULL_CELLS_MIN = 3
const LETTER = /\p{L}/u

/** Why a row is no entry: it heads a section, repeats the header, adds others up, only parts them, or is below them. */
export type Kind = 'section' | 'header' | 'total' | 'rule' | 'below'

/** What the entries of a table look like, to distinguish other rows from them. */
export class Shape {
  readonly header: readonly string[]
  readonly rows: readonly TableRow[]
  readonly unit: RowUnit
  /** How many cells of each row are filled. */
  readonly counts: readonly number[]
  /** How many rows have at least half of what is usual. */
  readonly fullCount: number
  /** The rows, parted where blank rows are between them: the index of each. */
  readonly blocks: readonly (readonly number[])[]
  /** The column that says what an entry is, and the one that numbers the entries, if they are found. */
  readonly title: number | undefined
  readonly reference: number | undefined
  readonly #keys: readonly string[]
  /** The first heading of each key. */
  readonly #byKey: ReadonlyMap<string, string>
  readonly #lower: readonly string[]
  readonly #cellsMin: number
  /** The full rows of the first block that has several, else all of them. */
  readonly #sample: readonly TableRow[]
  readonly #headings: Headings
  readonly #shares = new Map<number, number>()
  #forms: ReadonlySet<string> | undefined

  constructor(header: readonly string[], rows: readonly TableRow[], headings: Headings, unit: RowUnit) {
    this.header = header
    this.rows = rows
    this.unit = unit
    this.#headings = headings
    this.#keys = header.map(headingKey)
    this.#byKey = new Map(header.map((heading) => [headingKey(heading), heading] as const).toReversed())
    this.#lower = header.map((heading) => heading.toLowerCase())
    this.counts = rows.map(({ cells }) => cells.reduce((sum, cell) => (isBlank(cell) ? sum : sum + 1), 0))
    const usual = this.counts.filter((count) => count >= FULL_CELLS_MIN).toSorted((one, other) => one - other)
    this.#cellsMin = Math.max(FULL_CELLS_MIN, (usual[usual.length >> 1] ?? 0) / 2)
    this.blocks = blocksOf(rows, unit)
    const fullOf = (block: readonly number[]) => block.filter((at) => this.isFull(at))
    const full = fullOf([...rows.keys()])
    this.fullCount = full.length
    const sample = this.blocks.map(fullOf).find(({ length }) => length > 1) ?? full
    this.#sample = rows.filter((_, at) => at >= (sample[0] ?? 0) && at <= (sample.at(-1) ?? -1) && this.isFull(at))
    this.title = this.#columnOf(['title'], 0.5)
    const reference = this.#columnOf(['reference', 'id'], 0.8)
    this.reference = reference === this.title ? undefined : reference
  }

  isFull(at: number): boolean {
    return (this.counts[at] ?? 0) >= this.#cellsMin
  }

  /** The share of the typical rows in which a column is filled. */
  share(column: number): number {
    const known = this.#shares.get(column)
    if (known !== undefined) return known
    const share = this.#sample.filter(({ cells }) => !isBlank(cells[column])).length / Math.max(this.#sample.length, 1)
    this.#shares.set(column, share)
    return share
  }

  /** Whether a text has the form of the other references, such as R-14. */
  isReference(text: string): boolean {
    const column = this.reference ?? -1
    this.#forms ??= new Set(this.#sample.map(({ cells }) => formOf(cells[column] ?? '')))
    return !isBlank(text) && this.#forms.has(formOf(text))
  }

  /** Whether a text is the heading of a column that means one of these. */
  names(text: string, fields: readonly string[]): boolean {
    const heading = this.#byKey.get(headingKey(text)) ?? ''
    return heading !== '' && this.#headings.meaningsOf(heading).some(({ field }) => fields.includes(field))
  }

  /** Whether a row is the header once more. */
  repeatsHeader({ cells }: TableRow): boolean {
    const first = cells.findIndex((cell) => !isBlank(cell))
    // Compared without folding, which would be slow for every row of a large file.
    const [cell = '', heading = ''] = [cells[first]?.trim(), this.#lower[first]]
    if (cell.length > heading.length || !heading.endsWith(cell.toLowerCase())) return false
    const filled = cells.flatMap((cell, at) => (isBlank(cell) ? [] : [[headingKey(cell), this.#keys[at] ?? '']]))
    // The heading of a group is before those of the header.
    const same = filled.filter(([own = '', key = '']) => key.endsWith(own)).length
    return same > 1 && same * 2 > filled.length
  }

  /** The text of a row that has nothing else, at most a number before it that the entries lack. */
  loneText(at: number): { text: string; column: number } | undefined {
    const { cells = [] } = this.rows[at] ?? {}
    const count = this.counts[at] ?? 0
    if (count === 0 || count > 2) return undefined
    const filled = cells.flatMap((cell, column) => (isBlank(cell) ? [] : [{ text: cell.trim(), column }]))
    const [first, last = first] = filled
    if (!first || !last || !LETTER.test(last.text)) return undefined
    if (count === 2 && !(NUMBERING.test(first.text) && this.share(first.column) < 0.2)) return undefined
    return last
  }

  #columnOf(fields: readonly string[], least: number): number | undefined {
    const ranked = this.header.flatMap((heading, column) => {
      const meanings = heading === '' ? [] : this.#headings.meaningsOf(heading)
      const ranks = meanings.filter(({ field }) => fields.includes(field)).map(({ rank }) => rank)
      return ranks.length > 0 && this.share(column) >= least ? [{ column, rank: Math.min(...ranks) }] : []
    })
    return ranked.toSorted((one, other) => one.rank - other.rank || one.column - other.column)[0]?.column
  }
}

const NUMBERING = /^(?:\d{1,3}|[IVX]{1,5}|\p{L})[.):]?$/iu

function formOf(text: string): string {
  return text
    .trim()
    .replaceAll(/\d+/g, '9')
    .replaceAll(/\p{L}+/gu, 'a')
}

function blocksOf(rows: readonly TableRow[], unit: RowUnit): number[][] {
  const blocks: number[][] = []
  for (const [at, row] of rows.entries()) {
    const last = rows[at - 1]
    if (!last || row.line > last.line + 1 + lineBreaks(last, row, unit)) blocks.push([at])
    else blocks.at(-1)?.push(at)
  }
  return blocks
}

/** In a text a row may have several lines. */
function lineBreaks({ line, cells }: TableRow, next: TableRow, unit: RowUnit): number {
  return unit === 'row' || next.line === line + 1 ? 0 : cells.join('').split('\n').length - 1
}
