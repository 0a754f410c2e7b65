import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { PACKAGE } from '../../about.js'
import { lazily } from '../../caches.js'
import type { AppOptions } from '../options.js'
import { Content, respond } from '../wire/content.js'
import type { HttpRequest, HttpResponse } from '../wire/request.js'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Markup that may be put into a page as it is. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | readonly Part[] | undefined

/** A tagged template for HTML: values are escaped, unless they are `Html` themselves. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, index) => text + shown(parts[index])).join(''))
}

function shown(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(shown).join('')
  return String(part).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
}

/** Words in which backquotes mark code and line breaks are kept. */
export function words(text: string): Html {
  const parts = text.split(/`([^`]+)`/)
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

export type Page = (request: HttpRequest) => Promise<HttpResponse>

/** `Host` must be loopback itself: another name that resolves to it could belong to a DNS rebinding page. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

/** The `sessionStorage` item with the key of a tab, shared by all pages. */
const TAB_KEY_NAME = 'operations.key'

/** Files below one folder, whose name changes with any of them. */
export interface Assets {
  readonly folder: string
  readonly files: ReadonlyMap<string, Content>
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

export type Files = readonly (readonly [name: string, bytes: Uint8Array])[]

/** A digest of the names and contents of files. */
export function digestOf(files: Files): string {
  const hash = createHash('sha256')
  for (const [name, bytes] of files) hash.update(name).update(bytes)
  return hash.digest('hex').slice(0, 16)
}

/** Scripts and style sheets as assets. */
export function assetsOf(path: string, files: Files, digest = digestOf(files)): Assets {
  const contents = files.map(([name, { buffer, byteOffset, byteLength }]) => {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? ''
    return [name, new Content(type, Buffer.from(buffer, byteOffset, byteLength))] as const
  })
  return { folder: `${path}${digest}`, files: new Map(contents) }
}

const readAssets = lazily((): Assets => {
  const folder = new URL('dist/web/', PACKAGE)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(js|css)$/.test(name))
  return assetsOf(
    '/assets/',
    names.sort().map((name) => [name, readFileSync(new URL(name, folder))]),
  )
})

export function modulesOf(name: string): readonly string[] {
  const { files } = readAssets()
  const found = new Set([name])
  for (const one of found) {
    const text = files.get(one)?.bytes.toString() ?? ''
    for (const [, imported = ''] of text.matchAll(/^(?:import|export) .*?from '(\..+?)'/gm)) {
      found.add(posix.join(posix.dirname(one), imported))
    }
  }
  return [...found]
}

export const styleSheet = (name: string) => `styles/${name}.css`

/** Its path has the hash of its content, so it never changes. */
const KEPT = { 'cache-control': 'public, max-age=31536000, immutable' }

/** The page at a path, if it is one of these assets. */
export function assetIn({ folder, files }: Assets, path: string): Page | undefined {
  const content = path.startsWith(`${folder}/`) ? files.get(path.slice(folder.length + 1)) : undefined
  return content && ((request) => respond(request, content, { headers: KEPT }))
}

/** The page at a path below the base path, if it is a module or a style sheet of the pages. */
export function assetAt(path: string): Page | undefined {
  return path.startsWith('/assets/') ? assetIn(readAssets(), path) : undefined
}

export type PageOptions = Pick<AppOptions, 'basePath' | 'graphiql' | 'demoKey' | 'frameAncestors' | 'tokens'>

interface Shell {
  readonly title: string
  readonly description: string
  /** The module that runs, and those that it imports; other assets by their path. */
  readonly modules: readonly string[]
  readonly styles: readonly string[]
  /** Values for its script, as `data-` attributes of the body. */
  readonly data?: Readonly<Record<string, string>>
  /** What the page needs beyond the common content security policy. */
  readonly policy?: Readonly<Record<string, string>>
  readonly body: () => Html
}

/** Serves a page; with the demo's key in it, if the request is from this machine. */
export function createPage(options: PageOptions, shell: () => Shell | Promise<Shell>): Page {
  const render = async (key: string) => {
    const shown = await shell()
    return {
      content: new Content('text/html; charset=utf-8', Buffer.from(document(options, shown, key))),
      policy: () => policyOf(options, shown.policy),
    }
  }
  const withKey = lazily(() => render(options.demoKey ?? ''))
  const withoutKey = lazily(() => render(''))
  return async (request) => {
    const { content, policy } = await (LOOPBACK.test(request.header('host') ?? '') ? withKey : withoutKey)()
    return respond(request, content, { headers: { 'content-security-policy': policy() } })
  }
}

/** For each request: the provider of tokens may become known after the page was built. */
function policyOf({ frameAncestors = "'none'", tokens }: PageOptions, own: Shell['policy'] = {}): string {
  // Of a provider that was away at the start, for the next page.
  if (tokens?.settings.signIn && !tokens.provider.endpoints) void tokens.provider.read()
  const tokenUrl = tokens?.settings.signIn && tokens.provider.endpoints?.token
  const directives = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'connect-src': tokenUrl === undefined ? "'self'" : `'self' ${new URL(tokenUrl).origin}`,
    'img-src': "'self' data:",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': frameAncestors,
    ...own,
  }
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ')
}

/** No favicon is served, and a browser would ask for one. */
const NO_ICON = 'data:,'

function document(options: PageOptions, shell: Shell, demoKey: string): string {
  const { basePath, graphiql, tokens } = options
  const { folder } = readAssets()
  const at = (name: string) => `${basePath}${name.startsWith('/') ? name : `${folder}/${name}`}`
  const data = {
    'base-path': basePath,
    ...(graphiql && { graphiql: 'true' }),
    ...(demoKey !== '' && { 'demo-key': demoKey }),
    'key-name': TAB_KEY_NAME,
    ...(tokens?.settings.signIn && { 'sign-in': `${basePath}/sign-in` }),
    ...shell.data,
  }
  const [main = ''] = shell.modules
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${shell.description}">
<meta name="color-scheme" content="light dark">
<title>${shell.title}</title>
<link rel="icon" href="${NO_ICON}">
${shell.styles.map((name) => html`<link rel="stylesheet" href="${at(name)}">\n`)}${
  // Preloaded, because the browser would find imports of imports one after the other.
  shell.modules.map((name) => html`<link rel="modulepreload" href="${at(name)}">\n`)
}<script type="module" src="${at(main)}"></script>
</head>
<body${Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)}>
${shell.body()}</body>
</html>
`.text
}
