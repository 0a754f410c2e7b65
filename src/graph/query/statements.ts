import { setImmediate as nextTurn } from 'node:timers/promises'
import { aliasedTable, and, fillPlaceholders, inArray, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { BoundedCache, STATEMENT_CHARACTERS_KEPT } from '../../caches.js'
import { LIMITS } from '../../limits.js'
import { byId, type ChangeCounter, countersIn } from '../../store/changeCounters.js'
import { CURSOR_MARK } from '../../store/query/cursors.js'
import { conditional, JsonPage, type Source } from '../../store/query/jsonPage.js'
import { type AnyList, isIndexed, memberColumn, oncePerEngine } from '../../store/query/page.js'
import { type AnyRelation, HANDFUL, type Identified, relatedSource } from '../../store/query/relations.js'
import type { TextSizes } from '../../store/query/rowCounts.js'
import type { CompiledSql, Extent, Read } from '../../store/store.js'
import type { Tables } from '../../store/tables.js'
import type { Context } from '../builder.js'
import type { Slot } from './declared.js'
import type { PageRequests } from './pageRequests.js'
import { PRICED_ROW_BYTES } from './prices.js'

/** Rows that may repeat and have nested counts or unindexed lists; beyond it each object is built once. */
const REPEATS_MAX = 250

export interface PlannedSql extends CompiledSql {
  /** The change counters that its rows depend on. */
  readonly reads: readonly ChangeCounter[]
  /** The long texts of its result, at most. */
  readonly longBytes?: number
}

/** Planned rows of a root field. */
export interface PlannedRows {
  /** The cache key of its statements. */
  readonly number: number
  readonly slots: readonly Slot[]
  readonly weigh: Weigh
}

/** The number of rows that a row reads besides itself. */
export type Weigh = (weighing: Weighing) => number

export interface Entry<S = PgTable> {
  readonly object: (build: Build, source: S) => SQL
  readonly weigh: Weigh
}

/** How a statement is built. */
interface BuildOptions {
  /** Whether it must be possible to stop it. */
  readonly isHeavy: boolean
  /** Whether it stops where its result is too long. */
  readonly isMetered?: boolean
  readonly builtOnce: ReadonlySet<Entry>
}

export class Build {
  readonly read: Read
  private readonly pageRequests: PageRequests
  private readonly how: BuildOptions
  private names = 0
  /** Undefined for a whole list, which mostly refers to all that there are. */
  private root: JsonPage | undefined

  constructor(read: Read, pageRequests: PageRequests, how: BuildOptions) {
    this.read = read
    this.pageRequests = pageRequests
    this.how = how
  }

  /** A unique table alias, so that subqueries of the same table can be nested. */
  newName(): string {
    this.names += 1
    return `r${this.names}`
  }

  /** A table with a new alias; `isById` if only a row with a given id is read. */
  row(list: Pick<AnyList, 'table'>, isById = false): { name: SQL; alias: PgTable } {
    const name = this.newName()
    const table = list.table(this.read.t)
    return { name: sql`${isById ? byId(table) : table} ${sql.identifier(name)}`, alias: aliasedTable(table, name) }
  }

  isBuiltOnce(entry: Entry): boolean {
    return this.how.builtOnce.has(entry)
  }

  /** The object of the row with this id, from a table of the objects of all rows, or of these, which is built once. */
  objectOf(list: AnyList, object: Entry['object'], id: AnyPgColumn, ids?: SQL): SQL {
    const { name, alias } = this.row(list)
    const { id: ownId } = alias as Identified
    const where = conditional(and(this.guardOf({ list }, alias), ids && inArray(ownId, ids)))
    const objects = { id: ownId, built: object(this, alias), from: sql`${name}${where}` }
    return this.read.json.builtOnce(this.newName(), objects, id, (built) =>
      this.metered(built, [sql`octet_length(${built})`]),
    )
  }

  /** A part of the result with these bytes; the statement stops where all parts together are too long. */
  metered(part: SQL, bytes: readonly SQL[]): SQL {
    const isWithin =
      this.how.isMetered && bytes.length > 0 ? this.read.meter(sql.join([...bytes], sql` + `)) : undefined
    return isWithin ? sql`case when ${isWithin} then ${part} end` : part
  }

  /** The ids in a column of the root page, if these rows are its own; the tables that it refers to may be far larger. */
  idsIn(row: PgTable, column: string): SQL | undefined {
    return row === this.root?.row ? sql`(select ${memberColumn(row, column)} from ${this.root.rows})` : undefined
  }

  rootPage(source: Source, guard: SQL | undefined): JsonPage {
    const page = this.pageOf(0, source, guard)
    if (this.pageRequests[0]?.first !== undefined) this.root = page
    return page
  }

  page(slot: number, relation: AnyRelation, row: PgTable): JsonPage {
    const { filter = {}, bound } = this.pageRequests[slot] ?? {}
    return this.pageOf(slot, relatedSource(this.read, relation, row, filter, bound?.matching().condition))
  }

  /** The argument of a computed field; undefined if it is not given. */
  given(slot: number): Placeholder | undefined {
    return this.pageRequests[slot]?.place?.[0]
  }

  pageOf(slot: number, source: Source, guard = this.guardOf(source)): JsonPage {
    const { first, most = 0, place } = this.pageRequests[slot] ?? {}
    const condition = and(guard, source.condition)
    return new JsonPage(this.read, { ...source, condition }, { first, most, place }, this.newName())
  }

  /** Makes a heavy statement also stoppable while it reads the related rows of one row. */
  private guardOf({ list }: Pick<Source, 'list'>, row?: PgTable): SQL | undefined {
    if (!this.how.isHeavy) return undefined
    return this.read.guard({ table: list.table(this.read.t), ...(row && { row }), rows: Number.POSITIVE_INFINITY })
  }
}

type CountedTable = (t: Tables) => PgTable

/** Estimates the rows that a statement reads, as an upper bound. */
export class Weighing {
  /** The entries whose objects are built once, for all rows of their tables. */
  readonly builtOnce = new Set<Entry>()
  /** Whether it reads an unknown number of rows of other tables. */
  private isCounting = false
  private readonly indexCounts: CountedTable[] = []
  private readonly wholeTables: { readonly table: CountedTable; readonly perRow: number }[] = []
  private readonly pageRequests: PageRequests
  /** How often the current part of the selection is evaluated. */
  private times: number
  /** Whether the same row may occur several times. */
  private isShared = false
  /** Whether that is so for the rows of the next entries, and not only for the rows that lead to them. */
  private areShared = false
  /** Whether the current entry counts for too many repeats. */
  private isRepeating = false
  private readonly sizes: TextSizes
  /** The long texts of the result, at most. */
  longBytes = 0

  constructor(pageRequests: PageRequests, times: number, sizes: TextSizes) {
    this.pageRequests = pageRequests
    this.times = times
    this.sizes = sizes
  }

  /** How many ordinary rows more each row counts for its long texts: it may have the longest, up to all that there are. */
  texts(table: CountedTable, selected: number): number {
    const { average, longest, rows } = this.sizes.of(table)
    const columns = Object.values(average)
    const isMeasured = columns.length > 0
    const known = rows * columns.reduce((sum, one) => sum + one, 0)
    const total = isMeasured && !this.isShared ? known : Number.POSITIVE_INFINITY
    // More long texts than it has columns are aliases.
    const bytes = Math.max(1, selected / Math.max(1, columns.length)) * Math.min(this.times * longest, total)
    this.longBytes += bytes
    return isMeasured ? Math.max(0, bytes / (Math.max(1, this.times) * PRICED_ROW_BYTES) - 1) : 0
  }

  /** Counting runs once per row; for a row that occurs several times it would be repeated, so that is limited. */
  count(byIndex?: CountedTable, slot?: number): number {
    // Without its argument the field is null.
    if (slot !== undefined && !this.pageRequests[slot]) return 1
    if (this.isShared && this.times > REPEATS_MAX) this.isRepeating = true
    if (byIndex && !this.isShared) this.indexCounts.push(byIndex)
    else this.isCounting = true
    return 1
  }

  /** What a statement reads besides its own rows. */
  others({ t }: Read): Pick<Extent, 'isCounting' | 'counted' | 'wholeTables'> {
    return {
      isCounting: this.isCounting,
      counted: this.indexCounts.map((table) => table(t)),
      wholeTables: this.wholeTables.map(({ table, perRow }) => ({ table: table(t), perRow })),
    }
  }

  /** An entry that is built once if it is the nearest one around counts that would be repeated too often. */
  entry(entry: Entry, { table }: AnyList, weigh: Weigh): number {
    const { areShared, isRepeating } = this
    this.areShared = false
    this.isRepeating = false
    const weight = weigh(this)
    const isOnce = areShared && this.isRepeating
    this.areShared = areShared
    this.isRepeating = isRepeating || (this.isRepeating && !isOnce)
    if (!isOnce) return weight
    this.builtOnce.add(entry)
    this.wholeTables.push({ table, perRow: 1 + weight })
    return 1
  }

  reference(weigh: Weigh): number {
    return 1 + this.within(1, this.times > 1, weigh)
  }

  items({ through }: AnyRelation, weigh: Weigh): number {
    return HANDFUL * (1 + this.within(HANDFUL, through !== undefined && this.times > 1, weigh))
  }

  page(slot: number, { list, through }: AnyRelation, isCounted: boolean, weigh: Weigh): number {
    const { first = LIMITS.nestedPageRows, filter = {} } = this.pageRequests[slot] ?? {}
    if (isCounted || !isIndexed(list, filter)) this.count()
    return 1 + first * (1 + this.within(first, through !== undefined && this.times > 1, weigh))
  }

  private within(rows: number, areShared: boolean, weigh: Weigh): number {
    const { times, isShared, areShared: wereShared } = this
    this.times = times * rows
    this.isShared ||= areShared
    this.areShared = areShared
    const weight = weigh(this)
    this.times = times
    this.isShared = isShared
    this.areShared = wereShared
    return weight
  }
}

/** Bounds the cache for all queries: callers choose selections and page sizes. */
const STATEMENTS_CACHED_MAX = 1_000

/** With placeholders for the values that differ between requests. */
type CachedStatement = Required<Pick<PlannedSql, 'text' | 'values' | 'hasCursors' | 'reads'>>

const cachedOn = oncePerEngine(
  () =>
    new BoundedCache<CachedStatement>({
      entries: STATEMENTS_CACHED_MAX,
      entrySize: STATEMENT_CHARACTERS_KEPT,
      sizeOf: ({ text }) => text.length,
    }),
)

/** Caches the compiled SQL text of equal selections. */
async function cachedStatement(
  context: Context,
  key: string,
  pageRequests: PageRequests,
  build: () => SQL,
): Promise<CachedStatement> {
  const { read } = context.store
  const statements = cachedOn(read)
  const known = statements.get(key)
  if (known) return known
  // With many look-ups, both building and compiling take milliseconds.
  await nextTurn()
  const built = context.work.time('plan', build)
  await nextTurn()
  const compiled = context.work.time('plan', () => compiledWith(read, built, pageRequests))
  statements.set(key, compiled)
  return compiled
}

export function compiledWith(read: Read, built: SQL, pageRequests: PageRequests): CachedStatement {
  const { text, values } = read.compile(built)
  const reads = new Set([...countersIn(built), ...pageRequests.flatMap((one) => one?.bound.reads ?? [])])
  return { text, values, hasCursors: text.includes(CURSOR_MARK), reads: [...reads] }
}

/** One statement of a root field. */
interface Statement {
  /** What its text depends on besides the page requests. */
  readonly key?: string
  readonly extent: Pick<Extent, 'table' | 'row' | 'rows'>
  /** The number of rows that it returns, for what is read for each of them. */
  readonly times: number
  /** Whether it counts the rows of its table. */
  readonly isCounted?: boolean
  /** Whether it is read in the transaction of a change, whose counts by an index nobody can leave out of a REST body. */
  readonly isOfChange?: boolean
  build(build: Build, guard: SQL | undefined): SQL
  /** The values of placeholders besides those of the page requests. */
  readonly given?: Readonly<Record<string, unknown>>
}

export async function statementOf(
  context: Context,
  { number, weigh }: PlannedRows,
  pageRequests: PageRequests,
  { key = '', extent: own, times, isCounted = false, isOfChange = false, build, given }: Statement,
): Promise<PlannedSql> {
  const { read } = context.store
  const weighing = new Weighing(pageRequests, times, context.rowCounts.texts)
  const perRow = 1 + weigh(weighing)
  const { builtOnce, longBytes } = weighing
  const extent: Extent = Object.assign(weighing.others(read), own, {
    perRow,
    ...(isOfChange && { counted: [] }),
  })
  const counting = isCounted ? { table: own.table, rows: Number.POSITIVE_INFINITY } : undefined
  const guard = read.guard(extent) ?? (counting && read.guard(counting))
  const isHeavy = guard !== undefined
  const weight = read.weigh(extent)
  // Whether so many of the longest rows would be too long.
  const isMetered = isHeavy && longBytes > context.responseBytesMax
  const kind = isMetered ? 'metered' : isHeavy ? 'guarded' : 'bare'
  const { text, values, hasCursors, reads } = await cachedStatement(
    context,
    `${number}${key} ${kind} ${statementKey(pageRequests, builtOnce)}`,
    pageRequests,
    () => build(new Build(read, pageRequests, { isHeavy, isMetered, builtOnce }), guard),
  )
  // A filtered list has none: which index is best depends on how rare the values are.
  const hasStablePlan = pageRequests.every((one) => Object.keys(one?.filter ?? {}).length === 0)
  return {
    text,
    values: boundIn(values, pageRequests, given),
    hasCursors,
    reads,
    hasStablePlan,
    isHeavy,
    weight,
    longBytes,
  }
}

/** The values of a statement, for its placeholders. */
export function boundIn(values: readonly unknown[], pageRequests: PageRequests, given: object = {}): unknown[] {
  return fillPlaceholders([...values], Object.assign({}, ...pageRequests.map((one) => one?.values), given))
}

/** What the text of a statement depends on: the orders, shapes of filters and sizes of its pages, but no value. */
function statementKey(pageRequests: PageRequests, builtOnce: ReadonlySet<Entry>): string {
  const shapes = pageRequests.map(
    (one) => one && [one.list?.name, one.bound.shape, one.first ?? -one.most, one.place ? 1 : 0],
  )
  // The number is enough: with more rows, entries only join those that are built once.
  return JSON.stringify([...shapes, builtOnce.size])
}
