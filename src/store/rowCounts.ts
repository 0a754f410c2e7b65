import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { LIMITS } from '../limits.js'
import { countUpTo, type List } from './page.js'
import { registerOf, type Versions } from './registers.js'
import type { Store } from './store.js'

/** What a list is known by: its own declaration says what is live, as an empty filter matches just that. */
type AnyList<T extends PgTable> = Pick<List<T, Record<string, never>>, 'name' | 'table' | 'matching'>

interface Counted {
  readonly version: Versions[keyof Versions]
  readonly rows: Promise<number>
}

/**
 * How many live rows each list has, counted when first asked for and remembered while the register stands still.
 * Beyond the largest whole list nobody needs the exact number, so counting stops there.
 */
export class RowCounts {
  private readonly store: Pick<Store, 'read' | 'versions'>
  private readonly counted = new Map<string, Counted>()

  /** Of the store itself, not of a transaction: what is not committed must not be remembered. */
  constructor(store: Pick<Store, 'read' | 'versions'>) {
    this.store = store
  }

  async of<T extends PgTable>(list: AnyList<T>): Promise<number> {
    const { read, versions } = this.store
    const register = registerOf(getTableName(list.table(read.t)))
    // Read before the rows are counted, so that a count is never kept under a version that is younger than it.
    const version = (await versions())[register]
    const known = this.counted.get(list.name)
    if (known?.version === version) return known.rows
    const rows = countUpTo(read, list, {}, LIMITS.wholeListRowsMax)
    this.counted.set(list.name, { version, rows })
    rows.catch(() => this.forget(list.name, rows))
    return rows
  }

  /** A count that failed may succeed the next time. */
  private forget(name: string, rows: Promise<number>): void {
    if (this.counted.get(name)?.rows === rows) this.counted.delete(name)
  }
}
