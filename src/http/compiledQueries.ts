import type { Logger } from 'pino'
import type { Context } from '../graph/builder.js'
import { asFault } from '../graph/faults.js'
import type { CompiledResult } from '../graph/sql/compiledQueries.js'
import type { ExecutionReason } from '../graph/sql/statements.js'
import type { Separator } from '../store/query/json.js'
import type { RateLimits } from './access/rateLimits.js'
import type { Engine, Query } from './engine.js'
import type { Exchange } from './observe/exchange.js'

interface QueriesOptions {
  readonly engine: Engine
  readonly rateLimits: RateLimits
  readonly log: Logger
}

/**
 * Runs a validated query as compiled SQL, for both APIs: prepares it, charges its cost and reads. Undefined if graphql
 * must execute it instead; `exchange.executedFor` says why, and the cost has been charged.
 */
export type RunCompiled = (
  exchange: Exchange,
  query: Query,
  context: Context,
  separator?: Separator,
) => Promise<CompiledResult | undefined>

export function createRunCompiled({ engine, rateLimits, log }: QueriesOptions): RunCompiled {
  return async (exchange, query, context, separator) => {
    const { deadline } = exchange
    const { principal } = context
    const failed = orExecuted(log, exchange)
    const prepared = await deadline.bound(engine.prepare(query, principal)).catch(failed)
    const isPrepared = typeof prepared !== 'string'
    const charge = isPrepared ? prepared.charge : await deadline.bound(engine.chargeFor(query, context))
    rateLimits.chargeQuery(principal, exchange, charge)
    const result = isPrepared ? await prepared.run(context, separator).catch(failed) : prepared
    if (typeof result !== 'string') {
      // Someone who is not found by id may be added later.
      if (!result.roots.every(({ isThere }) => isThere)) exchange.reads?.add('personnel')
      return result
    }
    // For a mutation this is decided for each root field; `onExecuted` reports it there.
    if (result !== 'mutation') exchange.executedFor = result
    return undefined
  }
}

/** Logs an unexpected error of the compiled path and falls back to execution; other Faults are thrown on. */
export function orExecuted(log: Logger, { requestId }: Exchange): (error: unknown) => ExecutionReason {
  return (error) => {
    const fault = asFault(error)
    if (fault.code !== 'INTERNAL') throw fault
    // If execution then succeeds, this is the only trace of the error.
    log.error({ requestId, err: fault.cause }, 'compiled query failed')
    return 'failed'
  }
}
