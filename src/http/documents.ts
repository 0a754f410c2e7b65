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

/** What could not be parsed is parsed again if it comes again: kept, it would be as long as a body may be. */
export const NO_ERRORS_KEPT = { get: () => undefined, set: () => undefined }
