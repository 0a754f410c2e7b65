import { SCOPES } from '../auth/scopes.js'
import { CATALOGUE, type Code } from '../errors.js'
import { headersOf, type JsonSchema } from './jsonSchema.js'
import { problemType, STATUS } from './problems.js'

/** Refusals that do not belong to a path and its methods. */
const OUTSIDE: readonly Code[] = ['METHOD_NOT_ALLOWED', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE']
const OF_REST = (Object.keys(CATALOGUE) as Code[]).filter((code) => code !== 'PERSISTED_QUERY_NOT_FOUND')
const CODES = OF_REST.filter((code) => !OUTSIDE.includes(code))

const HEADERS_OF: Readonly<Record<string, readonly string[]>> = {
  '401': ['WWW-Authenticate'],
  '403': ['WWW-Authenticate'],
  '429': ['Retry-After'],
  '503': ['Retry-After'],
}

/** The refusals, by the name of their component: one for each status, and that of a PATCH. */
export function problemResponses(): JsonSchema {
  const statuses = [...new Set(CODES.map((code) => String(STATUS[code])))]
  const unsupported = String(STATUS.UNSUPPORTED_MEDIA_TYPE)
  return {
    ...Object.fromEntries(statuses.map((status) => [`Problem${status}`, problemResponse(status)])),
    [`Patch${unsupported}`]: problemResponse(unsupported, ['Accept-Patch']),
  }
}

function problemResponse(status: string, also: readonly string[] = []): JsonSchema {
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
  }
  return {
    description: codes.map((one) => `${one}: ${CATALOGUE[one]}.`).join(' '),
    headers: headersOf(['Request-Id', ...own, ...also]),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example } },
  }
}

export function problemSchema(): JsonSchema {
  const flaw = {
    type: 'object',
    required: ['detail'],
    properties: {
      pointer: { type: 'string', description: 'Where in the body, as a JSON Pointer.' },
      parameter: { type: 'string', description: 'Which parameter.' },
      detail: { type: 'string', description: 'What would be right.' },
    },
  }
  return {
    type: 'object',
    description: 'What went wrong (RFC 9457).',
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
    properties: {
      type: { type: 'string', format: 'uri', description: 'Stable for each code.' },
      title: { type: 'string', description: 'The kind of problem, in words.' },
      status: { type: 'integer', description: 'The HTTP status.' },
      detail: { type: 'string', description: 'What happened, and what to change.' },
      code: { type: 'string', enum: OF_REST, description: 'The kind of problem, for programs.' },
      requestId: { type: 'string', description: 'The id of the request in the log.' },
      requiredScope: { type: 'string', enum: Object.keys(SCOPES), description: 'The scope that the key lacks.' },
      existingId: { type: 'string', description: 'The id of what is already there.' },
      errors: { type: 'array', items: flaw, description: 'Each thing that is wrong with what was sent.' },
    },
  }
}
