import DataLoader from 'dataloader'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { LIMITS } from '../limits.js'
import { byIds, type List } from '../store/page.js'
import type { Patience, Read, Store } from '../store/store.js'
import { turn } from './turns.js'

/** As much of a context as a look-up needs. */
export interface Reading {
  readonly store: Store
  readonly patience?: Patience
}

/** What each request has read, by whoever remembers it. */
const memories = new WeakMap<Reading, Map<object, unknown>>()

/** After a write, what was read before may no longer be so. */
export function forget(context: Reading): void {
  memories.delete(context)
}

function remembered<V>(context: Reading, by: object, make: () => V): V {
  const memory = memories.get(context) ?? new Map<object, unknown>()
  memories.set(context, memory)
  if (!memory.has(by)) memory.set(by, make())
  return memory.get(by) as V
}

/**
 * Turns a query for many keys into a look-up of one: within a request, look-ups made in the same
 * turn become one statement. What the query does not find is undefined.
 */
export function loader<V>(query: (read: Read, keys: readonly string[]) => Promise<ReadonlyMap<string, V>>) {
  const open = ({ store }: Reading) => ({
    loads: 0,
    loader: new DataLoader<string, V | undefined>(async (keys) => {
      const found = await query(store.read, keys)
      return keys.map((one) => found.get(one))
    }),
  })
  return async (context: Reading, key: string): Promise<V | undefined> => {
    const opened = remembered(context, open, () => open(context))
    opened.loads += 1
    const found = opened.loader.load(key)
    if (opened.loads <= LIMITS.nestedPageRows) return found
    // One statement answers all of them at once, and graphql would then complete all of them in one go.
    const value = await found
    await turn(context)
    return value
  }
}

/** The same for many keys at once: all that are asked for in the same turn share a statement, and each key is in it once. */
export function manyLoader<V>(query: (read: Read, keys: readonly string[]) => Promise<ReadonlyMap<string, V>>) {
  const open = ({ store }: Reading) =>
    new DataLoader<string, V | undefined>(async (keys) => {
      const found = await query(store.read, keys)
      return keys.map((one) => found.get(one))
    })
  return async (context: Reading, keys: readonly string[]): Promise<readonly (V | undefined)[]> => {
    const found = await remembered(context, open, () => open(context)).loadMany(keys)
    return found.map((one) => {
      // The query fails as a whole, and whoever asked is told why.
      if (one instanceof Error) throw one
      return one
    })
  }
}

/** A look-up of the rows of a list by id; it says of which. */
export function rowLoader<T extends PgTable & { id: AnyPgColumn }, F>(list: List<T, F>) {
  const load = loader<T['$inferSelect']>((read, ids) => byIds(read, list, ids))
  return Object.assign(load, { list })
}

const byKey = {}

/** The same of whatever has a key of its own. */
export function oncePerKey<V>(context: Reading, key: string, ask: () => Promise<V>): Promise<V> {
  const asked = remembered(context, byKey, () => new Map<string, Promise<unknown>>())
  // Whatever stands under a key was put there for the same question.
  const known = (asked.get(key) as Promise<V> | undefined) ?? ask()
  asked.set(key, known)
  return known
}

/** Something that is read once in a request, however many fields ask for it. */
export function oncePerRequest<V>(query: (read: Read) => Promise<V>) {
  return (context: Reading): Promise<V> => remembered(context, query, () => query(context.store.read))
}
