import type { Principal } from '../../auth/principal.js'
import { BoundedCache } from '../../caches.js'
import type { ChangeCounter, Versions } from '../../store/changeCounters.js'
import type { RateLimits } from '../access/rateLimits.js'
import { type Answered, type Identified, queryHash } from '../observe/exchange.js'
import { encodingFor, isUnchanged } from '../wire/content.js'
import { type HttpRequest, type HttpResponse, sizeCheckFor } from '../wire/request.js'

/** The share of the cache that a single response may use. */
const ENTRY_SHARE_MAX = 0.25
/** A larger GraphQL request is not cached: its body is part of the key. */
const CACHED_BODY_BYTES_MAX = 16_384

/** Serves a checked and charged request of a media type from the cache, or from `handle`. */
export type ServeCached = (
  identified: Identified,
  type: string,
  handle: (identified: Identified) => Promise<Answered>,
) => Promise<HttpResponse>

/** Reuses a response until the data that it was read from changes (docs/decisions/0004-response-cache.md). */
export function createResponseCache(bytesMax: number, rateLimits: RateLimits) {
  const uncached: ServeCached = async (identified, _, handle) => (await handle(identified)).response
  if (bytesMax === 0) return { serveCached: uncached, cacheBytes: () => 0 }
  const entries = new CachedResponses(bytesMax)
  const serveCached: ServeCached = async (admitted, type, handle) => {
    const body = await smallBody(admitted)
    if (body === undefined) return (await handle(admitted)).response
    const identified = body === '' ? admitted : await rateLimits.confirm(admitted)
    const { request, record, principal } = identified
    const versions = await identified.versions
    const key = responseKey(request, type, body, principal)
    const found = entries.find(key, versions)
    if (found) {
      rateLimits.chargeQuery(identified, found.cost)
      record.operation = found.operation
      record.hash = found.hash
      record.isCached = true
      return responseTo(request, found.response)
    }
    const { response, reads } = await handle(identified)
    const { operation, query, cost, refusal } = record
    // Never errors, partial results, and responses about the caller's own key.
    const isReusable = response.status === 200 && response.body !== null && !refusal
    const hash = query && queryHash(query)
    if (reads && isReusable) entries.keep(key, { response, operation, hash, cost, versions, reads })
    return response
  }
  return { serveCached, cacheBytes: () => entries.bytes }
}

/** The body of a request that can be served from the cache; undefined if it cannot. */
async function smallBody({ request, deadline }: Identified): Promise<string | undefined> {
  if (request.method !== 'POST') return ''
  const bytes = Number(request.header('content-length'))
  if (!(bytes > 0 && bytes <= CACHED_BODY_BYTES_MAX)) return undefined
  // `Expect: 100-continue`: all other checks come before the body is read.
  if (request.header('expect') !== undefined || request.header('content-encoding') !== undefined) return undefined
  // Errors count as a cache miss; the handler reports them when it parses the body.
  const body = await deadline.exempt(request.body(SMALL)).catch(() => undefined)
  return body?.toString('latin1')
}

const SMALL = sizeCheckFor(CACHED_BODY_BYTES_MAX)

/** Everything that a response depends on besides the stored data. HEAD shares the entries of GET. */
function responseKey(request: HttpRequest, type: string, body: string, { scopes }: Principal): string {
  const sent = request.method === 'POST' ? `POST ${request.header('content-type')}` : 'GET'
  return `${sent}\n${request.target}\n${type}\n${encodingFor(request) ?? ''}\n${[...scopes].sort().join(' ')}\n${body}`
}

function responseTo(request: HttpRequest, cached: HttpResponse): HttpResponse {
  const { headers, isEmpty = false } = cached
  const { etag } = headers
  if (etag !== undefined && isUnchanged(request.header('if-none-match'), etag)) {
    const { 'content-type': _, 'content-length': __, 'content-encoding': ___, ...kept } = headers
    return { status: 304, headers: kept, body: null, isEmpty }
  }
  return request.method === 'HEAD' ? { ...cached, body: null } : cached
}

interface Entry {
  /** Without the headers of a single request, such as `Request-Id`. */
  readonly response: HttpResponse
  /** The route or the name of the operation, for the log. */
  readonly operation: string | undefined
  readonly hash: string | undefined
  /** The cost of the query: a cache hit is charged the same. */
  readonly cost: number
  /** Read before the data of the response, so that they are never newer than the data. */
  versions: Versions
  /** The change counters of the tables that the response was read from: they decide whether it is still valid. */
  readonly reads: readonly ChangeCounter[]
}

/** The estimated overhead of an entry besides its strings and its body. */
const ENTRY_BYTES = 500

/** An LRU cache of responses, bounded in bytes. Each entry holds the versions that it was read under. */
export class CachedResponses {
  private readonly entries: BoundedCache<Entry>
  /** The newest versions that any lookup has seen. */
  private latest: Versions | undefined

  constructor(bytesMax: number) {
    this.entries = new BoundedCache({
      entries: Math.ceil(bytesMax / ENTRY_BYTES),
      // One response may not evict the rest.
      entrySize: Math.max(1, Math.floor(bytesMax * ENTRY_SHARE_MAX)),
      size: bytesMax,
      sizeOf: ({ response: { headers, body } }) =>
        ENTRY_BYTES + 2 * Object.entries(headers).join().length + (body?.length ?? 0),
    })
  }

  get bytes(): number {
    return this.entries.calculatedSize
  }

  find(key: string, versions: Versions): Entry | undefined {
    if (!this.latest || versions.order > this.latest.order) this.latest = versions
    const entry = this.entries.get(key)
    if (!entry) return undefined
    const isSame = isUnderSame(entry.reads, entry.versions, versions)
    const isYounger = versions.order > entry.versions.order
    // Not if the entry is newer: another request may have read later versions while this one waited for its own.
    if (!isSame && isYounger) this.entries.delete(key)
    else if (isYounger) entry.versions = versions
    return isSame ? entry : undefined
  }

  keep(key: string, entry: Entry): void {
    const { response, versions, reads } = entry
    // Already outdated: no lookup would ever match it.
    if (this.latest && !isUnderSame(reads, versions, this.latest) && versions.order < this.latest.order) return
    this.entries.set(key, { ...entry, response: { ...response, body: response.body && apart(response.body) } })
  }
}

function isUnderSame(counters: readonly ChangeCounter[], one: Versions, other: Versions): boolean {
  return one === other || counters.every((counter) => one[counter] === other[counter])
}

/** How much unused memory around a cached body is tolerated before it is copied: a read worker allocates some slack. */
const SLACK_SHARE = 1 / 8

/** Copies a body out of a larger ArrayBuffer, such as Node's buffer pool: the cache would keep all of that alive. */
function apart(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength - bytes.length <= SLACK_SHARE * bytes.length) return bytes
  return Buffer.from(new Uint8Array(bytes).buffer)
}
