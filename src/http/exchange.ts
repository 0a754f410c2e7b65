import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { KeyRefused, type Principal } from '../auth/principal.js'
import type { Fault } from '../errors.js'
import type { ExecutionReason } from '../graph/sql/statements.js'
import { withoutValues } from '../store/faults.js'
import { type Register, registersIn, type Versions } from '../store/registers.js'
import type { OnStatement } from '../store/store.js'
import type { Asked, Outgoing } from './asked.js'
import { Overloaded } from './bytesInFlight.js'
import { Waiting } from './waiting.js'

/** A request and what is known of it, from its arrival to its line in the log. */
export interface Exchange {
  readonly asked: Asked
  readonly requestId: string
  readonly startedAt: number
  readonly waiting: Waiting
  /** Where the request comes from, as far as the socket tells. */
  readonly address: string | undefined
  /** Who is calling, once the key was looked at. */
  principal?: Principal
  /** Those under which the key was looked at, before anything was read for the response. */
  versions?: Promise<Versions> | undefined
  /** Whether all of the request had come by then. */
  isWhole?: boolean
  /** The route or the name of the operation. */
  operation?: string | undefined
  /** What the query costs. */
  cost: number
  /** What the key has been charged. */
  charged: number
  /** Whether every key with the same scopes gets the same answer, as long as nothing changes. */
  isShared: boolean
  /** Whether it changes something, so that it must not be said to have failed once it is done. */
  isChange?: boolean
  /** What is held of its body until it is answered. */
  held?: { release(): void }
  /** How many statements it took. */
  statements: number
  /** The registers that they read. */
  reads?: Set<Register>
  /** Why its query was executed, if it was. */
  executedFor?: ExecutionReason
  /** Whether all of it had been done before, under its Idempotency-Key. */
  isReplay?: boolean
  /** Why it was refused, if it was. */
  refusal?: Fault
  /** The limit that the key is under, and what is left of it, as the headers tell it. */
  rate?: { readonly policy: string; readonly level: string }
}

/** What became of an exchange. */
export interface Outcome {
  readonly status: number
  readonly ms: number
  readonly bytes: number
}

/** What a caller's own Request-Id may look like. */
export const REQUEST_ID = /^[\w.:-]{1,100}$/

/** A caller may bring its own `Request-Id`, so that both logs tell the same story. */
export function openExchange(asked: Asked, address: string | undefined, deadlineMs: number): Exchange {
  const given = asked.header('request-id')
  const requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID()
  const waiting = new Waiting(deadlineMs, asked)
  return {
    asked,
    requestId,
    startedAt: waiting.since,
    waiting,
    address,
    statements: 0,
    cost: 0,
    charged: 0,
    isShared: false,
  }
}

/** Whoever works for an exchange tells it of every statement. */
export function noting(exchange: Exchange): OnStatement {
  return (text) => {
    exchange.statements += 1
    exchange.reads ??= new Set()
    for (const register of registersIn(text)) exchange.reads.add(register)
  }
}

/** Who is told of an exchange when it is over. */
export interface Closing {
  readonly log: Logger
  /** A request that takes longer gets a line of its own. */
  readonly slowMs: number
  readonly onFinished: (exchange: Exchange, outcome: Outcome) => void
}

/** Tells the log and the metrics what became of a request, and puts into the answer what belongs to it alone. */
export function closeExchange(exchange: Exchange, { log, slowMs, onFinished }: Closing, answer: Outgoing): Outgoing {
  const ms = Math.round((performance.now() - exchange.startedAt) * 10) / 10
  const outcome = { status: answer.status, ms, bytes: answer.body?.length ?? 0 }
  onFinished(exchange, outcome)
  const isSlow = ms > slowMs
  if (isSlow || log.isLevelEnabled('info')) {
    const line = lineOf(exchange, outcome)
    log.info(line, 'request')
    if (isSlow) log.warn(line, 'slow request')
  }
  const { requestId, rate } = exchange
  const headers = [...answer.headers, 'request-id', requestId]
  if (rate) headers.push('ratelimit-policy', rate.policy, 'ratelimit', rate.level)
  return { status: answer.status, headers, body: answer.body }
}

/** What failed on our side, for whoever reads the log; the caller is only told that it did. */
export function logCause(log: Logger, { requestId }: Exchange, fault: Fault): void {
  const { code, cause } = fault
  if (fault instanceof Overloaded) return
  if (code === 'INTERNAL' || code === 'UNAVAILABLE') {
    log.error({ requestId, err: withoutValues(cause) }, 'request failed')
  }
}

/** One line a request; never the key itself, and why a caller was refused. */
function lineOf(exchange: Exchange, { status, ms, bytes }: Outcome) {
  const { asked, requestId, principal, refusal, operation, statements, address } = exchange
  const keyId = principal?.keyId ?? (refusal instanceof KeyRefused ? refusal.keyId : undefined)
  // Other refusals may quote what was sent, which is no business of the log.
  const isOfAccess = refusal?.code === 'UNAUTHENTICATED' || refusal?.code === 'INSUFFICIENT_SCOPE'
  const why = refusal && { code: refusal.code, ...(isOfAccess && { reason: refusal.message, address }) }
  const { method, url } = asked
  return { requestId, keyId, method, path: url.pathname, operation, status, ms, bytes, statements, ...why }
}
