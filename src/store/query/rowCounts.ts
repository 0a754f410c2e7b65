import { setTimeout as sleep } from 'node:timers/promises'
import { type AnyColumn, getTableColumns, getTableName, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { BoundedCache, cacheKeyOf, oncePer } from '../../caches.js'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { type ChangeCounter, counterOf, countersIn } from '../changeCounters.js'
import type { Read, Readership, Store } from '../store.js'
import type { Tables } from '../tables.js'
import { KnownNames } from './conditions.js'
import { listed } from './json.js'
import { type AnyList, countOf, guarded } from './page.js'
import type { AnyRelation } from './relations.js'

/** How often the average length of stored texts is measured at most. */
const MEASURE_EVERY_MS = 5_000

/** A list whose empty filter matches all its live rows. */
export type CountedList = Pick<
  AnyList,
  'name' | 'table' | 'matching' | 'indexed' | 'needsScan' | 'names' | 'needs' | 'orders'
>

/** A relation and its join table, if it has one. */
export type CountedRelation = Pick<AnyRelation, 'list' | 'through'>

type Counting = Pick<Store, 'read' | 'reading' | 'versions'>

type Counter = ChangeCounter | 'all'

interface Counted {
  /** All change counters that the count depends on. */
  readonly counters: readonly Counter[]
  /** Their versions when it was counted. */
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
  private readonly reader: Readership
  private readonly counted: BoundedCache<Counted>

  /** Takes the store, not a transaction: uncommitted counts must not be cached. */
  constructor(store: Counting, shared?: RowCounts, reader: Readership = {}) {
    this.store = store
    this.reader = reader
    this.names = shared?.names ?? new KnownNames(store)
    this.texts = shared?.texts ?? new TextSizes(store)
    this.counted = shared?.counted ?? new BoundedCache({ entries: KEPT_MAX, entrySize: 1_000 })
  }

  /** The same counts; what is not known yet is counted in the turns of this reader, and until its deadline. */
  countedFor({ owner, deadline, onStatement }: Readership): RowCounts {
    return new RowCounts(this.store, this, { ...(owner !== undefined && { owner }), deadline, onStatement })
  }

  /** `most` is the size of a whole list, where a setting makes it larger. */
  async of(list: CountedList, filter: object = {}, most = 0): Promise<number> {
    const { read, versions } = this.store
    const upTo = Math.max(most, LIMITS.wholeListRowsMax)
    const key = cacheKeyOf(`${list.name} ${upTo} ${JSON.stringify(filter)}`)
    const counters = this.counted.get(key)?.counters ?? countersOf(read, list, filter)
    // Read the versions before counting, so that a count is never cached under a newer version.
    const found = await versions()
    const version = counters.map((counter) => found[counter]).join()
    const count = () => {
      const rows = countOf(this.store.reading(this.reader), list, filter, upTo)
      this.counted.set(key, { counters, version, rows })
      // A failed count is dropped, so that the next call retries it.
      rows.catch(() => this.counted.get(key)?.rows === rows && this.counted.delete(key))
      return rows
    }
    const known = this.counted.get(key)
    if (known?.version !== version) return count()
    return known.rows.catch((error: unknown) => {
      // At the deadline of another request, which came first.
      if (error instanceof Fault && error.code === 'DEADLINE_EXCEEDED') return count()
      throw error
    })
  }

  ofTable(table: (t: Tables) => PgTable): Promise<number> {
    return this.of({ name: `table ${getTableName(table(this.store.read.t))}`, table, matching: () => undefined })
  }
}

/** A count by an e-mail changes with the e-mail. */
function countersOf(read: Read, list: CountedList, filter: object): readonly Counter[] {
  const matching = list.matching(read, filter)
  return [...new Set([counterOf(list.table(read.t)) ?? 'all', ...(matching ? countersIn(matching) : [])] as const)]
}

/** The counts of a store, shared by all its readers. */
export const rowCountsOf = oncePer((store: Store) => new RowCounts(store))

/** The columns that may have thousands of bytes in one row. */
const LONG = ['description', 'mitigation', 'cause', 'details', 'fields'] as const
export type LongColumn = (typeof LONG)[number]

export function isLongColumn(column: string): column is LongColumn {
  return LONG.some((one) => one === column)
}

/** The long texts of a table, in bytes. */
interface Sizes {
  /** Those of the longest row together. */
  readonly longest: number
  readonly rows: number
  /** By column, over all rows. */
  readonly average: Readonly<Partial<Record<LongColumn, number>>>
}

interface Measured {
  readonly sizes: Sizes
  readonly version: string
  /** By `performance.now()`. */
  readonly dueAt: number
}

const NONE: Sizes = { longest: 0, rows: 0, average: {} }

/** Until a table is measured, its rows count as ordinary in prices, and as the longest possible for the limit. */
const UNMEASURED: Measured = { sizes: { longest: LIMITS.rowBytesMax, rows: 0, average: {} }, version: '', dueAt: 0 }

/** A measurement is repeated after this many times as long as it took: it reads a whole table. */
const REST = 100

/** After so long without a measurement every row counts as one of the longest. */
const FIRST_WAIT_MS = 250

/** Measures the long texts of each table on first use, for which long responses wait, and again now and then while they change. */
export class TextSizes {
  private readonly store: Pick<Store, 'read' | 'versions'>
  private readonly measured = new Map<string, Measured>()
  /** First measurements that are under way. */
  private readonly first = new Set<Promise<void>>()

  constructor(store: Pick<Store, 'read' | 'versions'>) {
    this.store = store
  }

  of(table: (t: Tables) => PgTable): Sizes {
    const of = table(this.store.read.t)
    const known = this.measured.get(getTableName(of)) ?? UNMEASURED
    if (performance.now() < known.dueAt) return known.sizes
    const measuring = this.measure(of, known).finally(() => this.first.delete(measuring))
    if (known === UNMEASURED) this.first.add(measuring)
    return known.sizes
  }

  /** Resolves when every table that was asked for has been measured once, or may be large; undefined if that is so. */
  get measuring(): Promise<unknown> | undefined {
    if (this.first.size === 0) return undefined
    return Promise.race([Promise.all(this.first), sleep(FIRST_WAIT_MS, undefined, { ref: false })])
  }

  private async measure(table: PgTable, known: Measured): Promise<void> {
    const name = getTableName(table)
    const startedAt = performance.now()
    this.measured.set(name, { ...known, dueAt: Number.POSITIVE_INFINITY })
    const { read, versions } = this.store
    let { sizes, version } = known
    try {
      const found = String((await versions())[counterOf(table) ?? 'all'])
      if (found !== version) [sizes, version] = [await sizesOf(read, table), found]
    } catch {
      // The store is busy or closed: those who read report it, and the next one measures again.
    }
    const now = performance.now()
    const dueAt = now + Math.max(MEASURE_EVERY_MS, REST * (now - startedAt))
    this.measured.set(name, { sizes, version, dueAt })
  }
}

async function sizesOf(read: Read, table: PgTable): Promise<Sizes> {
  const all = Object.entries<AnyColumn>(getTableColumns(table))
  const columns = all.flatMap(([name, column]) => (isLongColumn(name) ? [{ name, column }] : []))
  if (columns.length === 0) return NONE
  const { where, isHeavy } = guarded(read, undefined, { table, rows: Number.POSITIVE_INFINITY })
  const names = columns.map(({ name }) => sql.identifier(`${name}_bytes`))
  const lengths = columns.map(({ column }, at) => sql`coalesce(octet_length(${column}), 0) as ${names[at]}`)
  const from = sql`select ${listed(lengths)} from ${table}${where} limit ${read.limit(LIMITS.wholeListRowsMax)}`
  const averages = names.map((name) => sql`avg(${name})`)
  const statement = sql`select max(${sql.join(names, sql.raw(' + '))}), count(*), ${listed(averages)} from (${from}) sized`
  const [[longest, rows, ...found] = []] = await read.rows({ ...read.compile(statement), isHeavy })
  const average = Object.fromEntries(columns.map(({ name }, at) => [name, Number(found[at] ?? 0)]))
  return { longest: Number(longest ?? 0), rows: Number(rows ?? 0), average }
}
