import { SCOPES } from '../../auth/scopes.js'
import { CATALOGUE, type Code } from '../../errors.js'
import { problemType, STATUS } from '../wire/problems.js'
import { PROBLEM_EXAMPLES } from './examples.js'
import { headersOf, type JsonSchema, ref } from './jsonSchema.js'

/** Errors that no operation lists: they occur before a route is matched, or for a method that it lacks. */
const OUTSIDE: readonly Code[] = ['METHOD_NOT_ALLOWED', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE']
const OF_REST = (Object.keys(CATALOGUE) as Code[]).filter((code) => code !== 'PERSISTED_QUERY_NOT_FOUND')
const CODES = OF_REST.filter((code) => !OUTSIDE.includes(code))

const HEADERS_OF: Readonly<Record<string, readonly string[]>> = {
  '401': ['WWW-Authenticate'],
  '403': ['WWW-Authenticate'],
  '429': ['Retry-After'],
  '503': ['Retry-After'],
}

/** The error responses by component name: one for each status, and a 415 with `Accept-Patch` for PATCH. */
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
    ...PROBLEM_EXAMPLES[code],
  }
  return {
    description: codes.map((one) => `${one}: ${CATALOGUE[one]}.`).join(' '),
    headers: headersOf(['Request-Id', ...own, ...also]),
    content: { 'application/problem+json': { schema: ref('schemas', 'Problem'), example } },
  }
}

export function problemSchemas(): JsonSchema {
  return { Problem: problemSchema(), ProblemError: PROBLEM_ERROR }
}

const PROBLEM_ERROR: JsonSchema = {
  type: 'object',
  description: 'One error in the request.',
  required: ['detail'],
  properties: {
    pointer: { type: 'string', description: 'The place in the body, as a JSON Pointer (RFC 6901).' },
    parameter: { type: 'string', description: 'The name of the parameter.' },
    detail: { type: 'string', description: 'What is wrong, and what to send instead.' },
  },
}

function problemSchema(): JsonSchema {
  return {
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
      errors: {
        type: 'array',
        items: ref('schemas', 'ProblemError'),
        description: 'Each error in the request.',
      },
    },
  }
}
