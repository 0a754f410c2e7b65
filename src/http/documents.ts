import type { DocumentNode } from 'graphql'

interface Bounds {
  readonly charactersMax: number
  readonly countMax: number
}

/** Values by a text, up to a number of them and of characters; the least recently used go first. */
export class LeastRecentlyUsed<V> {
  private readonly bounds: Bounds
  private readonly charactersOf: (key: string, value: V) => number
  private readonly values = new Map<string, V>()
  private characters = 0

  constructor(bounds: Bounds, charactersOf: (key: string, value: V) => number) {
    this.bounds = bounds
    this.charactersOf = charactersOf
  }

  get(key: string): V | undefined {
    const value = this.values.get(key)
    if (value !== undefined) {
      this.values.delete(key)
      this.values.set(key, value)
    }
    return value
  }

  set(key: string, value: V): void {
    if (!this.values.has(key)) this.characters += this.charactersOf(key, value)
    this.values.set(key, value)
    const { charactersMax, countMax } = this.bounds
    for (const [oldest, dropped] of this.values) {
      if (this.characters <= charactersMax && this.values.size <= countMax) return
      this.values.delete(oldest)
      this.characters -= this.charactersOf(oldest, dropped)
    }
  }
}

/** Parsed queries by their text; bounded by number too, since a short text parses to 13 KB. */
export class Documents extends LeastRecentlyUsed<DocumentNode> {
  constructor(bounds: Bounds) {
    super(bounds, (text) => text.length)
  }
}
