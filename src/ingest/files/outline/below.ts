import { isBlank, type TableRow } from '../table.js'
import type { Kind, Shape } from './shape.js'

/** The rows of legends and other tables that follow a table after a gap. */
export function* belowTable(shape: Shape, kinds: ReadonlyMap<number, Kind>): Generator<number> {
  if (shape.blocks.length === 1) return
  const blocks = shape.blocks.map((block) => block.filter((at) => !kinds.has(at)))
  const start = blocks.findIndex((block) => block.some((at) => shape.isFull(at)))
  const table = blocks[start]
  if (!table) return
  const entries = new Entries(shape, table)
  const other = blocks.findIndex((block, index) => index > start && entries.isOtherHeader(block[0]))
  let end = other === -1 ? blocks.length : other
  while (end > start + 1 && entries.hasNone(blocks[end - 1] ?? [])) end--
  for (const block of blocks.slice(end)) yield* block
}

const FACTORS = ['likelihood', 'impact'] as const
const NUMBER = /^[\d.,%\s]+$/

/** Tells entries from the rows of a legend or of another table. */
class Entries {
  readonly #shape: Shape
  /** The columns that most entries fill. */
  readonly #core: readonly number[]
  /** The columns that have nothing but numbers. */
  readonly #numeric: readonly number[]

  constructor(shape: Shape, table: readonly number[]) {
    this.#shape = shape
    const columns = shape.header.flatMap((heading, at) => (heading === '' ? [] : [at]))
    this.#core = columns.filter((column) => shape.share(column) >= 0.6)
    this.#numeric = columns.filter((column) => {
      const texts = table.map((at) => shape.rows[at]?.cells[column] ?? '').filter((text) => !isBlank(text))
      return texts.length > 1 && texts.every((text) => NUMBER.test(text))
    })
  }

  /** Whether a row has words in columns of numbers: it is the header of another table. */
  isOtherHeader(at: number | undefined): boolean {
    const cells = at === undefined ? [] : (this.#shape.rows[at]?.cells ?? [])
    const filled = this.#numeric.filter((column) => !isBlank(cells[column]))
    return filled.length > 1 && filled.every((column) => /\p{L}{2}/u.test(cells[column] ?? ''))
  }

  hasNone(block: readonly number[]): boolean {
    const rows = block.flatMap((at) => this.#shape.rows[at] ?? [])
    return rows.every((row) => !this.#isEntry(row)) || rows.some(({ cells }) => this.#isLegend(cells))
  }

  #isEntry({ cells }: TableRow): boolean {
    const { reference, title = -1 } = this.#shape
    if (reference !== undefined && this.#shape.isReference(cells[reference] ?? '')) return true
    const filled = this.#core.filter((column) => !isBlank(cells[column])).length
    return !isBlank(cells[title]) && filled >= this.#core.length * (reference === undefined ? 0.5 : 0.75)
  }

  /** Whether a row explains a scale: it has the heading of one as a text. */
  #isLegend(cells: readonly string[]): boolean {
    const { reference } = this.#shape
    return reference === undefined && cells.some((cell) => !isBlank(cell) && this.#shape.names(cell, FACTORS))
  }
}
