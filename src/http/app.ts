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
import { Content, isFinal, respond } from './represent.js'
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

// Answers of Yoga and problems come here as they were made; the rest has its final form already.
async function finished(request: Request, response: Response): Promise<Response> {
  const type = response.headers.get('content-type')
  if (isFinal(response) || response.body === null || type === null) return response
  const { 'content-type': _, 'content-length': __, ...headers } = Object.fromEntries(response.headers)
  const content = new Content(type, Buffer.from(await response.arrayBuffer()))
  return respond(request, content, { status: response.status, headers })
}

/** Everything that is not GraphQL: health, pages, and the REST door. */
function usePaths(options: AppOptions, rest: ReturnType<typeof createRest>, log: Logger): Plugin {
  const { store, basePath, graphiql, demoKey } = options
  const graphiqlPage = createGraphiql({ endpoint: `${basePath}/graphql`, demoKey })
  const frontPage = createFrontPage(schema, basePath, graphiql)
  const openapiPage = createOpenapiPage(schema, basePath)

  /** What anyone may read, without a key. */
  const open = new Map<string, (request: Request) => Promise<Response>>([
    ['', frontPage],
    ['/', frontPage],
    ['/v1', frontPage],
    ['/v1/openapi.json', openapiPage],
    ['/healthz', (request) => respond(request, Content.json({ status: 'ok' }), NOT_KEPT)],
    ['/readyz', (request) => readiness(request, store)],
  ])

  const answer = async (request: Request, url: URL): Promise<Response | undefined> => {
    const path = url.pathname.startsWith(basePath) ? url.pathname.slice(basePath.length) : undefined
    if (path === '/graphql') return graphiql && wantsPage(request) ? graphiqlPage(request, url.hostname) : undefined
    const page = path === undefined ? undefined : open.get(path)
    if (page) return readOnly(request, page)
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

async function readOnly(request: Request, page: (request: Request) => Promise<Response>): Promise<Response> {
  const allow = 'GET, HEAD, OPTIONS'
  if (request.method === 'GET' || request.method === 'HEAD') return page(request)
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
  const fault = new Fault('METHOD_NOT_ALLOWED', `${request.method} is not possible here; ${allow} are.`)
  return problem(fault, exchangeOf(request).requestId, { allow })
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
