import type { PgTable } from 'drizzle-orm/pg-core'
import type { Bulk } from '../bulk.js'
import { countersIn } from '../changeCounters.js'
import { postgresTables } from './tables.js'

const { change: HISTORY } = postgresTables
type HistoryRow = (typeof HISTORY)['$inferInsert']

const ROWS_MAX = 100

/** Rows of the history that no statement of a transaction has read yet: one statement inserts those of a whole batch. */
export class HistoryRows {
  private rows: HistoryRow[] = []
  private readonly bulk: Bulk

  constructor(bulk: Bulk) {
    this.bulk = bulk
  }

  /** Keeps rows until `insert`; false if they must be inserted now. */
  keep(table: PgTable, rows: readonly object[]): boolean {
    if (table !== HISTORY || this.rows.length + rows.length > ROWS_MAX) return false
    this.rows.push(...(rows as readonly HistoryRow[]))
    return true
  }

  insertBefore(sql: string): void {
    if (this.rows.length > 0 && countersIn(sql).includes('history')) this.insert()
  }

  insert(): void {
    const { rows } = this
    this.rows = []
    // Not awaited: an error fails all later statements of the transaction, and its commit.
    if (rows.length > 0) this.bulk.insertAll(HISTORY, rows).catch(() => undefined)
  }
}
