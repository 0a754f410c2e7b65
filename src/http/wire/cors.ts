import { emptyResponse } from './content.js'
import type { HttpRequest, HttpResponse } from './request.js'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const HEADERS = 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Request-Id'
const SHOWN = 'ETag, Link, Location, Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed'
const KEPT_SECONDS = '600'

/**
 * CORS for the configured origins, a comma-separated list. If it is empty, no CORS headers are sent and browsers block
 * all cross-origin pages.
 */
export function createCors(origins: string) {
  const allowed = new Set(origins.split(',').flatMap((origin) => origin.trim() || []))
  /** The `Origin` of the request if it is allowed. */
  const allowedOrigin = (request: HttpRequest): string | undefined => {
    const origin = request.header('origin')
    return origin !== undefined && allowed.has(origin) ? origin : undefined
  }
  return {
    allowedOrigin,
    /** The response to a preflight request; undefined if it is none, or its origin is not allowed. */
    preflight(request: HttpRequest): HttpResponse | undefined {
      const isPreflight = request.method === 'OPTIONS' && request.header('access-control-request-method') !== undefined
      if (!isPreflight || allowedOrigin(request) === undefined) return undefined
      return emptyResponse({
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': HEADERS,
        'access-control-max-age': KEPT_SECONDS,
      })
    },
    /** Adds the CORS headers for an origin to those of a response. */
    headersFor(origin: string | undefined, headers: HttpResponse['headers']): HttpResponse['headers'] {
      if (allowed.size === 0) return headers
      const vary = [headers['vary'], 'Origin'].filter(Boolean).join(', ')
      if (origin === undefined) return { ...headers, vary }
      return { ...headers, vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': SHOWN }
    },
  }
}
