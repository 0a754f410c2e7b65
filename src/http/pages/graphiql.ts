import { createHash } from 'node:crypto'
import { Content, respond } from '../wire/content.js'
import { preferredType } from '../wire/negotiation.js'
import type { HttpRequest, HttpResponse } from '../wire/request.js'
import { keyForPage, TAB_KEY_NAME } from './shell.js'

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
