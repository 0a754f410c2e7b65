import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { PACKAGE } from '../about.js'
import { LEVEL_FLOORS } from '../vocabulary.js'
import { T } from '../web/texts.js'
import { keyForPage, lazily, TAB_KEY_NAME } from './pages.js'
import { Content, respond } from './wire/content.js'
import type { HttpRequest, HttpResponse } from './wire/request.js'

export interface OverviewOptions {
  readonly basePath: string
  readonly graphiql: boolean
  readonly demoKey?: string | undefined
  /** Who may show the page in a frame, as in the CSP directive. */
  readonly frameAncestors?: string | undefined
}

type Page = (request: HttpRequest) => Promise<HttpResponse>

/** The overview: a static page, and the modules of its client of the API. */
export interface OverviewPages {
  readonly page: Page
  /** The page at a path below the base path, if it is one of its modules or style sheets. */
  readonly assetAt: (path: string) => Page | undefined
}

/** The built modules of `src/web`, below one folder whose name changes with any of them. */
interface Assets {
  readonly folder: string
  readonly files: ReadonlyMap<string, Content>
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

const readAssets = lazily((): Assets => {
  const folder = new URL('dist/web/', PACKAGE)
  const hash = createHash('sha256')
  const files = new Map<string, Content>()
  for (const name of readdirSync(folder).sort()) {
    const type = /\.(js|css)$/.exec(name)?.[1]
    if (!type) continue
    const bytes = readFileSync(new URL(name, folder))
    hash.update(name).update(bytes)
    files.set(name, new Content(TYPES[type] ?? '', bytes))
  }
  return { folder: `/assets/${hash.digest('hex').slice(0, 16)}`, files }
})

/** Its name has the hash of its content, so it never changes. */
const KEPT = { 'cache-control': 'public, max-age=31536000, immutable' }

export function createOverview(options: OverviewOptions): OverviewPages {
  const policy = policyOf(options.frameAncestors ?? "'none'")
  const pages = new Map<string, Content>()
  return {
    async page(request) {
      const key = keyForPage(request, options.demoKey) ?? ''
      const content = pages.get(key) ?? new Content('text/html; charset=utf-8', Buffer.from(html(options, key)))
      pages.set(key, content)
      return respond(request, content, { headers: { 'content-security-policy': policy } })
    },
    assetAt(path) {
      if (!path.startsWith('/assets/')) return undefined
      const { folder, files } = readAssets()
      const content = path.startsWith(`${folder}/`) ? files.get(path.slice(folder.length + 1)) : undefined
      return content && ((request) => respond(request, content, { headers: KEPT }))
    },
  }
}

function policyOf(frameAncestors: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors}`,
  ].join('; ')
}

/** No favicon is served, and a browser would ask for one. */
const NO_ICON = 'data:,'

function html({ basePath, graphiql }: OverviewOptions, demoKey: string): string {
  const { folder, files } = readAssets()
  const at = (name: string) => `${basePath}${folder}/${name}`
  // In the order of their names, in which the style sheet for print comes after the one that it changes.
  const named = (ending: string) => [...files.keys()].filter((name) => name.endsWith(ending))
  // Preloaded, because the browser would find imports of imports one after the other.
  const preloads = named('.js').map((name) => `<link rel="modulepreload" href="${at(name)}">`)
  const styles = named('.css').map((name) => `<link rel="stylesheet" href="${at(name)}">`)
  const data = {
    'base-path': basePath,
    ...(graphiql && { graphiql: 'true' }),
    ...(demoKey !== '' && { 'demo-key': demoKey }),
    'key-name': TAB_KEY_NAME,
    levels: JSON.stringify(LEVEL_FLOORS),
  }
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${value.replaceAll('"', '&quot;')}"`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${T.description}">
<meta name="color-scheme" content="light dark">
<title>${T.documentTitle}</title>
<link rel="icon" href="${NO_ICON}">
${styles.join('\n')}
${preloads.join('\n')}
<script type="module" src="${at('main.js')}"></script>
</head>
<body${attributes.join('')}>
<noscript><p>${T.noScript} <a href="${basePath}/v1">${T.rest}</a>, <a href="${basePath}/v1/openapi.json">${T.openapi}</a>.</p></noscript>
</body>
</html>
`
}
