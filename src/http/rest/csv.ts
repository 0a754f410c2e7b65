import { setImmediate as nextTurn } from 'node:timers/promises'
import { DetailNames, type SheetLayout, sheetLayout } from '../../ingest/files/cells.js'
import { csvLine, type Separator } from '../../ingest/files/csv.js'
import { LIMITS } from '../../limits.js'
import { Content } from '../wire/content.js'
import { joined } from '../wire/slices.js'

export type Entry = Readonly<Record<string, unknown>>

/** Entries as CSV: a header line, then a line for each entry. */
export function csvText(columns: readonly string[], entries: readonly Entry[]): string {
  const names = new DetailNames()
  for (const entry of entries) names.add(entry)
  const { header, cells } = sheetLayout(columns, names.all)
  return csvLine(header) + entries.map((entry) => csvLine(cells(entry))).join('')
}

/** The same as a response body, written in slices to yield to the event loop; the entries are read twice. */
export async function csvContent(
  columns: readonly string[],
  entries: Iterable<Entry>,
  separator: Separator,
): Promise<Content> {
  const slices: Buffer[] = []
  // Excel knows UTF-8 by the byte order mark.
  const { header, cells } = await layoutOf(columns, entries)
  let slice = [`\ufeff${csvLine(header, separator)}`]
  for (const entry of entries) {
    slice.push(csvLine(cells(entry), separator))
    if (slice.length < LIMITS.sliceRows) continue
    slices.push(Buffer.from(slice.join('')))
    slice = []
    await nextTurn()
  }
  slices.push(Buffer.from(slice.join('')))
  return new Content('text/csv; charset=utf-8; header=present', await joined(slices))
}

async function layoutOf(columns: readonly string[], entries: Iterable<Entry>): Promise<SheetLayout> {
  const names = new DetailNames()
  let rows = 0
  for (const entry of entries instanceof JsonLines ? entries.detailed() : entries) {
    names.add(entry)
    if (++rows % LIMITS.sliceRows === 0) await nextTurn()
  }
  return sheetLayout(columns, names.all)
}

/** Newline-delimited JSON, parsed lazily, one entry at a time. */
export class JsonLines implements Iterable<Entry> {
  private readonly lines: Buffer

  constructor(lines: Buffer) {
    this.lines = lines
  }

  [Symbol.iterator](): Iterator<Entry> {
    return entriesIn(this.lines)
  }

  /** None if no entry has details: looking for them is much faster than parsing. */
  detailed(): Iterable<Entry> {
    return this.lines.includes('"details":[{') ? this : []
  }
}

function* entriesIn(lines: Buffer): Generator<Entry> {
  for (let start = 0; start < lines.length; ) {
    const found = lines.indexOf('\n', start)
    const end = found < 0 ? lines.length : found
    // The cast holds: the store's SQL built each line from the selected fields.
    yield JSON.parse(lines.toString('utf8', start, end)) as Entry
    start = end + 1
  }
}
