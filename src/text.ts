import { invalid, type Violation } from './errors.js'
import { TEXT_MAX, type TextKind } from './vocabulary.js'

/** Names compared with an unknown name, to suggest the one that is meant. */
export const NAMES_COMPARED_MAX = 100
/** Characters of a name that are compared for that. */
const COMPARED_CHARACTERS = 60

/** The folded form in which names and e-mails are compared, ordered and searched, equal in both engines. */
export function fold(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase()
  const normalised = text.normalize('NFKC')
  const lowered = normalised.toLowerCase()
  // Normalised again, because lower-casing can decompose a letter.
  return lowered === normalised ? lowered : lowered.normalize('NFKC')
}

/** Lower case without accents: the form in which the headings and words of people's sheets are compared. */
export function plain(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase()
  const letters = text.normalize('NFKD').replaceAll(/\p{M}|\p{Default_Ignorable_Code_Point}/gu, '')
  return letters.toLowerCase().replaceAll('ß', 'ss').replaceAll('ł', 'l')
}

/** The folded form of the texts of a row that are searched together. */
export function foldedTogether(...texts: readonly string[]): string {
  return fold(texts.join('\n'))
}

/** The folded form of a trimmed name or e-mail. */
export function foldedName(text: string): string {
  return fold(text.trim())
}

/** `Lovelace, Ada` as Ada Lovelace; undefined for a text without exactly one comma inside. */
export function turnedName(text: string): string | undefined {
  const [last = '', first = '', ...others] = text.split(',').map(trimmed)
  return others.length === 0 && first !== '' && last !== '' ? `${first} ${last}` : undefined
}

export function trimmed(text: string): string {
  return text.trim()
}

/** Control characters, line breaks and bidirectional overrides, which make a text look like another. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
const CONTROLS = new RegExp(CONTROL, 'gu')

/** Kinds of free text, which are not names: descriptions, details and search terms. */
const FREE: ReadonlySet<TextKind> = new Set<TextKind>(['description', 'detailText', 'search'])

/** Kinds that may have line breaks, as cells and headers of spreadsheets often do. */
const BROKEN: ReadonlySet<TextKind> = new Set<TextKind>(['headline', 'detailName'])

/** The first character that no text of this kind may have. */
function controlIn(text: string, kind: TextKind): string | undefined {
  if (FREE.has(kind)) return undefined
  return (BROKEN.has(kind) ? text.replaceAll(/[\t\r\n]/g, ' ') : text).match(CONTROL)?.[0]
}

/** Kinds of names and identifiers, in which an invisible character makes another one that looks the same. */
const IDENTIFYING: ReadonlySet<TextKind> = new Set<TextKind>(['name', 'email', 'externalId', 'projectKey', 'reference'])

/** Format characters, fillers and variation selectors. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** The same where they change what is shown. */
const SHAPING = [
  // Joiners between letters, but of scripts whose letters look the same with and without.
  /(?<=\p{L})(?<!\p{sc=Latin}|\p{sc=Greek}|\p{sc=Cyrillic}|\p{sc=Hebrew}|\p{sc=Han}|\p{sc=Hangul}|\p{sc=Hira}|\p{sc=Kana})[\u200c\u200d](?=\p{L})/gu,
  // Joiners after the virama of an Indic script.
  /(?<=\p{M})(?<!\p{sc=Inherited})[\u200c\u200d]/gu,
  // Emoji of several parts, and those that are plain symbols otherwise.
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu,
  /(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|\ufe0f(?=\u20e3)/gu,
  // Variants of ideographs, as in Japanese names, and of Mongolian letters.
  /(?<=\p{Ideographic})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?<=\p{sc=Mongolian})[\u180b-\u180d\u180f]/gu,
]

/** The first invisible character that no text of this kind may have. */
function invisibleIn(text: string, kind: TextKind): string | undefined {
  if (!IDENTIFYING.has(kind) || !INVISIBLE.test(text)) return undefined
  return SHAPING.reduce((rest, shaping) => rest.replaceAll(shaping, ''), text).match(INVISIBLE)?.[0]
}

/** A text with its control characters escaped for a terminal; its meaning in JSON is the same. */
export function escaped(text: string): string {
  return text.replaceAll(CONTROLS, (one, at: number) =>
    one === '\n' || one === '\t' || (one === '\r' && text[at + 1] === '\n') ? one : escapeOf(one),
  )
}

/** The same on one line. */
export function escapedLine(text: string): string {
  return text.replaceAll(CONTROLS, escapeOf)
}

function escapeOf(character: string): string {
  return `\\u${hex(character)}`
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')
}

/** Text as it is stored, trimmed and well-formed, or its violation. */
export function checkText(raw: string, kind: TextKind): { text: string } | { violation: string } {
  const text = raw.trim()
  if (text === '') return { violation: 'Must not be empty.' }
  if (text.includes('\0')) return { violation: 'Must not contain the NUL character.' }
  const control = controlIn(text, kind)
  if (control !== undefined) {
    return { violation: `Must not contain control characters; this has U+${hex(control).toUpperCase()}.` }
  }
  const invisible = invisibleIn(text, kind)
  if (invisible !== undefined) {
    return { violation: `Must not contain invisible characters; this has U+${hex(invisible).toUpperCase()}.` }
  }
  if (!text.isWellFormed()) return { violation: 'Must be well-formed Unicode, without lone surrogates.' }
  const violation = lengthViolation(text, TEXT_MAX[kind])
  return violation === undefined ? { text } : { violation }
}

/** The violation of a text that is too long. */
export function lengthViolation(text: string, most: number): string | undefined {
  // Code points are counted only if they can matter: a code point is one or two UTF-16 units.
  if (text.length <= most) return undefined
  const length = text.length > 4 * most ? undefined : [...text].length
  if (length !== undefined && length <= most) return undefined
  const [limit, actual] = [most, length].map((count) => count?.toLocaleString('en'))
  return `Must be at most ${limit} characters long; this is ${actual ?? `more than ${limit}`}.`
}

/** Collects every violation of one input, so that a caller can correct all of them at once. */
export class InputCheck {
  readonly found: { readonly member: string; readonly detail: string }[] = []

  get isSound(): boolean {
    return this.found.length === 0
  }

  violation(member: string, detail: string): void {
    this.found.push({ member, detail })
  }

  has(member: string): boolean {
    return this.found.some((one) => one.member === member)
  }

  required(member: string, kind: TextKind, raw: string): string {
    const checked = checkText(raw, kind)
    if ('text' in checked) return checked.text
    this.violation(member, checked.violation)
    return ''
  }

  get violations(): Violation[] {
    return this.found.map(({ member, detail }) => ({ pointer: `/${member}`, detail }))
  }

  /** Throws if there is any violation. */
  refuse(sentence: string): void {
    if (!this.isSound) throw invalid('VALIDATION_FAILED', sentence, this.violations)
  }
}

// Deliberately loose: only a delivery proves an address, and a false refusal keeps a person off the roster.
const EMAIL = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+$/u

export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}

/** The violation of a list that is too long; `beyond` says what to do with more. */
export function tooManyItems(count: number, most: number, beyond = ''): string {
  return `There are ${count}; the most is ${most}. ${beyond}`.trimEnd()
}

/** The text that is nearest to another in spelling, whatever the case; undefined where none is near. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  const wanted = comparedPart(text)
  let best: string | undefined
  // A third of the letters may differ: with more, a guess would be no help.
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1
  let compared = 0
  for (const candidate of candidates) {
    const edits =
      Math.abs(text.length - candidate.length) < fewest ? distance(wanted, comparedPart(candidate), fewest) : fewest
    if (edits < fewest) [best, fewest] = [candidate, edits]
    compared += 1
    if (compared === NAMES_COMPARED_MAX) break
  }
  return best
}

/** The beginning of a name, folded: a distance takes as long as one length times the edits that may differ. */
function comparedPart(text: string): string {
  const most = COMPARED_CHARACTERS
  return fold(text.slice(0, most)).slice(0, most)
}

const newRow = () => new Uint8Array(COMPARED_CHARACTERS + 1)
/** The rows of a distance, allocated once. */
const ROWS: readonly [Uint8Array, Uint8Array, Uint8Array] = [newRow(), newRow(), newRow()]

/** The edit distance of two compared parts (Damerau-Levenshtein, adjacent swaps only), capped at `most`. */
function distance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) >= most) return most
  let [beforeLast, last, row] = ROWS
  for (let to = 0; to <= other.length; to++) last[to] = to
  for (let at = 1; at <= one.length; at++) {
    // Only the band around the diagonal: further away there are at least `most` edits.
    const from = Math.max(1, at - most)
    const until = Math.min(other.length, at + most)
    row[from - 1] = from === 1 ? at : most
    let least = most
    for (let to = from; to <= until; to++) {
      const isSame = one[at - 1] === other[to - 1]
      const isSwapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]
      const changed = (last[to - 1] ?? most) + (isSame ? 0 : 1)
      const swapped = isSwapped ? (beforeLast[to - 2] ?? most) + 1 : most
      const edits = Math.min((row[to - 1] ?? most) + 1, (last[to] ?? most) + 1, changed, swapped)
      row[to] = edits
      least = Math.min(least, edits)
    }
    if (until < other.length) row[until + 1] = most
    if (least >= most) return most
    ;[beforeLast, last, row] = [last, row, beforeLast]
  }
  return Math.min(most, last[other.length] ?? most)
}
