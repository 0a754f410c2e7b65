import { createYoga } from 'graphql-yoga'
import type { Logger } from 'pino'
import type { Authenticate } from '../auth/principal.js'
import { Fault } from '../errors.js'
import { asFault } from '../graph/faults.js'
import { LIMITS } from '../limits.js'
import { schema } from '../schema.js'
import { requireAcceptable } from './accept.js'
import type { Answer } from './asked.js'
import { Documents, NO_ERRORS_KEPT } from './documents.js'
import type { Engine } from './engine.js'
import { countStatement, type Exchange } from './exchange.js'
import { type Passed, useCatalogue, useEngine, useParams } from './graphql.js'
import { faultHeaders, STATUS } from './problems.js'
import type { Rates } from './rates.js'
import { Content, emptyAnswer, respond } from './represent.js'

interface GraphqlDoorOptions {
  readonly engine: Engine
  readonly authenticate: Authenticate
  readonly rates: Rates
  readonly log: Logger
}

/** Answers a request for `/graphql`. */
export type GraphqlDoor = (exchange: Exchange) => Promise<Answer>

const JSON_TYPE = 'application/json'
const ANSWERS = [JSON_TYPE, 'application/graphql-response+json']
const ALLOW = 'GET, POST, OPTIONS'

/** The GraphQL door: who may come in, and in what form; then Yoga takes over. */
export function createGraphqlDoor(options: GraphqlDoorOptions): GraphqlDoor {
  const yoga = yogaWith(options)
  return async (exchange) => {
    const { asked } = exchange
    const { method, url } = asked
    if (method === 'OPTIONS') return emptyAnswer({ allow: ALLOW })
    try {
      if (method !== 'GET' && method !== 'POST') throw new Fault('METHOD_NOT_ALLOWED', 'GraphQL takes GET and POST.')
      requireAcceptable(asked, ...ANSWERS)
      await options.rates.admit(asked.header('authorization'), exchange)
    } catch (error) {
      exchange.refusal = asFault(error)
      return refusal(exchange, exchange.refusal)
    }
    // What else Yoga needs of the request, it gets from the exchange.
    const request = new yoga.fetchAPI.Request(url, { method, headers: { accept: asked.header('accept') ?? '*/*' } })
    const response = await yoga.fetch(request, { exchange })
    // Yoga's headers keep the case they were written in, and two cases would make two headers.
    const all = Object.fromEntries([...response.headers].map(([name, value]) => [name.toLowerCase(), value]))
    const { 'content-type': type = JSON_TYPE, 'content-length': _, ...headers } = all
    const content = new Content(type, Buffer.from(await response.arrayBuffer()))
    return respond(asked, content, { status: response.status, headers })
  }
}

function yogaWith({ engine, authenticate, rates, log }: GraphqlDoorOptions) {
  return createYoga<Passed>({
    schema,
    // The door has let the caller in; the key may have been revoked while the body was on its way.
    context: async ({ exchange }) =>
      engine.contextFor(await authenticate(exchange.asked.header('authorization')), () => countStatement(exchange)),
    plugins: [useParams(), useEngine(engine, rates), useCatalogue(log)],
    parserAndValidationCache: {
      documentCache: new Documents(LIMITS.queriesKeptCharacters),
      errorCache: NO_ERRORS_KEPT,
    },
    // Only what is for it comes here.
    graphqlEndpoint: '*',
    // Each of these is done elsewhere, or is not offered.
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    multipart: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    logging: false,
    // Yoga compares the end of the whole address, query and all; no address ends in a space.
    healthCheckEndpoint: ' ',
  })
}

function refusal({ asked }: Exchange, fault: Fault): Promise<Answer> {
  const content = Content.json({ errors: [{ message: fault.message, extensions: fault.extensions }] })
  const allow = fault.code === 'METHOD_NOT_ALLOWED' ? { allow: ALLOW } : {}
  return respond(asked, content, { status: STATUS[fault.code], headers: { ...allow, ...faultHeaders(fault) } })
}
