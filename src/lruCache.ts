import { LRUCache } from 'lru-cache'

/** A cache of at most `max` entries that grows with its use: with the option `max` all of it is allocated at once. */
export function growingCache<V extends NonNullable<unknown>>(max: number): LRUCache<string, V> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 })
}
