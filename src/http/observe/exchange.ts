import { createHash, randomUUID } from 'node:crypto'
import { parse, print, visit } from 'graphql'
import type { Logger } from 'pino'
import { KeyRefused, type Principal } from '../../auth/principal.js'
import { type Fault, Overloaded } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import type { ChangeCounter, Versions } from '../../store/changeCounters.js'
import { withoutValues } from '../../store/faults.js'
import { Work } from '../../work.js'
import { RequestDeadline } from '../deadline.js'
import type { HttpRequest, HttpResponse } from '../wire/request.js'

/** A request as it was received: the first step. */
export interface Received {
  readonly request: HttpRequest
  readonly requestId: string
  readonly startedAt: number
  readonly deadline: RequestDeadline
  /** The remote address of the socket, if known. */
  readonly address: string | undefined
  /** The headers that belong to this request alone. */
  readonly headers: Record<string, string>
  /** Called when the response is ready: to release what it took. */
  readonly onReady: (() => void)[]
  readonly record: RequestRecord
}

/** The second step: its key has been checked, and charged for it. */
export interface Identified extends Received {
  readonly principal: Principal
  /** The versions under which the key was checked, from before any data of the response was read. */
  readonly versions: Promise<Versions>
  /** Whether the whole request had arrived when the key was checked. */
  readonly isWhole: boolean
}

export interface Answered {
  readonly response: HttpResponse
  /** The change counters that it depends on; undefined if keys with the same scopes may get different ones. */
  readonly reads?: readonly ChangeCounter[] | undefined
}

/** What is known of a request at its end: for the log, the metrics and the rate limit. */
export interface RequestRecord {
  keyId?: string
  /** The template of the path, such as `/v1/risks/{id}`; undefined while the path is unknown. */
  path?: string
  operation?: string | undefined
  /** Whether this is a mutation: an error after it is done must say that the change was made. */
  isChange: boolean
  /** The text of a GraphQL request, if it is valid; otherwise only its hash is known. */
  query?: string
  hash?: string | undefined
  /** The names of the parameters of a REST request. */
  parameters?: readonly string[]
  isCached: boolean
  /** The cost of the query, once it has been charged. */
  cost: number
  /** What the key has been charged so far, in tokens of its rate limit. */
  charged: number
  /** How long it has waited for a change. */
  waitedMs?: number
  statements: number
  /** How long its statements ran, and how long they had waited for a worker or a connection. */
  storeMs: number
  queuedMs: number
  readonly work: Work
  /** How many bytes of a body were parsed. */
  bodyBytes: number
  /** How many bytes of history and of kept responses it stored. */
  storedBytes: number
  /** The first error of the response, if it has one. */
  refusal?: Fault
  /** Whether a GraphQL response has data besides its errors. */
  hasData: boolean
}

/** The outcome of a request, for the log and the metrics. */
export interface Outcome {
  readonly status: number
  readonly ms: number
  readonly bytes: number
  readonly endsWith: number | undefined
}

/** W3C Trace Context: the trace id is the second part. */
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}

/** The accepted form of a client's `Request-Id`; any other is replaced by a new one. */
export const REQUEST_ID = /^[\w.:-]{1,100}$/

/** Takes over a `Request-Id` of the client, so that its log and ours can be correlated. */
export function received(
  request: HttpRequest,
  address: string | undefined,
  { deadlineMs = LIMITS.deadlineMs, monotonicMs }: { deadlineMs?: number; monotonicMs?: () => number },
): Received {
  const given = request.header('request-id')
  const requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID()
  const deadline = new RequestDeadline(deadlineMs, request)
  return {
    request,
    requestId,
    startedAt: deadline.since,
    deadline,
    address,
    headers: { 'request-id': requestId },
    onReady: [],
    record: {
      isChange: false,
      isCached: false,
      hasData: false,
      cost: 0,
      charged: 0,
      statements: 0,
      storeMs: 0,
      queuedMs: 0,
      bodyBytes: 0,
      storedBytes: 0,
      work: new Work(monotonicMs),
    },
  }
}

export function outcomeOf({ startedAt, record }: Received, { status, body, endsWith }: HttpResponse): Outcome {
  const { waitedMs = 0 } = record
  const ms = rounded(performance.now() - startedAt - waitedMs)
  return { status, ms, bytes: body?.length ?? 0, endsWith }
}

/** Logs the request; one that took longer than `slowMs` also as a warning. */
export function logOutcome(log: Logger, slowMs: number, of: Received, outcome: Outcome): void {
  const isSlow = outcome.ms > slowMs
  if (!isSlow && !log.isLevelEnabled('info')) return
  const line = lineOf(of, outcome)
  log.info(line, 'request')
  const { query } = of.record
  if (isSlow)
    log.warn({ ...line, ...(query && { query: withoutTexts(query).slice(0, QUERY_CHARACTERS) }) }, 'slow request')
}

/** How much of a query the line of a slow request shows. */
const QUERY_CHARACTERS = 500

/** The name of a query in the log. */
export function queryHash(query: string): string {
  return createHash('sha256').update(query).digest('hex').slice(0, 12)
}

/** A valid query in one line, without its strings: they may name a person. */
export function withoutTexts(query: string): string {
  const blank = visit(parse(query), { StringValue: (node) => ({ ...node, value: '', block: false }) })
  return print(blank).replace(/\s+/g, ' ')
}

/** Logs the cause of a server error, which the response does not show. */
export function logCause(log: Logger, { requestId }: Received, fault: Fault): void {
  const { code, cause } = fault
  if (fault instanceof Overloaded) return
  if (code === 'INTERNAL' || code === 'UNAVAILABLE') {
    log.error({ requestId, err: withoutValues(cause) }, 'request failed')
  }
}

/** The log line of a request; it never contains the key itself. */
function lineOf({ request, requestId, address, record }: Received, { status, ms, bytes }: Outcome) {
  // Never the path as sent: it may name a person or have a key in it, in any spelling.
  const { refusal, path, operation, query, parameters, cost, isCached, statements, waitedMs } = record
  const keyId = record.keyId ?? (refusal instanceof KeyRefused ? refusal.keyId : undefined)
  // Other errors may quote the request, which must not get into the log.
  const isOfAccess = refusal?.code === 'UNAUTHENTICATED' || refusal?.code === 'INSUFFICIENT_SCOPE'
  // Members that are undefined are left out. A literal, since spreading made this the dearest part of a cached response.
  return {
    requestId,
    trace: TRACE_PARENT.exec(request.header('traceparent') ?? '')?.[1],
    keyId,
    method: request.method,
    path,
    operation,
    hash: query === undefined ? record.hash : queryHash(query),
    status,
    ms,
    bytes,
    parameters: parameters?.length === 0 ? undefined : parameters,
    waitedMs: waitedMs && Math.round(waitedMs),
    isCached,
    cost,
    statements,
    storeMs: rounded(record.storeMs),
    queuedMs: rounded(record.queuedMs),
    workMs: rounded(record.work.totalMs),
    work: record.work.shown,
    code: refusal?.code,
    reason: isOfAccess ? refusal.message : undefined,
    address: isOfAccess ? address : undefined,
  }
}
