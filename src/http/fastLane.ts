import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticate, Principal } from '../auth/principal.js'
import { LIMITS } from '../limits.js'
import type { Store } from '../store/store.js'
import { type Closing, closeExchange, type Exchange, ownHeaders } from './exchange.js'
import { isOpen } from './paths.js'
import type { Rates } from './rates.js'
import { type ReadyAnswer, ReadyAnswers } from './readyAnswers.js'
import { bytesOf, isUnchanged } from './represent.js'

interface FastLaneOptions extends Closing {
  readonly store: Store
  readonly authenticate: Authenticate
  readonly rates: Rates
  readonly basePath: string
  readonly readyBytesMax: number
}

/** A request, whether it came by node:http or by fetch. */
interface Asked {
  readonly method: string
  /** The path and the query. */
  readonly target: string
  header(name: string): string | undefined
  /** Reads the body, and leaves it where the door will look for it. */
  body(): Promise<Buffer>
}

interface Reply {
  readonly status: 200 | 304
  readonly headers: Record<string, string>
  readonly body: Buffer | undefined
}

/**
 * Gives an answer again that was given before, as long as nothing has changed since
 * (docs/decisions/0004-ready-answers.md). The doors know nothing of it: what is asked comes here first, and what they
 * answer passes by here.
 */
export interface FastLane {
  /** The answer, if there is one ready; if not, it is for the door to give. */
  ready(asked: Asked, exchange: Exchange): Promise<Reply | undefined>
  /** Keeps what a door has answered, if it may be given again. */
  keep(exchange: Exchange, answer: Response): void
}

/** Under what an answer may be kept: what was asked for, with which scopes, and of which version. */
interface Place {
  readonly version: number
  readonly key: string
}

export function createFastLane({
  store,
  authenticate,
  rates,
  basePath,
  readyBytesMax,
  ...closing
}: FastLaneOptions): FastLane {
  const answers = new ReadyAnswers(readyBytesMax)
  const places = new WeakMap<Exchange, Place>()

  /** The answer that is ready, charged for; what is not, is noted so that it can be kept. */
  const find = async (asked: Asked, exchange: Exchange): Promise<ReadyAnswer | undefined> => {
    const authorization = asked.header('authorization') ?? null
    const isQuery = asked.method === 'POST'
    if (isQuery) await rates.admit(authorization, exchange)
    const body = isQuery ? (await asked.body()).toString('latin1') : ''
    let read: Promise<number> | undefined
    const version = () => (read ??= store.version())
    // A body can take its time, and the key may have been revoked meanwhile.
    const principal = await (isQuery
      ? authenticate(authorization, version)
      : rates.admit(authorization, exchange, version))
    return found(await version(), keyOf(asked, body, principal), exchange)
  }

  const found = (version: number, key: string, exchange: Exchange): ReadyAnswer | undefined => {
    const ready = answers.find(version, key)
    if (!ready) places.set(exchange, { version, key })
    else if (exchange.principal) rates.chargeQuery(exchange.principal, exchange, ready.cost)
    return ready
  }

  return {
    async ready(asked, exchange) {
      if (readyBytesMax === 0 || !(isReading(asked, basePath) || isSmallQuery(asked, basePath))) return undefined
      // Whatever is wrong with it, the door says so.
      const found = await find(asked, exchange).catch(() => undefined)
      if (!found) return undefined
      exchange.operation = found.operation
      const isSame = isUnchanged(asked.header('if-none-match'), found.headers['etag'])
      if (isSame) rates.refundUnchanged(exchange)
      const reply = replyOf(asked, found, isSame)
      const { method, target: url } = asked
      closeExchange(exchange, closing, { method, url, status: reply.status, bytes: reply.body?.length ?? 0 })
      return { ...reply, headers: { ...reply.headers, ...ownHeaders(exchange) } }
    },
    keep(exchange, answer) {
      const place = places.get(exchange)
      const bytes = bytesOf(answer)
      if (!place || !bytes || answer.status !== 200 || exchange.refusal || !exchange.isShared) return
      const { operation, cost } = exchange
      answers.keep(place.version, place.key, { headers: Object.fromEntries(answer.headers), bytes, operation, cost })
    },
  }
}

function isReading({ method, target }: Asked, basePath: string): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || !target.startsWith(`${basePath}/v1/`)) return false
  const [path = ''] = target.slice(basePath.length).split('?', 1)
  // Nobody is asked for a key there, nor charged.
  return !isOpen(path)
}

function isSmallQuery({ method, target, header }: Asked, basePath: string): boolean {
  if (method !== 'POST' || target !== `${basePath}/graphql` || header('content-encoding') !== undefined) return false
  const bytes = Number(header('content-length'))
  return bytes > 0 && bytes <= LIMITS.readyQueryBytesMax
}

/** Everything that an answer can depend on, besides what is stored. */
function keyOf({ method, target, header }: Asked, body: string, { scopes }: Principal): string {
  const door = method === 'POST' ? 'POST' : 'GET'
  const headers = [header('accept'), header('accept-encoding'), header('content-type'), header('origin')]
  return [door, target, ...headers, wordsOf(scopes), body].join('\n')
}

const scopeWords = new WeakMap<Principal['scopes'], string>()

function wordsOf(scopes: Principal['scopes']): string {
  const known = scopeWords.get(scopes) ?? [...scopes].sort().join(' ')
  scopeWords.set(scopes, known)
  return known
}

function replyOf({ method }: Asked, { headers, bytes }: ReadyAnswer, isSame: boolean): Reply {
  if (isSame) {
    const { 'content-type': _, 'content-length': __, 'content-encoding': ___, ...rest } = headers
    return { status: 304, headers: rest, body: undefined }
  }
  return { status: 200, headers, body: method === 'HEAD' ? undefined : bytes }
}

/** A request of node:http. */
export function askedOfNode(request: IncomingMessage): Asked {
  const { method = 'GET', url = '', headers } = request
  return {
    method,
    target: url,
    header: (name) => headers[name] as string | undefined,
    async body() {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      Object.assign(request, { body })
      return body
    },
  }
}

export function sendToNode(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, headers).end(body)
}

/** A request of fetch. */
export function askedOfFetch(request: Request): Asked {
  const { pathname, search } = new URL(request.url)
  return {
    method: request.method,
    target: pathname + search,
    header: (name) => request.headers.get(name) ?? undefined,
    body: async () => Buffer.from(await request.clone().arrayBuffer()),
  }
}

export function responseOf({ status, headers, body }: Reply): Response {
  return new Response(body === undefined ? null : new Uint8Array(body), { status, headers })
}
