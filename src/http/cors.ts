import type { Plugin } from 'graphql-yoga'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const HEADERS = 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Request-Id'
const SHOWN = 'ETag, Link, Location, Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed'
const KEPT_SECONDS = '600'

/** Lets pages of these origins call, and no others: without a list, browsers keep every foreign page out. */
export function useCors(origins: string): Plugin {
  const allowed = new Set(origins.split(',').flatMap((origin) => origin.trim() || []))
  const allowedOrigin = (request: Request) => {
    const origin = request.headers.get('origin')
    return origin !== null && allowed.has(origin) ? origin : undefined
  }
  return {
    onRequest({ request, endResponse }) {
      const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
      if (!isPreflight || allowedOrigin(request) === undefined) return
      const headers = {
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': HEADERS,
        'access-control-max-age': KEPT_SECONDS,
      }
      endResponse(new Response(null, { status: 204, headers }))
    },
    onResponse({ request, response }) {
      if (allowed.size === 0) return
      response.headers.append('vary', 'Origin')
      const origin = allowedOrigin(request)
      if (origin === undefined) return
      response.headers.set('access-control-allow-origin', origin)
      response.headers.set('access-control-expose-headers', SHOWN)
    },
  }
}
