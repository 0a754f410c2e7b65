import { el } from './dom.js'
import { dropSession, renewed } from './signIn.js'
import { T } from './texts.js'

/** The `data-` attributes that the server sets on the body. */
const { basePath = '', demoKey, graphiql, keyName = '' } = document.body.dataset

export const base = basePath
export const hasGraphiql = graphiql !== undefined

/** The key of this tab, or the token of who has signed in, kept in `sessionStorage`; empty after the user has removed it, so that the demo's is not used. */
export const key = {
  get current(): string | undefined {
    return (sessionStorage.getItem(keyName) ?? demoKey) || undefined
  },
  /** What to offer for a new one. */
  suggested: demoKey ?? '',
  keep(secret: string): void {
    dropSession()
    sessionStorage.setItem(keyName, secret)
    cache.clear()
  },
  forget(): void {
    key.keep('')
  },
}

export class Refused extends Error {
  readonly status: number
  /** What was refused, if it was the value of a parameter. */
  readonly parameter: string

  constructor(status: number, message: string, parameter = '') {
    super(message)
    this.status = status
    this.parameter = parameter
  }
}

/** The service or the provider did not answer: the message says which. */
export class Away extends Error {}

/** The last bodies, by path: sent again only when they have changed. */
const cache = new Map<string, { readonly tag: string; readonly body: unknown }>()
const CACHED_MAX = 20

export async function send(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
  await renewed().catch(() => {
    throw new Away(T.signInSilent)
  })
  const authorization = `Bearer ${key.current ?? ''}`
  // The page holds the bodies itself; the browser's cache would answer for a service that is away.
  const request = { ...init, headers: { authorization, ...headers }, cache: 'no-store' } as const
  const response = await fetch(`${base}${path}`, request).catch(() => {
    throw new Away(T.unreachable)
  })
  if (response.ok || response.status === 304) return response
  const problem = await response.json().catch(() => ({}))
  const why = problem.detail ?? problem.errors?.[0]?.message
  if ([502, 503, 504].includes(response.status)) throw new Away(why ?? T.unreachable)
  throw new Refused(response.status, why ?? response.statusText)
}

/** Reads JSON; the same object again while it has not changed. */
export async function read<Body>(path: string): Promise<Body> {
  const before = cache.get(path)
  const headers = { accept: 'application/json', ...(before && { 'if-none-match': before.tag }) }
  const response = await send(path, { headers })
  // A path always has bodies of the same type.
  if (response.status === 304 && before) return before.body as Body
  const body = await response.json()
  const tag = response.headers.get('etag')
  cache.delete(path)
  if (tag) cache.set(path, { tag, body })
  for (const oldest of cache.keys()) if (cache.size > CACHED_MAX) cache.delete(oldest)
  return body
}

interface Result<Data> {
  readonly data?: Data | null
  readonly errors?: readonly { message: string; extensions?: { errors?: readonly { parameter?: string }[] } }[]
}

/** Common proxies refuse a longer URL. */
const URL_MAX = 7_000

/** Runs a query; any error in the result is thrown. */
export async function query<Data>(text: string, variables: object): Promise<Data> {
  const path = `/graphql${graphqlQuery(text, variables)}`
  const isLong = base.length + path.length > URL_MAX
  const { data, errors } = await (isLong ? post<Data>(text, variables) : read<Result<Data>>(path))
  const [first] = errors ?? []
  if (first || !data) throw new Refused(200, first?.message ?? '', first?.extensions?.errors?.[0]?.parameter)
  return data
}

async function post<Data>(text: string, variables: object): Promise<Result<Data>> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const body = JSON.stringify({ query: text, variables })
  return (await send('/graphql', { method: 'POST', headers, body })).json()
}

/** The query of a URL at which this GraphQL query is sent, or shown by GraphiQL. */
export function graphqlQuery(text: string, variables: object): string {
  return `?${new URLSearchParams({ query: text, variables: JSON.stringify(variables) })}`
}

/** Downloads what only a request with the key gets. */
export async function download(path: string, name: string): Promise<void> {
  const url = URL.createObjectURL(await (await send(path)).blob())
  el('a', { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}
