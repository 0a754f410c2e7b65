import { type HeadedTable, rowsBelow } from './header.js'
import { isBlank, type TableRow } from './table.js'

/** The fields that name a record: where the cell of one is merged over several rows, these are one record. */
const NAMING: ReadonlySet<string> = new Set(['reference', 'title', 'name', 'key', 'email', 'externalId'])

/** The rows of the records of a table, in which rows that are merged into one record are joined. */
export class RecordRows {
  readonly #found: HeadedTable
  readonly #naming: readonly number[]
  #joined = 0

  constructor(found: HeadedTable, columns: Iterable<readonly [field: string, at: readonly number[]]>) {
    this.#found = found
    this.#naming = Array.from(columns).flatMap(([field, at]) => (NAMING.has(field) ? at : []))
  }

  [Symbol.iterator](): Iterator<TableRow, void> {
    const rows = rowsBelow(this.#found)
    // A text has no merged cells.
    return this.#found.table.unit === 'row' ? this.#joinedRows(rows) : rows
  }

  notes(): string[] {
    if (this.#joined === 0) return []
    return [`Rows that are merged with the one above were joined with it: ${this.#joined}.`]
  }

  *#joinedRows(rows: Iterable<TableRow>): Generator<TableRow, void> {
    let record: TableRow | undefined
    let below: TableRow[] = []
    for (const row of rows) {
      if (record && this.#naming.some((at) => row.merged?.has(at))) {
        below.push(row)
        this.#joined++
      } else {
        if (record) yield joinedRow(record, below)
        record = row
        below = []
      }
    }
    if (record) yield joinedRow(record, below)
  }
}

/** A row with what the rows below have of their own, each on a new line. */
function joinedRow(row: TableRow, below: readonly TableRow[]): TableRow {
  const { line, cells } = row
  if (below.length === 0) return { line, cells }
  const lines = cells.map((cell) => [cell])
  for (const { cells: own, merged } of below) {
    while (lines.length < own.length) lines.push([''])
    for (const [at, cell] of own.entries()) if (!isBlank(cell) && !merged?.has(at)) lines[at]?.push(cell)
  }
  return {
    line,
    cells: lines.map(([first = '', ...others]) => (isBlank(first) ? others : [first, ...others]).join('\n')),
  }
}
