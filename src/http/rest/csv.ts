import { setImmediate as nextTurn } from 'node:timers/promises'
import { csvLine, DetailNames, type Separator, type SheetLayout, sheetLayout } from '../../csv.js'
import { Work } from '../../work.js'
import { Content } from '../wire/content.js'
import { joined, SLICE_BYTES } from '../wire/slices.js'

/** Entries of a list that are written before other requests are served. */
export const SLICE_ROWS = 500

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
  entries: JsonLines,
  separator: Separator,
): Promise<Content> {
  // Excel knows UTF-8 by the byte order mark.
  const { header, cells } = await layoutOf(columns, entries)
  const parts = [Buffer.from(`\ufeff${csvLine(header, separator)}`)]
  for (const slice of entries.slices()) {
    const lines = () => slice.map((entry) => csvLine(cells(entry), separator)).join('')
    parts.push(Buffer.from(entries.work.time('csv', lines)))
    await nextTurn()
  }
  return new Content('text/csv; charset=utf-8; header=present', await joined(parts))
}

async function layoutOf(columns: readonly string[], entries: JsonLines): Promise<SheetLayout> {
  const names = new DetailNames()
  for (const slice of (await entries.haveDetails()) ? entries.slices() : []) {
    for (const entry of slice) names.add(entry)
    // They become one column, whatever the others are.
    if (names.areTooMany) break
    await nextTurn()
  }
  return sheetLayout(columns, names.all)
}

/** Newline-delimited JSON, parsed lazily. */
export class JsonLines {
  readonly lines: Buffer
  readonly work: Work

  constructor(lines: Buffer, work = new Work()) {
    this.lines = lines
    this.work = work
  }

  /** The entries in slices of at most so many rows and about so many bytes. */
  *slices(): Generator<readonly Entry[]> {
    const { lines } = this
    let start = 0
    const next = () => {
      const slice: Entry[] = []
      const until = start + SLICE_BYTES
      while (start < lines.length && start < until && slice.length < SLICE_ROWS) {
        const found = lines.indexOf('\n', start)
        const end = found < 0 ? lines.length : found
        // The cast holds: the store's SQL built each line from the selected fields.
        slice.push(JSON.parse(lines.toString('utf8', start, end)) as Entry)
        start = end + 1
      }
      return slice
    }
    while (start < lines.length) yield this.work.time('serialise', next)
  }

  /** Whether any entry has details: looking for them is much faster than parsing. */
  async haveDetails(): Promise<boolean> {
    for (let start = 0; start < this.lines.length; start += SEARCHED_BYTES) {
      if (start > 0) await nextTurn()
      // The mark may lie across the end of a slice.
      if (this.lines.subarray(start, start + SEARCHED_BYTES + DETAILED.length).includes(DETAILED)) return true
    }
    return false
  }
}

const DETAILED = '"details":[{'
/** Less than ten milliseconds. */
const SEARCHED_BYTES = 16 * SLICE_BYTES
