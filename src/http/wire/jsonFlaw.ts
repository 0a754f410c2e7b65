/** A place in a text, counted from 1. */
interface Place {
  readonly line: number
  readonly column: number
}

const BLANK = /[ \t\r\n]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y

/** Where an invalid text stops being JSON: the messages of `JSON.parse` differ, and may lack the position. */
export function jsonFlaw(text: string): Place {
  const at = new Reader(text).flawAt()
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** Reads a text as far as it is valid JSON; not recursive, so that deep nesting cannot overflow the call stack. */
class Reader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  flawAt(): number {
    const open: ('{' | '[')[] = []
    let isAtEnd = false
    while (!isAtEnd) {
      const opened = this.value()
      if (opened === undefined) return this.at
      if (opened !== '') open.push(opened)
      if (opened === '{' && !this.skips('}')) {
        if (!this.name()) return this.at
        continue
      }
      if (opened === '[' && !this.skips(']')) continue
      if (opened !== '') open.pop()
      // The value that ends here may be the last in its parents.
      while (open.length > 0 && !this.skips(',')) {
        if (!this.skips(open.at(-1) === '{' ? '}' : ']')) return this.at
        open.pop()
      }
      isAtEnd = open.length === 0
      if (open.at(-1) === '{' && !this.name()) return this.at
    }
    this.takes(BLANK)
    return this.at
  }

  /** The bracket that a value opens with; empty for a scalar, undefined if there is no value. */
  private value(): '{' | '[' | '' | undefined {
    if (this.skips('{')) return '{'
    if (this.skips('[')) return '['
    return this.string() || this.takes(SCALAR) ? '' : undefined
  }

  private name(): boolean {
    this.takes(BLANK)
    return this.string() && this.skips(':')
  }

  /** Skips a string; an invalid one up to the flaw. */
  private string(): boolean {
    if (this.text[this.at] !== '"') return false
    this.at += 1
    for (;;) {
      const character = this.text[this.at]
      // Control characters must be escaped (RFC 8259).
      if (character === undefined || character < ' ') return false
      if (character === '"') {
        this.at += 1
        return true
      }
      if (character !== '\\') this.at += 1
      else if (!this.takes(ESCAPE)) return false
    }
  }

  /** Skips a token and the whitespace around it. */
  private skips(mark: string): boolean {
    this.takes(BLANK)
    if (!this.text.startsWith(mark, this.at)) return false
    this.at += mark.length
    this.takes(BLANK)
    return true
  }

  private takes(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    const isThere = pattern.test(this.text)
    if (isThere) this.at = pattern.lastIndex
    return isThere
  }
}
