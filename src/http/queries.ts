import type { Logger } from 'pino'
import type { Context } from '../graph/builder.js'
import { asFault } from '../graph/faults.js'
import type { CompiledResult } from '../graph/sql/compiledQueries.js'
import type { ExecutionReason } from '../graph/sql/statements.js'
import type { Separator } from '../store/json.js'
import type { Engine, Query } from './engine.js'
import type { Exchange } from './exchange.js'
import type { Rates } from './rates.js'

interface QueriesOptions {
  readonly engine: Engine
  readonly rates: Rates
  readonly log: Logger
}

/**
 * Answers a validated query with compiled SQL, for both APIs alike: it is prepared, charged and run. Undefined where it
 * is to be executed instead, for the reason that the exchange then holds; it has been charged for that too.
 */
export type RunCompiled = (
  exchange: Exchange,
  query: Query,
  context: Context,
  separator?: Separator,
) => Promise<CompiledResult | undefined>

export function createRunCompiled({ engine, rates, log }: QueriesOptions): RunCompiled {
  return async (exchange, query, context, separator) => {
    const { waiting } = exchange
    const { principal } = context
    const failed = orExecuted(log, exchange)
    const prepared = await waiting.bound(engine.prepare(query, principal)).catch(failed)
    const isPrepared = typeof prepared !== 'string'
    const charge = isPrepared ? prepared.charge : await waiting.bound(engine.chargeFor(query, context))
    rates.chargeQuery(principal, exchange, charge)
    const result = isPrepared ? await prepared.run(context, separator).catch(failed) : prepared
    if (typeof result !== 'string') return result
    // Whether a mutation is executed is decided for each of its root fields, and said there.
    if (result !== 'mutation') exchange.executedFor = result
    return undefined
  }
}

/** What nobody foresaw is logged, and execution answers instead. */
export function orExecuted(log: Logger, { requestId }: Exchange): (error: unknown) => ExecutionReason {
  return (error) => {
    const fault = asFault(error)
    if (fault.code !== 'INTERNAL') throw fault
    // Where execution succeeds after all, nobody else would hear of it.
    log.error({ requestId, err: fault.cause }, 'compiled query failed')
    return 'failed'
  }
}
