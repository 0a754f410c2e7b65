import { randomUUID } from 'node:crypto'
import type { Principal } from '../auth/principal.js'

/** What is known of a request besides itself, from its arrival to its line in the log. */
export interface Exchange {
  readonly requestId: string
  readonly startedAt: number
  principal?: Principal
  /** The route or the name of the operation, for the log. */
  operation?: string
}

const exchanges = new WeakMap<Request, Exchange>()

const USABLE_ID = /^[\w.:-]{1,100}$/

/** A caller may bring its own `Request-Id`, so that both logs tell the same story. */
export function openExchange(request: Request): Exchange {
  const given = request.headers.get('request-id')
  const requestId = given && USABLE_ID.test(given) ? given : randomUUID()
  const exchange = { requestId, startedAt: performance.now() }
  exchanges.set(request, exchange)
  return exchange
}

export function exchangeOf(request: Request): Exchange {
  return exchanges.get(request) ?? openExchange(request)
}
