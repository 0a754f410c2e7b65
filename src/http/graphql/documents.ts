import type { DocumentNode } from 'graphql'
import { LRUCache } from 'lru-cache'

interface Bounds {
  readonly charactersMax: number
  readonly countMax: number
}

/** An LRU cache of parsed queries by their text. Bounded by count too, since a short text parses to 13 KB. */
export class Documents extends LRUCache<string, DocumentNode> {
  constructor({ charactersMax, countMax }: Bounds) {
    super({ max: countMax, maxSize: charactersMax, sizeCalculation: (_, text) => Math.max(1, text.length) })
  }
}
