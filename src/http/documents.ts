import type { DocumentNode } from 'graphql'

/** Parsed queries by their text, the latest used longest, as many as their characters together allow. */
export class Documents {
  private readonly charactersMax: number
  private readonly documents = new Map<string, DocumentNode>()
  private characters = 0

  constructor(charactersMax: number) {
    this.charactersMax = charactersMax
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
      if (this.characters <= this.charactersMax) return
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
