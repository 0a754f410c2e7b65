import { type SQL, sql } from 'drizzle-orm'
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

/** `prefix` keeps the placeholders of several filters in one statement apart. */
export function boundFilter(read: Read, list: AnyList, filter: object, prefix: string): BoundFilter {
  // What holds without a filter is the same for everyone, and not worth spelling out for each request.
  if (Object.keys(filter).length === 0) {
    return { shape: '', condition: () => list.matching(read, filter), values: {} }
  }
  const matching = list.matching(read, filter)
  const { text, values } = matching ? read.spelled(matching) : { text: 'true', values: [] }
  const names = values.map((_, index) => `${prefix}${index}`)
  return {
    shape: `${isServed(list, filter) ? 'served' : 'sought'} ${text}`,
    condition: () => matching && withPlaceholders(text, names),
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
