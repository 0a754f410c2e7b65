import { isBlank } from '../table.js'
import type { Budget } from './budget.js'
import { columnOf } from './references.js'

/** The first column of merged cells, from its first row to its last, and how many columns they have. */
export interface Merge {
  readonly column: number
  readonly first: number
  readonly last: number
  readonly across: number
}

/** The merged cells of a reference such as A4:C7. */
export function mergeOf(reference: string): Merge | undefined {
  const [, top, first, end, last] = /^([A-Z]+(\d+)):([A-Z]+(\d+))$/.exec(reference) ?? []
  if (top === undefined || end === undefined) return undefined
  const column = columnOf(top)
  return { column, first: Number(first), last: Number(last), across: columnOf(end) - column + 1 }
}

/** A row to which merged cells can be added. */
export interface OpenRow {
  readonly line: number
  readonly cells: string[]
  merged?: Set<number>
  across?: number
}

/**
 * Fills merged cells downwards, as people read them: a value beside several rows is the value of each. Rows that have
 * nothing else are not in the list, and stay away.
 */
export function fillMerged(rows: readonly OpenRow[], merges: readonly Merge[], budget: Budget): void {
  const waiting = merges.toSorted((one, other) => other.first - one.first)
  const open = new Map<number, { last: number; text: string }>()
  for (const row of rows) {
    const { line, cells } = row
    for (let next = waiting.at(-1); next && next.first <= line; next = waiting.at(-1)) {
      waiting.pop()
      const text = cells[next.column]
      if (next.first === line && next.across > (row.across ?? 1)) row.across = next.across
      if (next.first === line && next.last > line && text !== undefined && !isBlank(text))
        open.set(next.column, { last: next.last, text })
    }
    for (const [column, { last, text }] of open) {
      if (line > last) open.delete(column)
      else if (isBlank(cells[column])) {
        budget.take(column + 1 - cells.length, text.length)
        while (cells.length < column) cells.push('')
        cells[column] = text
        row.merged ??= new Set()
        row.merged.add(column)
      }
    }
  }
}
