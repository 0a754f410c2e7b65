import { emptyResponse } from './content.js'
import type { HttpRequest, HttpResponse } from './request.js'

/** The security headers of every response: no MIME sniffing, no framing, no referrer. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
}

/** Defaults that a response may override: not cached, and no script or resource may load. */
export const DEFAULT_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** What a page of another origin may send and see. */
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Request-Id',
  'access-control-max-age': '600',
}
const EXPOSED = 'ETag, Link, Location, Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed'

/** CORS for a comma-separated list of origins, and the security headers. */
export function createResponseHeaders(origins: string) {
  const allowed = new Set(origins.split(',').flatMap((origin) => origin.trim() || []))
  const allowedOrigin = (request: HttpRequest): string | undefined => {
    const origin = request.header('origin')
    return origin !== undefined && allowed.has(origin) ? origin : undefined
  }
  return {
    /** The response to a preflight request; undefined if it is none, or its origin is not allowed. */
    preflight(request: HttpRequest): HttpResponse | undefined {
      const isPreflight = request.method === 'OPTIONS' && request.header('access-control-request-method') !== undefined
      return isPreflight && allowedOrigin(request) !== undefined ? emptyResponse(PREFLIGHT_HEADERS) : undefined
    },
    /** The headers of a handler's response and these; `own` are those of the exchange. */
    complete(
      request: HttpRequest,
      headers: HttpResponse['headers'],
      own: HttpResponse['headers'],
    ): HttpResponse['headers'] {
      const all: Record<string, string> = {}
      // Not spread: that takes five times as long.
      Object.assign(all, DEFAULT_HEADERS, headers, SECURITY_HEADERS, own)
      if (allowed.size === 0) return all
      all['vary'] = [headers['vary'], 'Origin'].filter(Boolean).join(', ')
      const origin = allowedOrigin(request)
      if (origin === undefined) return all
      return Object.assign(all, { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED })
    },
  }
}
