import { LIMITS } from '../../limits.js'
import { REQUEST_ID } from '../observe/exchange.js'
import type { JsonSchema } from './jsonSchema.js'

/** The headers of every response to GET. */
export const CACHE_HEADERS = ['ETag', 'Cache-Control', 'Vary']

/** The response headers, as components. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'Request-Id': header('The id of this request in the log: the one that the client sent, or a new one.'),
  ETag: header('Changes with the content; send it as `If-None-Match` when reading, or as `If-Match` when changing.'),
  'Cache-Control': header('Responses are private, and must be revalidated with their ETag.'),
  Vary: header('The request headers that the response depends on.'),
  'Content-Disposition': header('The name under which browsers save the response.'),
  Link: header('The next page, as `rel="next"`, if there is one; on `/v1/changes` always.'),
  Location: header('The path of the new resource.'),
  'Accept-Patch': header('The media types that PATCH accepts (RFC 5789).'),
  'WWW-Authenticate': header('The authentication scheme, and why the key was refused (RFC 6750).'),
  'Retry-After': header('The number of seconds to wait before a retry.'),
  'RateLimit-Policy': header('The rate limit of the key, if there is one: `"key";q=6000;w=60`.'),
  RateLimit: header('The remaining quota, and the seconds until it is full again: `"key";r=999;t=1`.'),
  'Idempotency-Replayed': header('`true` if this is the response to an earlier request with the same Idempotency-Key.'),
}

/** Headers that a response has only if the rate is limited. */
export const RATE_LIMIT_HEADERS = ['RateLimit-Policy', 'RateLimit']

/** The request headers, as components. */
export const HEADER_PARAMETERS = {
  RequestId: parameter('Request-Id', "The client's own id for this request, used in the response and the log.", {
    pattern: REQUEST_ID.source,
  }),
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'A unique token for this request, such as a UUID. If the same request is sent again within a day, nothing is done ' +
      'twice and the first response is returned; with a different request it is a 422, and while the first runs a 409.',
    { minLength: 1, maxLength: LIMITS.idempotencyKeyCharactersMax },
  ),
  IfNoneMatch: parameter(
    'If-None-Match',
    'The ETag of an earlier response; if nothing has changed since, the response is a 304 without a body.',
  ),
  IfMatch: parameter(
    'If-Match',
    'The ETag that the change is based on; if the resource has changed since, nothing is done: a 412.',
  ),
  IfMatchAny: parameter('If-Match', 'This path has no ETag: only `*` matches, and any other value is a 412.', {
    const: '*',
  }),
}

function header(description: string): JsonSchema {
  return { description, schema: { type: 'string' } }
}

function parameter(name: string, description: string, bounds: JsonSchema = {}): JsonSchema {
  return { name, in: 'header', description, schema: { type: 'string', ...bounds } }
}
