import { fold, turnedName } from '../text.js'

/** Shorter words are part of too many others' names. */
const WORD_LETTERS_MIN = 3

/** Recognises the names, e-mails and externalIds of one person in texts. */
export class PersonNames {
  readonly #names: ReadonlySet<string>
  readonly #addresses: readonly string[]
  /** The last word of each name. */
  readonly #words: ReadonlySet<string>

  constructor(texts: Iterable<string>) {
    // A number alone may mean anything.
    this.#names = new Set([...texts].filter((text) => /\p{L}/u.test(text)).map(comparable))
    const isAddress = (name: string) => name.includes('@')
    this.#addresses = [...this.#names].filter(isAddress)
    const lastWords = [...this.#names].flatMap((name) => (isAddress(name) ? [] : (wordsOf(name).at(-1) ?? [])))
    this.#words = new Set(lastWords.filter((word) => word.length >= WORD_LETTERS_MIN && /\p{L}/u.test(word)))
  }

  /** The text without the person: empty if nothing else is left, undefined if it does not name them. */
  without(text: string): string | undefined {
    if (this.#is(text)) return ''
    // Only a semicolon separates names of the form `Lovelace, Ada`.
    for (const separator of [';', '\n', '|', '/', '&', ',']) {
      const parts = text.split(separator)
      const kept = parts.filter((part) => !this.#is(part))
      if (kept.length < parts.length) return kept.join(separator).trim()
    }
    return undefined
  }

  /** Whether a text may mean them: it has the end of a name, such as the last name, or an e-mail. */
  mayMean(text: string): boolean {
    const folded = fold(text)
    return wordsOf(folded).some((word) => this.#words.has(word)) || this.#addresses.some((one) => folded.includes(one))
  }

  #is(text: string): boolean {
    return this.#names.has(comparable(text))
  }
}

function wordsOf(folded: string): string[] {
  return folded.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '')
}

/** Whatever the blanks, and whichever name is first. */
function comparable(text: string): string {
  const name = fold(text).trim().replaceAll(/\s+/g, ' ')
  return turnedName(name) ?? name
}
