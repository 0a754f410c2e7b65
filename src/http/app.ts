import type { IncomingMessage, ServerResponse } from 'node:http'
import { createYoga } from 'graphql-yoga'
import type { Logger } from 'pino'
import { authenticator } from '../auth/principal.js'
import type { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { schema } from '../schema.js'
import type { Store } from '../store/store.js'
import { useCors } from './cors.js'
import { Documents, NO_ERRORS_KEPT } from './documents.js'
import { createEngine } from './engine.js'
import { type Closing, countStatement, exchangeOf, exchangeOfNode } from './exchange.js'
import { askedOfFetch, askedOfNode, createFastLane, responseOf, sendToNode } from './fastLane.js'
import { useCatalogue, useDoor, useEngine } from './graphql.js'
import { refusalOf } from './incoming.js'
import { usePaths } from './paths.js'
import { bareProblem } from './problems.js'
import { createRates } from './rates.js'
import { createRest } from './rest.js'
import { useExchange } from './useExchange.js'

export interface AppOptions {
  readonly store: Store
  readonly log: Logger
  readonly clock: () => Date
  /** Where everything is mounted: empty, or a path such as `/ops`. */
  readonly basePath: string
  readonly graphiql: boolean
  readonly demoKey?: string | undefined
  readonly wholeListRowsMax: number
  /** What a key may spend in a minute; 0 for as much as it likes. */
  readonly ratePerMinute: number
  /** Of answers that are kept ready; 0 for none. */
  readonly readyBytesMax: number
  /** A request that takes longer gets a line of its own in the log. */
  readonly slowMs: number
  /** Origins whose pages may call, with commas between them; empty for none. */
  readonly corsOrigins: string
  /** Told of every request when it is over. */
  readonly onFinished?: Closing['onFinished']
}

/** The whole service, as a fetch handler and as a request listener for node:http. */
export interface App {
  fetch(request: Request): Promise<Response>
  listener(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export function createApp(options: AppOptions): App {
  const { store, log, clock, basePath } = options
  const endpoint = `${basePath}/graphql`
  const engine = createEngine(options)
  const authenticate = authenticator(store, clock)
  const rates = createRates(authenticate, options.ratePerMinute)
  const closing: Closing = { log, slowMs: options.slowMs, onFinished: options.onFinished ?? (() => undefined) }
  const fastLane = createFastLane({ ...options, ...closing, authenticate, rates })
  const yoga = createYoga({
    schema,
    graphqlEndpoint: endpoint,
    // The door has let the caller in; the key may have been revoked while the body was on its way.
    context: async ({ request }) =>
      engine.contextFor(await authenticate(request.headers.get('authorization')), () =>
        countStatement(exchangeOf(request)),
      ),
    plugins: [
      useCors(options.corsOrigins),
      useExchange({ ...closing, onUnchanged: rates.refundUnchanged, onAnswer: fastLane.keep }),
      usePaths({ ...options, rest: createRest({ schema, engine, authenticate, rates, basePath }) }),
      useDoor(endpoint, rates),
      useEngine(engine, rates),
      useCatalogue(log),
    ],
    parserAndValidationCache: {
      documentCache: new Documents(LIMITS.queriesKeptCharacters),
      errorCache: NO_ERRORS_KEPT,
    },
    // Each of these is done by a plugin above, or is not offered.
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
  return {
    async fetch(request) {
      const ready = await fastLane.ready(askedOfFetch(request), exchangeOf(request))
      return ready ? responseOf(ready) : yoga.fetch(request)
    },
    async listener(request, response) {
      const refusal = refusalOf(request)
      if (refusal) return refuse(response, refusal)
      const ready = await fastLane.ready(askedOfNode(request), exchangeOfNode(request))
      if (ready) sendToNode(response, ready)
      else await yoga(request, response)
    },
  }
}

function refuse(response: ServerResponse, fault: Fault): void {
  const { status, headers, body } = bareProblem(fault)
  // Where the next request begins may be as doubtful as this one is.
  response.shouldKeepAlive = false
  response.writeHead(status, headers).end(body)
}
