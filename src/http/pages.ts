import { createHash } from 'node:crypto'
import type { GraphQLSchema } from 'graphql'
import { DESCRIPTION } from '../about.js'
import { openapi } from './openapi/document.js'
import { compiledRoutes } from './rest/compiledRoutes.js'
import { Content, respond } from './wire/content.js'
import { preferredType } from './wire/negotiation.js'
import type { HttpRequest, HttpResponse } from './wire/request.js'

export interface GraphiqlOptions {
  readonly endpoint: string
  /** Prefilled in GraphiQL for requests from this machine; set only by the demo. */
  readonly demoKey: string | undefined
}

const FIRST_QUERY = `# Your API key goes into "Headers", below.
# "Docs", top left, lists all types and fields.

query TopRisks {
  risks(first: 5) {
    totalCount
    nodes {
      rank
      score
      level
      title
      project { key name }
      owner { name email }
    }
  }
}
`

/** `Host` must be loopback itself: another name that resolves to it could belong to a DNS rebinding page. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

/** The demo's key, for a page that is opened on this machine. */
export function keyForPage(request: HttpRequest, demoKey: string | undefined): string | undefined {
  return LOOPBACK.test(request.header('host') ?? '') ? demoKey : undefined
}

/** Under which the pages keep the key of a tab, so that it is pasted once for all of them. */
export const TAB_KEY_NAME = 'operations.key'

/** Serves GraphiQL with all of its assets inlined: the page loads nothing from other hosts. */
export function createGraphiql({ endpoint, demoKey }: GraphiqlOptions) {
  const pages = new Map<string, Promise<{ content: Content; policy: string }>>()
  return async (request: HttpRequest): Promise<HttpResponse> => {
    const key = keyForPage(request, demoKey) ?? '<API_KEY>'
    const page = pages.get(key) ?? renderGraphiql(endpoint, key)
    pages.set(key, page)
    const { content, policy } = await page
    return respond(request, content, { headers: { 'content-security-policy': policy } })
  }
}

/** Puts the key of the tab into the headers, if another page was given one. */
const WITH_TAB_KEY = `YogaGraphiQL.renderYogaGraphiQL = ((render) => (root, options) => {
  const key = sessionStorage.getItem('${TAB_KEY_NAME}')
  const headers = key && JSON.stringify({ Authorization: 'Bearer ' + key }, null, 2)
  return render(root, headers ? { ...options, defaultHeaders: headers } : options)
})(YogaGraphiQL.renderYogaGraphiQL);
`

async function renderGraphiql(endpoint: string, key: string): Promise<{ content: Content; policy: string }> {
  // Imported lazily: 9 MB of script that most servers never use.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const headers = JSON.stringify({ Authorization: `Bearer ${key}` }, null, 2)
  const page = renderGraphiQL({
    title: 'Operations Gateway: GraphiQL',
    endpoint,
    defaultHeaders: headers,
    defaultQuery: FIRST_QUERY,
    defaultEditorToolsVisibility: 'headers',
    shouldPersistHeaders: false,
    credentials: 'same-origin',
  }).trimStart()
  const call = page.lastIndexOf('YogaGraphiQL.renderYogaGraphiQL(')
  const html = `${page.slice(0, call)}${WITH_TAB_KEY}${page.slice(call)}`
  const script = html.slice(html.indexOf('<script>') + '<script>'.length, html.lastIndexOf('</script>'))
  const hash = createHash('sha256').update(script).digest('base64')
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "connect-src 'self'",
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { content: new Content('text/html; charset=utf-8', Buffer.from(html)), policy }
}

export function wantsPage(request: HttpRequest): boolean {
  const accept = request.header('accept') ?? ''
  return request.method === 'GET' && accept.includes('text/html') && preferredType(accept, ['text/html']) !== undefined
}

const FRONT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The front page: links to both APIs, and a table of the REST routes. */
export function createFrontPage(schema: GraphQLSchema, basePath: string, hasGraphiql: boolean) {
  const content = lazily(
    () => new Content('text/html; charset=utf-8', Buffer.from(frontPage(schema, basePath, hasGraphiql))),
  )
  return (request: HttpRequest) => respond(request, content(), { headers: { 'content-security-policy': FRONT_POLICY } })
}

/** Built lazily on first use, and kept: most processes never serve these pages. */
export function lazily<V>(make: () => V): () => V {
  let made: V | undefined
  return () => {
    made ??= make()
    return made
  }
}

function frontPage(schema: GraphQLSchema, basePath: string, hasGraphiql: boolean): string {
  const rows = compiledRoutes(schema).map(({ route, rootField, scope }) => {
    return `<tr><td>${route.method}</td><td><code>${basePath}${route.path}</code></td><td>${scope ?? 'any key'}</td><td>${rootField.description}</td></tr>`
  })
  const explore = hasGraphiql ? ` Explore it in <a href="${basePath}/graphql">GraphiQL</a>.` : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Operations Gateway</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } td { padding: .25rem .75rem .25rem 0; vertical-align: top; border-top: 1px solid #ddd; }
code { font-size: .9em; }
</style>
</head>
<body>
<h1>Operations Gateway</h1>
<p>${DESCRIPTION}</p>
<p>GraphQL is at <code>${basePath}/graphql</code>.${explore}
REST is at <code>${basePath}/v1</code>, described by <a href="${basePath}/v1/openapi.json">its OpenAPI document</a>.
Both require the header <code>Authorization: Bearer &lt;API_KEY&gt;</code>.</p>
<table>
${rows.join('\n')}
</table>
</body>
</html>
`
}

export function createOpenapiPage(schema: GraphQLSchema, basePath: string) {
  const content = lazily(() => Content.json(openapi(schema, basePath)))
  return (request: HttpRequest) => respond(request, content())
}
