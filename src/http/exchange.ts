import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { KeyRefused, type Principal } from '../auth/principal.js'
import type { Fault } from '../errors.js'

/** What is known of a request besides itself, from its arrival to its line in the log. */
export interface Exchange {
  readonly requestId: string
  readonly startedAt: number
  /** Where the request comes from, as far as the socket tells. */
  readonly address: string | undefined
  /** Who is calling, once asked; nobody is charged twice for one request. */
  admission?: Promise<Principal>
  principal?: Principal
  /** The route or the name of the operation. */
  operation?: string | undefined
  /** What the query costs. */
  cost: number
  /** Whether every key with the same scopes gets the same answer, as long as nothing changes. */
  isShared: boolean
  /** How many statements it took. */
  statements: number
  /** Why it was refused, if it was. */
  refusal?: Fault
  /** The limit that the key is under, and what is left of it, as the headers tell it. */
  rate?: { readonly policy: string; readonly level: string }
}

/** What became of an exchange. */
export interface Outcome {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly ms: number
  readonly bytes: number
}

/** By the request of fetch or of node:http, whichever came first. */
const exchanges = new WeakMap<object, Exchange>()

/** What a caller's own Request-Id may look like. */
export const REQUEST_ID = /^[\w.:-]{1,100}$/

/** A caller may bring its own `Request-Id`, so that both logs tell the same story. */
function openExchange(given: string | null | undefined, address: string | undefined): Exchange {
  const requestId = given && REQUEST_ID.test(given) ? given : randomUUID()
  return { requestId, startedAt: performance.now(), address, statements: 0, cost: 0, isShared: false }
}

export function exchangeOf(request: Request): Exchange {
  const exchange = exchanges.get(request) ?? openExchange(request.headers.get('request-id'), undefined)
  exchanges.set(request, exchange)
  return exchange
}

/** The same for a request as it comes from node:http, which fetch will see as its own. */
export function exchangeOfNode(request: IncomingMessage): Exchange {
  const { headers, socket } = request
  const exchange = exchanges.get(request) ?? openExchange(headers['request-id'] as string, socket.remoteAddress)
  exchanges.set(request, exchange)
  return exchange
}

/** Lets a request of fetch go on with the exchange of the one of node:http that it stands for. */
export function adoptExchange(request: Request, node: IncomingMessage): void {
  exchanges.set(request, exchangeOfNode(node))
}

export function countStatement(exchange: Exchange): void {
  exchange.statements += 1
}

/** Who is told of an exchange when it is over. */
export interface Closing {
  readonly log: Logger
  /** A request that takes longer gets a line of its own. */
  readonly slowMs: number
  readonly onFinished: (exchange: Exchange, outcome: Outcome) => void
}

/** The headers that belong to this one exchange. */
export function ownHeaders({ requestId, rate }: Exchange): Record<string, string> {
  return { 'request-id': requestId, ...(rate && { 'ratelimit-policy': rate.policy, ratelimit: rate.level }) }
}

/** Tells the log and the metrics what became of a request. */
export function closeExchange(
  exchange: Exchange,
  { log, slowMs, onFinished }: Closing,
  { method, url, status, bytes }: Omit<Outcome, 'ms'>,
): void {
  const ms = Math.round((performance.now() - exchange.startedAt) * 10) / 10
  const outcome = { method, url, status, ms, bytes }
  onFinished(exchange, outcome)
  const isSlow = ms > slowMs
  if (!isSlow && !log.isLevelEnabled('info')) return
  const line = lineOf(exchange, outcome)
  log.info(line, 'request')
  if (isSlow) log.warn(line, 'slow request')
}

/** What failed on our side, for whoever reads the log; the caller is only told that it did. */
export function logCause(log: Logger, { requestId }: Exchange, { code, cause }: Fault): void {
  if (code === 'INTERNAL' || code === 'UNAVAILABLE') log.error({ requestId, err: cause }, 'request failed')
}

/** One line a request; never the key itself, and why a caller was refused. */
function lineOf(exchange: Exchange, { method, url, status, ms, bytes }: Outcome) {
  const { requestId, principal, refusal, operation, statements, address } = exchange
  const keyId = principal?.keyId ?? (refusal instanceof KeyRefused ? refusal.keyId : undefined)
  // Other refusals may quote what was sent, which is no business of the log.
  const isOfAccess = refusal?.code === 'UNAUTHENTICATED' || refusal?.code === 'INSUFFICIENT_SCOPE'
  const why = refusal && { code: refusal.code, ...(isOfAccess && { reason: refusal.message, address }) }
  return { requestId, keyId, method, path: pathOf(url), operation, status, ms, bytes, statements, ...why }
}

function pathOf(url: string): string {
  return new URL(url, 'http://localhost').pathname
}
