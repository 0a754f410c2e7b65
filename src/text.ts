import { Fault, type Flaw } from './errors.js'
import { TEXT_MAX, type TextKind } from './vocabulary.js'

/** The form in which names and e-mails are compared, ordered and searched, the same in every engine. */
export function fold(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase()
  // Once more at the end, because lower-casing can take a composed letter apart.
  return text.normalize('NFKC').toLowerCase().normalize('NFKC')
}

/** Text as it is stored: trimmed and well-formed, or what is wrong with it. */
export function checkText(raw: string, kind: TextKind): { text: string } | { flaw: string } {
  const text = raw.trim()
  if (text === '') return { flaw: 'Must not be empty.' }
  if (text.includes('\0')) return { flaw: 'Must not contain the NUL character.' }
  if (!text.isWellFormed()) return { flaw: 'Must be well-formed Unicode, without lone surrogates.' }
  const flaw = lengthFlaw(text, TEXT_MAX[kind])
  return flaw === undefined ? { text } : { flaw }
}

/** What is wrong with a text that has more characters than it may. */
export function lengthFlaw(text: string, most: number): string | undefined {
  // Counted only where it may matter: a character is one or two UTF-16 units, and a text may be far too long.
  if (text.length <= most) return undefined
  const length = text.length > 4 * most ? undefined : [...text].length
  if (length !== undefined && length <= most) return undefined
  return `Must be at most ${most} characters long; this is ${length ?? `more than ${most}`}.`
}

/** Gathers every flaw of one input, so that a caller mends all of them at once. */
export class InputCheck {
  readonly found: { readonly member: string; readonly detail: string }[] = []

  get isSound(): boolean {
    return this.found.length === 0
  }

  flaw(member: string, detail: string): void {
    this.found.push({ member, detail })
  }

  has(member: string): boolean {
    return this.found.some((one) => one.member === member)
  }

  required(member: string, kind: TextKind, raw: string): string {
    const checked = checkText(raw, kind)
    if ('text' in checked) return checked.text
    this.flaw(member, checked.flaw)
    return ''
  }

  /** Stops here when anything was wrong. */
  refuse(sentence: string): void {
    if (this.isSound) return
    const flaws: Flaw[] = this.found.map(({ member, detail }) => ({ pointer: `/${member}`, detail }))
    throw new Fault('VALIDATION_FAILED', sentence, { flaws })
  }
}

// Deliberately loose: only a delivery proves an address, and a false refusal keeps a person off the roster.
const EMAIL = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+$/u

export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}

/** What is wrong with a list that is longer than it may be; `beyond` says what to do with more. */
export function tooManyItems(count: number, most: number, beyond = ''): string {
  return `There are ${count}; the most is ${most}. ${beyond}`.trimEnd()
}
