import { type DocumentNode, getOperationAST } from 'graphql'
import { createYoga } from 'graphql-yoga'
import type { Logger } from 'pino'
import type { Authenticate } from '../auth/principal.js'
import { Fault } from '../errors.js'
import { asFault } from '../graph/faults.js'
import type { ExecutionReason } from '../graph/sql/statements.js'
import { LIMITS } from '../limits.js'
import { schema } from '../schema.js'
import { isOfStore } from '../store/faults.js'
import { requireAcceptable } from './accept.js'
import type { Answer } from './asked.js'
import type { Bodies } from './body.js'
import { Documents, LatestError } from './documents.js'
import type { Engine, Query } from './engine.js'
import { type Exchange, logCause, noting, orExecuted } from './exchange.js'
import {
  nameOf,
  type Params,
  type Passed,
  readParams,
  useCatalogue,
  useEngine,
  useParams,
  withData,
} from './graphql.js'
import { executingOnce } from './graphqlOnce.js'
import type { RunningRequests } from './idempotency.js'
import { PersistedQueries } from './persistedQueries.js'
import { faultHeaders, STATUS } from './problems.js'
import type { Rates } from './rates.js'
import { Content, emptyAnswer, GRAPHQL_TYPE, JSON_TYPE, respond } from './represent.js'

interface GraphqlDoorOptions {
  readonly engine: Engine
  readonly authenticate: Authenticate
  readonly rates: Rates
  readonly bodies: Bodies
  readonly log: Logger
  readonly running: RunningRequests
}

/** Answers a request for `/graphql`. */
export type GraphqlDoor = (exchange: Exchange) => Promise<Answer>

const ALLOW = 'GET, POST, OPTIONS'

/** GraphQL over HTTP: checks key and form, then answers the query compiled, or has Yoga execute it. */
export function createGraphqlDoor(options: GraphqlDoorOptions): GraphqlDoor {
  const yoga = yogaWith(options)
  const persistedQueries = new PersistedQueries()
  const types = new MediaTypes()
  const answerCompiled = compiledWith(options, checkerWith(yoga), types)
  return async (exchange) => {
    const { asked } = exchange
    const { method, url } = asked
    if (method === 'OPTIONS') return emptyAnswer({ allow: ALLOW })
    try {
      if (method !== 'GET' && method !== 'POST') throw new Fault('METHOD_NOT_ALLOWED', 'GraphQL takes GET and POST.')
      requireAcceptable(asked, JSON_TYPE, GRAPHQL_TYPE)
      await options.rates.admit(asked.header('authorization'), exchange)
    } catch (error) {
      return refuse(options.log, exchange, asFault(error))
    }
    const params = readParams(exchange, options.bodies, persistedQueries)
    const answer = await answerCompiled(exchange, await params.catch(() => undefined))
    if (typeof answer !== 'string') return answer
    // Of a mutation the engine says so.
    if (answer !== 'mutation') exchange.executedFor = answer
    // What else Yoga needs of the request, it gets from the exchange.
    const request = new yoga.fetchAPI.Request(url, { method, headers: { accept: asked.header('accept') ?? '*/*' } })
    const response = await yoga.fetch(request, { exchange, params })
    // Yoga's headers keep the case they were written in, and two cases would make two headers.
    const all = Object.fromEntries([...response.headers].map(([name, value]) => [name.toLowerCase(), value]))
    const { 'content-type': type = JSON_TYPE, 'content-length': _, ...others } = all
    const headers = exchange.isReplay ? { ...others, 'idempotency-replayed': 'true' } : others
    const bytes = exchange.data
      ? withData(await response.text(), exchange.data)
      : Buffer.from(await response.arrayBuffer())
    const content = new Content(type, bytes)
    if (answer === 'media_type' && response.ok) types.learn(asked.header('accept'), type)
    return respond(asked, content, { status: response.status, headers })
  }
}

/** The type in which Yoga answers each `Accept`: of what nearly everyone sends it is known, of others it is learned. */
class MediaTypes {
  private readonly known = new Map([
    [undefined, JSON_TYPE],
    ['*/*', JSON_TYPE],
    [JSON_TYPE, JSON_TYPE],
    [GRAPHQL_TYPE, GRAPHQL_TYPE],
    [`${GRAPHQL_TYPE},${JSON_TYPE};q=0.9`, GRAPHQL_TYPE],
  ])

  of(accept: string | undefined): string | undefined {
    return this.known.get(accept)
  }

  learn(accept: string | undefined, contentType: string): void {
    const [type] = [JSON_TYPE, GRAPHQL_TYPE].filter((one) => contentType === `${one}; charset=utf-8`)
    if (!type || this.known.size >= LEARNED_MAX || (accept?.length ?? 0) > LEARNED_CHARACTERS_MAX) return
    this.known.set(accept, type)
  }
}

/** Callers choose what they send; those that are not learned are executed each time. */
const LEARNED_MAX = 100
const LEARNED_CHARACTERS_MAX = 500

/** Finds whether a query is valid, as Yoga does; what was parsed and found is remembered where Yoga looks for it. */
function checkerWith(yoga: ReturnType<typeof yogaWith>) {
  const { parse, validate } = yoga.getEnveloped()
  return (query: string): DocumentNode | undefined => {
    try {
      const document = parse(query)
      return validate(schema, document).length === 0 ? document : undefined
    } catch {
      return undefined
    }
  }
}

/** Answers a valid query with what SQL builds of it; or says why Yoga must answer, perhaps with what is wrong. */
function compiledWith(
  { engine, authenticate, rates, log }: GraphqlDoorOptions,
  validDocument: ReturnType<typeof checkerWith>,
  types: MediaTypes,
) {
  const run = async (exchange: Exchange, query: Query, type: string): Promise<Answer | ExecutionReason> => {
    const { asked, waiting } = exchange
    // The door has let the caller in; the key may have been revoked while the body was on its way.
    const principal = await waiting.bound(authenticate(asked.header('authorization')))
    const prepared = await waiting.bound(engine.prepare(query, principal))
    if (typeof prepared === 'string') return prepared
    exchange.operation = nameOf(getOperationAST(query.document, query.operationName))
    rates.chargeQuery(principal, exchange, prepared.charge)
    const result = await prepared.run(engine.contextFor(principal, noting(exchange), waiting))
    if (typeof result === 'string') return result
    exchange.isShared = !prepared.isPersonal
    return respond(asked, new Content(`${type}; charset=utf-8`, result.data('{"data":', '}')))
  }
  return async (exchange: Exchange, params: Params | undefined): Promise<Answer | ExecutionReason> => {
    if (!params || !isPlain(params)) return 'bad_input'
    const { query, operationName, variables } = params
    const document = validDocument(query)
    if (!document) return 'bad_input'
    const type = types.of(exchange.asked.header('accept'))
    if (!type) return 'media_type'
    try {
      return await run(
        exchange,
        { document, operationName: operationName ?? undefined, variables: variables ?? {} },
        type,
      ).catch(orExecuted(log, exchange))
    } catch (error) {
      const fault = asFault(error)
      // Yoga comes to the same, and says it in the words of GraphQL; but nobody is to wait for a store twice.
      return isOfStore(fault) ? refuse(log, exchange, fault) : 'bad_input'
    }
  }
}

/** Whether nothing is in it that Yoga might refuse. */
function isPlain({ query: _, operationName, variables, extensions, ...others }: Params): boolean {
  const hasPlainName = operationName == null || typeof operationName === 'string'
  // Of extensions nothing is used but the hash of the query, which has been read.
  return hasPlainName && isPlainObject(variables) && isPlainObject(extensions) && Object.keys(others).length === 0
}

function isPlainObject(value: unknown): boolean {
  return value == null || Object.getPrototypeOf(Object(value)) === Object.prototype
}

function yogaWith({ engine, authenticate, rates, log, running }: GraphqlDoorOptions) {
  return createYoga<Passed>({
    schema,
    // The door has let the caller in; the key may have been revoked while the body was on its way.
    context: async ({ exchange }) => ({
      ...engine.contextFor(
        await exchange.waiting.bound(authenticate(exchange.asked.header('authorization'))),
        noting(exchange),
        exchange.waiting,
      ),
      onExecuted: (reason: ExecutionReason, error?: unknown) => {
        exchange.executedFor = error === undefined ? reason : orExecuted(log, exchange)(error)
      },
    }),
    plugins: [useParams(), useEngine(executingOnce(engine, running), rates), useCatalogue(log)],
    parserAndValidationCache: {
      documentCache: new Documents({ charactersMax: LIMITS.queriesKeptCharacters, countMax: LIMITS.queriesKeptMax }),
      errorCache: new LatestError(),
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

/** Refuses before Yoga is asked, in the words of GraphQL. */
function refuse(log: Logger, exchange: Exchange, fault: Fault): Promise<Answer> {
  exchange.refusal = fault
  logCause(log, exchange, fault)
  const content = Content.json({ errors: [{ message: fault.message, extensions: fault.extensions }] })
  const allow = fault.code === 'METHOD_NOT_ALLOWED' ? { allow: ALLOW } : {}
  return respond(exchange.asked, content, { status: STATUS[fault.code], headers: { ...allow, ...faultHeaders(fault) } })
}
