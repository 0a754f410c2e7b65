import { createHash } from 'node:crypto'
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

interface Bounds<V> {
  readonly entries: number
  /** A larger entry is not kept: the characters of its key, and what `sizeOf` counts. */
  readonly entrySize: number
  /** Of all entries together. */
  readonly size?: number
  readonly sizeOf?: (value: V) => number
}

/**
 * The least recently used entries go first. Callers choose keys, so every cache has a bound on the number of its entries
 * and on their size. It grows with its use: with the option `max` of `LRUCache` all of it is allocated at once.
 */
export class BoundedCache<V extends NonNullable<unknown>> extends LRUCache<string, V> {
  constructor({ entries, entrySize, size = entries * entrySize, sizeOf = () => 0 }: Bounds<V>) {
    super({
      maxSize: size,
      maxEntrySize: Math.min(size, entrySize),
      sizeCalculation: (value, key) => Math.max(1, Math.floor(size / entries), key.length + sizeOf(value)),
    })
  }
}

const SHORT_CHARACTERS = 200

/** A text as a key of a cache: a long one by its hash. */
export function cacheKeyOf(text: string): string {
  return text.length <= SHORT_CHARACTERS ? text : createHash('sha256').update(text).digest('base64url')
}
