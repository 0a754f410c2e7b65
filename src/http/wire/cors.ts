import { emptyAnswer } from './content.js'
import type { Answer, Asked } from './request.js'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const HEADERS = 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Request-Id'
const SHOWN = 'ETag, Link, Location, Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed'
const KEPT_SECONDS = '600'

/** CORS for the configured origins. With none, no CORS headers are sent and browsers block all cross-origin pages. */
export interface Cors {
  /** The response to a preflight request; undefined if it is none, or its origin is not allowed. */
  preflight(asked: Asked): Answer | undefined
  /** The `Origin` of the request if it is allowed. */
  allowedOrigin(asked: Asked): string | undefined
  /** Adds the CORS headers for an origin to those of a response. */
  headersFor(origin: string | undefined, headers: Answer['headers']): Answer['headers']
}

/** `origins` is a comma-separated list, which may be empty. */
export function createCors(origins: string): Cors {
  const allowed = new Set(origins.split(',').flatMap((origin) => origin.trim() || []))
  const allowedOrigin = (asked: Asked) => {
    const origin = asked.header('origin')
    return origin !== undefined && allowed.has(origin) ? origin : undefined
  }
  return {
    allowedOrigin,
    preflight(asked) {
      const isPreflight = asked.method === 'OPTIONS' && asked.header('access-control-request-method') !== undefined
      if (!isPreflight || allowedOrigin(asked) === undefined) return undefined
      return emptyAnswer({
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': HEADERS,
        'access-control-max-age': KEPT_SECONDS,
      })
    },
    headersFor(origin, headers) {
      if (allowed.size === 0) return headers
      const vary = [headers['vary'], 'Origin'].filter(Boolean).join(', ')
      if (origin === undefined) return { ...headers, vary }
      return { ...headers, vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': SHOWN }
    },
  }
}
