import type { GraphQLSchema } from 'graphql'
import { grants, type Scope } from '../../auth/scopes.js'
import { Fault, ResponseTooLong } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { isServed } from '../../store/query/page.js'
import type { RowCounts } from '../../store/query/rowCounts.js'
import type { Context } from '../builder.js'
import type { Arguments } from '../fields.js'
import { mayUseNames } from '../hints/names.js'
import { type Bill, billWith, type Inner, type ListArguments, type ListBill, type Selection } from './bills.js'
import { type GivenFilter, requireComparable } from './comparedTexts.js'
import type { LongText } from './longTexts.js'
import type { MayRead } from './references.js'
import { smallerPages } from './smallerPages.js'

/** The price of a bill with the rows that are stored now. */
export interface Price {
  /** What the rate limit counts: every row that is read. */
  readonly charge: number
}

/** The caller and the variables for which a bill is priced. */
interface Buyer {
  readonly variables: Arguments
  readonly counts: RowCounts
  /** Rows that the caller may not read are not priced: their price would reveal how many there are. */
  readonly mayRead: MayRead
  /** The largest response. */
  readonly bytesMax: number
}

/** Throws if the bill exceeds a limit, before any row is counted for the charge. */
export async function priceOf(bill: Bill, buyer: Buyer): Promise<Price> {
  requireAtMost('depth', bill.depth, LIMITS.queryDepthMax)
  if (bill.inner.size === 0) {
    requireAtMost('cost', bill.fixed, LIMITS.queryCostMax)
    return { charge: inMutations(bill, buyer, ({ fixed }) => fixed) }
  }
  const { lists, texts } = await partsOf(bill, buyer)
  const limitedWith = (known: KnownLists) => new Pricing(known, texts, buyer, LIMITS.wholeListPricedRows)
  const limited = limitedWith(lists)
  const cost = limited.costOf(bill)
  if (cost > LIMITS.queryCostMax) {
    const hint = hintFor(lists, (smaller) => limitedWith(smaller).costOf(bill) <= LIMITS.queryCostMax)
    throw tooComplex('cost', String(cost), LIMITS.queryCostMax, hint)
  }
  requireAtMost('cost of repeated references', limited.repeated, LIMITS.repeatedCostMax)
  const filtered = new Map(await Promise.all([...lists].map(([one, list]) => withFilter(one, list, buyer))))
  const pricingWith = (known: KnownLists) => new Pricing(known, texts, buyer, Number.POSITIVE_INFINITY)
  const pricing = pricingWith(filtered)
  const charge = inMutations(bill, buyer, (selection) => pricing.costOf(selection))
  if (pricing.bytes > buyer.bytesMax) {
    throw new ResponseTooLong(
      buyer.bytesMax,
      hintFor(filtered, (smaller) => pricingWith(smaller).bytesOf(bill) <= buyer.bytesMax),
    )
  }
  return { charge: charge + Math.ceil(pricing.repeated / LIMITS.repeatedCostForOne) }
}

/** Each mutation is charged like a request of its own. */
function inMutations(bill: Bill, { variables }: Buyer, costOf: (selection: Selection) => number): number {
  if (bill.mutations.length === 0) return costOf(bill)
  const units = bill.mutations.map((one) => Math.ceil((costOf(one) + one.storing(variables)) / LIMITS.rateUnitCost))
  return units.reduce((total, one) => total + one, 0) * LIMITS.rateUnitCost
}

/** The number of rows that a list can return, and in how many places each of them. */
interface Extent {
  readonly rows: number
  readonly places: number
}

/** Not counted, or too many; finite, because 0 times Infinity is NaN. */
const UNKNOWN: Extent = { rows: Number.MAX_SAFE_INTEGER, places: 1 }

/** A list with its arguments and its extent. */
interface KnownList extends Extent {
  readonly first: number
  readonly filter: Arguments
  readonly perRow: number
  readonly isRead: boolean
  /** How many times all its rows are scanned, to filter, order or count them. */
  readonly looks: number
}
type KnownLists = ReadonlyMap<ListBill, KnownList>

/** The average bytes of long texts. */
type TextBytes = ReadonlyMap<LongText, number>

/** Every list and long text of a bill that the caller may read, each looked up once. */
async function partsOf(bill: Bill, buyer: Buyer): Promise<{ lists: KnownLists; texts: TextBytes }> {
  // The arguments of each are read once, here.
  const found = new Map<ListBill, ListArguments>()
  const long = new Set<LongText>()
  const filters: GivenFilter[] = []
  const seen = new Set<Selection>()
  const collect = (selection: Selection): void => {
    if (seen.has(selection)) return
    seen.add(selection)
    for (const text of selection.texts.keys()) long.add(text)
    for (const one of selection.inner.keys()) {
      if (!isOfList(one)) {
        collect(one.each)
        continue
      }
      const args = found.get(one) ?? argumentsOf(one, buyer)
      if (!args) continue
      filters.push({ list: one.list, filter: args.filter ?? {} })
      if (!mayUseNames(one.list, args.filter ?? {}, buyer.mayRead)) continue
      found.set(one, args)
      collect(one.entry)
    }
  }
  collect(bill)
  requireComparable(filters)
  const texts = new Map([...long].map((one) => [one, averageOf(one, buyer)]))
  const lists = await Promise.all(
    [...found].map(async ([one, args]) => [one, await known(one, args, texts, buyer)] as const),
  )
  return { lists: new Map(lists), texts }
}

function averageOf({ table, column }: LongText, { counts }: Buyer): number {
  const { average } = counts.texts.of(table)
  return average[column] ?? 0
}

/** The bytes of the long texts of one row. */
function rowBytes(selected: Selection['texts'], average: TextBytes): number {
  let bytes = 0
  for (const [text, times] of selected) bytes += times * (average.get(text) ?? 0)
  return bytes
}

/** Ordinary texts are included in the cost of their fields. */
function costOfBytes(bytes: number): number {
  return Math.ceil(Math.max(0, bytes - LIMITS.pricedRowBytes) / LIMITS.bytesForOne)
}

/** The arguments of a list; undefined where the caller may not read it. */
function argumentsOf({ scope, args }: ListBill, { variables, mayRead }: Buyer): ListArguments | undefined {
  return scope === undefined || mayRead(scope) ? args(variables) : undefined
}

function isOfList(inner: Inner): inner is ListBill {
  return 'list' in inner
}

async function known(
  bill: ListBill,
  args: ListArguments,
  texts: TextBytes,
  { counts, bytesMax }: Buyer,
): Promise<KnownList> {
  const { list, relation, entry, isCounted, needsEnds } = bill
  const first = firstOf(bill, args)
  const filter = args.filter ?? {}
  // Unless so many rows of such a length are too long, their number does not matter.
  const isWithin = (rows: number) => rows * rowBytes(entry.texts, texts) <= bytesMax
  // A page must be read to find its ends, even if no field of its rows is selected; a complete list need not.
  const perRow = needsEnds && first < Number.POSITIVE_INFINITY ? Math.max(1, entry.fixed) : entry.fixed
  const isRead = perRow > 0 || entry.inner.size > 0
  // An index serves such a filter, but not within each parent; counting scans all matches.
  const served = isServed(relation ? { isSought: list.isSought ?? false } : list, filter)
  const looks = (served || !isRead ? 0 : 1) + (isCounted ? 1 : 0)
  // A page without nested lists costs its own rows only.
  const isPageAlone =
    relation === undefined && entry.inner.size === 0 && first < Number.POSITIVE_INFINITY && isWithin(first)
  const needsExtent = looks > 0 || (isRead && !isPageAlone)
  const extent = needsExtent ? await extentOf(bill, filter, counts) : UNKNOWN
  return { first, filter, perRow, isRead, looks, ...extent }
}

/** A negative page size is refused by the resolver, and must not make others cheaper until then. */
function firstOf({ relation }: ListBill, { first }: ListArguments): number {
  return Math.max(0, first ?? (relation ? LIMITS.nestedPageRows : Number.POSITIVE_INFINITY))
}

async function extentOf({ list, relation }: ListBill, { status }: Arguments, counts: RowCounts): Promise<Extent> {
  // Nothing can return more rows than there are without a filter.
  const found = counts.of(list, status == null ? {} : { status })
  const links = relation?.through ? counts.ofTable(relation.through) : 0
  // If counting fails, so will reading, which reports the error.
  const [rows, linked] = await Promise.all([found, links]).catch(() => [LIMITS.wholeListPricedRows, 0] as const)
  if (!relation) return { rows, places: 1 }
  // Counting stops at this limit.
  if (Math.max(rows, linked) > LIMITS.wholeListRowsMax) return UNKNOWN
  return { rows: Math.max(rows, linked), places: Math.max(1, Math.ceil(linked / Math.max(1, rows))) }
}

/** The same with the rows that match its filter, if all of them are read. */
async function withFilter(bill: ListBill, list: KnownList, { counts }: Buyer): Promise<[ListBill, KnownList]> {
  const { first, filter, isRead, rows } = list
  const isFiltered = Object.values(filter).some((value) => value != null)
  if (bill.relation || first < Number.POSITIVE_INFINITY || !isFiltered || !isRead) return [bill, list]
  return [bill, { ...list, rows: await counts.of(bill.list, filter).catch(() => rows) }]
}

/** The position of a selection in the query. */
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
 * The cost of a bill. A list has at most a page of rows for each parent, and at most its stored rows times the number
 * of times that the same parent can occur: through a reference once for each referrer, otherwise once.
 */
class Pricing {
  private readonly lists: KnownLists
  private readonly texts: TextBytes
  private readonly buyer: Buyer
  /** A list that returns each of its rows once counts for at most this many. */
  private readonly rowsMax: number
  private steps = 0
  /** The cost of repeated references if each were read. */
  repeated = 0
  /** The bytes of all long texts. */
  bytes = 0

  constructor(lists: KnownLists, texts: TextBytes, buyer: Buyer, rowsMax: number) {
    this.lists = lists
    this.texts = texts
    this.buyer = buyer
    this.rowsMax = rowsMax
  }

  bytesOf(selection: Selection): number {
    this.costOf(selection)
    return this.bytes
  }

  costOf({ fixed, inner, texts }: Selection, around = ONCE): number {
    const bytes = rowBytes(texts, this.texts)
    this.bytes += around.rows * bytes
    let cost = around.entries * (fixed + costOfBytes(bytes))
    for (const [one, times] of inner) {
      // Fragments nested in each other can make exponentially many paths.
      this.steps += 1
      if (this.steps > STEPS_MAX) throw tooComplex('cost', `more than ${LIMITS.queryCostMax}`, LIMITS.queryCostMax)
      cost += times * (isOfList(one) ? this.listCost(one, around) : this.referredCost(one, around))
    }
    return cost
  }

  private referredCost({ references, lookUp, each }: Exclude<Inner, ListBill>, around: Around): number {
    const { all, different } = references(this.buyer.variables, this.buyer.mayRead)
    const [entries, rows] = [different * around.entries, different * around.rows]
    if (rows === 0) return 0
    if (all > different) this.repeat(each, all - different)
    return lookUp * entries + this.costOf(each, { entries, rows, repeats: rows })
  }

  private repeat(each: Selection, times: number): void {
    const before = this.bytes
    this.repeated += times * this.costOf(each)
    this.bytes += (times - 1) * (this.bytes - before)
  }

  private listCost(bill: ListBill, around: Around): number {
    const list = this.lists.get(bill)
    if (!list || around.rows === 0) return 0
    const once = bill.relation ? around.entries * LIMITS.nestedListCost : 0
    const looks = list.looks * this.looked(bill, list, around)
    if (!list.isRead) return once + looks
    const pages = around.rows * list.first
    const rowsMax = list.rows === UNKNOWN.rows ? list.rows : this.rowsMax
    const entries = Math.min(pages, around.repeats * Math.min(list.rows, rowsMax))
    const rows = Math.min(pages, around.repeats * list.rows)
    const within = { ...bill.entry, fixed: list.perRow }
    return once + looks + this.costOf(within, { entries, rows, repeats: around.repeats * list.places })
  }

  /** The cost of scanning all rows of a list once. */
  private looked({ relation }: ListBill, { rows }: KnownList, { rows: around, repeats }: Around): number {
    const all = Math.ceil(rows / LIMITS.scannedRowsForOne)
    return relation ? Math.min(repeats * all, around * Math.min(all, LIMITS.nestedScanCost)) : all
  }
}

/** Each step to a list with parents costs at least as much as a nested list. */
const STEPS_MAX = LIMITS.queryCostMax / LIMITS.nestedListCost

const priced = new WeakMap<Context, Promise<Price>>()

/** The price of the operation of a context, computed once. */
export function priceIn(context: Context, variables: Arguments, bill: () => Bill): Promise<Price> {
  const { principal, rowCounts: counts, responseBytesMax: bytesMax } = context
  const mayRead = (scope: Scope) => grants(principal.scopes, scope)
  const known =
    priced.get(context) ?? Promise.resolve().then(() => priceOf(bill(), { variables, counts, mayRead, bytesMax }))
  priced.set(context, known)
  return known
}

/** Makes every root field wait until the whole operation is within the limits. */
export function limitPrices(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field
      if (!resolve) continue
      field.resolve = async (source, args, context: Context, info) => {
        await priceIn(context, info.variableValues, () => billWith(info.variableValues, info))
        return resolve(source, args, context, info)
      }
    }
  }
}

function requireAtMost(limit: string, actual: number, most: number): void {
  const hint = limit === 'depth' ? 'Send what is deeper as a query of its own.' : FEWER
  if (actual > most) throw tooComplex(limit, String(actual), most, hint)
}

/** Which list is expensive, and the page that would make the query fit. */
function hintFor(lists: KnownLists, fits: (smaller: KnownLists) => boolean): string {
  const paged = [...lists].filter(([{ isPaged }]) => isPaged)
  const all = paged.map(([key, { first, rows }]) => ({
    key,
    name: key.name,
    isRoot: key.relation === undefined,
    first,
    rows,
  }))
  return smallerPages(all, (changed, first) => {
    const smaller = new Map(lists)
    for (const { key } of changed) {
      const list = lists.get(key)
      if (list) smaller.set(key, { ...list, first: Math.min(first, list.first) })
    }
    try {
      return fits(smaller)
    } catch (error) {
      if (error instanceof Fault) return false
      throw error
    }
  })
}

const FEWER = 'Select fewer fields, or smaller pages with `first`.'

function tooComplex(limit: string, actual: string, most: number, hint = FEWER): Fault {
  return new Fault('TOO_COMPLEX', `The query's ${limit} is ${actual}; the most is ${most}. ${hint}`)
}
