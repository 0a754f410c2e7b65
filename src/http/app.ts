import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { authenticator } from '../auth/principal.js'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { schema } from '../schema.js'
import type { Store } from '../store/store.js'
import { type Answer, AskedOfFetch, AskedOfNode, type Outgoing, responseOf, sendToNode } from './asked.js'
import { Bodies } from './body.js'
import { BytesInFlight, Overloaded } from './bytesInFlight.js'
import { createResponseCache } from './cache/responseCache.js'
import { createCors } from './cors.js'
import { createEngine } from './engine.js'
import { type Closing, closeExchange, type Exchange, openExchange } from './exchange.js'
import type { GraphqlHandler } from './graphql/handler.js'
import { withGuards } from './guards.js'
import { RunningRequests } from './idempotency.js'
import { refusalOf, targetOf } from './incoming.js'
import { createPaths } from './paths.js'
import { bareProblem, problem } from './problems.js'
import { createRunCompiled } from './queries.js'
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
  readonly isCompiled?: boolean
  /** Of answers that are kept ready; 0 for none. */
  readonly readyBytesMax: number
  /** Of bodies that are held and answers that are being sent. */
  readonly inFlightBytesMax: number
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
  /** The same for the event `checkContinue`: whoever waits for `100 Continue` gets it once its key was checked. */
  checkContinue(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export function createApp(options: AppOptions): App {
  const { store, log, clock, basePath } = options
  const engine = createEngine(options)
  const authenticate = authenticator(store, clock)
  const monotonicMs = options.monotonicMs ?? (() => performance.now())
  const rates = createRates({ store, authenticate, ratePerMinute: options.ratePerMinute, monotonicMs })
  const runCompiled = createRunCompiled({ engine, rates, log })
  const cache = createResponseCache(options.readyBytesMax, rates)
  const cors = createCors(options.corsOrigins)
  const running = new RunningRequests()
  const inFlight = new BytesInFlight(options.inFlightBytesMax)
  const bodies = new Bodies(inFlight)
  const shared = { engine, runCompiled, cache, rates, bodies, running }
  const rest = createRest({ ...shared, schema, basePath, log })
  const graphql = whenAsked(async () => {
    // Loaded when the first query comes: Yoga takes as long as all the rest.
    const { createGraphqlHandler } = await import('./graphql/handler.js')
    return createGraphqlHandler({ ...shared, log })
  })
  const paths = createPaths({ ...options, rest, graphql })
  const { deadlineMs = LIMITS.deadlineMs } = options
  const closing: Closing = { log, slowMs: options.slowMs, onFinished: options.onFinished ?? (() => undefined) }

  const withHeaders = ({ asked }: Exchange, { status, headers, body, finished }: Answer): Outgoing => {
    const origin = cors.allowedOrigin(asked)
    const known = finished?.get(origin ?? '')
    if (known) return { status, headers: known, body }
    const all = withGuards(cors.headersFor(origin, headers))
    finished?.set(origin ?? '', all)
    return { status, headers: all, body }
  }

  const fresh = async (exchange: Exchange): Promise<Outgoing> => {
    // Node tells of a request before it looks for the body, which mostly came with the head.
    await undefined
    const answer = cors.preflight(exchange.asked) ?? (await paths(exchange))
    // `*` names nothing: whoever sends it has not seen the answer.
    if (answer.status === 304 && namesTag(exchange.asked.header('if-none-match'), answer.headers['etag'])) {
      rates.refundUnchanged(exchange)
    }
    return withHeaders(exchange, answer)
  }

  const noRoom = async (exchange: Exchange): Promise<Outgoing> => {
    exchange.refusal = noRoomFor(exchange)
    return withHeaders(exchange, await problem(exchange, exchange.refusal))
  }

  /** The response is there where it is known when an answer has been sent. */
  const answerTo = async (exchange: Exchange, response?: ServerResponse): Promise<Outgoing> => {
    try {
      const answer = await fresh(exchange)
      const hasRoom = !response || !answer.body || inFlight.send(response, answer.body, exchange.principal?.keyId)
      return closeExchange(exchange, closing, hasRoom ? answer : await noRoom(exchange))
    } finally {
      exchange.held?.release()
    }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse, beforeBody?: () => void): Promise<void> => {
    try {
      const target = targetOf(request, basePath)
      const refusal = refusalOf(request, target)
      if (refusal) return refuse(response, refusal)
      const asked = new AskedOfNode(request, target, beforeBody)
      const exchange = openExchange(asked, request.socket.remoteAddress, deadlineMs)
      sendToNode(response, await answerTo(exchange, response))
    } catch (error) {
      refuse(response, lastResort(log, error))
    }
  }

  return {
    async fetch(request) {
      try {
        // Whoever embeds it knows its callers; here their address is not known.
        return responseOf(await answerTo(openExchange(new AskedOfFetch(request), undefined, deadlineMs)))
      } catch (error) {
        const { status, headers, body } = bareProblem(lastResort(log, error))
        return new Response(body, { status, headers })
      }
    },
    listener: (request, response) => serve(request, response),
    // The body is asked for only once the key, its type and its length have passed.
    checkContinue: (request, response) => serve(request, response, () => response.writeContinue()),
  }
}

/** A handler that is made when the first request for it comes. */
function whenAsked(make: () => Promise<GraphqlHandler>): GraphqlHandler {
  let handler: Promise<GraphqlHandler> | undefined
  return async (exchange) => {
    handler ??= make().catch((error: unknown) => {
      // What failed to load, for want of descriptors perhaps, may load the next time.
      handler = undefined
      throw error
    })
    return (await handler)(exchange)
  }
}

/** An answer that was made, and does not fit beside all the others that are being sent. */
function noRoomFor({ isChange }: Exchange): Fault {
  const what = isChange ? 'What was asked for is done, but there' : 'There'
  return new Overloaded(
    `${what} is no room to send the answer beside what is being received and sent, by this key or by all.`,
  )
}

/** What nobody below has caught, such as a logger or a metric that throws: the caller is answered all the same. */
function lastResort(log: Logger, error: unknown): Fault {
  try {
    log.error({ err: error }, 'request failed')
  } catch {
    // The logger may be what failed.
  }
  return new Fault('INTERNAL', 'Something went wrong on our side.', { cause: error })
}

function refuse(response: ServerResponse, fault: Fault): void {
  if (response.writableEnded) return
  // Half an answer cannot be taken back: the caller sees that it broke off.
  if (response.headersSent) return void response.destroy()
  const { status, headers, body } = bareProblem(fault)
  // Where the next request begins may be as doubtful as this one is.
  response.shouldKeepAlive = false
  response.writeHead(status, headers).end(body)
}
