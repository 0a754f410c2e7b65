import { lazily } from '../../caches.js'
import type { Gate, Protocol } from '../gate.js'
import { openapi } from '../openapi/document.js'
import { Content, emptyResponse, respond } from '../wire/content.js'
import { notAllowed } from '../wire/problems.js'
import { isReading } from '../wire/request.js'
import { graphiqlAssetAt } from './graphiql.js'
import { createOverview } from './overview.js'
import { createReference } from './reference.js'
import { assetAt, type Page } from './shell.js'
import { createSignedIn, createSignIn } from './signIn.js'

/** What is public: pages and their assets, the document of the API, and the probes. */
export function createPages({ options, readiness, requireCredit }: Gate): Protocol {
  const { basePath, graphiql, overview, tokens } = options
  const reference = createReference(options)
  const front = overview === false ? reference : createOverview(options)
  const openapiDocument = lazily(() => Content.json(openapi(basePath)))
  const pages = new Map<string, Page>([
    ['', front],
    ['/', front],
    ['/v1', reference],
    ['/v1/', reference],
    ['/v1/openapi.json', (request) => respond(request, openapiDocument())],
    ['/healthz', readiness.alive],
    ['/readyz', readiness.ready],
  ])
  if (tokens?.settings.signIn) pages.set('/sign-in', createSignIn(tokens)).set('/signed-in', createSignedIn(options))
  const pageAt = (path: string) => pages.get(path) ?? assetAt(path) ?? (graphiql ? graphiqlAssetAt(path) : undefined)

  return {
    serves: (path) => pageAt(path) !== undefined,
    async handle(exchange, path) {
      const { request, record } = exchange
      record.path = basePath + (pages.has(path) ? path : '/assets/{file}')
      if (!PROBES.has(path)) requireCredit(exchange)
      const allow = 'GET, HEAD, OPTIONS'
      const page = pageAt(path)
      if (page && isReading(request)) return page(request)
      return request.method === 'OPTIONS' ? emptyResponse({ allow }) : notAllowed(exchange, allow)
    },
  }
}

/** Health probes are answered whatever their address owes. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
