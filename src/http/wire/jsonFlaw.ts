import { setImmediate as nextTurn } from 'node:timers/promises'
import { LIMITS } from '../../limits.js'

/** A place in a text, counted from 1. */
interface Place {
  readonly line: number
  readonly column: number
}

/** Where an invalid text stops being JSON: the messages of `JSON.parse` differ, and may lack the position. */
export async function jsonFlaw(utf8: Buffer): Promise<Place> {
  const scan = new Scan(utf8)
  for (let end = LIMITS.sliceBytes; scan.readsTo(end); end += LIMITS.sliceBytes) await nextTurn()
  return scan.place
}

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, BACKSLASH, LETTER_U] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x5c, 0x75]
const [COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d]
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'))
const HEX = new Set(Buffer.from('0123456789abcdefABCDEF'))
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/

/** A longer number is taken for the flaw. */
const SCALAR_BYTES_MAX = 1_000

/** Reads a text as far as it is valid JSON, in slices; not recursive, so that depth cannot overflow the call stack. */
class Scan {
  private readonly bytes: Buffer
  private at = 0
  private line = 1
  private lineAt = 0
  /** The closing brackets of what is open. */
  private readonly closing: number[] = []
  private next: 'value' | 'first item' | 'name' | 'first name' | 'colon' | 'end of value' = 'value'
  private isInString = false

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get place(): Place {
    return { line: this.line, column: this.bytes.toString('utf8', this.lineAt, this.at).length + 1 }
  }

  /** Whether there is more text after `end`, and no flaw before it. */
  readsTo(end: number): boolean {
    const { bytes } = this
    const until = Math.min(end, bytes.length)
    while (this.at < until) {
      const byte = bytes[this.at] ?? 0
      const isRead = this.isInString ? this.string(until) : this.blank(byte) || this.token(byte)
      if (!isRead) return false
    }
    return this.at < bytes.length
  }

  private blank(byte: number): boolean {
    if (byte !== SPACE && byte !== NEWLINE && byte !== RETURN && byte !== TAB) return false
    this.at += 1
    if (byte !== NEWLINE) return true
    this.line += 1
    this.lineAt = this.at
    return true
  }

  private token(byte: number): boolean {
    switch (this.next) {
      case 'first name':
        return this.closes(byte) || this.opensString(byte, 'colon')
      case 'name':
        return this.opensString(byte, 'colon')
      case 'colon':
        return byte === COLON && this.passes('value')
      case 'first item':
        return this.closes(byte) || this.value(byte)
      case 'value':
        return this.value(byte)
      default:
        if (byte !== COMMA || this.closing.length === 0) return this.closes(byte)
        return this.passes(this.closing.at(-1) === CLOSE_OBJECT ? 'name' : 'value')
    }
  }

  private value(byte: number): boolean {
    if (byte === OPEN_OBJECT) return this.opens(CLOSE_OBJECT, 'first name')
    if (byte === OPEN_LIST) return this.opens(CLOSE_LIST, 'first item')
    if (this.opensString(byte, 'end of value')) return true
    const [scalar] = SCALAR.exec(this.bytes.toString('latin1', this.at, this.at + SCALAR_BYTES_MAX)) ?? []
    return scalar !== undefined && this.passes('end of value', scalar.length)
  }

  private passes(next: Scan['next'], bytes = 1): true {
    this.at += bytes
    this.next = next
    return true
  }

  private opens(bracket: number, next: Scan['next']): true {
    this.closing.push(bracket)
    return this.passes(next)
  }

  private closes(byte: number): boolean {
    if (this.closing.at(-1) !== byte) return false
    this.closing.pop()
    return this.passes('end of value')
  }

  private opensString(byte: number, next: Scan['next']): boolean {
    if (byte !== QUOTE) return false
    this.isInString = true
    return this.passes(next)
  }

  /** Reads on in a string; an invalid one up to the flaw. */
  private string(until: number): boolean {
    const { bytes } = this
    for (; this.at < until; this.at++) {
      const byte = bytes[this.at] ?? 0
      // Control characters must be escaped (RFC 8259).
      if (byte < SPACE) return false
      if (byte === QUOTE) {
        this.isInString = false
        this.at += 1
        return true
      }
      if (byte !== BACKSLASH) continue
      const length = escapeLength(bytes, this.at)
      if (length === 0) return false
      this.at += length - 1
    }
    return true
  }
}

/** The bytes of the escape sequence at a backslash; 0 if it is none. */
function escapeLength(bytes: Buffer, at: number): number {
  const kind = bytes[at + 1] ?? 0
  if (kind !== LETTER_U) return ESCAPED.has(kind) ? 2 : 0
  for (let digit = at + 2; digit < at + 6; digit++) if (!HEX.has(bytes[digit] ?? 0)) return 0
  return 6
}
