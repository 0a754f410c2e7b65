import type { PgTable } from 'drizzle-orm/pg-core'
import type { Tables } from '../../store/tables.js'
import type { ImportRun } from '../run.js'

/** From this many records on, a first load builds its indexes at the end. */
const MANY_RECORDS = 10_000

/** Loads into an empty table are faster: nothing is looked up, and the indexes of many rows are built at once. */
export class FirstLoad {
  private readonly run: ImportRun
  private readonly table: (t: Tables) => PgTable
  private isFirst: boolean | undefined
  private resume: (() => Promise<void>)[] = []

  constructor(run: ImportRun, table: (t: Tables) => PgTable) {
    this.run = run
    this.table = table
  }

  /** Whether the table was empty before the run; called before anything is stored. */
  async begin(): Promise<boolean> {
    const { db, suspendIndexes, t } = this.run.write
    if (this.isFirst !== undefined) return this.isFirst
    const isEmpty = async (table: PgTable) => (await db.$count(table)) === 0
    const table = this.table(t)
    this.isFirst = await isEmpty(table)
    if (this.isFirst && this.run.size >= MANY_RECORDS) {
      const tables = [table, ...((await isEmpty(t.change)) ? [t.change] : [])]
      this.resume = await Promise.all(tables.map((one) => suspendIndexes(one)))
    }
    return this.isFirst
  }

  /** Builds the indexes, unless the transaction is going to be rolled back. */
  async end(): Promise<void> {
    if (this.run.isSound) for (const resumeIndexes of this.resume) await resumeIndexes()
    this.resume = []
  }
}
