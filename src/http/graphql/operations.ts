import { type DocumentNode, GraphQLError } from 'graphql'
import { asFault } from '../../graph/faults.js'
import { coercionOf, decidedBy, requireFewItems } from '../../graph/query/arguments.js'
import { answer, isRefused } from '../../graph/query/run.js'
import { type Operation, operationIn, type Variables } from '../../graph/query/selections.js'
import { schema } from '../../schema.js'
import type { Engine } from '../engine.js'
import type { Exchange } from '../observe/exchange.js'
import type { Params } from './parameters.js'
import { type Result, refused } from './responses.js'

/** A validated document, and what selects and fills its operation. */
export interface Executable {
  readonly document: DocumentNode
  readonly operationName: string | null | undefined
  readonly variables: Variables | null | undefined
}

/** The request that an operation came with. */
interface Sent {
  readonly exchange: Exchange
  readonly params: Params
}

/** A client may name its operation as it likes, at the length of a whole query. */
const NAME_CHARACTERS_LOGGED = 100

/** Runs a validated operation. */
export async function run(
  engine: Engine,
  { document, operationName, variables }: Executable,
  sent: Sent,
): Promise<Result> {
  const { exchange } = sent
  const operation = operationIn(schema, document, operationName)
  // Yoga refuses an unknown operation.
  if (!operation) throw new Error('The document has no such operation.')
  exchange.operation = operation.operation.name?.value.slice(0, NAME_CHARACTERS_LOGGED) ?? 'anonymous'
  exchange.isChange = operation.operation.operation === 'mutation'
  try {
    return await answered(engine, operation, variables ?? {}, sent)
  } catch (error) {
    // Of a variable of `@skip` or `@include`.
    if (error instanceof GraphQLError) return { errors: [error], data: null }
    // Of the store, the rate limit or the deadline, or ours.
    return refused(asFault(error))
  }
}

async function answered(
  engine: Engine,
  operation: Operation,
  given: Variables,
  { exchange, params }: Sent,
): Promise<Result> {
  const context = engine.contextFor(exchange)
  if (!exchange.isChange) requireFewItems(given)
  const decided = exchange.isChange ? decidedBy(operation, given) : undefined
  // Of a mutation that the caller may not make no other variable is looked at: they may be large.
  if (decided && (await isRefused(operation, decided, context)))
    return { answer: await answer(operation, decided, context) }
  const { coerced: variables, errors } = coercionOf(schema, operation.operation, given)
  if (!variables) return { errors }
  if (!exchange.isChange) return { answer: await engine.read(exchange, operation, variables, context) }
  const identity = [params.query, params.operationName ?? null, variables]
  const mutation = { operation, variables, context, path: '/graphql', sent: identity, isReadAgain: true }
  return { answer: await engine.change(exchange, mutation) }
}
