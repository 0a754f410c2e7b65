import { type AnyColumn, getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { LIMITS } from '../../limits.js'
import { counterOf } from '../changeCounters.js'
import type { Read, Store } from '../store.js'
import type { Tables } from '../tables.js'
import { guarded } from './page.js'

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
  /** By column, over all rows. */
  readonly average: Readonly<Partial<Record<LongColumn, number>>>
}

interface Measured {
  readonly sizes: Sizes
  readonly version: string
  /** By `performance.now()`. */
  readonly dueAt: number
}

const NONE: Sizes = { longest: 0, average: {} }

/** Until a table is measured, its rows count as ordinary in prices, and as the longest possible for the limit. */
const UNMEASURED: Measured = { sizes: { longest: LIMITS.rowBytesMax, average: {} }, version: '', dueAt: 0 }

/** A measurement is repeated after this many times as long as it took: it reads a whole table. */
const REST = 100

/** Measures the long texts of each table on first use, and again now and then while they change. Nobody waits for it. */
export class TextSizes {
  private readonly store: Pick<Store, 'read' | 'versions'>
  private readonly measured = new Map<string, Measured>()

  constructor(store: Pick<Store, 'read' | 'versions'>) {
    this.store = store
  }

  /** The bytes of the longest row of all tables that were asked for. */
  get longest(): number {
    return Math.max(0, ...Array.from(this.measured.values(), ({ sizes }) => sizes.longest))
  }

  of(table: (t: Tables) => PgTable): Sizes {
    const of = table(this.store.read.t)
    const known = this.measured.get(getTableName(of)) ?? UNMEASURED
    if (performance.now() >= known.dueAt) void this.measure(of, known)
    return known.sizes
  }

  private async measure(table: PgTable, known: Measured): Promise<void> {
    const name = getTableName(table)
    const startedAt = performance.now()
    this.measured.set(name, { ...known, dueAt: Number.POSITIVE_INFINITY })
    const { read, versions } = this.store
    let { sizes, version } = known
    try {
      const found = String((await versions())[counterOf(name)])
      if (found !== version) [sizes, version] = [await sizesOf(read, table), found]
    } catch {
      // The store is busy or closed: those who read report it, and the next one measures again.
    }
    const now = performance.now()
    const dueAt = now + Math.max(LIMITS.textSizesMs, REST * (now - startedAt))
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
  const statement = sql`select max(${sql.join(names, sql.raw(' + '))}), ${listed(averages)} from (${from}) sized`
  const [[longest, ...found] = []] = await read.rows({ ...read.compile(statement), isHeavy })
  const average = Object.fromEntries(columns.map(({ name }, at) => [name, Number(found[at] ?? 0)]))
  return { longest: Number(longest ?? 0), average }
}

function listed(parts: readonly SQL[]): SQL {
  return sql.join([...parts], sql.raw(', '))
}
