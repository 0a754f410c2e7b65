import { DETAILS, detailsIn } from '../../details.js'
import { SHEETS } from '../../ingest/columns.js'
import { DetailNames, sheetLayout } from '../../ingest/files/cells.js'
import { csvLine } from '../../ingest/files/csv.js'
import type { SheetNoun } from '../../ingest/files/nouns.js'
import type { SheetFormat } from '../../ingest/files/sheet.js'

/** An empty sheet of a noun with a commented example, without the columns that only an export writes. */
export function templateOf(noun: SheetNoun, format: SheetFormat): string {
  const columns = Object.entries(SHEETS[noun].fields).filter(([, { example }]) => example !== '')
  const record = Object.fromEntries(
    columns.map(([name, { example }]) => [name, name === DETAILS ? detailsIn(example) : example]),
  )
  if (format === 'csv') {
    const names = new DetailNames()
    names.add(record)
    const { header, cells } = sheetLayout(Object.keys(record), names.all)
    return `${csvLine(header)}# ${csvLine(cells(record))}`.trimEnd()
  }
  return JSON.stringify(format === 'json' ? [record] : record)
}
