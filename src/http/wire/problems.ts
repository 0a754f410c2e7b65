import { randomUUID } from 'node:crypto'
import { KeyMissing } from '../../auth/principal.js'
import { CATALOGUE, type Code, Fault, Overloaded, RateExceeded } from '../../errors.js'
import { Content, respond } from './content.js'
import type { HttpRequest, HttpResponse } from './request.js'
import { DEFAULT_HEADERS, SECURITY_HEADERS } from './responseHeaders.js'

/** The HTTP status of each code of the catalogue. */
export const STATUS: Record<Code, number> = {
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  INSUFFICIENT_SCOPE: 403,
  NOT_FOUND: 404,
  // Clients and gateways expect this error with status 200.
  PERSISTED_QUERY_NOT_FOUND: 200,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  CURSOR_GONE: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_FAILED: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  TOO_COMPLEX: 400,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 503,
}

/** In seconds; longer after a deadline, since an immediate retry would likely exceed it again. */
const RETRY_AFTER: Partial<Record<Code, string>> = { UNAVAILABLE: '1', DEADLINE_EXCEEDED: '10' }

export function problemType(code: Code): string {
  return `urn:operations-gateway:problem:${code.toLowerCase().replaceAll('_', '-')}`
}

/** A fault as `application/problem+json` (RFC 9457). */
export function problem(
  { request, requestId }: { readonly request: HttpRequest; readonly requestId: string },
  fault: Fault,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  const { status, headers: own, type, body } = problemParts(fault, requestId)
  return respond(request, new Content(type, body), { status, headers: { ...headers, ...own } })
}

/** A 405, which must list the allowed methods in `Allow` (RFC 9110, 15.5.6). */
export function notAllowed(exchange: Parameters<typeof problem>[0], allow: string, hint = ''): Promise<HttpResponse> {
  const sentence = `${exchange.request.method} is not supported here. Use one of ${allow}.${hint}`
  return problem(exchange, new Fault('METHOD_NOT_ALLOWED', sentence), { allow })
}

/** A complete response for a request that failed before, or outside of, its exchange. */
export function bareProblem(fault: Fault) {
  const requestId = randomUUID()
  const { status, headers, type, body } = problemParts(fault, requestId)
  const rest = { 'content-type': type, 'content-length': String(body.length), 'request-id': requestId }
  return { status, headers: { ...headers, ...DEFAULT_HEADERS, ...SECURITY_HEADERS, ...rest }, body }
}

function problemParts(fault: Fault, requestId: string) {
  const { code, message: detail, violations, requiredScope, existingId } = fault
  const body = {
    type: problemType(code),
    title: CATALOGUE[code],
    status: STATUS[code],
    detail,
    code,
    requestId,
    ...(requiredScope && { requiredScope }),
    ...(existingId && { existingId }),
    ...(violations.length > 0 && { errors: violations }),
  }
  const type = 'application/problem+json'
  return { status: STATUS[code], headers: faultHeaders(fault), type, body: Buffer.from(JSON.stringify(body)) }
}

/** The headers that HTTP requires with an error, in whatever form it is sent. */
export function faultHeaders(fault: Fault): Record<string, string> {
  if (fault instanceof RateExceeded || fault instanceof Overloaded)
    return { 'retry-after': String(fault.retryAfterSeconds) }
  const retryAfter = RETRY_AFTER[fault.code]
  if (retryAfter) return { 'retry-after': retryAfter }
  const challenge = challengeOf(fault)
  return challenge === undefined ? {} : { 'www-authenticate': `Bearer realm="operations"${challenge}` }
}

// RFC 6750, 3.1: without any credentials, the challenge has no error code.
function challengeOf(fault: Fault): string | undefined {
  if (fault instanceof KeyMissing) return ''
  if (fault.code === 'UNAUTHENTICATED') return ', error="invalid_token"'
  if (fault.code !== 'INSUFFICIENT_SCOPE') return undefined
  const { requiredScope: scope } = fault
  return `, error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`
}
