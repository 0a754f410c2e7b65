import DataLoader from 'dataloader'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { byIds, type List } from '../store/page.js'
import type { Read } from '../store/store.js'
import type { Context } from './builder.js'

/**
 * Turns a query for many keys into a look-up of one: within a request, look-ups made in the same
 * turn become one statement. What the query does not find is undefined.
 */
export function loader<V>(query: (read: Read, keys: readonly string[]) => Promise<ReadonlyMap<string, V>>) {
  const loaders = new WeakMap<Context, DataLoader<string, V | undefined>>()
  return (context: Context, key: string): Promise<V | undefined> => {
    let ofRequest = loaders.get(context)
    if (!ofRequest) {
      ofRequest = new DataLoader(async (keys) => {
        const found = await query(context.store.read, keys)
        return keys.map((one) => found.get(one))
      })
      loaders.set(context, ofRequest)
    }
    return ofRequest.load(key)
  }
}

/** A look-up of the rows of a list by id. */
export function rowLoader<T extends PgTable & { id: AnyPgColumn }, F>(list: List<T, F>) {
  return loader((read, ids) => byIds(read, list, ids))
}

/** Something that is read once in a request, however many fields ask for it. */
export function oncePerRequest<V>(query: (read: Read) => Promise<V>) {
  const results = new WeakMap<Context, Promise<V>>()
  return (context: Context): Promise<V> => {
    const known = results.get(context) ?? query(context.store.read)
    results.set(context, known)
    return known
  }
}
