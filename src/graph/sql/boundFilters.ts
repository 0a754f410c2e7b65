import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type Matching, matchingOf } from '../../store/query/jsonPage.js'
import { oncePerEngine } from '../../store/query/lookups.js'
import { type AnyList, isServed } from '../../store/query/page.js'
import type { Read } from '../../store/store.js'

/** A filter as bound SQL: a condition that is the same for all filters of one shape, and this one's values. */
export interface BoundFilter {
  /** Determines the SQL text: the given members and their kinds, but not their values. */
  readonly shape: string
  readonly matching: () => Matching
  /** By placeholder name. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Filters recur, and compiling one takes 20 to 100 microseconds. */
const recentOn = oncePerEngine(
  () =>
    new LRUCache<string, BoundFilter>({
      max: 1_000,
      maxSize: 500_000,
      sizeCalculation: ({ shape }, key) => key.length + shape.length,
    }),
)

const KEPT_VALUES_MAX = 100

/** `prefix` is unique to a list in a query, so that placeholder names do not collide. */
export function boundFilter(read: Read, list: AnyList, filter: object, prefix: string): BoundFilter {
  // An empty filter has no values of its own.
  if (Object.keys(filter).length === 0) {
    return { shape: '', matching: () => matchingOf(read, list, filter), values: {} }
  }
  // A key as long as a long list would take longer than compiling.
  if (Object.values(filter).some((value) => Array.isArray(value) && value.length > KEPT_VALUES_MAX)) {
    return bind(read, list, filter, prefix)
  }
  const recent = recentOn(read)
  const key = `${prefix}${JSON.stringify(filter)}`
  const known = recent.get(key)
  if (known) return known
  const bound = bind(read, list, filter, prefix)
  recent.set(key, bound)
  return bound
}

function bind(read: Read, list: AnyList, filter: object, prefix: string): BoundFilter {
  const { condition, parts } = matchingOf(read, list, filter)
  const compiled = [...(condition ? [condition] : []), ...(parts ?? [])].map((one, part) => {
    const { text, values } = read.compile(one)
    return { text, values, names: values.map((_, index) => `${prefix}${part}_${index}`) }
  })
  return bound(isServed(list, filter) ? 'served' : 'sought', compiled, parts !== undefined)
}

interface CompiledPart {
  readonly text: string
  readonly values: readonly unknown[]
  readonly names: readonly string[]
}

/** Apart from `bind`, whose closures hold the request's own handle: these are cached, and would keep its rows alive. */
function bound(kind: string, compiled: readonly CompiledPart[], hasParts: boolean): BoundFilter {
  const conditions = () => compiled.map(({ text, names }) => withPlaceholders(text, names))
  return {
    shape: [kind, ...compiled.map(({ text }) => text)].join(' '),
    matching: () => (hasParts ? { condition: undefined, parts: conditions() } : { condition: conditions()[0] }),
    values: Object.fromEntries(
      compiled.flatMap(({ names, values }) => names.map((name, index) => [name, values[index]] as const)),
    ),
  }
}

/** The parameter markers of both engines; conditions contain no constants that look like one. */
const PARAMETER = /\?|\$\d+/

function withPlaceholders(text: string, names: readonly string[]): SQL {
  const [first = '', ...others] = text.split(PARAMETER)
  if (others.length !== names.length)
    throw new Error(`This condition has a constant that looks like a parameter: ${text}`)
  const rest = others.map((part, index) => sql`${sql.placeholder(names[index] ?? '')}${sql.raw(part)}`)
  return sql.join([sql.raw(first), ...rest])
}
