import { randomUUID } from 'node:crypto'
import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import type { Principal } from '../auth/principal.js'
import { Content, isFinal, respond } from './represent.js'

/** What is known of a request besides itself, from its arrival to its line in the log. */
export interface Exchange {
  readonly requestId: string
  readonly startedAt: number
  principal?: Principal
  /** The route or the name of the operation, for the log. */
  operation?: string
}

const exchanges = new WeakMap<Request, Exchange>()

/** What a caller's own Request-Id may look like. */
export const REQUEST_ID = /^[\w.:-]{1,100}$/

/** A caller may bring its own `Request-Id`, so that both logs tell the same story. */
function openExchange(request: Request): Exchange {
  const given = request.headers.get('request-id')
  const requestId = given && REQUEST_ID.test(given) ? given : randomUUID()
  const exchange = { requestId, startedAt: performance.now() }
  exchanges.set(request, exchange)
  return exchange
}

export function exchangeOf(request: Request): Exchange {
  return exchanges.get(request) ?? openExchange(request)
}

/** Opens each request and closes it: its id, its headers, its line in the log. */
export function useExchange(log: Logger): Plugin {
  return {
    onRequest({ request }) {
      openExchange(request)
    },
    async onResponse({ request, response, setResponse }) {
      const { requestId, startedAt, principal, operation } = exchangeOf(request)
      const answer = await finished(request, response)
      answer.headers.set('request-id', requestId)
      answer.headers.set('x-content-type-options', 'nosniff')
      if (!answer.headers.has('cache-control')) answer.headers.set('cache-control', 'no-store')
      setResponse(answer)
      const { method, url } = request
      const ms = Math.round((performance.now() - startedAt) * 10) / 10
      log.info(
        { requestId, keyId: principal?.keyId, method, path: pathOf(url), operation, status: answer.status, ms },
        'request',
      )
    },
  }
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
