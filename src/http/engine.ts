import { Fault } from '../errors.js'
import { type Context, createContext } from '../graph/builder.js'
import { type Answer, answer } from '../graph/query/run.js'
import type { Operation, Variables } from '../graph/query/selections.js'
import { schema } from '../schema.js'
import type { Separator } from '../store/query/json.js'
import type { RateLimits } from './access/rateLimits.js'
import type { ServeCached } from './cache/responseCache.js'
import { createIdempotentMutations } from './idempotency.js'
import type { Exchange } from './observe/exchange.js'
import type { AppOptions } from './options.js'
import type { Bodies } from './wire/body.js'

interface EngineOptions extends Pick<AppOptions, 'store' | 'clock' | 'wholeListRowsMax' | 'responseBytesMax'> {
  readonly rateLimits: RateLimits
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
  contextFor(exchange: Exchange): Context {
    const { rateLimits, store, clock, wholeListRowsMax, responseBytesMax, onWritten } = this.options
    const { principal, deadline } = exchange
    if (!principal) throw new Error('The key of the request has not been checked.')
    const onPriced = (charge: number) => rateLimits.chargeQuery(principal, exchange, charge)
    const onStatement = () => {
      exchange.statements += 1
    }
    const limits = { wholeListRowsMax, responseBytesMax }
    return createContext({ schema, store, clock, principal, deadline, onStatement, onWritten, onPriced, ...limits })
  }

  async read(
    exchange: Exchange,
    operation: Operation,
    variables: Variables,
    context: Context,
    separator: Separator = ',',
  ): Promise<Answer> {
    const answered = await exchange.deadline.bound(answer(operation, variables, context, { separator }))
    exchange.isShared = !answered.isPersonal
    // Someone who is not found by id may be added later.
    const isAllThere = answered.roots.every(({ result }) => result instanceof Fault || result.isThere)
    exchange.reads = isAllThere ? [...answered.reads] : [...answered.reads, 'personnel']
    return answered
  }
}
