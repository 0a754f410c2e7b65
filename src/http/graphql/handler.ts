import { getOperationAST, validate } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { Fault } from '../../errors.js'
import { asFault } from '../../graph/faults.js'
import { LIMITS } from '../../limits.js'
import { schema } from '../../schema.js'
import type { ApiOptions, Engine } from '../engine.js'
import type { Exchange } from '../observe/exchange.js'
import { emptyResponse, GRAPHQL_TYPE, JSON_TYPE, requireAcceptable } from '../wire/content.js'
import type { HttpRequest, HttpResponse } from '../wire/request.js'
import { Documents } from './documents.js'
import { parseWithinLimits } from './limits.js'
import { run } from './operations.js'
import { type Params, PersistedQueries, readParams } from './parameters.js'
import { type Recipient, type Result, refused, responseOf } from './responses.js'

interface GraphqlOptions extends ApiOptions {
  readonly log: Logger
}

/** Handles a request to `/graphql`. */
export type GraphqlHandler = (exchange: Exchange) => Promise<HttpResponse>

const ALLOW = 'GET, POST, OPTIONS'

/** GraphQL over HTTP: checks the key, looks in the response cache, and on a miss hands the request to Yoga. */
export function createGraphqlHandler(options: GraphqlOptions): GraphqlHandler {
  const { serveCached, rateLimits, log } = options
  const execute = executorWith(options)
  return async (exchange) => {
    const { request: httpRequest } = exchange
    if (httpRequest.method === 'OPTIONS') return emptyResponse({ allow: ALLOW })
    let type: string = JSON_TYPE
    try {
      if (httpRequest.method !== 'GET' && httpRequest.method !== 'POST') {
        throw new Fault('METHOD_NOT_ALLOWED', 'GraphQL takes GET and POST.')
      }
      type = requireAcceptable(httpRequest, typesFor(httpRequest))
      await rateLimits.admit(exchange)
      return await serveCached(exchange, type, () => execute(exchange, type))
    } catch (error) {
      const fault = asFault(error)
      const response = await responseOf(log, { exchange, type }, refused(fault))
      if (fault.code !== 'METHOD_NOT_ALLOWED') return response
      return { ...response, headers: { ...response.headers, allow: ALLOW } }
    }
  }
}

/** Prefers `application/graphql-response+json` only if `Accept` names it: older clients expect `application/json`. */
function typesFor(httpRequest: HttpRequest): readonly string[] {
  const isNamed = httpRequest.header('accept')?.toLowerCase().includes(GRAPHQL_TYPE)
  return isNamed ? [GRAPHQL_TYPE, JSON_TYPE] : [JSON_TYPE, GRAPHQL_TYPE]
}

/** The server context that Yoga gets with each request, and copies. */
interface ServerContext extends Recipient {
  readonly params: Params
  /** Takes the result from Yoga, whose Response is not used: it would only be unpacked again. */
  readonly give: (result: Result) => void
}

function executorWith({ rateLimits, bodies, engine, log }: GraphqlOptions) {
  const { handleRequest, fetchAPI } = yogaWith(engine)
  // Headers and body have been read already: Yoga only needs the method.
  const byGet = new fetchAPI.Request(ADDRESS)
  const byPost = new fetchAPI.Request(ADDRESS, { method: 'POST' })
  const persistedQueries = new PersistedQueries()
  return async (exchange: Exchange, type: string): Promise<HttpResponse> => {
    const params = await readParams(exchange, bodies, persistedQueries)
    await rateLimits.confirm(exchange)
    let result: Result | undefined
    const give = (given: Result) => {
      result = given
    }
    const recipient = { exchange, params, type }
    await handleRequest(exchange.request.method === 'GET' ? byGet : byPost, { ...recipient, give })
    if (!result) throw new Error('Yoga has given no result.')
    return responseOf(log, recipient, result)
  }
}

/** A constant, since only requests to `/graphql` reach Yoga, whatever the base path is. */
const ADDRESS = 'http://localhost/graphql'

function yogaWith(engine: Engine) {
  const documents = new Documents({ charactersMax: LIMITS.queriesKeptCharacters, countMax: LIMITS.queriesKeptMax })
  return createYoga<ServerContext>({
    schema,
    plugins: [pluginWith(engine, documents)],
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

/**
 * Parses within the limits, and runs operations. A document that Yoga has validated before is run at once: passing all
 * hooks of parsing, validation and context again would take longer than preparing its SQL.
 */
function pluginWith(engine: Engine, documents: Documents): Plugin<ServerContext, ServerContext> {
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      // The body was already read for the response cache.
      setRequestParser(() => serverContext.params)
    },
    onParams({ paramsHandler, setParamsHandler }) {
      setParamsHandler((payload) => {
        const { params, request, context } = payload
        const { query = '', operationName, variables } = params
        const document = documents.findValid(query)
        const kind = document && getOperationAST(document, operationName)?.operation
        // Yoga refuses an unknown operation and a mutation by GET in its hooks of parsing.
        const isAllowed = kind === 'query' || (kind === 'mutation' && request.method === 'POST')
        if (!document || !isAllowed) return paramsHandler(payload)
        return run(engine, { document, operationName, variables }, context)
      })
    },
    onParse({ setParseFn }) {
      setParseFn((source, options) => parseWithinLimits(source.toString(), options))
    },
    onValidate({ setValidationFn }) {
      // A suggestion is searched for each error.
      setValidationFn((schema, document, rules) => validate(schema, document, rules, { maxErrors: LIMITS.flawsMax }))
    },
    onExecute({ args, setExecuteFn }) {
      const { document, operationName, variableValues: variables, contextValue } = args
      documents.noteValid(document)
      setExecuteFn(() => run(engine, { document, operationName, variables }, contextValue))
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
