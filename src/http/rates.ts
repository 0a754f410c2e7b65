import type { Authenticate, Principal } from '../auth/principal.js'
import { KeyMissing } from '../auth/principal.js'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Store } from '../store/store.js'
import { Buckets, type Level } from './buckets.js'
import type { Exchange } from './exchange.js'

/** Too much was asked for; after so many seconds there is room again. */
export class RateExceeded extends Fault {
  readonly retryAfterSeconds: number

  constructor(sentence: string, { retryInSeconds }: Pick<Level, 'retryInSeconds'>) {
    super('RATE_LIMITED', `${sentence} Try again in ${retryInSeconds} s.`)
    this.retryAfterSeconds = retryInSeconds
  }
}

/** Who may ask for how much: each key by itself, and wrong keys by the address that they come from. */
export interface Rates {
  /** Tells who is calling, and charges the key for a request. */
  admit(exchange: Exchange): Promise<Principal>
  /** Looks at the key again if the body came after the first look: it may have been revoked meanwhile. */
  confirm(exchange: Exchange): Promise<Principal>
  /** Charges what is read beyond the request that asked for it, once, up to a share of what may be spent at once. */
  chargeQuery(principal: Principal, exchange: Exchange, cost: number): void
  /** A caller who had the answer already is given back most of what it was charged. */
  refundUnchanged(exchange: Exchange): void
}

/** Of what an answer costs, what is charged for the news that it has not changed. */
const UNCHANGED_SHARE = 0.1

interface RatesOptions {
  readonly store: Pick<Store, 'versions'>
  readonly authenticate: Authenticate
  /** 0 for as much as anyone likes. */
  readonly ratePerMinute: number
  /** Milliseconds of a clock that is never set back. */
  readonly monotonicMs: () => number
}

export function createRates({ store, authenticate, ratePerMinute, monotonicMs }: RatesOptions): Rates {
  const keptMax = LIMITS.rateKeptMax
  const keys =
    ratePerMinute === 0 ? undefined : new Buckets({ perMinute: ratePerMinute, burst: burstOf(ratePerMinute), keptMax })
  const wrongKeys = new Buckets({ perMinute: LIMITS.wrongKeysPerMinute, burst: LIMITS.wrongKeysPerMinute, keptMax })

  const charge = (keyId: string, exchange: Exchange, amount: number, before = 0): void => {
    if (!keys) return
    const level = keys.spend(keyId, amount, monotonicMs(), before)
    if (level.isAllowed) exchange.charged += amount
    exchange.rate = {
      policy: `"key";q=${keys.perMinute};w=60`,
      level: `"key";r=${level.remaining};t=${level.fullInSeconds}`,
    }
    if (!level.isAllowed) throw new RateExceeded('This key has asked for too much in a short time.', level)
  }

  const refused = (error: unknown, exchange: Exchange): unknown => {
    if (!(error instanceof Fault) || error.code !== 'UNAUTHENTICATED' || error instanceof KeyMissing) return error
    if (exchange.address === undefined) return error
    const level = wrongKeys.spend(exchange.address, 1, monotonicMs())
    return level.isAllowed ? error : new RateExceeded('Too many wrong keys came from your address.', level)
  }

  /** Who is calling; `isWhole` where all of the request has come. */
  const look = async (exchange: Exchange, isWhole: boolean): Promise<Principal> => {
    const { asked } = exchange
    exchange.isWhole = isWhole
    exchange.versions = undefined
    const versions = () => (exchange.versions ??= store.versions())
    exchange.principal = await authenticate(asked.header('authorization'), versions)
    return exchange.principal
  }

  return {
    async admit(exchange) {
      const principal = await look(exchange, exchange.asked.isWhole).catch((error) => {
        throw refused(error, exchange)
      })
      charge(principal.keyId, exchange, 1)
      return principal
    },
    async confirm(exchange) {
      const { principal, isWhole } = exchange
      return principal && isWhole ? principal : exchange.waiting.bound(look(exchange, true))
    },
    chargeQuery({ keyId }, exchange, cost) {
      if (exchange.cost > 0) return
      const most = keys ? Math.max(1, Math.floor(keys.burst * LIMITS.rateShareMax)) : 1
      const extra = Math.min(most, Math.ceil(cost / LIMITS.rateUnitCost)) - 1
      // The request itself has taken one.
      if (extra > 0) charge(keyId, exchange, extra, 1)
      exchange.cost = cost
    },
    refundUnchanged(exchange) {
      if (exchange.principal) charge(exchange.principal.keyId, exchange, exchange.charged * (UNCHANGED_SHARE - 1))
    },
  }
}

/** As much at once as the default allows of the default, in the same proportion. */
function burstOf(perMinute: number): number {
  return Math.max(1, Math.round((perMinute * LIMITS.rateBurst) / LIMITS.ratePerMinute))
}
