import type { DocumentNode } from 'graphql'
import { LRUCache } from 'lru-cache'

interface Bounds {
  readonly charactersMax: number
  readonly countMax: number
}

/** Parsed queries by their text; bounded by number too, since a short text parses to 13 KB. */
export class Documents extends LRUCache<string, DocumentNode> {
  constructor({ charactersMax, countMax }: Bounds) {
    super({ max: countMax, maxSize: charactersMax, sizeCalculation: (_, text) => Math.max(1, text.length) })
  }
}

/**
 * Why the latest text could not be parsed: the teller comes upon it, and Yoga, which says it, need not try again. No
 * more than one, for it may be as long as a body.
 */
export class LatestError {
  private latest: { readonly text: string; readonly error: unknown } | undefined

  get(text: string): unknown {
    return this.latest?.text === text ? this.latest.error : undefined
  }

  set(text: string, error: unknown): void {
    this.latest = { text, error }
  }
}
