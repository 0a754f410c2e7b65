import { type FragmentDefinitionNode, type GraphQLSchema, Kind } from 'graphql'
import { DESCRIPTION, VERSION } from '../about.js'
import { SCOPES } from '../auth/scopes.js'
import { CATALOGUE, type Code } from '../errors.js'
import { LIMITS } from '../limits.js'
import { REQUEST_ID } from './exchange.js'
import { boundsOf, exampleOf, type JsonSchema, JsonSchemas } from './jsonSchema.js'
import { problemType, STATUS } from './problems.js'
import { ROUTES } from './routes.js'
import { compile, type Parameter, type StoredOperation } from './stored.js'

/** The OpenAPI 3.1 document: everything in it follows from the route table, its operations and the schema. */
export function openapi(schema: GraphQLSchema, basePath = ''): JsonSchema {
  const operations = ROUTES.map((route) => compile(schema, route))
  const schemas = new JsonSchemas(fragmentsOf(operations))
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const operation of operations) {
    const { method, path } = operation.route
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(operation, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Operations Gateway',
      version: VERSION,
      description: `${DESCRIPTION} Every GET also answers HEAD. Bodies larger than ${LIMITS.bodyBytesMax} bytes are refused.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: tagsOf(operations),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: securityText() } },
      schemas: { ...schemas.components, Page: PAGE, Problem: problemSchema() },
      headers: HEADERS,
      parameters: HEADER_PARAMETERS,
      responses: problemResponses(),
    },
  }
}

function operationObject(operation: StoredOperation, schemas: JsonSchemas): JsonSchema {
  const { route, rootField, rootNode, scope, isList, parameters, input } = operation
  const isRead = route.method === 'GET'
  const answer = isList
    ? listSchema(schemas.output(rootField.type, rootNode.selectionSet))
    : notNull(schemas.output(rootField.type, rootNode.selectionSet))
  return {
    operationId: route.operation,
    summary: firstSentence(rootField.description ?? ''),
    description: `${rootField.description} ${scope ? `Needs the scope \`${scope}\`.` : 'Any valid key will do.'}`,
    tags: [tagOf(operation)],
    security: [{ apiKey: scope ? [scope] : [] }],
    parameters: [
      ...parameters.map((parameter) => parameterObject(parameter, schemas)),
      ref('parameters', 'RequestId'),
      ...(isRead ? [ref('parameters', 'IfNoneMatch')] : []),
    ],
    ...(input && { requestBody: { required: true, content: json(schemas.input(input), schemas) } }),
    responses: {
      [route.status]: {
        description: isRead ? 'The answer.' : 'It is stored.',
        headers: headersOf(['Request-Id', ...(isRead ? CACHE_HEADERS : ['Location']), ...(isList ? ['Link'] : [])]),
        content: json(answer, schemas),
      },
      ...(isRead && {
        304: { description: 'Not changed since.', headers: headersOf(['Request-Id', ...CACHE_HEADERS]) },
      }),
      ...Object.fromEntries(statusesOf(operation).map((status) => [status, ref('responses', `Problem${status}`)])),
    },
  }
}

function parameterObject({ name, in: place, type, use, defaultValue }: Parameter, schemas: JsonSchemas): JsonSchema {
  const schema = { ...schemas.input(type), ...boundsOf(use.extensions) }
  const isList = schema['type'] === 'array'
  const many = isList ? ' Several are separated by commas.' : ''
  return {
    name,
    in: place,
    required: place === 'path',
    description: `${use.description}${many}`,
    ...(isList && { style: 'form', explode: false }),
    schema: defaultValue === undefined ? schema : { ...schema, default: defaultValue },
  }
}

function statusesOf({ route, scope, input, isList }: StoredOperation): string[] {
  const codes: Code[] = ['BAD_REQUEST', 'UNAUTHENTICATED', 'NOT_ACCEPTABLE', 'INTERNAL', 'UNAVAILABLE']
  if (scope) codes.push('INSUFFICIENT_SCOPE')
  if (!isList && route.path.includes('{')) codes.push('NOT_FOUND')
  if (input) codes.push('CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'VALIDATION_FAILED')
  return codes.map((code) => String(STATUS[code])).sort()
}

function listSchema(connection: JsonSchema): JsonSchema {
  const { properties } = notNull(connection) as { properties: { nodes: JsonSchema } }
  return {
    type: 'object',
    required: ['data', 'page'],
    properties: { data: properties.nodes, page: { $ref: '#/components/schemas/Page' } },
  }
}

const PAGE: JsonSchema = {
  type: 'object',
  description: 'Where the answer stands in its list.',
  required: ['next', 'total'],
  properties: {
    next: {
      type: ['string', 'null'],
      description:
        'The cursor of the next page, to give as `cursor`; null on the last page and when the list is whole.',
    },
    total: { type: ['integer', 'null'], description: 'How many entries match, with `total=true`; else null.' },
  },
}

const CACHE_HEADERS = ['ETag', 'Cache-Control', 'Vary']

const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'Request-Id': header('The id of this request in the log: the one that the caller sent, or a new one.'),
  ETag: header('Changes with the content; give it as `If-None-Match`.'),
  'Cache-Control': header('Answers are private, and to be asked for again with their ETag.'),
  Vary: header('The request headers that the answer depends on.'),
  Link: header('The next page, as `rel="next"`, if there is one.'),
  Location: header('Where the new resource can be read.'),
  'WWW-Authenticate': header('What kind of key is needed (RFC 6750).'),
  'Retry-After': header('After how many seconds to try again.'),
}

const HEADER_PARAMETERS = {
  RequestId: {
    name: 'Request-Id',
    in: 'header',
    description: "The caller's own id for this request, taken over into the answer and the log.",
    schema: { type: 'string', pattern: REQUEST_ID.source },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an answer at hand; when nothing has changed, the new one is a 304 without a body.',
    schema: { type: 'string' },
  },
}

/** The codes that a path which exists can answer with; the rate of requests is not limited yet. */
const CODES = (Object.keys(CATALOGUE) as Code[]).filter(
  (code) => code !== 'METHOD_NOT_ALLOWED' && code !== 'RATE_LIMITED',
)

function problemResponses(): JsonSchema {
  const statuses = [...new Set(CODES.map((code) => String(STATUS[code])))]
  return Object.fromEntries(statuses.map((status) => [`Problem${status}`, problemResponse(status)]))
}

function problemResponse(status: string): JsonSchema {
  const codes = CODES.filter((code) => String(STATUS[code]) === status)
  const extra = { '401': ['WWW-Authenticate'], '403': ['WWW-Authenticate'], '503': ['Retry-After'] }[status] ?? []
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
    headers: headersOf(['Request-Id', ...extra]),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example } },
  }
}

function problemSchema(): JsonSchema {
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
      code: { type: 'string', enum: Object.keys(CATALOGUE), description: 'The kind of problem, for programs.' },
      requestId: { type: 'string', description: 'The id of the request in the log.' },
      requiredScope: { type: 'string', enum: Object.keys(SCOPES), description: 'The scope that the key lacks.' },
      existingId: { type: 'string', description: 'The id of what is already there.' },
      errors: { type: 'array', items: flaw, description: 'Each thing that is wrong with what was sent.' },
    },
  }
}

function fragmentsOf(operations: readonly StoredOperation[]): Map<string, FragmentDefinitionNode> {
  const fragments = operations.flatMap(({ document }) =>
    document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION),
  )
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}

function tagOf({ route }: StoredOperation): string {
  return route.path.split('/')[2] ?? ''
}

function tagsOf(operations: readonly StoredOperation[]): JsonSchema[] {
  const names = [...new Set(operations.map(tagOf))]
  return names.map((name) => {
    const first = operations.find((operation) => tagOf(operation) === name)
    return { name, description: first?.rootField.description ?? '' }
  })
}

function securityText(): string {
  const scopes = Object.entries(SCOPES).map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`)
  return ['`Authorization: Bearer <API_KEY>`. A key holds scopes:', ...scopes].join('\n')
}

function json(schema: JsonSchema, { components }: JsonSchemas): JsonSchema {
  const example = exampleOf(schema, { ...components, Page: { examples: [{ next: null, total: null }] } })
  return { 'application/json': { schema, example } }
}

function notNull(schema: JsonSchema): JsonSchema {
  const [inner] = (schema['anyOf'] ?? []) as JsonSchema[]
  return inner ?? schema
}

function headersOf(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, ref('headers', name)]))
}

function header(description: string): JsonSchema {
  return { description, schema: { type: 'string' } }
}

function ref(kind: string, name: string): JsonSchema {
  return { $ref: `#/components/${kind}/${name}` }
}

function firstSentence(text: string): string {
  return text.split(/[.;:](?:\s|$)/)[0] ?? text
}
