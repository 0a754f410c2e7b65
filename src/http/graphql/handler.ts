import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST, validate } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { BoundedCache } from '../../caches.js'
import { Fault } from '../../errors.js'
import { asFault } from '../../graph/faults.js'
import { coercionOf, decidedBy, requireFewItems } from '../../graph/query/arguments.js'
import { answer, isRefused } from '../../graph/query/run.js'
import { type Operation, operationIn } from '../../graph/query/selections.js'
import { LIMITS } from '../../limits.js'
import { schema } from '../../schema.js'
import type { Work } from '../../work.js'
import type { Gate } from '../gate.js'
import { type Answered, type Identified, queryHash, type Received, withoutTexts } from '../observe/exchange.js'
import { emptyResponse, GRAPHQL_TYPE, JSON_TYPE, requireAcceptable } from '../wire/content.js'
import type { HttpRequest, HttpResponse } from '../wire/request.js'
import { parseWithinLimits } from './limits.js'
import {
  bodyBytesMaxOf,
  KEPT_CHARACTERS_MAX,
  type Params,
  PersistedQueries,
  paramsIn,
  paramsOfUrl,
  QUERIES_KEPT_MAX,
} from './parameters.js'
import { ALLOW, type Result, refused, responseOf } from './responses.js'

/** GraphQL over HTTP: checks the key, looks in the response cache, and on a miss hands the request to Yoga. */
export function createGraphqlHandler(gate: Gate): (exchange: Received) => Promise<HttpResponse> {
  const execute = executorWith(gate)
  return async (exchange) => {
    const { request: httpRequest } = exchange
    if (httpRequest.method === 'OPTIONS') return emptyResponse({ allow: ALLOW })
    let type: string = JSON_TYPE
    try {
      if (httpRequest.method !== 'GET' && httpRequest.method !== 'POST') {
        throw new Fault('METHOD_NOT_ALLOWED', 'GraphQL takes GET and POST.')
      }
      type = requireAcceptable(httpRequest, typesFor(httpRequest))
      return await gate.serveCached(await gate.admit(exchange), type, (identified) => execute(identified, type))
    } catch (error) {
      return responseOf(gate.options.log, { exchange, type }, refused(asFault(error)))
    }
  }
}

/** Prefers `application/graphql-response+json` only if `Accept` names it: older clients expect `application/json`. */
function typesFor(httpRequest: HttpRequest): readonly string[] {
  const isNamed = httpRequest.header('accept')?.toLowerCase().includes(GRAPHQL_TYPE)
  return isNamed ? [GRAPHQL_TYPE, JSON_TYPE] : [JSON_TYPE, GRAPHQL_TYPE]
}

/** The server context that Yoga gets with each request, and copies. */
interface ServerContext {
  readonly params: Params
  readonly work: Work
  readonly type: string
  /** Takes the result from Yoga, whose Response is not used: it would only be unpacked again. */
  readonly give: (result: YogaResult) => void
}

/** The errors of what Yoga refuses; a document that it has validated is run after it. */
interface YogaResult extends ExecutionResult {
  readonly validated?: DocumentNode | undefined
}

function executorWith(gate: Gate) {
  const { log, documents: stored } = gate.options
  const documents = new Documents()
  const { handleRequest, fetchAPI } = yogaWith(documents, log)
  // Headers and body have been read already: Yoga only needs the method.
  const byGet = new fetchAPI.Request(ADDRESS)
  const byPost = new fetchAPI.Request(ADDRESS, { method: 'POST' })
  const persistedQueries = new PersistedQueries(stored)
  return async (admitted: Identified, type: string): Promise<Answered> => {
    const { body, identified: exchange } = await (admitted.request.method === 'GET'
      ? { body: paramsOfUrl(admitted.request), identified: admitted }
      : gate.readJson(admitted, bodyBytesMaxOf(admitted), [JSON_TYPE]))
    const params = paramsIn(body, persistedQueries)
    let given: YogaResult | undefined
    const give = (result: YogaResult) => {
      given = result
    }
    const { record } = exchange
    const { work } = record
    await handleRequest(exchange.request.method === 'GET' ? byGet : byPost, { params, work, type, give })
    if (!given) throw new Error('Yoga has given no result.')
    const { validated } = given
    // Any other text may be something that was sent by mistake.
    if (validated) record.query = params.query
    else record.hash = queryHash(params.query)
    const result: Result = validated ? await run(gate, validated, exchange, params) : given
    const sent = { principal: exchange.principal, params, document: documents.peek(params.query) }
    return {
      response: await responseOf(log, { exchange, type, sent }, result),
      reads: result.answer?.reads,
    }
  }
}

/** A constant, since only requests to `/graphql` reach Yoga, whatever the base path is. */
const ADDRESS = 'http://localhost/graphql'

/** An LRU cache of parsed queries by their text. Bounded by count too, since a short text parses to 13 KB. */
export class Documents extends BoundedCache<DocumentNode> {
  private readonly validated = new WeakSet<DocumentNode>()

  constructor(charactersMax: number = KEPT_CHARACTERS_MAX, countMax: number = QUERIES_KEPT_MAX) {
    super({ entries: countMax, entrySize: charactersMax, size: charactersMax })
  }

  noteValid(document: DocumentNode): void {
    this.validated.add(document)
  }

  /** The document of a text that has been validated before. */
  findValid(text: string): DocumentNode | undefined {
    const document = this.peek(text)
    return document && this.validated.has(document) ? this.get(text) : undefined
  }
}

function yogaWith(documents: Documents, log: Logger) {
  return createYoga<ServerContext>({
    schema,
    plugins: [pluginWith(documents, log)],
    parserAndValidationCache: {
      documentCache: documents,
      // Errors are not cached: one may be as long as a body, and invalid documents are rarely sent twice.
      errorCache: { get: () => undefined, set: () => undefined },
    },
    // Implemented elsewhere in this folder or in src/http, or not supported.
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    multipart: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    logging: false,
  })
}

/** For a document that was validated before, Yoga's hooks would take longer than preparing its SQL. */
function pluginWith(documents: Documents, log: Logger): Plugin<ServerContext, ServerContext> {
  const unused = new Response()
  return {
    onRequest({ request, serverContext: { params, give }, endResponse }) {
      const validated = documents.findValid(params.query)
      const kind = validated && getOperationAST(validated, params.operationName)?.operation
      const isAllowed = kind === 'query' || (kind === 'mutation' && request.method === 'POST')
      if (!isAllowed || !isWellFormed(params)) return
      give({ validated })
      endResponse(unused)
    },
    onRequestParse({ serverContext, setRequestParser }) {
      // The body was already read for the response cache.
      setRequestParser(() => serverContext.params)
    },
    onParse({ context: { work }, setParseFn }) {
      setParseFn((source, options) => work.time('parse', () => parseWithinLimits(source.toString(), options)))
    },
    onValidate({ context: { work }, setValidationFn }) {
      // A suggestion is searched for each error.
      setValidationFn((schema, document, rules) =>
        work.time('check', () => validate(schema, document, rules, { maxErrors: LIMITS.violationsMax })),
      )
    },
    onExecute({ args, setExecuteFn }) {
      documents.noteValid(args.document)
      const { query } = args.contextValue.params
      if (log.isLevelEnabled('debug')) log.debug({ hash: queryHash(query), query: withoutTexts(query) }, 'query')
      setExecuteFn(() => ({ validated: args.document }))
    },
    onResultProcess({ serverContext, setResultProcessor }) {
      setResultProcessor((result, { Response }) => {
        // Cannot happen: batches are refused, and there are no subscriptions.
        if (Array.isArray(result) || Symbol.asyncIterator in result) throw new Error('Expected a single result.')
        serverContext.give(result)
        return new Response()
      }, serverContext.type)
    },
  }
}

const PARAMETERS: ReadonlySet<string> = new Set(['query', 'operationName', 'variables', 'extensions'])

/** Whether the parameters have the forms that Yoga requires: it refuses all others, with its own errors. */
function isWellFormed(params: Params): boolean {
  const isObject = (value: unknown) => value == null || (typeof value === 'object' && !Array.isArray(value))
  return (
    Object.keys(params).every((name) => PARAMETERS.has(name)) &&
    isObject(params.variables) &&
    isObject(params.extensions)
  )
}

/** A client may name its operation as it likes, at the length of a whole query. */
const NAME_CHARACTERS_LOGGED = 100

/** Runs an operation of a validated document. */
async function run(gate: Gate, document: DocumentNode, exchange: Identified, params: Params): Promise<Result> {
  const operation = operationIn(schema, document, params.operationName)
  // Yoga refuses an unknown operation.
  if (!operation) throw new Error('The document has no such operation.')
  exchange.record.operation = operation.operation.name?.value.slice(0, NAME_CHARACTERS_LOGGED) ?? 'anonymous'
  exchange.record.isChange = operation.operation.operation === 'mutation'
  try {
    return await answered(gate, operation, exchange, params)
  } catch (error) {
    // Of a variable of `@skip` or `@include`.
    if (error instanceof GraphQLError) return { errors: [error], data: null }
    // Of the store, the rate limit or the deadline, or ours.
    return refused(asFault(error))
  }
}

async function answered(gate: Gate, operation: Operation, exchange: Identified, params: Params): Promise<Result> {
  const { isChange } = exchange.record
  const given = params.variables ?? {}
  const context = gate.contextFor(exchange)
  if (!isChange) requireFewItems(given)
  const decided = isChange ? decidedBy(operation, given) : undefined
  // Of a mutation that the caller may not make no other variable is looked at: they may be large.
  if (decided && isRefused(operation, decided, context)) return { answer: await answer(operation, decided, context) }
  const coerce = () => coercionOf(schema, operation.operation, given)
  const { coerced: variables, errors } = exchange.record.work.time('check', coerce)
  if (!variables) return { errors }
  if (!isChange) return { answer: await gate.read(exchange, operation, variables, context) }
  const sent = [params.query, params.operationName ?? null, variables]
  return { answer: await gate.change(exchange, { operation, variables, context, sent }) }
}
