import { createYoga } from 'graphql-yoga'
import type { Logger } from 'pino'
import { Fault } from '../../errors.js'
import type { Context } from '../../graph/builder.js'
import type { ExecutionReason } from '../../graph/executionReasons.js'
import { asFault } from '../../graph/faults.js'
import { LIMITS } from '../../limits.js'
import { schema } from '../../schema.js'
import type { RateLimits } from '../access/rateLimits.js'
import type { ResponseCache } from '../cache/responseCache.js'
import { orExecuted, type RunCompiled } from '../compiledQueries.js'
import type { Engine } from '../engine.js'
import { type Exchange, logCause, trackStatements } from '../observe/exchange.js'
import type { RunningRequests } from '../rest/idempotency.js'
import type { Bodies } from '../wire/body.js'
import { Content, emptyResponse, GRAPHQL_TYPE, JSON_TYPE, respond } from '../wire/content.js'
import { requireAcceptable } from '../wire/negotiation.js'
import { faultHeaders, STATUS } from '../wire/problems.js'
import type { HttpRequest, HttpResponse } from '../wire/request.js'
import { Documents } from './documents.js'
import { idempotentEngine } from './idempotency.js'
import { readParams } from './parameters.js'
import { PersistedQueries } from './persistedQueries.js'
import { type ServerContext, useOperations, useParams, useResponses } from './plugins.js'

interface GraphqlOptions {
  readonly engine: Engine
  readonly runCompiled: RunCompiled
  readonly cache: ResponseCache
  readonly rateLimits: RateLimits
  readonly bodies: Bodies
  readonly log: Logger
  readonly running: RunningRequests
  readonly responseBytesMax: number
}

/** Handles a request to `/graphql`. */
export type GraphqlHandler = (exchange: Exchange) => Promise<HttpResponse>

const ALLOW = 'GET, POST, OPTIONS'

/** GraphQL over HTTP: checks the key, looks in the response cache, and on a miss hands the request to Yoga. */
export function createGraphqlHandler(options: GraphqlOptions): GraphqlHandler {
  const { cache, rateLimits, log } = options
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
      return await cache.serve(exchange, type, () => execute(exchange, type))
    } catch (error) {
      return refuse(log, exchange, asFault(error), type)
    }
  }
}

/** Prefers `application/graphql-response+json` only if `Accept` names it: older clients expect `application/json`. */
function typesFor(httpRequest: HttpRequest): readonly string[] {
  const isNamed = httpRequest.header('accept')?.toLowerCase().includes(GRAPHQL_TYPE)
  return isNamed ? [GRAPHQL_TYPE, JSON_TYPE] : [JSON_TYPE, GRAPHQL_TYPE]
}

function executorWith(options: GraphqlOptions) {
  const { rateLimits, bodies } = options
  const { handleRequest, fetchAPI } = yogaWith(options)
  // Headers and body have been read already: Yoga only needs the method.
  const byGet = new fetchAPI.Request(ADDRESS)
  const byPost = new fetchAPI.Request(ADDRESS, { method: 'POST' })
  const persistedQueries = new PersistedQueries()
  return async (exchange: Exchange, type: string): Promise<HttpResponse> => {
    const { request: httpRequest } = exchange
    const params = await readParams(exchange, bodies, persistedQueries)
    await rateLimits.confirm(exchange)
    const response = await handleRequest(httpRequest.method === 'GET' ? byGet : byPost, { exchange, params, type })
    const { 'content-type': contentType = type, 'content-length': _, ...others } = Object.fromEntries(response.headers)
    const headers = exchange.isReplay ? { ...others, 'idempotency-replayed': 'true' } : others
    const body: ArrayBuffer | Buffer = await response.arrayBuffer()
    const content = new Content(contentType, Buffer.isBuffer(body) ? body : Buffer.from(body))
    return respond(httpRequest, content, { status: response.status, headers })
  }
}

/** A constant, since only requests to `/graphql` reach Yoga, whatever the base path is. */
const ADDRESS = 'http://localhost/graphql'

function yogaWith({ engine, runCompiled, log, running, responseBytesMax }: GraphqlOptions) {
  const documents = new Documents({ charactersMax: LIMITS.queriesKeptCharacters, countMax: LIMITS.queriesKeptMax })
  const contextFor = ({ exchange, params, type }: ServerContext): ServerContext & Context => {
    const { principal, deadline } = exchange
    if (!principal) throw new Error('The key of the request has not been checked.')
    return {
      exchange,
      params,
      type,
      onExecuted: (reason: ExecutionReason, error?: unknown) => {
        exchange.executedFor = error === undefined ? reason : orExecuted(log, exchange)(error)
      },
      ...engine.contextFor(principal, trackStatements(exchange), deadline),
    }
  }
  const operations = { runCompiled, engine: idempotentEngine(engine, running), documents, contextFor }
  return createYoga<ServerContext>({
    schema,
    plugins: [useParams(), useOperations(operations), useResponses(log, responseBytesMax)],
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

/** An error response in the GraphQL format, for a request that never reaches Yoga. */
function refuse(log: Logger, exchange: Exchange, fault: Fault, type: string): Promise<HttpResponse> {
  exchange.refusal = fault
  logCause(log, exchange, fault)
  const errors = [{ message: fault.message, extensions: fault.extensions }]
  const content = new Content(`${type}; charset=utf-8`, Buffer.from(JSON.stringify({ errors })))
  const allow = fault.code === 'METHOD_NOT_ALLOWED' ? { allow: ALLOW } : {}
  return respond(exchange.request, content, {
    status: STATUS[fault.code],
    headers: { ...allow, ...faultHeaders(fault) },
  })
}
