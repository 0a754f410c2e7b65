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
  readonly sizes: Promise<Sizes>
  readonly version: string
  /** By `performance.now()`. */
  readonly dueAt: number
}

const NONE: Sizes = { longest: 0, average: {} }

/** A measurement is repeated after this many times as long as it took: it reads a whole table. */
const REST = 100

/** Measures the long texts of each table on first use, and again now and then while they change. */
export class TextSizes {
  private readonly store: Pick<Store, 'read' | 'versions'>
  private readonly measured = new Map<string, Measured>()
  /** The bytes of the longest row of all measured tables. */
  longest = 0

  constructor(store: Pick<Store, 'read' | 'versions'>) {
    this.store = store
  }

  of(table: (t: Tables) => PgTable): Promise<Sizes> {
    const of = table(this.store.read.t)
    const known = this.measured.get(getTableName(of))
    if (known && performance.now() < known.dueAt) return known.sizes
    return this.measure(of, known)
  }

  /** Callers get the last sizes meanwhile. */
  private measure(table: PgTable, known: Measured | undefined): Promise<Sizes> {
    const name = getTableName(table)
    const startedAt = performance.now()
    const { read, versions } = this.store
    let version = ''
    const measuring = versions().then((found) => {
      version = String(found[counterOf(name)])
      return known?.version === version ? known.sizes : sizesOf(read, table)
    })
    const sizes = known?.sizes ?? measuring
    this.measured.set(name, { sizes, version: '', dueAt: Number.POSITIVE_INFINITY })
    measuring.then(
      ({ longest }) => {
        this.longest = Math.max(this.longest, longest)
        const now = performance.now()
        const dueAt = now + Math.max(LIMITS.textSizesMs, REST * (now - startedAt))
        this.measured.set(name, { sizes: measuring, version, dueAt })
      },
      // The first caller gets the error: reading would wait as long for the same one.
      () => this.measured.delete(name),
    )
    return sizes
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
