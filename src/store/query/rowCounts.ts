import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { LRUCache } from 'lru-cache'
import { LIMITS } from '../../limits.js'
import { growingCache } from '../../lruCache.js'
import { counterOf } from '../changeCounters.js'
import type { Store } from '../store.js'
import type { Tables } from '../tables.js'
import { KnownNames } from './names.js'
import { type AnyList, countUpTo } from './page.js'
import type { AnyRelation } from './relations.js'
import { TextSizes } from './textSizes.js'

/** A list whose empty filter matches all its live rows. */
export type CountedList = Pick<AnyList, 'name' | 'table' | 'matching' | 'indexed' | 'isSought' | 'names'>

/** A relation and its join table, if it has one. */
export type CountedRelation = Pick<AnyRelation, 'list' | 'through'>

type Counting = Pick<Store, 'read' | 'reading' | 'versions'>

interface Counted {
  /** The versions of all change counters that the count depends on. */
  readonly version: string
  readonly rows: Promise<number>
}

/** Bounds the cache: callers choose the filters. */
const KEPT_MAX = 1_000

/**
 * Counts the live rows of each list and the matches of a filter on first use, and caches them until the change counter
 * rises. Counting stops at the size of the largest whole list: above it the exact number does not matter.
 */
export class RowCounts {
  /** The names that exist, cached in the same way. */
  readonly names: KnownNames
  /** How long the stored texts are. */
  readonly texts: TextSizes
  private readonly store: Counting
  private readonly owner: string
  private readonly counted: LRUCache<string, Counted>

  /** Takes the store, not a transaction: uncommitted counts must not be cached. */
  constructor(store: Counting, shared?: RowCounts, owner = '') {
    this.store = store
    this.owner = owner
    this.names = shared?.names ?? new KnownNames(store)
    this.texts = shared?.texts ?? new TextSizes(store)
    this.counted = shared?.counted ?? growingCache(KEPT_MAX)
  }

  /** The same counts; what is not known yet is counted in the turns of this owner. */
  countedFor(owner: string): RowCounts {
    return new RowCounts(this.store, this, owner)
  }

  /** `most` is the size of a whole list, where a setting makes it larger. */
  async of(list: CountedList, filter: object = {}, most = 0): Promise<number> {
    const { read, versions } = this.store
    const counters = [list.table, ...tablesNamed(list, filter)].map((table) => counterOf(getTableName(table(read.t))))
    // Read the versions before counting, so that a count is never cached under a newer version.
    const found = await versions()
    const version = [...new Set(counters)].map((counter) => found[counter]).join()
    const upTo = Math.max(most, LIMITS.wholeListRowsMax)
    const key = `${list.name} ${upTo} ${JSON.stringify(filter)}`
    const known = this.counted.get(key)
    if (known?.version === version) return known.rows
    const rows = countUpTo(this.store.reading({ owner: this.owner }), list, filter, upTo)
    this.counted.set(key, { version, rows })
    rows.catch(() => this.forget(key, rows))
    return rows
  }

  ofTable(table: (t: Tables) => PgTable): Promise<number> {
    return this.of({ name: `table ${getTableName(table(this.store.read.t))}`, table, matching: () => undefined })
  }

  /** Drops a failed count, so that the next call retries it. */
  private forget(key: string, rows: Promise<number>): void {
    if (this.counted.get(key)?.rows === rows) this.counted.delete(key)
  }
}

/** The tables of what a filter names: a count by an e-mail changes with the e-mail. */
function tablesNamed({ names = {} }: CountedList, filter: object): CountedList['table'][] {
  return Object.entries(names).flatMap(([member, { table }]) => (Object.hasOwn(filter, member) ? [table] : []))
}

const known = new WeakMap<Store, RowCounts>()

/** The counts of a store, shared by all its readers. */
export function rowCountsOf(store: Store): RowCounts {
  const counts = known.get(store) ?? new RowCounts(store)
  known.set(store, counts)
  return counts
}
