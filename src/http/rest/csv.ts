import { setImmediate as nextTurn } from 'node:timers/promises'
import { sheetCell } from '../../ingest/files/cells.js'
import { csvLine, type Separator } from '../../ingest/files/csv.js'
import { LIMITS } from '../../limits.js'
import { Content } from '../wire/content.js'
import { joined } from '../wire/slices.js'

export type Entry = Readonly<Record<string, unknown>>

/** Entries as CSV: a header line, then a line for each entry. */
export function csvText(columns: readonly string[], entries: readonly Entry[]): string {
  return csvLine(columns) + entries.map((entry) => csvEntry(columns, entry)).join('')
}

/** The same as a response body, written in slices to yield to the event loop. */
export async function csvContent(
  columns: readonly string[],
  entries: Iterable<Entry>,
  separator: Separator,
): Promise<Content> {
  const slices: Buffer[] = []
  // Excel knows UTF-8 by the byte order mark.
  let slice = [`\ufeff${csvLine(columns, separator)}`]
  for (const entry of entries) {
    slice.push(csvEntry(columns, entry, separator))
    if (slice.length < LIMITS.sliceRows) continue
    slices.push(Buffer.from(slice.join('')))
    slice = []
    await nextTurn()
  }
  slices.push(Buffer.from(slice.join('')))
  return new Content('text/csv; charset=utf-8; header=present', await joined(slices))
}

function csvEntry(columns: readonly string[], entry: Entry, separator?: Separator): string {
  return csvLine(
    columns.map((column) => sheetCell(entry[column])),
    separator,
  )
}

/** Parses newline-delimited JSON lazily, one entry at a time. */
export function* entriesIn(lines: Buffer): Generator<Entry> {
  for (let start = 0; start < lines.length; ) {
    const found = lines.indexOf('\n', start)
    const end = found < 0 ? lines.length : found
    // The cast holds: the store's SQL built each line from the selected fields.
    yield JSON.parse(lines.toString('utf8', start, end)) as Entry
    start = end + 1
  }
}
