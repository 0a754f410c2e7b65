import { isBlank } from '../table.js'
import { belowTable } from './below.js'
import type { Kind, Shape } from './shape.js'

/** The rows that are no entries, by their index. */
export function kindsOf(shape: Shape): Map<number, Kind> {
  const kinds = new Map<number, Kind>()
  if (shape.fullCount < 2 || shape.title === undefined) return kinds
  for (const [at, row] of shape.rows.entries()) {
    if (shape.repeatsHeader(row)) kinds.set(at, 'header')
    else if (isTotal(shape, row.cells)) kinds.set(at, 'total')
    else if (!row.cells.some(isSaying)) kinds.set(at, 'rule')
  }
  for (const [at, kind] of sections(shape, kinds)) kinds.set(at, kind)
  for (const at of belowTable(shape, kinds)) kinds.set(at, 'below')
  return kinds
}

function isSaying(cell: string): boolean {
  return /[\p{L}\p{N}]/u.test(cell)
}

const TOTAL =
  /^(?:(?:grand|sub|overall)[\s-]*)?(?:totals?|sum|average|mean|count|summe|gesamt|gesamtsumme|durchschnitt|somme|moyenne|suma|promedio|soma|média|razem|średnia|合计|总计|平均)(?:\s+(?:of|number|risks?|issues?|scores?|points|exposure|cost|costs|rating|général|open|:))*\s*:?$/iu

/** A row of sums: a word for it, otherwise numbers, and no reference. */
function isTotal({ reference, title }: Shape, cells: readonly string[]): boolean {
  const isNamed = reference !== undefined && !isBlank(cells[reference]) && !isBlank(cells[title ?? -1])
  if (isNamed) return false
  const label = cells.findIndex((cell) => /\p{L}/u.test(cell))
  const isAlone = [reference, title].every(
    (column) => column === undefined || column === label || isBlank(cells[column]),
  )
  if (!isAlone || !TOTAL.test(cells[label]?.trim() ?? '')) return false
  return cells.every((cell, at) => at === label || !/\p{L}/u.test(cell))
}

/** Over how many columns a merged cell must go to be a heading in any case. */
const WIDE_COLUMNS_MIN = 3
/** How many headings may be one below the other. */
const NESTED_MAX = 2

/**
 * The rows with one text that head the rows below them. Where nothing else tells them from an entry of which only the
 * title is known, the table must begin with one.
 */
function* sections(shape: Shape, kinds: ReadonlyMap<number, Kind>): Generator<[number, Kind]> {
  const { rows, reference, title = -1, fullCount } = shape
  const lone = new Map<number, { text: string; column: number }>()
  for (const at of rows.keys()) {
    const text = kinds.has(at) ? undefined : shape.loneText(at)
    if (text) lone.set(at, text)
  }
  if (lone.size === 0) return
  const others = [...rows.keys()].filter((at) => !kinds.has(at))
  const heads = headsOf(shape, others, lone)
  const isDivided = reference !== undefined || heads.has(others[0] ?? -1)
  const width = Math.max(WIDE_COLUMNS_MIN, shape.header.filter((heading) => heading !== '').length / 2)
  for (const [at, { text, column }] of lone) {
    const isWide = (rows[at]?.across ?? 1) >= width
    const isNamed = column === reference && shape.isReference(text)
    const isHeading = isDivided && lone.size <= fullCount && column <= title && !isNamed && heads.has(at)
    if (isWide || isHeading) yield [at, heads.has(at) ? 'section' : 'below']
  }
}

/** The rows with one text that a full row follows. */
function headsOf(shape: Shape, others: readonly number[], lone: ReadonlyMap<number, unknown>): Set<number> {
  const heads = new Set<number>()
  let nested = NESTED_MAX
  for (const at of others.toReversed()) {
    if (!lone.has(at)) nested = shape.isFull(at) ? 0 : NESTED_MAX
    else if (nested++ < NESTED_MAX) heads.add(at)
  }
  return heads
}
