import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { LRUCache } from 'lru-cache'
import { LIMITS } from '../limits.js'
import { KnownNames } from './names.js'
import { type AnyList, countUpTo } from './page.js'
import { registerOf } from './registers.js'
import type { AnyRelation } from './relations.js'
import type { Store } from './store.js'
import type { Tables } from './tables.js'

/** A list of any table and filter; its own declaration says what is live, as an empty filter matches just that. */
export type CountedList = Pick<AnyList, 'name' | 'table' | 'matching' | 'indexed' | 'isSought' | 'names'>

/** A list of what belongs to another thing, and what lies between the two where they do not refer to each other. */
export type CountedRelation = Pick<AnyRelation, 'list' | 'through'>

interface Counted {
  /** Of every register that the count depends on. */
  readonly version: string
  readonly rows: Promise<number>
}

/** Callers choose the filters, without end. */
const KEPT_MAX = 1_000

/**
 * How many live rows each list has, and how many match a filter: counted when first asked for, and remembered while the
 * register stands still. Beyond the largest whole list nobody needs the exact number, so counting stops there.
 */
export class RowCounts {
  /** Which names are there, remembered likewise. */
  readonly names: KnownNames
  private readonly store: Pick<Store, 'read' | 'versions'>
  private readonly counted = new LRUCache<string, Counted>({ max: KEPT_MAX })

  /** Of the store itself, not of a transaction: what is not committed must not be remembered. */
  constructor(store: Pick<Store, 'read' | 'versions'>) {
    this.store = store
    this.names = new KnownNames(store)
  }

  async of(list: CountedList, filter: object = {}): Promise<number> {
    const { read, versions } = this.store
    const registers = [list.table, ...tablesNamed(list, filter)].map((table) => registerOf(getTableName(table(read.t))))
    // Read before the rows are counted, so that a count is never kept under a version that is younger than it.
    const found = await versions()
    const version = [...new Set(registers)].map((register) => found[register]).join()
    const key = `${list.name} ${JSON.stringify(filter)}`
    const known = this.counted.get(key)
    if (known?.version === version) return known.rows
    const rows = countUpTo(read, list, filter, LIMITS.wholeListRowsMax)
    this.counted.set(key, { version, rows })
    rows.catch(() => this.forget(key, rows))
    return rows
  }

  /** How many rows a table has. */
  ofTable(table: (t: Tables) => PgTable): Promise<number> {
    return this.of({ name: `table ${getTableName(table(this.store.read.t))}`, table, matching: () => undefined })
  }

  /** A count that failed may succeed the next time. */
  private forget(key: string, rows: Promise<number>): void {
    if (this.counted.get(key)?.rows === rows) this.counted.delete(key)
  }
}

/** The tables of what a filter names: a count by an e-mail changes with the e-mail. */
function tablesNamed({ names = {} }: CountedList, filter: object): CountedList['table'][] {
  return Object.entries(names).flatMap(([member, { table }]) => (Object.hasOwn(filter, member) ? [table] : []))
}

const known = new WeakMap<Store, RowCounts>()

/** The counts of a store, shared by all who read it. */
export function rowCountsOf(store: Store): RowCounts {
  const counts = known.get(store) ?? new RowCounts(store)
  known.set(store, counts)
  return counts
}
