import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { Fault } from '../errors.js'
import { asFault } from '../graph/faults.js'
import { schema } from '../schema.js'
import type { Store } from '../store/store.js'
import { exchangeOf, logCause } from './exchange.js'
import { createFrontPage, createGraphiql, createOpenapiPage, wantsPage } from './pages.js'
import { notAllowed, problem } from './problems.js'
import { Content, respond } from './represent.js'
import type { Rest } from './rest.js'

interface PathsOptions {
  readonly store: Store
  readonly log: Logger
  readonly basePath: string
  readonly graphiql: boolean
  readonly demoKey?: string | undefined
  readonly rest: Rest
}

/** What anyone may read, without a key; paths are below the base path. */
const OPEN_PATHS = ['', '/', '/v1', '/v1/', '/v1/openapi.json', '/healthz', '/readyz'] as const

export function isOpen(path: string): path is (typeof OPEN_PATHS)[number] {
  return (OPEN_PATHS as readonly string[]).includes(path)
}

/** Everything that is not GraphQL: health, pages, and the REST door. */
export function usePaths({ store, log, basePath, graphiql, demoKey, rest }: PathsOptions): Plugin {
  const graphiqlPage = createGraphiql({ endpoint: `${basePath}/graphql`, demoKey })
  const frontPage = createFrontPage(schema, basePath, graphiql)
  const openapiPage = createOpenapiPage(schema, basePath)

  const pages: Record<(typeof OPEN_PATHS)[number], (request: Request) => Promise<Response>> = {
    '': frontPage,
    '/': frontPage,
    '/v1': frontPage,
    '/v1/': frontPage,
    '/v1/openapi.json': openapiPage,
    '/healthz': (request) => respond(request, Content.json({ status: 'ok' }), NOT_KEPT),
    '/readyz': (request) => readiness(request, store),
  }

  const answer = async (request: Request, url: URL): Promise<Response | undefined> => {
    const path = url.pathname.startsWith(basePath) ? url.pathname.slice(basePath.length) : undefined
    if (path === '/graphql') return graphiql && wantsPage(request) ? graphiqlPage(request, url.hostname) : undefined
    if (path !== undefined && isOpen(path)) return readOnly(request, pages[path])
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
        const fault = asFault(error)
        const exchange = exchangeOf(request)
        exchange.refusal = fault
        logCause(log, exchange, fault)
        endResponse(problem(fault, exchange.requestId))
      }
    },
  }
}

async function readOnly(request: Request, page: (request: Request) => Promise<Response>): Promise<Response> {
  const allow = 'GET, HEAD, OPTIONS'
  if (request.method === 'GET' || request.method === 'HEAD') return page(request)
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
  return notAllowed(request, allow, exchangeOf(request).requestId)
}

const NOT_KEPT = { headers: { 'cache-control': 'no-store' } }

/** Without writes it stays ready: a store that has become read-only must not take every copy of the service down. */
async function readiness(request: Request, store: Store): Promise<Response> {
  try {
    await store.version()
    const { isWritable: writes } = await store.health()
    return respond(request, Content.json({ status: 'ready', writes }), NOT_KEPT)
  } catch (cause) {
    throw new Fault('UNAVAILABLE', 'The store cannot be read.', { cause })
  }
}
