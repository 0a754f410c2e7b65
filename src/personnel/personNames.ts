import { fold, turnedName } from '../text.js'

/** Shorter words are part of too many others' names. */
const WORD_LETTERS_MIN = 3

/** Recognises the names, e-mails and externalIds of one person in texts. */
export class PersonNames {
  readonly #names: ReadonlySet<string>
  readonly #words: ReadonlySet<string>

  constructor(texts: Iterable<string>) {
    // A number alone may mean anything.
    this.#names = new Set([...texts].filter((text) => /\p{L}/u.test(text)).map(comparable))
    const lastWords = [...this.#names].map((name) => name.split(' ').at(-1) ?? '')
    this.#words = new Set(lastWords.filter((word) => word.length >= WORD_LETTERS_MIN))
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
    return folded.split(/[^\p{L}\p{M}\p{N}@._-]+/u).some((word) => this.#words.has(withoutEnd(word)))
  }

  #is(text: string): boolean {
    return this.#names.has(comparable(text))
  }
}

/** Without the marks at the end of a sentence. */
function withoutEnd(word: string): string {
  let end = word.length
  while (end > 0 && '._-'.includes(word.charAt(end - 1))) end--
  return word.slice(0, end)
}

/** Whatever the blanks, and whichever name is first. */
function comparable(text: string): string {
  const name = fold(text).trim().replaceAll(/\s+/g, ' ')
  return turnedName(name) ?? name
}
