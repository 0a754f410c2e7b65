import { createAuthenticate } from '../../auth/authenticate.js'
import { CALLER_ID_CHARACTERS_MAX, KeyMissing, KeyRefused, type Principal } from '../../auth/principal.js'
import { BoundedCache, lazily } from '../../caches.js'
import { type Code, Fault, RateExceeded } from '../../errors.js'
import { RATE_UNIT_COST } from '../../graph/query/prices.js'
import { LIMITS } from '../../limits.js'
import type { Identified, Received } from '../observe/exchange.js'
import type { AppOptions } from '../options.js'
import { networkOf } from '../wire/connections.js'

/** Bytes of the body of a refused request that are charged as a cost of 1. */
export const REFUSED_BYTES_FOR_ONE = 10
/** Bytes of history and of kept responses that a token stands for. */
export const STORED_BYTES_FOR_ONE = 10_000
/** The share of the burst that a single request is charged at most. */
export const REQUEST_SHARE_MAX = 0.25
/** Milliseconds of a worker that a token stands for: at the default rate, a key that uses all of it occupies one thread. */
const WORKER_MS_FOR_ONE = 10
/** Those of the event loop, which all keys share: such a key has a quarter of it. */
export const LOOP_MS_FOR_ONE = 2.5
/** Keys and addresses whose rate is remembered. */
const BUCKETS_MAX = 10_000

export type RateLimits = ReturnType<typeof createRateLimits>

/** The share of a response's cost that a 304 is charged. */
const UNCHANGED_SHARE = 0.1

/** Refusals that are not about the request itself. */
const UNCHARGED: ReadonlySet<Code> = new Set<Code>(['RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'])

/** Rate limits: one bucket for each key, and for invalid keys one for each client address, of IPv6 its /64. */
export function createRateLimits(options: AppOptions) {
  const { store, clock, ratePerMinute, monotonicMs = () => performance.now() } = options
  const authenticate = createAuthenticate(options)
  // In the same proportion to the rate as in the defaults.
  const burst = Math.max(1, Math.round((ratePerMinute * LIMITS.rateBurst) / LIMITS.ratePerMinute))
  const keys = ratePerMinute === 0 ? undefined : new Buckets(ratePerMinute, burst)
  const mostAtOnce = keys ? Math.max(1, Math.floor(burst * REQUEST_SHARE_MAX)) : 1
  const wrongKeys = new Buckets(LIMITS.wrongKeysPerMinute, LIMITS.wrongKeysPerMinute)
  /** Of requests without a valid key: only what they use beyond a few milliseconds. */
  const addresses = keys && new Buckets(ratePerMinute, burst)

  const spend = (keyId: string, { headers, record }: Received, amount: number, before = 0): Level | undefined => {
    const level = keys?.spend(keyId, amount, monotonicMs(), before)
    if (!keys || !level) return undefined
    if (level.isAllowed) record.charged += amount
    headers['ratelimit-policy'] = `"key";q=${keys.perMinute};w=60`
    headers['ratelimit'] = `"key";r=${level.remaining};t=${level.fullInSeconds}`
    return level
  }

  const charge = (keyId: string, received: Received, amount: number, before = 0): void => {
    const level = spend(keyId, received, amount, before)
    if (level && !level.isAllowed) throw new RateExceeded('This key has exceeded its rate limit.', level)
  }

  /** The tokens of a cost, up to the share that a single request may take. */
  const tokensFor = (cost: number): number => {
    return Math.min(mostAtOnce, Math.ceil(cost / RATE_UNIT_COST))
  }

  const refused = (error: unknown, { address }: Received): unknown => {
    if (!(error instanceof Fault) || error.code !== 'UNAUTHENTICATED' || error instanceof KeyMissing) return error
    // Whose key or token was valid once has guessed nothing, and may share the address with a whole office.
    if (address === undefined || error instanceof KeyRefused) return error
    const level = wrongKeys.spend(networkOf(address), 1, monotonicMs())
    return level.isAllowed ? error : new RateExceeded('Too many wrong keys came from your address.', level)
  }

  /** Authenticates the request; `isWhole` if its whole body has arrived. */
  const identify = async (received: Received, isWhole: boolean): Promise<Identified> => {
    const versions = lazily(() => received.deadline.boundLook(store.versions()))
    const principal = await authenticate(received.request, versions, received.deadline)
    received.record.keyId = principal.keyId
    return { ...received, principal, versions: versions(), isWhole }
  }

  /** Checks the key again after a long wait, for what it may read now. */
  const renew = (identified: Identified): Promise<Identified> => identified.deadline.bound(identify(identified, true))

  return {
    /** Authenticates the request, and charges its key for it. */
    async admit(received: Received): Promise<Identified> {
      const identified = await identify(received, received.request.isWhole).catch((error) => {
        if (error instanceof KeyRefused) charge(error.keyId, received, 1)
        throw refused(error, received)
      })
      charge(identified.principal.keyId, received, 1)
      return identified
    },
    /** Checks the key again if the body arrived after `admit`: it may have been revoked meanwhile. */
    async confirm(identified: Identified): Promise<Identified> {
      return identified.isWhole ? identified : renew(identified)
    },
    renew,
    /** How long a key or a token is still valid. */
    restMs: ({ expiresAt }: Principal): number =>
      expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - clock().getTime(),
    /** Charges the cost of a query beyond that of the request, once for each request and up to a share of the burst. */
    chargeQuery(identified: Identified, cost: number): void {
      const { principal, record } = identified
      if (record.cost > 0) return
      // `admit` has charged 1 already.
      const extra = tokensFor(cost) - 1
      if (extra > 0) charge(principal.keyId, identified, extra, 1)
      record.cost = cost
    },
    /** Charges a refused request by the size of its body, which was parsed and checked, as far as the key has tokens. */
    chargeRefusal(received: Received): void {
      const { keyId, refusal, hasData, bodyBytes, charged } = received.record
      if (keyId === undefined || !refusal || hasData || UNCHARGED.has(refusal.code)) return
      const extra = tokensFor(bodyBytes / REFUSED_BYTES_FOR_ONE) - charged
      if (extra <= 0) return
      const level = spend(keyId, received, extra)
      if (level && !level.isAllowed) spend(keyId, received, level.remaining)
    },
    /** Charges work and storage beyond what was foreseen as debt, whatever the outcome; the next requests pay it. */
    chargeWork({ record: { keyId, work, storedBytes, charged }, address }: Received): void {
      const used = (work.totalMs - work.workerMs) / LOOP_MS_FOR_ONE + work.workerMs / WORKER_MS_FOR_ONE
      const stored = storedBytes / STORED_BYTES_FOR_ONE
      // A request without a key is not charged before.
      const debt = Math.min(mostAtOnce, used + stored - Math.max(1, charged))
      if (debt <= 0) return
      if (keyId !== undefined) keys?.owe(keyId, debt, monotonicMs())
      else if (address !== undefined) addresses?.owe(networkOf(address), debt, monotonicMs())
    },
    /** Refuses a request without a key from an address in debt. */
    requireCredit({ address }: Received): void {
      const retryInSeconds =
        address === undefined ? 0 : (addresses?.owedSeconds(networkOf(address), monotonicMs()) ?? 0)
      if (retryInSeconds > 0) throw new RateExceeded('Requests from your address took too long.', { retryInSeconds })
    },
    /** Refunds most of the charge when the response is a 304. */
    refundUnchanged(received: Received): void {
      const { keyId, charged } = received.record
      if (keyId !== undefined) charge(keyId, received, charged * (UNCHANGED_SHARE - 1))
    },
  }
}

/** The state of a bucket after an attempt to spend. */
export interface Level {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Until the bucket is full again. */
  readonly fullInSeconds: number
  /** Until the attempt would be allowed; 0 if it was. */
  readonly retryInSeconds: number
}

interface Bucket {
  level: number
  at: number
}

/** Token buckets by name: each refills at a constant rate up to its burst. */
export class Buckets {
  readonly perMinute: number
  readonly burst: number
  private readonly buckets: BoundedCache<Bucket>

  /** Of more than `keptMax` buckets the least recently used is evicted, and starts full when it is needed again. */
  constructor(perMinute: number, burst: number, keptMax: number = BUCKETS_MAX) {
    this.perMinute = perMinute
    this.burst = burst
    this.buckets = new BoundedCache({ entries: keptMax, entrySize: CALLER_ID_CHARACTERS_MAX })
  }

  /** A negative amount refunds; `before` is what the same request has taken already. */
  spend(name: string, amount: number, now: number, before = 0): Level {
    const bucket = this.filled(name, now)
    // A full bucket allows a cost above its burst; otherwise such a request could never succeed.
    const enough = Math.min(amount, this.burst - before)
    const isAllowed = amount <= 0 || bucket.level >= enough
    if (isAllowed) bucket.level = Math.min(this.burst, bucket.level - amount)
    const missing = isAllowed ? 0 : enough - bucket.level
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor(bucket.level)),
      fullInSeconds: this.secondsFor(this.burst - bucket.level),
      retryInSeconds: this.secondsFor(missing),
    }
  }

  /** Takes the amount, also below zero: at most a whole burst is owed. */
  owe(name: string, amount: number, now: number): void {
    const bucket = this.filled(name, now)
    bucket.level = Math.max(-this.burst, bucket.level - amount)
  }

  /** How long it takes until nothing is owed. */
  owedSeconds(name: string, now: number): number {
    return this.secondsFor(-this.filled(name, now).level)
  }

  private filled(name: string, now: number): Bucket {
    const known = this.buckets.get(name) ?? { level: this.burst, at: now }
    // If the clock steps back, the level stays as it is.
    const elapsedMs = Math.max(0, now - known.at)
    const level = Math.min(this.burst, known.level + (elapsedMs * this.perMinute) / 60_000)
    const bucket = { level, at: now }
    this.buckets.set(name, bucket)
    return bucket
  }

  private secondsFor(amount: number): number {
    return Math.max(0, Math.ceil((amount * 60) / this.perMinute))
  }
}
