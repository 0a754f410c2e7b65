import { sheetCell } from '../sheets/cells.js'
import { csvLine } from '../sheets/csv.js'
import { Content } from './represent.js'

export type Entry = Readonly<Record<string, unknown>>

/** Entries as CSV: a line of names, and a line for each entry. */
export function csvText(columns: readonly string[], entries: readonly Entry[]): string {
  const lines = entries.map((entry) => csvLine(columns.map((column) => sheetCell(entry[column]))))
  return csvLine(columns) + lines.join('')
}

export function csvContent(columns: readonly string[], entries: readonly Entry[]): Content {
  return new Content('text/csv; charset=utf-8; header=present', Buffer.from(csvText(columns, entries)))
}
