import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { oncePerEngine } from '../../store/keyed.js'
import { type AnyList, isServed } from '../../store/page.js'
import type { Read } from '../../store/store.js'

/** A filter as a statement has it: SQL that is the same for all filters of one shape, and this one's values. */
export interface BoundFilter {
  /** What the text of a statement depends on: which members there are and of which kind, but not their values. */
  readonly shape: string
  readonly condition: () => SQL | undefined
  /** By the names of the placeholders in the condition. */
  readonly values: Readonly<Record<string, unknown>>
}

/** The same filter often comes again, and to spell it out takes 20 to 100 microseconds. */
const recentOn = oncePerEngine(
  () =>
    new LRUCache<string, BoundFilter>({
      max: 1_000,
      maxSize: 500_000,
      sizeCalculation: ({ shape }, key) => key.length + shape.length,
    }),
)

/** `prefix` belongs to one list in one query, and keeps its placeholders apart from those of others. */
export function boundFilter(read: Read, list: AnyList, filter: object, prefix: string): BoundFilter {
  // Without a filter the condition has the same values for everyone.
  if (Object.keys(filter).length === 0) {
    return { shape: '', condition: () => list.matching(read, filter), values: {} }
  }
  const recent = recentOn(read)
  const key = `${prefix}${JSON.stringify(filter)}`
  const known = recent.get(key) ?? bind(read, list, filter, prefix)
  recent.set(key, known)
  return known
}

function bind(read: Read, list: AnyList, filter: object, prefix: string): BoundFilter {
  const matching = list.matching(read, filter)
  const { text, values } = matching ? read.spelled(matching) : { text: '', values: [] }
  const names = values.map((_, index) => `${prefix}${index}`)
  return {
    shape: `${isServed(list, filter) ? 'served' : 'sought'} ${text}`,
    condition: () => (text === '' ? undefined : withPlaceholders(text, names)),
    values: Object.fromEntries(names.map((name, index) => [name, values[index]])),
  }
}

/** How the engines mark a parameter; conditions hold no constants in which these could stand for themselves. */
const PARAMETER = /\?|\$\d+/

function withPlaceholders(text: string, names: readonly string[]): SQL {
  const [first = '', ...others] = text.split(PARAMETER)
  if (others.length !== names.length)
    throw new Error(`This condition has a constant that looks like a parameter: ${text}`)
  const rest = others.map((part, index) => sql`${sql.placeholder(names[index] ?? '')}${sql.raw(part)}`)
  return sql.join([sql.raw(first), ...rest])
}
