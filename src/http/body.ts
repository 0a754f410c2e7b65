import { setImmediate as nextTurn } from 'node:timers/promises'
import { Fault, Overloaded } from '../errors.js'
import { inMegabytes, LIMITS } from '../limits.js'
import { FairSlots } from '../store/fairQueue.js'
import type { Work } from '../work.js'
import type { Identified } from './observe/exchange.js'
import { type BytesInFlight, COUNTED_FROM_BYTES, noRoom } from './wire/bytesInFlight.js'
import { type HttpRequest, type SizeCheck, sizeCheckFor } from './wire/request.js'
import { SLICE_BYTES } from './wire/slices.js'

/** Reads request bodies, within the limit of each and the shared budget of bytes in flight. */
export class Bodies {
  private readonly inFlight: BytesInFlight
  /** Large bodies are parsed and processed one at a time: the parsed objects take several times their bytes. */
  private readonly large = new FairSlots({ slots: 1 })

  constructor(inFlight: BytesInFlight) {
    this.inFlight = inFlight
  }

  /** Reads and parses the JSON body, of one of these media types, or throws a Fault that says what to change. */
  async json(identified: Identified, bytesMax: number, types: readonly string[]): Promise<unknown> {
    const { request, deadline, record } = identified
    requireType(request, types)
    const checkSize = sizeCheckFor(bytesMax)
    // A Content-Length above the limit is refused before the body is read.
    checkSize(Number(request.header('content-length')) || 0)
    const bytes = await deadline.exempt(request.body(this.holderFor(identified, checkSize)))
    record.bodyBytes = bytes.length
    if (bytes.length > LIMITS.bodyBytesMax) await deadline.bound(this.turnOf(identified), CROWDED)
    const shape = requireModestShape(bytes)
    while (!record.work.time('parse', () => shape.next()).done) await nextTurn()
    if (bytes.length === 0) throw new Fault('BAD_REQUEST', 'The body is empty: send a JSON object.')
    return parsed(bytes, record.work)
  }

  /** Counts the bytes of a body as in flight, from the first one until the response is ready. */
  private holderFor({ principal: { keyId }, onReady }: Identified, checkSize: SizeCheck): SizeCheck {
    let counted = 0
    onReady.push(() => this.inFlight.release(counted, keyId))
    return (size) => {
      checkSize(size)
      if (size < COUNTED_FROM_BYTES) return
      if (!this.inFlight.take(size - counted, keyId)) throw noRoom('There is no room for this body')
      counted = size
    }
  }

  /** Resolves when the turn of the body's key has come. */
  private async turnOf({ principal, onReady }: Identified): Promise<void> {
    const { entered, leave } = this.large.enter(principal.keyId)
    onReady.push(leave)
    await entered
  }
}

const CROWDED = () =>
  new Overloaded(`Other bodies of more than ${inMegabytes(LIMITS.bodyBytesMax)} are still being processed.`)

const UTF8 = new TextDecoder('utf-8', { fatal: true })

async function parsed(bytes: Buffer, work: Work): Promise<unknown> {
  let text = ''
  try {
    return work.time('parse', () => {
      text = UTF8.decode(bytes)
      return JSON.parse(text)
    })
  } catch (cause) {
    const why = cause instanceof SyntaxError ? `: ${await violationIn(text, cause.message)}` : ''
    throw new Fault('BAD_REQUEST', `The body is not valid JSON in UTF-8${why}.`, { cause })
  }
}

/** The message of `JSON.parse`, with the line and the column instead of the position, if it has one. */
async function violationIn(text: string, message: string): Promise<string> {
  const [reason = '', position = ''] = message.split(' at position ')
  const end = Number.parseInt(position, 10)
  // It quotes the text around the violation instead.
  if (Number.isNaN(end) || message.includes('"')) return message.replace(' is not valid JSON', '')
  let line = 1
  let lineAt = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', lineAt)) {
    line += 1
    lineAt = at + 1
    if (line % LINES_AT_ONCE === 0) await nextTurn()
  }
  return `${reason} at line ${line}, column ${end - lineAt + 1}`
}

/** After so many lines others are served, since a body may have millions. */
const LINES_AT_ONCE = 10_000

// JSON only: a cross-origin page can send forms and plain text without a CORS preflight.
function requireType(request: HttpRequest, types: readonly string[]): void {
  const refuse = (sentence: string): never => {
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', sentence)
  }
  const type = request.header('content-type') ?? ''
  const [essence = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (!types.includes(essence) || !isUtf8) {
    refuse(`Send the body as \`Content-Type: ${types.join('` or `')}\`, in UTF-8.`)
  }
  if (request.header('content-encoding')) refuse('Send the body uncompressed, without Content-Encoding.')
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

const ITEM_COMMAS_MAX = LIMITS.bodyItemsMax - 1
const TOO_MANY_ITEMS = `The lists of the body have more than ${LIMITS.bodyItemsTotalMax.toLocaleString('en')} entries together. Send it in parts.`

/**
 * Refuses JSON that is too deep or has too many parts: parsing and checking it would block the event loop for seconds.
 * Does not check the syntax; `JSON.parse` does. Yields after each slice, for others to be served in between.
 */
export function* requireModestShape(bytes: Uint8Array): Generator<undefined> {
  // For each open container, by depth: its commas so far, and the limit.
  const commas = new Uint32Array(LIMITS.bodyDepthMax + 1)
  const commasMax = new Uint32Array(LIMITS.bodyDepthMax + 1)
  let depth = 0
  let opened = 0
  let items = 0
  let sliceEnd: number = SLICE_BYTES
  for (let at = 0; at < bytes.length; at++) {
    if (at >= sliceEnd) {
      sliceEnd = at + SLICE_BYTES
      yield
    }
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === COMMA) {
      const count = (commas[depth] ?? 0) + 1
      commas[depth] = count
      const most = commasMax[depth] ?? 0
      if (depth > 0 && count > most) throw tooMany(most)
      if (most === ITEM_COMMAS_MAX) items += 1
      if (items > LIMITS.bodyItemsTotalMax) throw new Fault('BAD_REQUEST', TOO_MANY_ITEMS)
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1
      opened += 1
      if (opened > LIMITS.bodyContainersMax) {
        throw new Fault(
          'BAD_REQUEST',
          `The body has more than ${LIMITS.bodyContainersMax.toLocaleString('en')} lists and objects.`,
        )
      }
      if (depth > LIMITS.bodyDepthMax) {
        throw new Fault('BAD_REQUEST', `The body is nested deeper than ${LIMITS.bodyDepthMax} levels.`)
      }
      commas[depth] = 0
      commasMax[depth] = byte === OPEN_LIST ? ITEM_COMMAS_MAX : LIMITS.bodyMembersMax - 1
      if (byte === OPEN_LIST) items += 1
    } else if ((byte === CLOSE_LIST || byte === CLOSE_OBJECT) && depth > 0) depth -= 1
  }
}

function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at += 1
    else if (bytes[at] === QUOTE) return at
  }
  return bytes.length
}

function tooMany(commasMax: number): Fault {
  const isList = commasMax === ITEM_COMMAS_MAX
  const [what, units] = isList ? ['A list', 'entries'] : ['An object', 'members']
  return new Fault('BAD_REQUEST', `${what} of the body has more than ${(commasMax + 1).toLocaleString('en')} ${units}.`)
}
