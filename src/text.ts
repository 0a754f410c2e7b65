import { Fault, type Flaw } from './errors.js'
import { TEXT_MAX, type TextKind } from './vocabulary.js'

/** The form in which names and e-mails are compared, ordered and searched, the same in every engine. */
export function fold(text: string): string {
  // Once more at the end, because lower-casing can take a composed letter apart.
  return text.normalize('NFKC').toLowerCase().normalize('NFKC')
}

/** Text as it is stored: trimmed and well-formed, or what is wrong with it. */
export function checkText(raw: string, kind: TextKind): { text: string } | { flaw: string } {
  const text = raw.trim()
  if (text === '') return { flaw: 'Must not be empty.' }
  if (text.includes('\0')) return { flaw: 'Must not contain the NUL character.' }
  if (!text.isWellFormed()) return { flaw: 'Must be well-formed Unicode, without lone surrogates.' }
  const length = [...text].length
  if (length > TEXT_MAX[kind]) {
    return { flaw: `Must be at most ${TEXT_MAX[kind]} characters long; this is ${length}.` }
  }
  return { text }
}

/** Checks the texts of one input and gathers every flaw, so that a caller mends all of them at once. */
export class InputCheck {
  readonly flaws: Flaw[] = []

  flaw(member: string, detail: string): void {
    this.flaws.push({ pointer: `/${member}`, detail })
  }

  required(member: string, kind: TextKind, raw: string): string {
    const checked = checkText(raw, kind)
    if ('text' in checked) return checked.text
    this.flaw(member, checked.flaw)
    return ''
  }

  /** Blank counts as absent: forms send empty strings for what was not filled in. */
  optional(member: string, kind: TextKind, raw: string | null | undefined): string | null {
    if (raw == null || raw.trim() === '') return null
    return this.required(member, kind, raw)
  }

  /** Stops here when anything was wrong. */
  refuse(sentence: string): void {
    if (this.flaws.length > 0) throw new Fault('VALIDATION_FAILED', sentence, { flaws: this.flaws })
  }
}

// Deliberately loose: only a delivery proves an address, and a false refusal keeps a person off the roster.
const EMAIL = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+$/u

export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}
