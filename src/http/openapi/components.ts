import { SCOPES } from '../../auth/scopes.js'
import { CATALOGUE, type Code } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { REQUEST_ID } from '../observe/exchange.js'
import { problemType, STATUS } from '../wire/problems.js'
import { PROBLEM_EXAMPLES } from './examples.js'
import { headersOf, type JsonObject, type JsonSchema, ref } from './jsonSchema.js'

/** The headers of every response to GET. */
export const CACHE_HEADERS = ['ETag', 'Cache-Control', 'Vary']

/** The response headers, as components. */
export const HEADERS: Readonly<Record<string, JsonObject>> = {
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

function header(description: string): JsonObject {
  return { description, schema: { type: 'string' } }
}

function parameter(name: string, description: string, bounds: JsonSchema = {}): JsonObject {
  return { name, in: 'header', description, schema: { type: 'string', ...bounds } }
}

/** Errors that no operation lists: they occur before a route is matched, or for a method that it lacks. */
const OUTSIDE: readonly Code[] = ['METHOD_NOT_ALLOWED', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE']
const OF_REST = (Object.keys(CATALOGUE) as Code[]).filter((code) => code !== 'PERSISTED_QUERY_NOT_FOUND')
const CODES = OF_REST.filter((code) => !OUTSIDE.includes(code))

const UNSUPPORTED = String(STATUS.UNSUPPORTED_MEDIA_TYPE)

const HEADERS_OF: Readonly<Record<string, readonly string[]>> = {
  '401': ['WWW-Authenticate'],
  '403': ['WWW-Authenticate'],
  '429': ['Retry-After'],
  '503': ['Retry-After'],
}

/** The error response of a status. The 415 of a PATCH has an `Accept-Patch` header. */
export function problemRef(status: string, method: string): JsonObject {
  const isOfPatch = method === 'PATCH' && status === UNSUPPORTED
  return ref('responses', isOfPatch ? `Patch${status}` : `Problem${status}`)
}

/** The error responses by component name: one for each status, and a 415 for PATCH. */
export function problemResponses(): JsonObject {
  const statuses = [...new Set(CODES.map((code) => String(STATUS[code])))]
  return {
    ...Object.fromEntries(statuses.map((status) => [`Problem${status}`, problemResponse(status)])),
    [`Patch${UNSUPPORTED}`]: problemResponse(UNSUPPORTED, ['Accept-Patch']),
  }
}

function problemResponse(status: string, also: readonly string[] = []): JsonObject {
  const codes = CODES.filter((code) => String(STATUS[code]) === status)
  const own = HEADERS_OF[status] ?? []
  const [code = 'INTERNAL'] = codes
  const example = {
    type: problemType(code),
    title: CATALOGUE[code],
    status: Number(status),
    detail: `${CATALOGUE[code]}.`,
    code,
    requestId: '7d0c1a52-6f3e-4b8a-9c35-3f1f6f0a9e11',
    ...PROBLEM_EXAMPLES[code],
  }
  return {
    description: codes.map((one) => `${one}: ${CATALOGUE[one]}.`).join(' '),
    headers: headersOf(['Request-Id', ...own, ...also]),
    content: { 'application/problem+json': { schema: ref('schemas', 'Problem'), example } },
  }
}

/** The schemas that no GraphQL type has. */
export const COMMON_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Page: {
    type: 'object',
    description: 'The position of this page in its list.',
    required: ['next', 'total'],
    properties: {
      next: {
        type: ['string', 'null'],
        description: 'The cursor of the next page, to send as `cursor`; null on the last page.',
      },
      total: {
        type: ['integer', 'null'],
        description: 'The number of matching entries with `total=true`; otherwise null.',
      },
    },
  },
  FeedPage: {
    type: 'object',
    description:
      'Where to resume. A feed has no last page: never stop because of `next`, which is always there, also on an empty page.',
    required: ['next', 'more'],
    properties: {
      next: {
        type: 'string',
        description:
          'Store it after processing the page, and send it as `cursor` of the next request, now or after a restart. Never null.',
      },
      more: {
        type: 'boolean',
        description:
          'Whether more changes are there already: if true, ask again at once; if false, ask again later or with `wait`.',
      },
    },
  },
  Problem: {
    type: 'object',
    description: 'Problem details of an error (RFC 9457).',
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
    properties: {
      type: { type: 'string', format: 'uri', description: 'Identifies the kind of problem; stable for each code.' },
      title: { type: 'string', description: 'The kind of problem, for people.' },
      status: { type: 'integer', description: 'The HTTP status.' },
      detail: { type: 'string', description: 'What happened, and what to change.' },
      code: { type: 'string', enum: OF_REST, description: 'The kind of problem, for programs.' },
      requestId: { type: 'string', description: 'The id of the request in the log.' },
      requiredScope: { type: 'string', enum: Object.keys(SCOPES), description: 'The scope that the key lacks.' },
      existingId: { type: 'string', description: 'The id of the existing resource.' },
      errors: { type: 'array', items: ref('schemas', 'ProblemError'), description: 'Each error in the request.' },
    },
  },
  ProblemError: {
    type: 'object',
    description: 'One error in the request.',
    required: ['detail'],
    properties: {
      pointer: { type: 'string', description: 'The place in the body, as a JSON Pointer (RFC 6901).' },
      parameter: { type: 'string', description: 'The name of the parameter.' },
      detail: { type: 'string', description: 'What is wrong, and what to send instead.' },
    },
  },
}
