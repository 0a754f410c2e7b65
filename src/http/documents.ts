import type { DocumentNode } from 'graphql'

interface DocumentsOptions {
  readonly charactersMax: number
  readonly countMax: number
}

/** Parsed queries by their text, least recently used first; bounded by number too, since a short text parses to 13 KB. */
export class Documents {
  private readonly charactersMax: number
  private readonly countMax: number
  private readonly documents = new Map<string, DocumentNode>()
  private characters = 0

  constructor({ charactersMax, countMax }: DocumentsOptions) {
    this.charactersMax = charactersMax
    this.countMax = countMax
  }

  get(text: string): DocumentNode | undefined {
    const document = this.documents.get(text)
    if (document) {
      this.documents.delete(text)
      this.documents.set(text, document)
    }
    return document
  }

  set(text: string, document: DocumentNode): void {
    if (!this.documents.has(text)) this.characters += text.length
    this.documents.set(text, document)
    for (const oldest of this.documents.keys()) {
      if (this.characters <= this.charactersMax && this.documents.size <= this.countMax) return
      this.documents.delete(oldest)
      this.characters -= oldest.length
    }
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
