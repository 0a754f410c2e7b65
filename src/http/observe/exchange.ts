import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { KeyRefused, type Principal } from '../../auth/principal.js'
import { type Fault, Overloaded } from '../../errors.js'
import type { ChangeCounter, Versions } from '../../store/changeCounters.js'
import { withoutValues } from '../../store/faults.js'
import { RequestDeadline } from '../deadline.js'
import type { HttpRequest, HttpResponse } from '../wire/request.js'

/** The state of a request, from its arrival to its log line. */
export interface Exchange {
  readonly request: HttpRequest
  readonly requestId: string
  readonly startedAt: number
  readonly deadline: RequestDeadline
  /** The remote address of the socket, if known. */
  readonly address: string | undefined
  /** Set once the key has been checked. */
  principal?: Principal
  /** The versions under which the key was checked, from before any data of the response was read. */
  versions?: Promise<Versions> | undefined
  /** Whether the whole request had arrived when the key was checked. */
  isWhole?: boolean
  /** The template of the path, such as `/v1/risks/{id}`; undefined while the path is unknown. */
  path?: string
  /** The route or the name of the operation. */
  operation?: string | undefined
  /** The cost of the query, once it has been charged. */
  cost: number
  /** How long it has waited for a change. */
  waitedMs?: number
  /** What the key has been charged so far, in tokens of its rate limit. */
  charged: number
  /** Whether every key with the same scopes gets the same response, so that it can be cached. */
  isShared: boolean
  /** Whether this is a mutation: an error after it is done must say that the change was made. */
  isChange?: boolean
  /** Called when the response is ready: to release what the body took. */
  readonly onReady: (() => void)[]
  /** The number of SQL statements so far. */
  statements: number
  /** The change counters that the response depends on. */
  reads: readonly ChangeCounter[]
  /** How many bytes of a body were parsed. */
  bodyBytes?: number
  /** The first error of the response, if it has one. */
  refusal?: Fault
  /** Whether a GraphQL response has data besides its errors. */
  hasData?: boolean
  /** The headers that belong to this request alone. */
  readonly headers: Record<string, string>
}

/** The outcome of a request, for the log and the metrics. */
export interface Outcome {
  readonly status: number
  readonly ms: number
  readonly bytes: number
}

/** The accepted form of a client's `Request-Id`; any other is replaced by a new one. */
export const REQUEST_ID = /^[\w.:-]{1,100}$/

/** Takes over a `Request-Id` of the client, so that its log and ours can be correlated. */
export function openExchange(request: HttpRequest, address: string | undefined, deadlineMs: number): Exchange {
  const given = request.header('request-id')
  const requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID()
  const deadline = new RequestDeadline(deadlineMs, request)
  return {
    request,
    requestId,
    startedAt: deadline.since,
    deadline,
    address,
    statements: 0,
    reads: [],
    cost: 0,
    charged: 0,
    isShared: false,
    onReady: [],
    headers: { 'request-id': requestId },
  }
}

export function outcomeOf({ startedAt, waitedMs = 0 }: Exchange, { status, body }: HttpResponse): Outcome {
  const ms = Math.round((performance.now() - startedAt - waitedMs) * 10) / 10
  return { status, ms, bytes: body?.length ?? 0 }
}

/** Logs the request; one that took longer than `slowMs` also as a warning. */
export function logOutcome(log: Logger, slowMs: number, exchange: Exchange, outcome: Outcome): void {
  const isSlow = outcome.ms > slowMs
  if (!isSlow && !log.isLevelEnabled('info')) return
  const line = lineOf(exchange, outcome)
  log.info(line, 'request')
  if (isSlow) log.warn(line, 'slow request')
}

/** Logs the cause of a server error, which the response does not show. */
export function logCause(log: Logger, { requestId }: Exchange, fault: Fault): void {
  const { code, cause } = fault
  if (fault instanceof Overloaded) return
  if (code === 'INTERNAL' || code === 'UNAVAILABLE') {
    log.error({ requestId, err: withoutValues(cause) }, 'request failed')
  }
}

/** The log line of a request; it never contains the key itself. */
function lineOf(exchange: Exchange, { status, ms, bytes }: Outcome) {
  // Never the path as sent: it may name a person or have a key in it, in any spelling.
  const { request, requestId, principal, refusal, path, operation, statements, address } = exchange
  const keyId = principal?.keyId ?? (refusal instanceof KeyRefused ? refusal.keyId : undefined)
  // Other errors may quote the request, which must not get into the log.
  const isOfAccess = refusal?.code === 'UNAUTHENTICATED' || refusal?.code === 'INSUFFICIENT_SCOPE'
  const why = refusal && { code: refusal.code, ...(isOfAccess && { reason: refusal.message, address }) }
  const { method } = request
  const waited = exchange.waitedMs === undefined ? undefined : { waitedMs: Math.round(exchange.waitedMs) }
  return { requestId, keyId, method, path, operation, status, ms, ...waited, bytes, statements, ...why }
}
