import { LRUCache } from 'lru-cache'

/** A longer statement is compiled and prepared for each use: callers can produce texts of half a megabyte. */
export const STATEMENT_CHARACTERS_KEPT = 10_000

/** Finds a value once for each key, and keeps it as long as the key is in use. */
export function oncePer<K extends object, V>(find: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>()
  return (key) => {
    const before = known.get(key)
    if (before !== undefined) return before
    const value = find(key)
    known.set(key, value)
    return value
  }
}

/** The same for each pair of keys. */
export function oncePerPair<K extends object, L, V>(find: (key: K, other: L) => V): (key: K, other: L) => V {
  const ofKey = oncePer((_: K) => new Map<L, V>())
  return (key, other) => {
    const known = ofKey(key)
    const before = known.get(other)
    if (before !== undefined) return before
    const value = find(key, other)
    known.set(other, value)
    return value
  }
}

/** Built lazily on first use, and kept; after a promise that fails, the next call tries again. */
export function lazily<V>(make: () => V): () => V {
  let made: V | undefined
  const forget = () => {
    made = undefined
  }
  return () => {
    if (made !== undefined) return made
    made = make()
    if (made instanceof Promise) made.catch(forget)
    return made
  }
}

/** A cache of at most `max` entries that grows with its use: with the option `max` all of it is allocated at once. */
export function growingCache<V extends NonNullable<unknown>>(max: number): LRUCache<string, V> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 })
}
