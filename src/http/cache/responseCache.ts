import { LRUCache } from 'lru-cache'
import type { Principal } from '../../auth/principal.js'
import { LIMITS } from '../../limits.js'
import type { Register, Versions } from '../../store/registers.js'
import { type Answer, type Asked, roomFor } from '../asked.js'
import type { Exchange } from '../exchange.js'
import type { Rates } from '../rates.js'
import { encodingFor, isUnchanged } from '../represent.js'

/** Gives a response again for as long as what it was read from has not changed (docs/decisions/0004-response-cache.md). */
export interface ResponseCache {
  /**
   * The response to a request whose key has been checked and charged: the cached one, or what `answer` gives, which is
   * cached if every key with the same scopes gets the same. `type` is the media type that was negotiated.
   */
  serve(exchange: Exchange, type: string, answer: () => Promise<Answer>): Promise<Answer>
}

export function createResponseCache(bytesMax: number, rates: Rates): ResponseCache {
  if (bytesMax === 0) return { serve: (_, __, answer) => answer() }
  const entries = new CachedResponses(bytesMax)
  return {
    async serve(exchange, type, answer) {
      const { asked } = exchange
      const body = await smallBody(exchange, rates)
      const { versions: looking, principal } = exchange
      if (body === undefined || !looking || !principal) return answer()
      const versions = await looking
      const key = keyOf(asked, type, body, principal)
      const found = entries.find(key, versions)
      if (found) {
        rates.chargeQuery(principal, exchange, found.cost)
        exchange.operation = found.operation
        return answerTo(asked, found.answer)
      }
      const fresh = await answer()
      const { operation, cost, reads = NOTHING } = exchange
      if (isReusable(exchange, fresh)) entries.keep({ key, versions, reads }, { answer: fresh, operation, cost })
      return fresh
    },
  }
}

const NOTHING: ReadonlySet<Register> = new Set()

/** The body of a request that may be answered from the cache; undefined of one that may not. */
async function smallBody(exchange: Exchange, rates: Rates): Promise<string | undefined> {
  const { asked, waiting } = exchange
  if (asked.method !== 'POST') return ''
  const bytes = Number(asked.header('content-length'))
  if (!(bytes > 0 && bytes <= LIMITS.readyQueryBytesMax)) return undefined
  // Whoever waits for `100 Continue` is first told what else is wrong.
  if (asked.header('expect') !== undefined || asked.header('content-encoding') !== undefined) return undefined
  // What is wrong with the body is said where it is read as JSON.
  const body = await waiting.exempt(asked.body(SMALL)).catch(() => undefined)
  if (body) await rates.confirm(exchange)
  return body?.toString('latin1')
}

const SMALL = roomFor(LIMITS.readyQueryBytesMax)

/** Everything that a response can depend on, besides what is stored. HEAD shares the entries of GET. */
function keyOf(asked: Asked, type: string, body: string, { scopes }: Principal): string {
  const sent = asked.method === 'POST' ? `POST ${asked.header('content-type')}` : 'GET'
  return `${sent}\n${asked.target}\n${type}\n${encodingFor(asked) ?? ''}\n${scopeText(scopes)}\n${body}`
}

const scopeTexts = new WeakMap<Principal['scopes'], string>()

function scopeText(scopes: Principal['scopes']): string {
  const known = scopeTexts.get(scopes) ?? [...scopes].sort().join(' ')
  scopeTexts.set(scopes, known)
  return known
}

/** Refusals, partial results and what is about the key itself are worked out every time. */
function isReusable({ isShared, refusal }: Exchange, { status, body }: Answer): boolean {
  return status === 200 && body !== null && isShared && !refusal
}

function answerTo(asked: Asked, cached: Answer): Answer {
  const { headers } = cached
  const { etag } = headers
  if (etag !== undefined && isUnchanged(asked.header('if-none-match'), etag)) {
    const { 'content-type': _, 'content-length': __, 'content-encoding': ___, ...kept } = headers
    return { status: 304, headers: kept, body: null }
  }
  return asked.method === 'HEAD' ? { ...cached, body: null } : cached
}

/** A response without what belongs to one request alone. */
interface CachedResponse {
  readonly answer: Answer
  /** The route or the name of the operation, for the log. */
  readonly operation: string | undefined
  /** What the query is charged beyond the request. */
  readonly cost: number
}

/** Where a response is cached. */
interface Slot {
  readonly key: string
  /** Of before anything was read for it, so that they are never younger than what it shows. */
  readonly versions: Versions
  /** All that it was read from. */
  readonly reads: ReadonlySet<Register>
}

interface Entry {
  readonly response: CachedResponse
  readonly registers: readonly Register[]
  readonly size: number
  versions: Versions
}

/** What an entry takes besides its texts and bytes. */
const ENTRY_BYTES = 500

/** Responses with the versions that they were read under, up to a number of bytes; the least recently used go first. */
export class CachedResponses {
  private readonly entries: LRUCache<string, Entry>
  /** Of all that was looked up, the youngest. */
  private latest: Versions | undefined

  constructor(bytesMax: number) {
    this.entries = new LRUCache({
      maxSize: bytesMax,
      // Nobody's one response may push out what all the others have.
      maxEntrySize: Math.max(1, Math.floor(bytesMax * LIMITS.readyShareMax)),
      sizeCalculation: ({ size }) => size,
    })
  }

  find(key: string, versions: Versions): CachedResponse | undefined {
    this.noteLook(versions)
    const entry = this.entries.get(key)
    if (!entry) return undefined
    const isSame = isUnderSame(entry.registers, entry.versions, versions)
    const isYounger = versions.order > entry.versions.order
    // Another request may have found later versions while this one was looking.
    if (!isSame && isYounger) this.entries.delete(key)
    else if (isYounger) entry.versions = versions
    return isSame ? entry.response : undefined
  }

  keep({ key, versions, reads }: Slot, response: CachedResponse): void {
    const registers = [...reads]
    // What has changed since it was read would never be found again.
    if (this.latest && !isUnderSame(registers, versions, this.latest) && versions.order < this.latest.order) return
    const { body } = response.answer
    const own = { ...response, answer: { ...response.answer, body: body && apart(body), finished: new Map() } }
    this.entries.set(key, { response: own, registers, versions, size: sizeOf(key, response.answer) })
  }

  private noteLook(versions: Versions): void {
    if (!this.latest || versions.order > this.latest.order) this.latest = versions
  }
}

function isUnderSame(registers: readonly Register[], one: Versions, other: Versions): boolean {
  return one === other || registers.every((register) => one[register] === other[register])
}

/** Of the bytes of a response that is kept, what may lie unused around them: a read worker leaves room. */
const SLACK_SHARE = 1 / 8

/** Node cuts small buffers out of larger ones, and whoever keeps one keeps all that it was cut out of. */
function apart(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength - bytes.length <= SLACK_SHARE * bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

function sizeOf(key: string, { headers, body }: Answer): number {
  const texts = Object.entries(headers).join().length + key.length
  return ENTRY_BYTES + 2 * texts + (body?.length ?? 0)
}
