import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { damaged, type Zip } from './zip.js'

/** Parsed at once: the events of more would take too much memory. */
const PIECE_BYTES = 65_536
const DEPTH_MAX = 100

type XmlEvent = 'open' | 'close' | 'text'

type Attributes = SaxesTagPlain['attributes']
/** Of a text, the text is where others have their name. */
type Parsed = [event: XmlEvent, name: string, attributes?: Attributes]

/** Reads XML event by event, by names without their prefix. Document types, and so entities, are refused. */
export class XmlReader {
  name = ''
  /** The text between two tags, or a part of it. */
  text = ''
  readonly #pieces: Iterator<Parsed[], void>
  #parsed: Parsed[] = []
  #next = 0
  #attributes: Attributes = {}

  constructor(bytes: Uint8Array, part: string) {
    this.#pieces = parsedPieces(bytes, part)
  }

  next(): XmlEvent | undefined {
    while (this.#next === this.#parsed.length) if (!this.#more()) return undefined
    const found = this.#parsed[this.#next++]
    if (!found) return undefined
    const [event, name, attributes] = found
    if (event === 'text') this.text = name
    else this.name = name
    if (attributes) this.#attributes = attributes
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
    let text = ''
    let depth = 1
    for (let event = this.next(); event; event = this.next()) {
      if (event === 'text') text += this.text
      else if (event === 'open') depth++
      else if (--depth === 0) break
    }
    return text
  }

  #more(): boolean {
    const { value: parsed } = this.#pieces.next()
    this.#parsed = parsed ?? []
    this.#next = 0
    return parsed !== undefined
  }
}

/** A part of a workbook, which must be there. */
export function xmlIn(zip: Zip, part: string): XmlReader {
  const bytes = zip(part)
  if (!bytes) throw damaged(`${part} is missing`)
  return new XmlReader(bytes, part)
}

/** The events of one piece after another. */
function* parsedPieces(bytes: Uint8Array, part: string): Generator<Parsed[], void> {
  const wrong = (reason: string) => damaged(`${part} is not XML: ${reason}`)
  const parser = new SaxesParser()
  let parsed: Parsed[] = []
  let open = 0
  parser.on('opentag', ({ name, attributes }) => {
    open += 1
    if (open > DEPTH_MAX) throw wrong('its elements are not those of a workbook')
    parsed.push(['open', localName(name), attributes])
  })
  parser.on('closetag', ({ name }) => {
    open -= 1
    parsed.push(['close', localName(name)])
  })
  for (const kind of ['text', 'cdata'] as const) parser.on(kind, (text) => parsed.push(['text', text]))
  parser.on('doctype', () => {
    throw wrong('it has a document type, which workbooks do not have')
  })
  parser.on('error', ({ message }) => {
    throw wrong(message.replace(/\.$/, '').slice(0, MESSAGE_CHARACTERS_MAX))
  })
  for (const text of decoded(bytes, part)) {
    parser.write(text)
    yield parsed
    parsed = []
  }
  parser.close()
  yield parsed
}

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
