import { type Context, createContext } from '../graph/builder.js'
import { type Answer, answer } from '../graph/query/run.js'
import type { Operation, Variables } from '../graph/query/selections.js'
import { schema } from '../schema.js'
import type { Separator } from '../store/query/json.js'
import type { StatementRun } from '../store/store.js'
import type { RateLimits } from './access/rateLimits.js'
import type { ServeCached } from './cache/responseCache.js'
import { createIdempotentMutations } from './idempotency.js'
import type { Identified } from './observe/exchange.js'
import type { AppOptions } from './options.js'
import type { Bodies } from './wire/body.js'
import { type BytesInFlight, noRoom } from './wire/bytesInFlight.js'

interface EngineOptions extends Pick<AppOptions, 'store' | 'log' | 'clock' | 'wholeListRowsMax' | 'responseBytesMax'> {
  readonly rateLimits: RateLimits
  readonly inFlight: BytesInFlight
  /** Called after each write of a request. */
  readonly onWritten: () => void
}

/** What both APIs are built on. */
export interface ApiOptions {
  readonly engine: Engine
  readonly serveCached: ServeCached
  readonly rateLimits: RateLimits
  readonly bodies: Bodies
}

/** Answers the validated operations of both APIs, with coerced variables, and charges them. */
export class Engine {
  private readonly options: EngineOptions
  readonly change = createIdempotentMutations()

  constructor(options: EngineOptions) {
    this.options = options
  }

  /** The context of a request whose key has been checked. */
  contextFor(identified: Identified): Context {
    const { rateLimits, store, log, clock, wholeListRowsMax, responseBytesMax, onWritten, inFlight } = this.options
    const { principal, deadline, record, requestId, onReady } = identified
    const onPriced = (cost: number) => rateLimits.chargeQuery(identified, cost)
    const onStatement = (run: StatementRun) => {
      record.statements += 1
      record.storeMs += run.ms
      record.queuedMs += run.waitedMs
      if (run.where !== 'server') record.work.add(run.where === 'in place' ? 'store' : 'worker', run.ms)
      if (log.isLevelEnabled('debug')) log.debug({ requestId, ...run }, 'statement')
    }
    const onStored = (bytes: number) => {
      record.storedBytes += bytes
    }
    const onLong = (bytes: number) => {
      if (!inFlight.take(bytes, principal.keyId)) throw noRoom('There is no room to build the response')
      onReady.push(() => inFlight.release(bytes, principal.keyId))
    }
    const { work } = record
    const limits = { wholeListRowsMax, responseBytesMax, work }
    const calls = { onStatement, onStored, onWritten, onPriced, onLong }
    return createContext({ schema, store, clock, principal, deadline, ...calls, ...limits })
  }

  read(
    { deadline }: Identified,
    operation: Operation,
    variables: Variables,
    context: Context,
    separator: Separator = ',',
  ): Promise<Answer> {
    return deadline.bound(answer(operation, variables, context, { separator }))
  }
}
