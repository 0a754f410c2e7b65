import { setImmediate as nextTurn } from 'node:timers/promises'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { type Asked, tooLarge } from './asked.js'
import { type BytesInFlight, Overloaded } from './bytesInFlight.js'
import type { Exchange } from './exchange.js'
import { jsonFlaw } from './jsonFlaw.js'
import { requireModestShape } from './jsonShape.js'
import { RateExceeded } from './rates.js'

/** What a body may come as; a merge patch (RFC 7396) and plain JSON mean the same in a PATCH. */
export const BODY_TYPES = ['application/json'] as const
export const PATCH_TYPES = ['application/merge-patch+json', 'application/json'] as const

/** A patch in a form that is not taken: whoever sent it is told which ones are (RFC 5789). */
export class UnsupportedPatch extends Fault {}

interface BodyLimits {
  readonly bytesMax: number
  /** Whether a key may have only one body above `bodyBytesMax` at a time; else as many as there is room for. */
  readonly isLargeAlone?: boolean
}

/** Reads the bodies of requests, within their own limit and within the budget of all. */
export class Bodies {
  private readonly inFlight: BytesInFlight
  /** The keys that have a large body here which must be their only one. */
  private readonly largeOf = new Set<string>()
  private latestLarge: Promise<void> = Promise.resolve()

  constructor(inFlight: BytesInFlight) {
    this.inFlight = inFlight
  }

  /** The JSON of a request's body, or a Fault that says what is wrong with it. */
  async json(exchange: Exchange, limits: BodyLimits): Promise<unknown> {
    const { asked } = exchange
    requireJsonType(asked)
    const held = new HeldBody(this.inFlight, this.largeOf, limits, exchange.principal?.keyId)
    exchange.held = held
    // A body that is announced as too large is refused unread.
    held.expect(Number(asked.header('content-length')) || 0)
    const bytes = await exchange.waiting.exempt(asked.body((size) => held.growTo(size)))
    if (bytes.length > LIMITS.bodyBytesMax) await exchange.waiting.bound(this.turnOf(held), crowded)
    requireModestShape(bytes)
    // A whole project takes a while to read: others are heard in between.
    if (bytes.length > LIMITS.bodyBytesMax) await nextTurn()
    if (bytes.length === 0) throw new Fault('BAD_REQUEST', 'The body is empty: send a JSON object.')
    return parsed(decoded(bytes))
  }

  /** Large bodies are parsed and worked off one by one: what is made of them takes several times their bytes. */
  private async turnOf(held: HeldBody): Promise<void> {
    const before = this.latestLarge
    const released = new Promise<void>((resolve) => {
      held.onRelease = resolve
    })
    this.latestLarge = before.then(() => released)
    await before
  }
}

function crowded(): Fault {
  return new Overloaded(`Other bodies of more than ${LIMITS.bodyBytesMax} bytes are still being worked on.`)
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

function decoded(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch (cause) {
    throw new Fault('BAD_REQUEST', 'The body is not valid JSON in UTF-8.', { cause })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const { line, column } = jsonFlaw(text)
    const place = `what stands at line ${line}, column ${column} cannot be read`
    throw new Fault('BAD_REQUEST', `The body is not valid JSON in UTF-8: ${place}.`, { cause })
  }
}

/** What is held of one body, from its first byte until its request is answered. */
class HeldBody {
  onRelease: () => void = () => undefined
  private readonly inFlight: BytesInFlight
  private readonly largeOf: Set<string>
  private readonly limits: BodyLimits
  private readonly keyId: string | undefined
  private counted = 0
  private isLargeOne = false

  constructor(inFlight: BytesInFlight, largeOf: Set<string>, limits: BodyLimits, keyId: string | undefined) {
    this.keyId = keyId
    this.inFlight = inFlight
    this.largeOf = largeOf
    this.limits = limits
  }

  /** Refuses a size that may not come, or not now; of what is only announced, nothing is counted. */
  expect(size: number): void {
    const { bytesMax, isLargeAlone } = this.limits
    if (size > bytesMax) throw tooLarge(bytesMax)
    if (size <= LIMITS.bodyBytesMax || !isLargeAlone || this.isLargeOne || this.keyId === undefined) return
    if (this.largeOf.has(this.keyId)) {
      const sentence = `Another body of this key with more than ${LIMITS.bodyBytesMax} bytes is still being worked on.`
      throw new RateExceeded(sentence, { retryInSeconds: 1 })
    }
    this.largeOf.add(this.keyId)
    this.isLargeOne = true
  }

  growTo(size: number): void {
    this.expect(size)
    if (size < LIMITS.inFlightFromBytes) return
    if (!this.inFlight.take(size - this.counted, this.keyId)) {
      throw new Overloaded(
        'There is no room for this body beside what is being received and sent, by this key or by all.',
      )
    }
    this.counted = size
  }

  release(): void {
    this.inFlight.release(this.counted, this.keyId)
    this.counted = 0
    if (this.isLargeOne && this.keyId !== undefined) this.largeOf.delete(this.keyId)
    this.isLargeOne = false
    this.onRelease()
  }
}

// Exactly JSON: forms and plain text are what a foreign page can make a browser send.
function requireJsonType(asked: Asked): void {
  const isPatch = asked.method === 'PATCH'
  const types: readonly string[] = isPatch ? PATCH_TYPES : BODY_TYPES
  const refuse = (sentence: string): never => {
    throw new (isPatch ? UnsupportedPatch : Fault)('UNSUPPORTED_MEDIA_TYPE', sentence)
  }
  const type = asked.header('content-type') ?? ''
  const [essence = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (!types.includes(essence) || !isUtf8) {
    refuse(`Send the body as \`Content-Type: ${types.join('` or `')}\`, in UTF-8.`)
  }
  if (asked.header('content-encoding')) refuse('Send the body uncompressed, without Content-Encoding.')
}
