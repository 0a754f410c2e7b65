import { COMMIT, VERSION } from '../about.js'
import { lazily } from '../caches.js'
import { Fault, Overloaded } from '../errors.js'
import { asFault } from '../graph/faults.js'
import { atMostEvery, HEALTH_EVERY_MS } from '../store/coalesce.js'
import { isDamage } from '../store/faults.js'
import type { RateLimits } from './access/rateLimits.js'
import type { GraphqlHandler } from './graphql/handler.js'
import { logCause, type Received } from './observe/exchange.js'
import { openapi } from './openapi/document.js'
import type { AppOptions } from './options.js'
import { createGraphiql, graphiqlAssetAt, wantsPage } from './pages/graphiql.js'
import { createOverview } from './pages/overview.js'
import { createReference } from './pages/reference.js'
import { assetAt, type Page } from './pages/shell.js'
import { createSignedIn, createSignIn } from './pages/signIn.js'
import type { Rest } from './rest/handler.js'
import { didYouMean } from './rest/router.js'
import { Content, emptyResponse, respond } from './wire/content.js'
import { notAllowed, problem } from './wire/problems.js'
import { type HttpResponse, isReading } from './wire/request.js'

interface Routes {
  readonly rateLimits: RateLimits
  readonly readiness: ReturnType<typeof createReadiness>
  readonly rest: Rest
  readonly graphql: GraphqlHandler
}

/** Routes a request to the health checks, the pages or one of the two APIs. */
export function createRouter(options: AppOptions, { rateLimits, readiness, rest, graphql }: Routes) {
  const { log, basePath, graphiql, tokens } = options
  const graphiqlPage = createGraphiql(options)
  const reference = createReference(options)
  const front = options.overview === false ? reference : createOverview(options)
  const openapiDocument = lazily(() => Content.json(openapi(basePath)))

  /** Public pages, which need no key; paths are relative to the base path. */
  const pages = new Map<string, Page>([
    ['', front],
    ['/', front],
    ['/v1', reference],
    ['/v1/', reference],
    ['/v1/openapi.json', (request) => respond(request, openapiDocument())],
    ['/healthz', (request) => respond(request, Content.json({ status: 'ok' }), NOT_STORED)],
    ['/readyz', readiness.page],
  ])
  if (tokens?.settings.signIn) pages.set('/sign-in', createSignIn(tokens)).set('/signed-in', createSignedIn(options))

  /** The page or asset at a path, with the template of the path. */
  const pageAt = (path: string): { page: Page; template: string } | undefined => {
    const page = pages.get(path)
    if (page) return { page, template: path }
    const asset = assetAt(path) ?? (graphiql ? graphiqlAssetAt(path) : undefined)
    return asset && { page: asset, template: '/assets/{file}' }
  }

  const route = async (exchange: Received): Promise<HttpResponse> => {
    const { request, record } = exchange
    const { path: pathname } = request
    const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : undefined
    if (path === '/graphql') {
      record.path = pathname
      return graphiql && wantsPage(request) ? graphiqlPage(request) : graphql(exchange)
    }
    const found = path === undefined ? undefined : pageAt(path)
    if (found) {
      record.path = basePath + found.template
      if (!PROBES.has(found.template)) rateLimits.requireCredit(exchange)
      return readOnly(exchange, found.page)
    }
    if (path?.startsWith('/v1/')) return rest(exchange, path)
    rateLimits.requireCredit(exchange)
    const hint = record.work.time('check', () => didYouMean(pathname, basePath))
    throw new Fault(
      'NOT_FOUND',
      `There is nothing at ${pathname}.${hint} GraphQL is at ${basePath}/graphql, REST below ${basePath}/v1.`,
    )
  }

  return async (exchange: Received): Promise<HttpResponse> => {
    try {
      return await route(exchange)
    } catch (error) {
      const fault = asFault(error)
      exchange.record.refusal = fault
      logCause(log, exchange, fault)
      return problem(exchange, fault)
    }
  }
}

async function readOnly(exchange: Received, page: Page): Promise<HttpResponse> {
  const { request } = exchange
  const allow = 'GET, HEAD, OPTIONS'
  if (isReading(request)) return page(request)
  return request.method === 'OPTIONS' ? emptyResponse({ allow }) : notAllowed(exchange, allow)
}

/** Health probes are answered whatever their address owes. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

const NOT_STORED = { headers: { 'cache-control': 'no-store' } }

/** The probe of the store, and what a request has met in it. */
export function createReadiness({ store, log }: Pick<AppOptions, 'store' | 'log'>) {
  // This path needs no key, so checks of the store are limited to one per `HEALTH_EVERY_MS`.
  const readVersion = atMostEvery(HEALTH_EVERY_MS, () => store.version())
  const advice = 'Stop every server of it, run `operations check`, and restore a backup.'
  const damaged = `The store ${store.name} is damaged. ${advice}`
  let isDamaged = false
  let isStopping = false
  // A read-only store still counts as ready: otherwise it would take every instance out of the load balancer.
  const page: Page = async (request) => {
    if (isDamaged) throw new Fault('UNAVAILABLE', damaged)
    if (isStopping) throw new Overloaded('This server is stopping.')
    try {
      await readVersion()
      const { isWritable: writes, whyNot: reason } = await store.health()
      const state = { status: 'ready', writes, reason, version: VERSION, commit: COMMIT }
      return respond(request, Content.json(state), NOT_STORED)
    } catch (cause) {
      throw new Fault('UNAVAILABLE', 'The store cannot be read.', { cause })
    }
  }
  const see = (fault: Fault | undefined): void => {
    if (isDamaged || !fault || !isDamage(fault)) return
    isDamaged = true
    log.error(damaged)
  }
  const stop = (): void => {
    isStopping = true
  }
  return { page, see, stop }
}
