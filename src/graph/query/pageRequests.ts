import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Principal } from '../../auth/principal.js'
import { grants, type Scope } from '../../auth/scopes.js'
import { BoundedCache } from '../../caches.js'
import { badArgument } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { type ChangeCounter, countersIn } from '../../store/changeCounters.js'
import { type Matching, matchingOf } from '../../store/query/jsonPage.js'
import { type AnyList, type Caller, isIndexed, oncePerEngine, orderedBy, placeAfter } from '../../store/query/page.js'
import type { Read } from '../../store/store.js'
import { type Context, requireScope } from '../builder.js'
import { checkNames } from '../hints/names.js'
import type { Arguments, Slot } from './declared.js'

/** The parsed arguments of a list, as SQL whose values are bound. */
export interface PageRequest {
  /** The list in the requested order; undefined for a value that is no list. */
  readonly list?: AnyList
  readonly filter: object
  readonly bound: BoundFilter
  readonly first: number | undefined
  /** The size of a whole list. */
  readonly most: number
  /** The position of the cursor `after`, or the argument of a computed field. */
  readonly place: readonly Placeholder[] | undefined
  readonly values: Values
}

/** By slot; undefined for a field that is neither a list nor computed with an argument. */
export type PageRequests = readonly (PageRequest | undefined)[]

type Values = Readonly<Record<string, unknown>>

/** The page request of each list of a root, once every name in the filters is known. */
export async function pageRequestsIn(
  context: Context,
  { slots, number }: { readonly slots: readonly Slot[]; readonly number: number },
  args: readonly Arguments[],
): Promise<PageRequests> {
  const pageRequests = context.work.time('check', () =>
    slots.map(({ list, isValue }, slot) => {
      const [given, prefix] = [args[slot] ?? {}, `r${number}s${slot}`]
      if (isValue) return valueRequestOf(Object.values(given), prefix)
      return list && pageRequestOf(context, list, given, prefix)
    }),
  )
  for (const [slot, { list }] of slots.entries()) {
    const checking = list && checkNames(context, list, pageRequests[slot]?.filter ?? {})
    if (checking) await checking
  }
  return pageRequests
}

/** Refuses an invalid page size or cursor. `prefix` is unique to a list in a query, for the names of placeholders. */
function pageRequestOf(context: Context, declared: AnyList, args: Arguments, prefix: string): PageRequest {
  const { store, principal, wholeListRowsMax: most } = context
  // Every list has the arguments of `listArgs`.
  const given = args as {
    first?: number | null
    after?: string | null
    filter?: object | null
    orderBy?: string | null
  }
  requirePageSize(given.first)
  const list = orderedBy(declared, given.orderBy)
  const all = given.filter ?? {}
  const scope = list.needs?.(all)
  // The nouns name scopes; the store, which declares lists, knows none.
  if (scope !== undefined) requireScope(principal, scope as Scope)
  const filter = list.visible?.(all, callerOf(principal)) ?? all
  const bound = boundFilter(store.read, list, filter, `${prefix}f`)
  const keys = given.after == null ? undefined : placeAfter(store.read, list, given.after)
  const named = keys?.map((key, index) => [`${prefix}k${index}`, key] as const)
  return {
    list,
    filter,
    bound,
    first: given.first ?? undefined,
    most,
    place: named?.map(([name]) => sql.placeholder(name)),
    values: named ? { ...bound.values, ...Object.fromEntries(named) } : bound.values,
  }
}

/** The argument of a computed field, bound like a position; undefined if it is not given. */
function valueRequestOf([value]: readonly unknown[], name: string): PageRequest | undefined {
  if (value == null) return undefined
  const bound: BoundFilter = { ...EMPTY, matching: () => ({ condition: undefined }) }
  return { filter: {}, bound, first: undefined, most: 0, place: [sql.placeholder(name)], values: { [name]: value } }
}

export function requirePageSize(first: number | null | undefined): void {
  if (first != null && (first < 1 || first > LIMITS.pageRowsMax)) {
    throw badArgument('first', `Must be from 1 to ${LIMITS.pageRowsMax}.`)
  }
}

function callerOf(principal: Principal): Caller {
  return {
    mayRead: (scope) => grants(principal.scopes, scope as Scope),
    require: (scope) => requireScope(principal, scope as Scope),
  }
}

/** A filter as bound SQL: a condition that is the same for all filters of one shape, and this one's values. */
interface BoundFilter {
  /** Determines the SQL text: the given members and their kinds, but not their values. */
  readonly shape: string
  readonly matching: () => Matching
  /** By placeholder name. */
  readonly values: Values
  /** The change counters that its condition depends on. */
  readonly reads: readonly ChangeCounter[]
}

const EMPTY = { shape: '', values: {}, reads: [] }

/** Filters recur, and compiling one takes 20 to 100 microseconds. */
const recentOn = oncePerEngine(
  () =>
    new BoundedCache<BoundFilter>({
      entries: 1_000,
      entrySize: 100_000,
      size: 500_000,
      sizeOf: ({ shape }) => shape.length,
    }),
)

const KEPT_VALUES_MAX = 100

function boundFilter(read: Read, list: AnyList, filter: object, prefix: string): BoundFilter {
  // An empty filter has no values of its own.
  if (Object.keys(filter).length === 0) {
    return { ...EMPTY, matching: () => matchingOf(read, list, filter) }
  }
  // A key as long as a long list would take longer than compiling.
  if (Object.values(filter).some((value) => Array.isArray(value) && value.length > KEPT_VALUES_MAX)) {
    return bind(read, list, filter, prefix)
  }
  const recent = recentOn(read)
  const key = `${prefix} ${list.name} ${JSON.stringify(filter)}`
  const bound = recent.get(key) ?? bind(read, list, filter, prefix)
  recent.set(key, bound)
  return bound
}

function bind(read: Read, list: AnyList, filter: object, prefix: string): BoundFilter {
  const { condition, parts } = matchingOf(read, list, filter)
  const conditions = [...(condition ? [condition] : []), ...(parts ?? [])]
  const compiled = conditions.map((one, part) => {
    const { text, values } = read.compile(one)
    return { text, values: values.map((value, index) => [`${prefix}${part}_${index}`, value] as const) }
  })
  const reads = countersIn(sql.join(conditions))
  return bound(isIndexed(list, filter) ? 'served' : 'sought', compiled, parts !== undefined, reads)
}

interface CompiledPart {
  readonly text: string
  readonly values: readonly (readonly [name: string, value: unknown])[]
}

/** Apart from `bind`, whose closures hold the request's own handle: these are cached, and would keep its rows alive. */
function bound(
  kind: string,
  compiled: readonly CompiledPart[],
  hasParts: boolean,
  reads: readonly ChangeCounter[],
): BoundFilter {
  const conditions = () => compiled.map(withPlaceholders)
  return {
    shape: [kind, ...compiled.map(({ text }) => text)].join(' '),
    matching: () => (hasParts ? { condition: undefined, parts: conditions() } : { condition: conditions()[0] }),
    values: Object.fromEntries(compiled.flatMap(({ values }) => values)),
    reads,
  }
}

/** The parameter markers of both engines; conditions contain no constants that look like one. */
const PARAMETER = /\?|\$\d+/

function withPlaceholders({ text, values }: CompiledPart): SQL {
  const [first = '', ...others] = text.split(PARAMETER)
  if (others.length !== values.length)
    throw new Error(`This condition has a constant that looks like a parameter: ${text}`)
  const rest = others.map((part, index) => sql`${sql.placeholder(values[index]?.[0] ?? '')}${sql.raw(part)}`)
  return sql.join([sql.raw(first), ...rest])
}
