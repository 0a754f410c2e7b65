import { setImmediate as nextTurn } from 'node:timers/promises'
import { LIMITS } from '../limits.js'
import { sheetCell } from '../sheets/cells.js'
import { csvLine } from '../sheets/csv.js'
import { Content } from './represent.js'

export type Entry = Readonly<Record<string, unknown>>

/** Entries as CSV: a line of names, and a line for each entry. */
export function csvText(columns: readonly string[], entries: readonly Entry[]): string {
  return csvLine(columns) + csvLines(columns, entries)
}

/** The same as a body; a long one is written slice by slice, so that others have their turn. */
export async function csvContent(columns: readonly string[], entries: readonly Entry[]): Promise<Content> {
  const slices = [Buffer.from(csvLine(columns))]
  for (let i = 0; i < entries.length; i += LIMITS.sliceRows) {
    if (i > 0) await nextTurn()
    slices.push(Buffer.from(csvLines(columns, entries.slice(i, i + LIMITS.sliceRows))))
  }
  return new Content('text/csv; charset=utf-8; header=present', Buffer.concat(slices))
}

function csvLines(columns: readonly string[], entries: readonly Entry[]): string {
  return entries.map((entry) => csvLine(columns.map((column) => sheetCell(entry[column])))).join('')
}
