import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { damaged } from './zip.js'

/** Parsed at once: the events of more would take too much memory. */
const PIECE_BYTES = 65_536
const DEPTH_MAX = 100

type XmlEvent = 'open' | 'close' | 'text'

interface Parsed {
  readonly event: XmlEvent
  readonly name: string
  readonly text: string
  readonly attributes: SaxesTagPlain['attributes']
}

const NO_ATTRIBUTES = {}

/** Reads XML event by event, by names without their prefix. Document types, and so entities, are refused. */
export class XmlReader {
  name = ''
  /** The text between two tags, or a part of it. */
  text = ''
  readonly #pieces: Iterator<string, void>
  readonly #parser = new SaxesParser()
  #parsed: Parsed[] = []
  #next = 0
  #attributes: Parsed['attributes'] = NO_ATTRIBUTES
  #depth = 0
  #isOver = false

  constructor(bytes: Uint8Array, part: string) {
    this.#pieces = decoded(bytes, part)
    const wrong = (reason: string) => damaged(`${part} is not XML: ${reason}`)
    let open = 0
    this.#parser.on('opentag', ({ name, attributes }) => {
      open += 1
      if (open > DEPTH_MAX) throw wrong('its elements are not those of a workbook')
      this.#parsed.push({ event: 'open', name: localName(name), text: '', attributes })
    })
    this.#parser.on('closetag', ({ name }) => {
      open -= 1
      this.#parsed.push({ event: 'close', name: localName(name), text: '', attributes: NO_ATTRIBUTES })
    })
    for (const kind of ['text', 'cdata'] as const) {
      this.#parser.on(kind, (text) => this.#parsed.push({ event: 'text', name: '', text, attributes: NO_ATTRIBUTES }))
    }
    this.#parser.on('doctype', () => {
      throw wrong('it has a document type, which workbooks do not have')
    })
    this.#parser.on('error', ({ message }) => {
      throw wrong(message.replace(/\.$/, '').slice(0, MESSAGE_CHARACTERS_MAX))
    })
  }

  next(): XmlEvent | undefined {
    while (this.#next === this.#parsed.length) if (!this.#more()) return undefined
    const found = this.#parsed[this.#next++]
    if (!found) return undefined
    const { event, name, text, attributes } = found
    if (event === 'text') this.text = text
    else this.name = name
    if (event === 'open') this.#attributes = attributes
    this.#depth += DEEPER[event]
    return event
  }

  /** Steps to each element that is opened, at any depth. */
  *elements(): Generator<string, void> {
    for (let event = this.next(); event; event = this.next()) if (event === 'open') yield this.name
  }

  /** An attribute of the element that was opened, without its prefix; the first of several. */
  attribute(name: string): string | undefined {
    for (const whole in this.#attributes) if (localName(whole) === name) return this.#attributes[whole]
    return undefined
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
    const depth = this.#depth
    let text = ''
    while (this.#depth >= depth) if (this.next() === 'text') text += this.text
    return text
  }

  #more(): boolean {
    if (this.#isOver) return false
    this.#parsed = []
    this.#next = 0
    const piece = this.#pieces.next()
    this.#isOver = piece.done === true
    if (piece.done) this.#parser.close()
    else this.#parser.write(piece.value)
    return true
  }
}

const DEEPER: Readonly<Record<XmlEvent, number>> = { open: 1, close: -1, text: 0 }
/** It may quote the file. */
const MESSAGE_CHARACTERS_MAX = 200

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
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
