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
    for (const row of rows) {
      if (record && this.#naming.some((at) => row.merged?.has(at))) {
        add(record.cells, row)
        this.#joined++
      } else {
        if (record) yield record
        // A copy, because the table may be read again.
        record = { line: row.line, cells: [...row.cells] }
      }
    }
    if (record) yield record
  }
}

/** Adds what the row below has of its own, on a new line. */
function add(record: string[], { cells, merged }: TableRow): void {
  while (record.length < cells.length) record.push('')
  for (const [at, own] of cells.entries()) {
    const first = record[at] ?? ''
    if (isBlank(own) || merged?.has(at)) continue
    record[at] = isBlank(first) ? own : `${first}\n${own}`
  }
}
