import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { authenticator } from '../auth/principal.js'
import type { Fault } from '../errors.js'
import { schema } from '../schema.js'
import type { Store } from '../store/store.js'
import { AskedOfFetch, AskedOfNode, type Outgoing, outgoing, responseOf, sendToNode } from './asked.js'
import { createCors } from './cors.js'
import { createEngine } from './engine.js'
import { type Closing, closeExchange, type Exchange, openExchange } from './exchange.js'
import { createFastLane } from './fastLane.js'
import type { GraphqlDoor } from './graphqlDoor.js'
import { DEFAULTS, GUARDS } from './guards.js'
import { refusalOf } from './incoming.js'
import { createPaths } from './paths.js'
import { bareProblem } from './problems.js'
import { createRates } from './rates.js'
import { namesTag } from './represent.js'
import { createRest } from './rest.js'

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
  /** What the rate limit goes by, instead of the process's own monotonic clock. */
  readonly monotonicMs?: () => number
  /** How long a request may read. */
  readonly deadlineMs?: number
  /** Whether the store itself tells what it can; true unless a test wants to see that it makes no difference. */
  readonly isTold?: boolean
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
  const engine = createEngine(options)
  const authenticate = authenticator(store, clock)
  const monotonicMs = options.monotonicMs ?? (() => performance.now())
  const rates = createRates({ authenticate, ratePerMinute: options.ratePerMinute, monotonicMs })
  const fastLane = createFastLane({ ...options, authenticate, rates })
  const cors = createCors(options.corsOrigins)
  const rest = createRest({ schema, engine, authenticate, rates, basePath, log })
  const graphql = whenAsked(async () => {
    // Loaded when the first query comes: Yoga takes as long as all the rest.
    const { createGraphqlDoor } = await import('./graphqlDoor.js')
    return createGraphqlDoor({ engine, authenticate, rates, log })
  })
  const paths = createPaths({ ...options, rest, graphql })
  const closing: Closing = { log, slowMs: options.slowMs, onFinished: options.onFinished ?? (() => undefined) }

  const fresh = async (exchange: Exchange): Promise<Outgoing> => {
    const { asked } = exchange
    const answer = cors.preflight(asked) ?? (await paths(exchange))
    const headers = { ...DEFAULTS, ...cors.headersFor(asked, answer.headers), ...GUARDS }
    const whole = outgoing({ ...answer, headers })
    fastLane.keep(exchange, whole, answer.headers['etag'])
    return whole
  }

  const answerTo = async (exchange: Exchange): Promise<Outgoing> => {
    const answer = (await fastLane.ready(exchange)) ?? (await fresh(exchange))
    // `*` names nothing: whoever sends it has not seen the answer.
    if (answer.status === 304 && namesTag(exchange.asked.header('if-none-match'), etagOf(answer))) {
      rates.refundUnchanged(exchange)
    }
    return closeExchange(exchange, closing, answer)
  }

  return {
    // Whoever embeds it knows its callers; here their address is not known.
    fetch: async (request) => responseOf(await answerTo(openExchange(new AskedOfFetch(request), undefined))),
    async listener(request, response) {
      const refusal = refusalOf(request)
      if (refusal) return refuse(response, refusal)
      const exchange = openExchange(new AskedOfNode(request), request.socket.remoteAddress)
      sendToNode(response, await answerTo(exchange))
    },
  }
}

function etagOf({ headers }: Outgoing): string | undefined {
  const at = headers.indexOf('etag')
  return at < 0 ? undefined : headers[at + 1]
}

/** A door that is made when someone comes to it. */
function whenAsked(make: () => Promise<GraphqlDoor>): GraphqlDoor {
  let door: Promise<GraphqlDoor> | undefined
  return async (exchange) => {
    door ??= make().catch((error: unknown) => {
      // What failed to load, for want of descriptors perhaps, may load the next time.
      door = undefined
      throw error
    })
    return (await door)(exchange)
  }
}

function refuse(response: ServerResponse, fault: Fault): void {
  const { status, headers, body } = bareProblem(fault)
  // Where the next request begins may be as doubtful as this one is.
  response.shouldKeepAlive = false
  response.writeHead(status, headers).end(body)
}
