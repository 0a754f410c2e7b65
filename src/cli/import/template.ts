import { SHEETS } from '../../ingest/columns.js'
import { csvLine } from '../../ingest/files/csv.js'
import type { SheetNoun } from '../../ingest/files/nouns.js'
import type { SheetFormat } from '../../ingest/files/sheet.js'

/** An empty sheet of a noun with a commented example, without the columns that only an export writes. */
export function templateOf(noun: SheetNoun, format: SheetFormat): string {
  const columns = Object.entries(SHEETS[noun].fields).filter(([, { example }]) => example !== '')
  const examples = columns.map(([, { example }]) => example)
  if (format === 'csv') {
    return `${csvLine(columns.map(([name]) => name))}# ${csvLine(examples)}`.trimEnd()
  }
  const record = Object.fromEntries(columns.map(([name, { example }]) => [name, example]))
  return JSON.stringify(format === 'json' ? [record] : record)
}
