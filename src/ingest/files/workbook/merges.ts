import { isBlank, type TableRow } from '../table.js'
import { columnOf } from './references.js'

/** The first column of merged cells, from its first row to its last. */
export interface Merge {
  readonly column: number
  readonly first: number
  readonly last: number
}

/** The merged cells of a reference such as A4:A7; undefined if they are in one row. */
export function mergeOf(reference: string): Merge | undefined {
  const [, top = '', first, last] = /^([A-Z]+(\d+)):[A-Z]+(\d+)$/.exec(reference) ?? []
  if (first === last) return undefined
  return { column: columnOf(top), first: Number(first), last: Number(last) }
}

/**
 * Fills merged cells downwards, as people read them: a value beside several rows is the value of each. Rows that have
 * nothing else are not in the list, and stay away.
 */
export function fillMerged(rows: readonly TableRow[], merges: readonly Merge[], take: (cells: number) => void): void {
  const waiting = merges.toSorted((one, other) => other.first - one.first)
  const open = new Map<number, { last: number; text: string }>()
  for (const { line, cells } of rows) {
    for (let next = waiting.at(-1); next && next.first <= line; next = waiting.at(-1)) {
      waiting.pop()
      const text = cells[next.column]
      if (next.first === line && text !== undefined && !isBlank(text)) open.set(next.column, { last: next.last, text })
    }
    for (const [column, { last, text }] of open) {
      if (line > last) open.delete(column)
      else if (isBlank(cells[column])) {
        take(column + 1 - cells.length)
        while (cells.length < column) cells.push('')
        cells[column] = text
      }
    }
  }
}
