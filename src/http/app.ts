import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { authenticator } from '../auth/principal.js'
import { Fault } from '../errors.js'
import { internal } from '../graph/faults.js'
import { schema } from '../schema.js'
import type { Store } from '../store/store.js'
import { createEngine } from './engine.js'
import { exchangeOf, openExchange } from './exchange.js'
import { useCatalogue, useDoor, useEngine } from './graphql.js'
import { createFrontPage, createGraphiql, createOpenapiPage, wantsPage } from './pages.js'
import { problem } from './problems.js'
import { Content, respond } from './represent.js'
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
}

/** The whole service, as a fetch handler and as a request listener for node:http. */
export interface App {
  fetch(request: Request): Promise<Response>
  listener(request: IncomingMessage, response: ServerResponse): void
}

export function createApp(options: AppOptions): App {
  const { store, log, clock, basePath } = options
  const endpoint = `${basePath}/graphql`
  const engine = createEngine(options)
  const authenticate = authenticator(store, clock)
  const yoga = createYoga({
    schema,
    graphqlEndpoint: endpoint,
    context: ({ request }) => {
      const { principal } = exchangeOf(request)
      if (!principal) throw new Fault('UNAUTHENTICATED', 'An API key is needed.')
      return engine.contextFor(principal)
    },
    plugins: [
      useExchange(log),
      usePaths(options, createRest({ schema, engine, authenticate, basePath }), log),
      useDoor(endpoint, authenticate),
      useEngine(engine),
      useCatalogue(log),
    ],
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
    fetch: async (request) => yoga.fetch(request),
    listener: (request, response) => (hasUsableTarget(request) ? yoga(request, response) : refuseTarget(response)),
  }
}

// What cannot be read as an address never reaches Yoga, which would answer 500.
function hasUsableTarget({ url = '', headers }: IncomingMessage): boolean {
  return url.startsWith('/') && URL.canParse(`http://${headers.host ?? 'localhost'}${url}`)
}

async function refuseTarget(response: ServerResponse): Promise<void> {
  const fault = new Fault('BAD_REQUEST', 'The address or the Host header of the request cannot be read.')
  const { status, headers, body } = problem(fault, randomUUID())
  response.writeHead(status, Object.fromEntries(headers)).end(await new Response(body).text())
}

/** Opens each request and closes it: its id, its headers, its line in the log. */
function useExchange(log: Logger): Plugin {
  return {
    onRequest({ request }) {
      openExchange(request)
    },
    async onResponse({ request, response, setResponse }) {
      const { requestId, startedAt, principal, operation } = exchangeOf(request)
      const answer = await finished(request, response)
      answer.headers.set('request-id', requestId)
      answer.headers.set('x-content-type-options', 'nosniff')
      if (!answer.headers.has('cache-control')) answer.headers.set('cache-control', 'no-store')
      setResponse(answer)
      const { method, url } = request
      const ms = Math.round((performance.now() - startedAt) * 10) / 10
      log.info(
        { requestId, keyId: principal?.keyId, method, path: pathOf(url), operation, status: answer.status, ms },
        'request',
      )
    },
  }
}

// A GraphQL answer comes from Yoga as it is; everything else has been given its final form already.
async function finished(request: Request, response: Response): Promise<Response> {
  const type = response.headers.get('content-type')
  const isFinal = response.headers.has('content-length') || response.body === null || type === null
  if (isFinal || response.status >= 400) return response
  const content = new Content(type, Buffer.from(await response.arrayBuffer()))
  return respond(request, content, { status: response.status })
}

/** Everything that is not GraphQL: health, pages, and the REST door. */
function usePaths(options: AppOptions, rest: ReturnType<typeof createRest>, log: Logger): Plugin {
  const { store, basePath, graphiql, demoKey } = options
  const graphiqlPage = createGraphiql({ endpoint: `${basePath}/graphql`, demoKey })
  const frontPage = createFrontPage(schema, basePath, graphiql)
  const openapiPage = createOpenapiPage(schema, basePath)

  const answer = async (request: Request, url: URL): Promise<Response | undefined> => {
    const path = url.pathname.startsWith(basePath) ? url.pathname.slice(basePath.length) : undefined
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (path === '/graphql') return graphiql && wantsPage(request) ? graphiqlPage(request, url.hostname) : undefined
    if (isRead && path === '/healthz') return respond(request, Content.json({ status: 'ok' }), NOT_KEPT)
    if (isRead && path === '/readyz') return readiness(request, store)
    if (isRead && path === '/v1/openapi.json') return openapiPage(request)
    if (isRead && (path === '/' || path === '' || path === '/v1')) return frontPage(request)
    if (path?.startsWith('/v1/')) return rest(request, path, url.searchParams, exchangeOf(request))
    throw new Fault(
      'NOT_FOUND',
      `There is nothing at ${url.pathname}. GraphQL is at ${basePath}/graphql, REST below ${basePath}/v1.`,
    )
  }

  return {
    async onRequest({ request, url, endResponse }) {
      try {
        const response = await answer(request, url)
        if (response) endResponse(response)
      } catch (error) {
        const fault = error instanceof Fault ? error : internal(error)
        const { requestId } = exchangeOf(request)
        if (fault.code === 'INTERNAL') log.error({ requestId, err: fault.cause }, 'request failed')
        endResponse(problem(fault, requestId))
      }
    },
  }
}

const NOT_KEPT = { headers: { 'cache-control': 'no-store' } }

async function readiness(request: Request, store: Store): Promise<Response> {
  try {
    await store.version()
  } catch (cause) {
    throw new Fault('UNAVAILABLE', 'The store cannot be read.', { cause })
  }
  return respond(request, Content.json({ status: 'ready' }), NOT_KEPT)
}

function pathOf(url: string): string {
  return new URL(url, 'http://localhost').pathname
}
