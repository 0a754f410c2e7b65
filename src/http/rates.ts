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
  /** Tells who is calling, and charges the key for a request, once. */
  admit(authorization: string | undefined, exchange: Exchange, versions?: Store['versions']): Promise<Principal>
  /** Charges what a query costs beyond the request that brought it, once. */
  chargeQuery(principal: Principal, exchange: Exchange, cost: number): void
  /** A caller who had the answer already is given back most of what it was charged. */
  refundUnchanged(exchange: Exchange): void
}

/** What a request costs that was answered with 304. */
const UNCHANGED_COST = 0.1

export function createRates(authenticate: Authenticate, ratePerMinute: number): Rates {
  const keptMax = LIMITS.rateKeptMax
  const keys =
    ratePerMinute === 0 ? undefined : new Buckets({ perMinute: ratePerMinute, burst: burstOf(ratePerMinute), keptMax })
  const wrongKeys = new Buckets({ perMinute: LIMITS.wrongKeysPerMinute, burst: LIMITS.wrongKeysPerMinute, keptMax })

  const charge = (keyId: string, exchange: Exchange, amount: number, before = 0): void => {
    if (!keys) return
    const level = keys.spend(keyId, amount, performance.now(), before)
    exchange.rate = {
      policy: `"key";q=${keys.perMinute};w=60`,
      level: `"key";r=${level.remaining};t=${level.fullInSeconds}`,
    }
    if (!level.isAllowed) throw new RateExceeded('This key has asked for too much in a short time.', level)
  }

  const refused = (error: unknown, exchange: Exchange): unknown => {
    if (!(error instanceof Fault) || error.code !== 'UNAUTHENTICATED' || error instanceof KeyMissing) return error
    if (exchange.address === undefined) return error
    const level = wrongKeys.spend(exchange.address, 1, performance.now())
    return level.isAllowed ? error : new RateExceeded('Too many wrong keys came from your address.', level)
  }

  const admitted: Rates['admit'] = async (authorization, exchange, versions) => {
    const principal = await authenticate(authorization, versions).catch((error) => {
      throw refused(error, exchange)
    })
    exchange.principal = principal
    charge(principal.keyId, exchange, 1)
    return principal
  }

  return {
    admit(authorization, exchange, versions) {
      exchange.admission ??= admitted(authorization, exchange, versions)
      return exchange.admission
    },
    chargeQuery({ keyId }, exchange, cost) {
      if (exchange.cost > 0) return
      const extra = Math.ceil(cost / LIMITS.rateUnitCost) - 1
      // The request itself has taken one.
      if (extra > 0) charge(keyId, exchange, extra, 1)
      exchange.cost = cost
    },
    refundUnchanged(exchange) {
      if (exchange.principal) charge(exchange.principal.keyId, exchange, UNCHANGED_COST - 1)
    },
  }
}

/** As much at once as the default allows of the default, in the same proportion. */
function burstOf(perMinute: number): number {
  return Math.max(1, Math.round((perMinute * LIMITS.rateBurst) / LIMITS.ratePerMinute))
}
