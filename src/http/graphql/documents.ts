import type { DocumentNode } from 'graphql'
import { LRUCache } from 'lru-cache'

interface Bounds {
  readonly charactersMax: number
  readonly countMax: number
}

/** An LRU cache of parsed queries by their text. Bounded by count too, since a short text parses to 13 KB. */
export class Documents extends LRUCache<string, DocumentNode> {
  private readonly validated = new WeakSet<DocumentNode>()

  constructor({ charactersMax, countMax }: Bounds) {
    super({ max: countMax, maxSize: charactersMax, sizeCalculation: (_, text) => Math.max(1, text.length) })
  }

  noteValid(document: DocumentNode): void {
    this.validated.add(document)
  }

  /** The document of a text that has been validated before. */
  findValid(text: string): DocumentNode | undefined {
    const document = this.peek(text)
    return document && this.validated.has(document) ? this.get(text) : undefined
  }
}
