import type { Fault } from '../errors.js'
import { type Context, createContext } from '../graph/builder.js'
import { type Answer, answer } from '../graph/query/run.js'
import { schema } from '../schema.js'
import type { OnStatement } from '../store/store.js'
import { createRateLimits } from './access/rateLimits.js'
import { Bodies } from './body.js'
import { createResponseCache } from './cache/responseCache.js'
import { createIdempotentMutations } from './idempotency.js'
import type { Identified, Received } from './observe/exchange.js'
import type { AppOptions } from './options.js'
import { createReadiness } from './readiness.js'
import { Waiting } from './waiting.js'
import { BytesInFlight, noRoom } from './wire/bytesInFlight.js'
import type { HttpResponse } from './wire/request.js'

/** A protocol: a folder of its own, and a line in the registry. */
export interface Protocol {
  /** Whether a path, without the base path, is its own. */
  readonly serves: (path: string) => boolean
  readonly handle: (exchange: Received, path: string) => Promise<HttpResponse>
  /** A refusal in the form of the protocol; problem details by default. */
  readonly refuse?: (exchange: Received, fault: Fault) => Promise<HttpResponse>
}

/** What protocols share. */
export type Gate = ReturnType<typeof createGate>

/** Keys and charges, bodies, the response cache, waiting, and the run of validated operations with coerced variables. */
export function createGate(options: AppOptions) {
  const { store, log, clock, wholeListRowsMax, responseBytesMax } = options
  const rateLimits = createRateLimits(options)
  const inFlight = new BytesInFlight(options.inFlightBytesMax)
  const bodies = new Bodies(inFlight)
  const waiting = new Waiting(store.versions)
  const onWritten = () => {
    waiting.poll()
    try {
      options.onWritten?.()
    } catch (error) {
      // The write is done, whatever the host makes of it.
      log.error({ err: error }, 'onWritten failed')
    }
  }
  return {
    ...rateLimits,
    ...createResponseCache(options.responseCacheBytesMax, rateLimits),
    ...{ options, inFlight, waiting },
    readiness: createReadiness(options),
    change: createIdempotentMutations(options.basePath),

    /** Reads a JSON body, and checks the key again if the body arrived after it: it may have been revoked meanwhile. */
    async readJson(admitted: Identified, bytesMax: number, types: readonly string[]) {
      const body = await bodies.json(admitted, bytesMax, types)
      return { body, identified: await rateLimits.confirm(admitted) }
    },

    /** The context of a request whose key has been checked. */
    contextFor(identified: Identified): Context {
      const { principal, deadline, record, requestId, onReady } = identified
      const onPriced = (cost: number) => rateLimits.chargeQuery(identified, cost)
      const onStored = (bytes: number) => {
        record.storedBytes += bytes
      }
      const onLong = (bytes: number) => {
        if (!inFlight.take(bytes, principal.keyId)) throw noRoom('There is no room to build the response')
        onReady.push(() => inFlight.release(bytes, principal.keyId))
      }
      const onStatement: OnStatement = (run) => {
        record.statements += 1
        record.storeMs += run.ms
        record.queuedMs += run.waitedMs
        if (run.where !== 'server') record.work.add(run.where === 'in place' ? 'store' : 'worker', run.ms)
        if (log.isLevelEnabled('debug')) log.debug({ requestId, ...run }, 'statement')
      }
      const { work } = record
      // Not by a spread, which takes 20 microseconds here.
      return createContext({
        schema,
        store,
        clock,
        principal,
        deadline,
        work,
        wholeListRowsMax,
        responseBytesMax,
        onWritten,
        onPriced,
        onStored,
        onLong,
        onStatement,
      })
    },

    /** Answers a query within the deadline of its request. */
    read: ({ deadline }: Identified, ...query: Parameters<typeof answer>): Promise<Answer> =>
      deadline.bound(answer(...query)),
  }
}
