import { fold, turnedName } from '../text.js'

/** Shorter words are part of too many others' names. */
const WORD_LETTERS_MIN = 3

/** Recognises the names, e-mails and externalIds of one person in texts. */
export class PersonNames {
  readonly #names: ReadonlySet<string>
  /** The words of each name, also with the last one first. */
  readonly #spoken: readonly string[]
  /** As they end an author, such as `oidc:ISSUER:SUBJECT`. */
  readonly #identifiers: readonly string[]
  readonly #addresses: readonly string[]
  /** The last word of each name. */
  readonly #words: ReadonlySet<string>

  constructor(texts: readonly string[]) {
    // A number alone may mean anything.
    this.#names = new Set(texts.filter((text) => /\p{L}/u.test(text)).map(comparable))
    this.#spoken = [...this.#names].flatMap((name) => {
      const words = wordsOfFolded(name)
      return [spoken(words), spoken([...words.slice(-1), ...words.slice(0, -1)])]
    })
    this.#identifiers = texts.map((text) => `:${comparable(text)}`)
    const isAddress = (name: string) => name.includes('@')
    this.#addresses = [...this.#names].filter(isAddress)
    const lastWords = [...this.#names].flatMap((name) => (isAddress(name) ? [] : (wordsOfFolded(name).at(-1) ?? [])))
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
    const folded = caseless(text)
    return (
      wordsOfFolded(folded).some((word) => this.#words.has(word)) || this.#addresses.some((one) => folded.includes(one))
    )
  }

  /** Whether a name, an address or an externalId is in a JSON text, as whole words. */
  isInJson(text: string): boolean {
    // A text in JSON may be JSON too, in which a line break is a letter.
    const words = spoken(wordsOfFolded(caseless(text.replaceAll(/\\[nrt]/g, ' '))))
    return this.#spoken.some((name) => words.includes(name))
  }

  /** Whether an author is theirs, or a source or file is called after them: a word or a number may mean anything there. */
  isAuthor(text: string): boolean {
    if (this.#is(text) || this.#identifiers.some((one) => comparable(text).endsWith(one))) return true
    const words = spoken(wordsOfFolded(caseless(text)))
    const isSure = (name: string) => wordsOfFolded(name).filter((word) => !/\p{N}/u.test(word)).length > 1
    return this.#spoken.some((name) => isSure(name) && words.includes(name))
  }

  #is(text: string): boolean {
    return this.#names.has(comparable(text))
  }
}

/** From capitals, since several small letters may have the same: the dotless i, a final sigma. */
function caseless(text: string): string {
  return fold(text.toUpperCase()).replaceAll('i\u0307', 'i')
}

/** Words between blanks, so that one text includes another only by whole words. */
function spoken(words: readonly string[]): string {
  return ` ${words.join(' ')} `
}

function wordsOfFolded(folded: string): string[] {
  return folded.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '')
}

/** Whatever the blanks, and whichever name is first. */
function comparable(text: string): string {
  const name = caseless(text).trim().replaceAll(/\s+/g, ' ')
  return turnedName(name) ?? name
}
