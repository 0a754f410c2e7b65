import type { PgTable } from 'drizzle-orm/pg-core'
import type { Scope } from '../../auth/scopes.js'
import { type Advice, Fault, ResponseTooLong, TooComplex } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { toFault } from '../../store/faults.js'
import { isIndexed, orderedBy } from '../../store/query/page.js'
import type { CountedList, CountedRelation, LongColumn, RowCounts } from '../../store/query/rowCounts.js'
import type { Read } from '../../store/store.js'
import type { Tables } from '../../store/tables.js'
import type { Work } from '../../work.js'
import { mayUseNames } from '../hints/names.js'
import { type GivenFilter, requireComparable } from './arguments.js'
import type { Arguments } from './declared.js'

/** Rows that a list counts as at most in the cost of a query, if it returns each row once. */
export const PRICED_ROWS_MAX = 1_000
/** Rows that are filtered or counted for a cost of 1. */
export const SCANNED_ROWS_FOR_ONE = 10
/** The cost of a list inside another list before its rows, for each parent: an index search. */
export const NESTED_LIST_COST = 35
/** The highest cost of filtering or counting such a list, for each parent. */
const NESTED_SCAN_COST_MAX = 100
/** Bytes of the long texts of a row, on average, that its fields include in their cost. */
export const PRICED_ROW_BYTES = 2_048
/** Bytes beyond it for a cost of 1, for each row. */
export const BYTES_FOR_ONE = 1_024
/** The cost that the rate limit charges as one request: a page of 50 is less. */
export const RATE_UNIT_COST = 2_000
/** Repeated references are read once but written each time: this much of their cost is charged as 1. */
const REPEATED_COST_FOR_ONE = 10

/** What a selection costs each time that it is read, as gathered by the walk of the plan. */
export interface Cost {
  readonly fixed: number
  /** Parts that depend on the store or on arguments. */
  readonly inner: readonly Inner[]
  readonly texts: readonly LongText[]
}

type Inner = ListCost | ReferenceCost

export interface LongText {
  readonly table: (t: Tables) => PgTable
  readonly column: LongColumn
  /** How often it is in one row. */
  readonly times: number
}

/** Entities that others refer to. */
export interface ReferenceCost {
  /** The number of references, and of distinct ones among them. */
  readonly references: (args: readonly Arguments[]) => References
  /** The cost of looking one up, besides its selection. */
  readonly lookUp: number
  readonly each: Cost
}

interface References {
  readonly all: number
  readonly different: number
}

/** A list, whose number of rows depends on its arguments and on the store. */
export interface ListCost {
  readonly name: string
  readonly list: CountedList
  /** Undefined for a list at the root. */
  readonly relation?: CountedRelation
  readonly args: (args: readonly Arguments[]) => ListArguments
  /** Whether the field takes `first`; summaries and what is derived from a list do not. */
  readonly isPaged: boolean
  readonly entry: Cost
  readonly isCounted: boolean
  readonly needsEnds: boolean
}

interface ListArguments {
  readonly first?: number | null
  readonly orderBy?: string | null
  readonly filter?: Arguments | null
}

/** How a field is priced, if it costs more than 1 and its selection; the extension `price` of the field. */
export type FieldPrice =
  /** An object derived from the rows of lists: how many entries its own lists have, if that is not a matter of rows. */
  | {
      readonly derived: {
        readonly lists: readonly CountedList[]
        readonly args?: (args: Arguments) => ListArguments
        readonly entries?: (args: Arguments) => number
      }
    }
  /** A list of a derived object: its entries are among those of that object. */
  | { readonly part: 'entries' }
  | { readonly records: (args: Arguments, read: Read) => number | Promise<number> }

export const FREE: Cost = { fixed: 0, inner: [], texts: [] }

export function costing(fixed: number): Cost {
  return fixed === 0 ? FREE : { ...FREE, fixed }
}

export function sum(costs: readonly Cost[]): Cost {
  return {
    fixed: costs.reduce((total, { fixed }) => total + fixed, 0),
    inner: costs.flatMap(({ inner }) => inner),
    texts: costs.flatMap(({ texts }) => texts),
  }
}

/** A field with what is selected of it, so many times. */
export function selected(cost: Cost, times = 1): Cost {
  const { fixed, inner, texts } = cost
  if (inner.length > 0) return within({ references: () => ({ all: times, different: times }), lookUp: 0, each: cost })
  return { fixed: 1 + times * fixed, inner, texts: texts.map((text) => ({ ...text, times: text.times * times })) }
}

export function within(inner: Inner, fixed = 0): Cost {
  return { fixed: 1 + fixed, inner: [inner], texts: [] }
}

/** A root field with the arguments of its slots. */
export interface PricedRoot {
  readonly cost: Cost
  readonly args: readonly Arguments[]
  /** Of a mutation: the cost of what it stores, for the rate limit only, since the number of records has its own limit. */
  readonly storing?: number
}

/** Whose operation is priced. */
interface PricingContext {
  readonly counts: RowCounts
  readonly mayRead: (scope: Scope) => boolean
  readonly bytesMax: number
  readonly work: Work
}

/** What the rate limit charges for an operation: every row that is read. Throws if it exceeds a limit. */
export async function priceOf(roots: readonly PricedRoot[], context: PricingContext): Promise<number> {
  if (roots.every(({ cost }) => cost.inner.length === 0)) {
    const cost = roots.reduce((total, one) => total + one.cost.fixed, 0)
    if (cost > LIMITS.queryCostMax) throw tooComplex('cost', cost, LIMITS.queryCostMax)
    return charged(roots, ({ cost }) => cost.fixed)
  }
  const { lists, texts } = await pricedParts(roots, context)
  const limitedWith = (known: KnownLists) => new Pricing(known, texts, PRICED_ROWS_MAX)
  const limited = limitedWith(lists)
  const { work } = context
  const cost = work.time('plan', () => limited.ofAll(roots))
  if (cost > LIMITS.queryCostMax) {
    const fits = (smaller: KnownLists) => limitedWith(smaller).ofAll(roots) <= LIMITS.queryCostMax
    const advice = work.time('plan', () => adviceFor(lists, fits))
    throw tooComplex('cost', cost, LIMITS.queryCostMax, advice)
  }
  if (limited.repeated > LIMITS.repeatedCostMax)
    throw tooComplex('cost of repeated references', limited.repeated, LIMITS.repeatedCostMax)
  const filtered = new Map(await Promise.all([...lists].map(([one, list]) => withFilter(one, list, context))))
  const pricingWith = (known: KnownLists) => new Pricing(known, texts, Number.POSITIVE_INFINITY)
  const pricing = pricingWith(filtered)
  const charge = work.time('plan', () => charged(roots, (root) => pricing.ofRoot(root)))
  if (pricing.bytes > context.bytesMax) {
    const fits = (smaller: KnownLists) => pricingWith(smaller).bytesOf(roots) <= context.bytesMax
    const advice = work.time('plan', () => adviceFor(filtered, fits))
    throw new ResponseTooLong(context.bytesMax, advice)
  }
  return charge + Math.ceil(pricing.repeated / REPEATED_COST_FOR_ONE)
}

/** Each mutation is charged like a request of its own. */
function charged(roots: readonly PricedRoot[], costOf: (root: PricedRoot) => number): number {
  const costs = roots.map((root) => {
    if (root.storing === undefined) return costOf(root)
    return Math.ceil((costOf(root) + root.storing) / RATE_UNIT_COST) * RATE_UNIT_COST
  })
  return costs.reduce((total, one) => total + one, 0)
}

/** The number of rows that a list can return, and in how many places each of them. */
interface Extent {
  readonly rows: number
  readonly places: number
}

/** Not counted, or too many; finite, because 0 times Infinity is NaN. */
const UNKNOWN: Extent = { rows: Number.MAX_SAFE_INTEGER, places: 1 }

interface KnownList extends Extent {
  readonly first: number
  readonly filter: Arguments
  readonly perRow: number
  readonly isRead: boolean
  /** How many times all its rows are scanned, to filter, order or count them. */
  readonly looks: number
}
type KnownLists = ReadonlyMap<ListCost, KnownList>

type TextBytes = (text: LongText) => number

/** Every list of an operation, each looked up once. */
async function pricedParts(
  roots: readonly PricedRoot[],
  context: PricingContext,
): Promise<{ lists: KnownLists; texts: TextBytes }> {
  const found = new Map<ListCost, ListArguments>()
  const filters: GivenFilter[] = []
  const collect = ({ inner }: Cost, args: readonly Arguments[]): void => {
    for (const one of inner) {
      if (!isOfList(one)) {
        collect(one.each, args)
        continue
      }
      const given = one.args(args)
      const filter = given.filter ?? {}
      filters.push({ list: one.list, filter })
      // If the caller may not look up the names of a filter, its root field is refused.
      if (!mayUseNames(one.list, filter, context.mayRead)) continue
      found.set(one, given)
      collect(one.entry, args)
    }
  }
  for (const { cost, args } of roots) collect(cost, args)
  context.work.time('check', () => requireComparable(filters))
  const texts: TextBytes = ({ table, column }) => context.counts.texts.of(table).average[column] ?? 0
  const known = [...found].map(async ([one, args]) => [one, await knownList(one, args, texts, context)] as const)
  return { lists: new Map(await Promise.all(known)), texts }
}

function rowBytes(selected: Cost['texts'], average: TextBytes): number {
  return selected.reduce((bytes, text) => bytes + text.times * average(text), 0)
}

function isOfList(inner: ListCost | ReferenceCost): inner is ListCost {
  return 'list' in inner
}

async function knownList(
  priced: ListCost,
  args: ListArguments,
  texts: TextBytes,
  { counts, bytesMax }: PricingContext,
): Promise<KnownList> {
  const { list, relation, entry, isCounted, needsEnds } = priced
  // A negative page size is refused when it is read, and must not make others cheaper until then.
  const first = Math.max(0, args.first ?? (relation ? LIMITS.nestedPageRows : Number.POSITIVE_INFINITY))
  const filter = args.filter ?? {}
  // Unless so many rows of such a length are too long, their number does not matter.
  const isWithin = (rows: number) => rows * rowBytes(entry.texts, texts) <= bytesMax
  // A page must be read to find its ends, even if no field of its rows is selected; a complete list need not.
  const perRow = needsEnds && first < Number.POSITIVE_INFINITY ? Math.max(1, entry.fixed) : entry.fixed
  const isRead = perRow > 0 || entry.inner.length > 0
  // An index serves such a filter, but not within each parent; counting scans all matches.
  const served = isIndexed(relation ? { needsScan: list.needsScan ?? false } : orderedBy(list, args.orderBy), filter)
  const looks = (served || !isRead ? 0 : 1) + (isCounted ? 1 : 0)
  // A page without nested lists costs its own rows only.
  const isPageAlone =
    relation === undefined && entry.inner.length === 0 && first < Number.POSITIVE_INFINITY && isWithin(first)
  const needsExtent = looks > 0 || (isRead && !isPageAlone)
  const extent = needsExtent ? await extentOf(priced, filter, counts) : UNKNOWN
  return { first, filter, perRow, isRead, looks, ...extent }
}

async function extentOf({ list, relation }: ListCost, { status }: Arguments, counts: RowCounts): Promise<Extent> {
  // Nothing can return more rows than there are without a filter.
  const found = counts.of(list, status == null ? {} : { status })
  const links = relation?.through ? counts.ofTable(relation.through) : 0
  const [rows, linked] = await Promise.all([found, links]).catch(instead([PRICED_ROWS_MAX, 0] as const))
  if (!relation) return { rows, places: 1 }
  // Counting stops at this limit.
  if (Math.max(rows, linked) > LIMITS.wholeListRowsMax) return UNKNOWN
  return { rows: Math.max(rows, linked), places: Math.max(1, Math.ceil(linked / Math.max(1, rows))) }
}

/** The same with the rows that match its filter, if all of them are read. */
async function withFilter(
  priced: ListCost,
  list: KnownList,
  { counts }: PricingContext,
): Promise<[ListCost, KnownList]> {
  const { first, filter, isRead, rows } = list
  const isFiltered = Object.values(filter).some((value) => value != null)
  if (priced.relation || first < Number.POSITIVE_INFINITY || !isFiltered || !isRead) return [priced, list]
  return [priced, { ...list, rows: await counts.of(priced.list, filter).catch(instead(rows)) }]
}

/** If counting fails, so will reading, which reports the error; but a store that is busy is not waited for twice. */
function instead<T>(value: T): (error: unknown) => T {
  return (error) => {
    const fault = toFault(error)
    if (fault instanceof Fault && fault.code === 'UNAVAILABLE') throw error
    return value
  }
}

interface Around {
  /** The number of parent entries, as priced. */
  readonly entries: number
  /** The number of parent rows that there can be. */
  readonly rows: number
  /** How often the same row can be among the parents. */
  readonly repeats: number
}

const ONCE: Around = { entries: 1, rows: 1, repeats: 1 }

/**
 * The price of costs. A list has at most a page of rows for each parent, and at most its stored rows times the number
 * of times that the same parent can occur: through a reference once for each referrer, otherwise once.
 */
class Pricing {
  private readonly lists: KnownLists
  private readonly texts: TextBytes
  /** A list that returns each of its rows once counts for at most this many. */
  private readonly rowsMax: number
  private args: readonly Arguments[] = []
  /** The cost of repeated references if each were read. */
  repeated = 0
  bytes = 0

  constructor(lists: KnownLists, texts: TextBytes, rowsMax: number) {
    this.lists = lists
    this.texts = texts
    this.rowsMax = rowsMax
  }

  ofAll(roots: readonly PricedRoot[]): number {
    return roots.reduce((total, root) => total + this.ofRoot(root), 0)
  }

  bytesOf(roots: readonly PricedRoot[]): number {
    this.ofAll(roots)
    return this.bytes
  }

  ofRoot({ cost, args }: PricedRoot): number {
    this.args = args
    return this.costOf(cost)
  }

  private costOf({ fixed, inner, texts }: Cost, around = ONCE): number {
    const bytes = rowBytes(texts, this.texts)
    this.bytes += around.rows * bytes
    // Ordinary texts are included in the cost of their fields.
    const ofBytes = Math.ceil(Math.max(0, bytes - PRICED_ROW_BYTES) / BYTES_FOR_ONE)
    const own = around.entries * (fixed + ofBytes)
    const costs = inner.map((one) => (isOfList(one) ? this.listCost(one, around) : this.referredCost(one, around)))
    return costs.reduce((total, cost) => total + cost, own)
  }

  private referredCost({ references, lookUp, each }: ReferenceCost, around: Around): number {
    const { all, different } = references(this.args)
    const [entries, rows] = [different * around.entries, different * around.rows]
    if (rows === 0) return 0
    if (all > different) this.repeat(each, all - different)
    return lookUp * entries + this.costOf(each, { entries, rows, repeats: rows })
  }

  private repeat(each: Cost, times: number): void {
    const before = this.bytes
    this.repeated += times * this.costOf(each)
    this.bytes += (times - 1) * (this.bytes - before)
  }

  private listCost(priced: ListCost, around: Around): number {
    const list = this.lists.get(priced)
    if (!list || around.rows === 0) return 0
    const once = priced.relation ? around.entries * NESTED_LIST_COST : 0
    const looks = list.looks * this.looked(priced, list, around)
    if (!list.isRead) return once + looks
    const pages = around.rows * list.first
    const rowsMax = list.rows === UNKNOWN.rows ? list.rows : this.rowsMax
    const entries = Math.min(pages, around.repeats * Math.min(list.rows, rowsMax))
    const rows = Math.min(pages, around.repeats * list.rows)
    const within = { ...priced.entry, fixed: list.perRow }
    return once + looks + this.costOf(within, { entries, rows, repeats: around.repeats * list.places })
  }

  /** The cost of scanning all rows of a list once. */
  private looked({ relation }: ListCost, { rows }: KnownList, { rows: around, repeats }: Around): number {
    const all = Math.ceil(rows / SCANNED_ROWS_FOR_ONE)
    return relation ? Math.min(repeats * all, around * Math.min(all, NESTED_SCAN_COST_MAX)) : all
  }
}

/** The page sizes to suggest, the largest first. */
const PAGES = [1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1] as const

/** The maximum number of lists tried: each is priced once per page size. */
const TRIED_MAX = 10

/** Suggests what makes a query fit: the largest sufficient page of one list, else one page size for all. */
function adviceFor(lists: KnownLists, fits: (smaller: KnownLists) => boolean): Advice {
  const paged = [...lists].filter(([{ isPaged }]) => isPaged)
  const tried = paged.slice(0, TRIED_MAX)
  const fitsWith = (changed: typeof paged, first: number) => {
    const smaller = changed.map(([key, list]) => [key, { ...list, first: Math.min(first, list.first) }] as const)
    return fits(new Map([...lists, ...smaller]))
  }
  for (const first of PAGES) {
    const one = tried.find((list) => first < Math.min(list[1].first, list[1].rows) && fitsWith([list], first))
    if (one) return smallerPage(...one, first)
  }
  const shared = PAGES.find((first) => fitsWith(paged, first))
  const names = [...new Set(tried.map(([{ name }]) => `\`${name}\``))].join(', ')
  if (shared !== undefined && names !== '') return (page) => `Give each of ${names} a page of ${page(shared)}.`
  return () => 'Ask for fewer fields, or for fewer lists inside each other.'
}

function smallerPage({ name, relation }: ListCost, { first, rows }: KnownList, smaller: number): Advice {
  const isWhole = !relation && first > rows
  const has = isWhole ? `has ${rows.toLocaleString('en')} entries here` : 'is what costs most'
  return (page) => `\`${name}\` ${has}: ask for ${page(smaller, name)}.`
}

const FEWER: Advice = (page) => `Select fewer fields, or smaller pages with ${page()}.`

function tooComplex(limit: string, actual: number, most: number, advice = FEWER): Fault {
  return new TooComplex(`The query's ${limit} is ${actual}; the most is ${most}.`, advice)
}
