import { setImmediate as nextTurn } from 'node:timers/promises'
import { Fault, Overloaded } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { FairSlots } from '../../store/fairQueue.js'
import type { Exchange } from '../observe/exchange.js'
import { type BytesInFlight, noRoom } from './bytesInFlight.js'
import { requireModestShape } from './jsonShape.js'
import { type HttpRequest, type SizeCheck, sizeCheckFor } from './request.js'

/** The accepted media types of a body. For PATCH, plain JSON is treated as a merge patch (RFC 7396). */
export const BODY_TYPES = ['application/json'] as const
export const PATCH_TYPES = ['application/merge-patch+json', 'application/json'] as const

/** A 415 for PATCH, whose response lists the supported types in `Accept-Patch` (RFC 5789). */
export class UnsupportedPatch extends Fault {}

/** Reads request bodies, within the limit of each and the shared budget of bytes in flight. */
export class Bodies {
  private readonly inFlight: BytesInFlight
  /** Large bodies are parsed and processed one at a time: the parsed objects take several times their bytes. */
  private readonly large = new FairSlots({ slots: 1 })

  constructor(inFlight: BytesInFlight) {
    this.inFlight = inFlight
  }

  /** Reads and parses the JSON body, or throws a Fault that says what to change. */
  async json(exchange: Exchange, bytesMax: number): Promise<unknown> {
    const { request, deadline } = exchange
    requireJsonType(request)
    const checkSize = sizeCheckFor(bytesMax)
    // A Content-Length above the limit is refused before the body is read.
    checkSize(Number(request.header('content-length')) || 0)
    const bytes = await deadline.exempt(request.body(this.holderFor(exchange, checkSize)))
    exchange.bodyBytes = bytes.length
    if (bytes.length > LIMITS.bodyBytesMax) await deadline.bound(this.turnOf(exchange), CROWDED)
    for (const _ of requireModestShape(bytes)) await nextTurn()
    if (bytes.length === 0) throw new Fault('BAD_REQUEST', 'The body is empty: send a JSON object.')
    return parsed(bytes)
  }

  /** Counts the bytes of a body as in flight, from the first one until the response is ready. */
  private holderFor(exchange: Exchange, checkSize: SizeCheck): SizeCheck {
    const keyId = exchange.principal?.keyId
    let counted = 0
    exchange.onReady.push(() => this.inFlight.release(counted, keyId))
    return (size) => {
      checkSize(size)
      if (size < LIMITS.inFlightFromBytes) return
      if (!this.inFlight.take(size - counted, keyId)) throw noRoom('There is no room for this body')
      counted = size
    }
  }

  /** Resolves when the turn of the body's key has come. */
  private async turnOf({ principal, onReady }: Exchange): Promise<void> {
    const { entered, leave } = this.large.enter(principal?.keyId ?? '')
    onReady.push(leave)
    await entered
  }
}

const CROWDED = () =>
  new Overloaded(`Other bodies of more than ${LIMITS.bodyBytesMax} bytes are still being processed.`)

const UTF8 = new TextDecoder('utf-8', { fatal: true })

async function parsed(bytes: Buffer): Promise<unknown> {
  let text = ''
  try {
    text = UTF8.decode(bytes)
    return JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof SyntaxError ? `: ${await flawIn(text, cause.message)}` : ''
    throw new Fault('BAD_REQUEST', `The body is not valid JSON in UTF-8${why}.`, { cause })
  }
}

/** The message of `JSON.parse`, with the line and the column instead of the position, if it has one. */
async function flawIn(text: string, message: string): Promise<string> {
  const [reason = '', position = ''] = message.split(' at position ')
  const end = Number.parseInt(position, 10)
  // It quotes the text around the flaw instead.
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
function requireJsonType(request: HttpRequest): void {
  const isPatch = request.method === 'PATCH'
  const types: readonly string[] = isPatch ? PATCH_TYPES : BODY_TYPES
  const refuse = (sentence: string): never => {
    throw new (isPatch ? UnsupportedPatch : Fault)('UNSUPPORTED_MEDIA_TYPE', sentence)
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
