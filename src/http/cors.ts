import type { Answer, Asked } from './asked.js'
import { emptyAnswer } from './represent.js'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const HEADERS = 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Request-Id'
const SHOWN = 'ETag, Link, Location, Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed'
const KEPT_SECONDS = '600'

/** Lets pages of some origins call, and no others: without a list, browsers keep every foreign page out. */
export interface Cors {
  /** The answer to a browser that asks whether it may ask. */
  preflight(asked: Asked): Answer | undefined
  /** The origin of a page that may call; undefined of all others. */
  allowedOrigin(asked: Asked): string | undefined
  /** The headers of an answer, with what a browser at that origin wants to see in them. */
  headersFor(origin: string | undefined, headers: Answer['headers']): Answer['headers']
}

/** `origins` has commas between them; it may be empty. */
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
