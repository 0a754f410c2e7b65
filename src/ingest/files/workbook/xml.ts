import { damaged } from './zip.js'

/** Decoded at once; a text of this length is short enough to be thrown away piece by piece. */
const PIECE_BYTES = 262_144
/** A tag or a comment of more characters is none of a workbook. */
const TAG_CHARACTERS_MAX = 1_000_000
const DEPTH_MAX = 100

type XmlEvent = 'open' | 'close' | 'text'

/**
 * Reads XML as workbooks have it, event by event: elements, attributes and texts. Document types, and so entities of
 * their own, are refused. Names are without their prefix.
 */
export class XmlReader {
  /** The element that was opened or closed. */
  name = ''
  /** The text between two tags, or a part of it. */
  text = ''
  readonly #part: string
  readonly #pieces: Iterator<string, void>
  readonly #open: string[] = []
  #source = ''
  #at = 0
  #tag = ''
  /** Where the name of the element ends in the tag. */
  #nameEnd = 0
  #isEmptyElement = false

  constructor(bytes: Uint8Array, part: string) {
    this.#part = part
    this.#pieces = decoded(bytes, part)
  }

  /** The next event; undefined at the end. */
  next(): XmlEvent | undefined {
    if (this.#isEmptyElement) {
      this.#isEmptyElement = false
      return this.#close()
    }
    while (this.#at < this.#source.length || this.#more()) {
      if (this.#source.charCodeAt(this.#at) !== LESS_THAN) return this.#text()
      const event = this.#markup()
      if (event) return event
    }
    if (this.#open.length > 0) throw this.#wrong('it ends too early')
    return undefined
  }

  /** An attribute of the element that was opened, without its prefix; the first of several. */
  attribute(name: string): string | undefined {
    const tag = this.#tag
    // From value to value, so that nothing inside of one looks like another attribute.
    for (let start = this.#nameEnd; ; ) {
      const equals = tag.indexOf('=', start)
      if (equals === -1) return undefined
      const quote = valueStart(tag, equals + 1)
      const end = quote === -1 ? -1 : tag.indexOf(tag.charAt(quote), quote + 1)
      if (end === -1) return undefined
      if (isNamed(tag, start, equals, name)) return this.#unescaped(tag.slice(quote + 1, end))
      start = end + 1
    }
  }

  /** Steps to the next element inside of the parent; true at its end. */
  isEnd(parent: string): boolean {
    for (;;) {
      const event = this.next()
      if (event === 'open') return false
      if (event === undefined || (event === 'close' && this.name === parent)) return true
    }
  }

  /** The text inside of the element that was opened, up to its end. */
  content(): string {
    const depth = this.#open.length
    let text = ''
    while (this.#open.length >= depth) if (this.next() === 'text') text += this.text
    return text
  }

  #text(): 'text' {
    let end = this.#source.indexOf('<', this.#at)
    if (end === -1) {
      // An entity may go on in the next piece.
      end = this.#source.indexOf('&', Math.max(this.#at, this.#source.length - ENTITY_CHARACTERS_MAX))
      if (end === this.#at && this.#more()) return this.#text()
      if (end <= this.#at) end = this.#source.length
    }
    this.text = this.#unescaped(this.#source.slice(this.#at, end))
    this.#at = end
    return 'text'
  }

  #markup(): XmlEvent | undefined {
    // By its code, because this runs for each tag, and `startsWith` takes several times as long.
    if (this.#at + 1 >= this.#source.length) this.#more()
    const code = this.#source.charCodeAt(this.#at + 1)
    if (code === SLASH) return this.#closeTag()
    if (code === QUESTION_MARK) return this.#skip('?>')
    if (code !== EXCLAMATION_MARK) return this.#openTag()
    if (this.#starts('<!--')) return this.#skip('-->')
    if (!this.#starts('<![CDATA[')) throw this.#wrong('it has a document type, which workbooks do not have')
    const end = this.#find(']]>')
    this.text = this.#source.slice(this.#at + 9, end)
    this.#at = end + 3
    return 'text'
  }

  #openTag(): 'open' {
    const end = this.#tagEnd()
    this.#isEmptyElement = this.#source[end - 1] === '/'
    this.#tag = this.#source.slice(this.#at + 1, this.#isEmptyElement ? end - 1 : end)
    this.#at = end + 1
    const space = this.#tag.search(/\s/)
    this.#nameEnd = space === -1 ? this.#tag.length : space
    const name = this.#tag.slice(0, this.#nameEnd)
    if (name === '' || this.#open.push(name) > DEPTH_MAX) throw this.#wrong('its elements are not those of a workbook')
    this.name = localName(name)
    return 'open'
  }

  #closeTag(): 'close' {
    const end = this.#find('>')
    const name = this.#source.slice(this.#at + 2, end).trimEnd()
    if (name !== this.#open.at(-1)) throw this.#wrong('its elements are not closed in order')
    this.#at = end + 1
    return this.#close()
  }

  #close(): 'close' {
    this.name = localName(this.#open.pop() ?? '')
    return 'close'
  }

  /** Where the tag ends: the value of an attribute may contain a `>`. */
  #tagEnd(): number {
    let quote = 0
    for (let length = 1; length < TAG_CHARACTERS_MAX; length++) {
      if (this.#at + length >= this.#source.length && !this.#more()) throw this.#wrong('it ends within a tag')
      const code = this.#source.charCodeAt(this.#at + length)
      if (quote !== 0) quote = code === quote ? 0 : quote
      else if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) quote = code
      else if (code === GREATER_THAN) return this.#at + length
    }
    throw this.#wrong('it has a tag that does not end')
  }

  #skip(mark: string): undefined {
    this.#at = this.#find(mark) + mark.length
  }

  #starts(beginning: string): boolean {
    if (this.#source.length - this.#at < beginning.length) this.#more()
    return this.#source.startsWith(beginning, this.#at)
  }

  #find(mark: string): number {
    let distance = 0
    for (;;) {
      const found = this.#source.indexOf(mark, this.#at + distance)
      if (found !== -1) return found
      distance = Math.max(distance, this.#source.length - this.#at - mark.length)
      if (distance > TAG_CHARACTERS_MAX) throw this.#wrong('it has a tag that does not end')
      if (!this.#more()) throw this.#wrong('it ends within a tag')
    }
  }

  /** Decodes the next piece, and drops what was read before. */
  #more(): boolean {
    const piece = this.#pieces.next()
    if (piece.done) return false
    this.#source = this.#source.slice(this.#at) + piece.value
    this.#at = 0
    return true
  }

  #unescaped(raw: string): string {
    const text = raw.includes('\r') ? raw.replaceAll(/\r\n?/g, '\n') : raw
    return text.includes('&') ? text.replaceAll(/&([^;&]*);?/g, (whole, name) => this.#character(whole, name)) : text
  }

  #character(whole: string, name: string): string {
    const named = ENTITIES.get(name)
    const code = /^#(?:x[0-9a-f]{1,6}|\d{1,7})$/i.test(name) ? Number(name.replace(/^#x?/i, hexMark)) : Number.NaN
    if (!whole.endsWith(';') || (named === undefined && !(code > 0 && code <= 0x10ffff)))
      throw this.#wrong(`it has ${JSON.stringify(whole.slice(0, 20))}, which is no character of XML`)
    return named ?? String.fromCodePoint(code)
  }

  #wrong(reason: string): Error {
    return damaged(`${this.#part} is not XML: ${reason}`)
  }
}

const LESS_THAN = 0x3c
const GREATER_THAN = 0x3e
const SLASH = 0x2f
const QUESTION_MARK = 0x3f
const EXCLAMATION_MARK = 0x21
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27
const COLON = 0x3a
/** The longest is &#1114111; and may have zeros before it. */
const ENTITY_CHARACTERS_MAX = 12
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

function hexMark(mark: string): string {
  return mark.length === 2 ? '0x' : ''
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

/** The quote with which a value opens; -1 if there is none. */
function valueStart(tag: string, from: number): number {
  let at = from
  while (isSpace(tag.charCodeAt(at))) at++
  const code = tag.charCodeAt(at)
  return code === DOUBLE_QUOTE || code === SINGLE_QUOTE ? at : -1
}

/** Whether this name, maybe with a prefix, is what precedes the equals sign. */
function isNamed(tag: string, start: number, equals: number, name: string): boolean {
  let end = equals
  while (end > start && isSpace(tag.charCodeAt(end - 1))) end--
  const before = tag.charCodeAt(end - name.length - 1)
  const isWhole = end - name.length > start && (before === COLON || isSpace(before))
  return isWhole && tag.startsWith(name, end - name.length)
}

function* decoded(bytes: Uint8Array, part: string): Generator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const isLast = at + PIECE_BYTES >= bytes.length
      yield decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: !isLast })
    }
  } catch {
    throw damaged(`${part} is not UTF-8`)
  }
}
