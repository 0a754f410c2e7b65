import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { KeyRefused, type Principal } from '../auth/principal.js'
import type { Fault } from '../errors.js'
import { GUARDS, NO_CONTENT_POLICY } from './guards.js'
import { Content, isFinal, respond } from './represent.js'

/** What is known of a request besides itself, from its arrival to its line in the log. */
export interface Exchange {
  readonly requestId: string
  readonly startedAt: number
  principal?: Principal
  /** The route or the name of the operation. */
  operation?: string
  /** Where the request comes from, as far as the socket tells. */
  address?: string | undefined
  /** How many statements it took. */
  statements: number
  /** Why it was refused, if it was. */
  refusal?: Fault
  /** The limit that the key is under, and what is left of it, as the headers tell it. */
  rate?: { readonly policy: string; readonly level: string }
}

/** An exchange that is over. */
export interface Finished extends Exchange {
  readonly method: string
  readonly status: number
  readonly ms: number
  readonly bytes: number
}

const exchanges = new WeakMap<Request, Exchange>()

/** What a caller's own Request-Id may look like. */
export const REQUEST_ID = /^[\w.:-]{1,100}$/

/** A caller may bring its own `Request-Id`, so that both logs tell the same story. */
function openExchange(request: Request): Exchange {
  const given = request.headers.get('request-id')
  const requestId = given && REQUEST_ID.test(given) ? given : randomUUID()
  const exchange: Exchange = { requestId, startedAt: performance.now(), statements: 0 }
  exchanges.set(request, exchange)
  return exchange
}

export function exchangeOf(request: Request): Exchange {
  return exchanges.get(request) ?? openExchange(request)
}

export function countStatement(exchange: Exchange): void {
  exchange.statements += 1
}

interface ExchangeOptions {
  readonly log: Logger
  /** A request that takes longer gets a line of its own. */
  readonly slowMs: number
  /** Called before the headers go out, when nothing has changed since the caller last asked. */
  readonly onUnchanged: (exchange: Exchange) => void
  readonly onFinished: (exchange: Finished) => void
}

/** Opens each request and closes it: its id, its headers, its line in the log. */
export function useExchange({ log, slowMs, onUnchanged, onFinished }: ExchangeOptions): Plugin {
  return {
    onRequest({ request, serverContext }) {
      openExchange(request).address = addressOf(serverContext)
    },
    async onResponse({ request, response, setResponse }) {
      const exchange = exchangeOf(request)
      const answer = await finished(request, response)
      if (answer.status === 304) onUnchanged(exchange)
      for (const [name, value] of Object.entries(headersOf(exchange))) answer.headers.set(name, value)
      if (!answer.headers.has('cache-control')) answer.headers.set('cache-control', 'no-store')
      if (!answer.headers.has('content-security-policy')) {
        answer.headers.set('content-security-policy', NO_CONTENT_POLICY)
      }
      setResponse(answer)
      const over: Finished = {
        ...exchange,
        method: request.method,
        status: answer.status,
        ms: Math.round((performance.now() - exchange.startedAt) * 10) / 10,
        bytes: request.method === 'HEAD' ? 0 : Number(answer.headers.get('content-length') ?? 0),
      }
      onFinished(over)
      const line = lineOf(over, request.url)
      log.info(line, 'request')
      if (over.ms > slowMs) log.warn(line, 'slow request')
    },
  }
}

/** What failed on our side, for whoever reads the log; the caller is only told that it did. */
export function logCause(log: Logger, { requestId }: Exchange, { code, cause }: Fault): void {
  if (code === 'INTERNAL' || code === 'UNAVAILABLE') log.error({ requestId, err: cause }, 'request failed')
}

function headersOf({ requestId, rate }: Exchange): Record<string, string> {
  return {
    'request-id': requestId,
    ...GUARDS,
    ...(rate && { 'ratelimit-policy': rate.policy, ratelimit: rate.level }),
  }
}

/** One line a request; never the key itself, and why a caller was refused. */
function lineOf({ requestId, principal, refusal, operation, ...over }: Finished, url: string) {
  const { method, status, ms, bytes, statements, address } = over
  const keyId = principal?.keyId ?? (refusal instanceof KeyRefused ? refusal.keyId : undefined)
  // Other refusals may quote what was sent, which is no business of the log.
  const isOfAccess = refusal?.code === 'UNAUTHENTICATED' || refusal?.code === 'INSUFFICIENT_SCOPE'
  const why = refusal && { code: refusal.code, ...(isOfAccess && { reason: refusal.message, address }) }
  return { requestId, keyId, method, path: pathOf(url), operation, status, ms, bytes, statements, ...why }
}

// Embedded behind another server's fetch there is no socket, and whoever embeds knows its callers.
function addressOf(serverContext: unknown): string | undefined {
  const { req } = Object(serverContext) as { req?: IncomingMessage }
  return req?.socket.remoteAddress
}

// Answers of Yoga and problems come here as they were made; the rest has its final form already.
async function finished(request: Request, response: Response): Promise<Response> {
  const type = response.headers.get('content-type')
  if (isFinal(response) || response.body === null || type === null) return response
  // Yoga's headers keep the case they were written in, and two cases would make two headers.
  const {
    'content-type': _,
    'content-length': __,
    ...headers
  } = Object.fromEntries([...response.headers].map(([name, value]) => [name.toLowerCase(), value]))
  const content = new Content(type, Buffer.from(await response.arrayBuffer()))
  return respond(request, content, { status: response.status, headers })
}

function pathOf(url: string): string {
  return new URL(url, 'http://localhost').pathname
}
