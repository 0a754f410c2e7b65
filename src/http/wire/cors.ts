import { emptyResponse } from './content.js'
import type { HttpRequest, HttpResponse } from './request.js'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const HEADERS = 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Request-Id'
const SHOWN = 'ETag, Link, Location, Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed'
const KEPT_SECONDS = '600'

/** CORS for the configured origins. With none, no CORS headers are sent and browsers block all cross-origin pages. */
interface Cors {
  /** The response to a preflight request; undefined if it is none, or its origin is not allowed. */
  preflight(request: HttpRequest): HttpResponse | undefined
  /** The `Origin` of the request if it is allowed. */
  allowedOrigin(request: HttpRequest): string | undefined
  /** Adds the CORS headers for an origin to those of a response. */
  headersFor(origin: string | undefined, headers: HttpResponse['headers']): HttpResponse['headers']
}

/** `origins` is a comma-separated list, which may be empty. */
export function createCors(origins: string): Cors {
  const allowed = new Set(origins.split(',').flatMap((origin) => origin.trim() || []))
  const allowedOrigin = (request: HttpRequest) => {
    const origin = request.header('origin')
    return origin !== undefined && allowed.has(origin) ? origin : undefined
  }
  return {
    allowedOrigin,
    preflight(request) {
      const isPreflight = request.method === 'OPTIONS' && request.header('access-control-request-method') !== undefined
      if (!isPreflight || allowedOrigin(request) === undefined) return undefined
      return emptyResponse({
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
