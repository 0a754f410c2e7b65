import { type FragmentDefinitionNode, type GraphQLSchema, getNamedType } from 'graphql'
import { DESCRIPTION, VERSION } from '../../about.js'
import { SCOPES } from '../../auth/scopes.js'
import type { Code } from '../../errors.js'
import { SEPARATOR_NAMES } from '../../ingest/files/csv.js'
import { LIMIT_MEANINGS, LIMITS } from '../../limits.js'
import { type CompiledRoute, compiledRoutes, type Parameter } from '../rest/compiledRoutes.js'
import { csvText, type Entry } from '../rest/csv.js'
import { SEPARATOR } from '../rest/parameters.js'
import { CSV_TYPE, EVENTS_TYPE, ROUTES, type Route } from '../rest/routes.js'
import { BODY_TYPES, PATCH_TYPES } from '../wire/body.js'
import { STATUS } from '../wire/problems.js'
import { FEED_CURSOR } from './examples.js'
import { CACHE_HEADERS, HEADER_PARAMETERS, HEADERS, RATE_LIMIT_HEADERS } from './headers.js'
import { exampleOf, headersOf, type JsonSchema, JsonSchemas, ref, withBounds } from './jsonSchema.js'
import { problemResponses, problemSchemas } from './problemSchemas.js'

/** The OpenAPI 3.1 document, derived from the route table, its operations and the schema. */
export function openapi(schema: GraphQLSchema, basePath = ''): JsonSchema {
  const operations = compiledRoutes(schema)
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
      description: `${DESCRIPTION} Every GET route also supports HEAD. ${bodySizes()}`,
      contact: { name: 'The operator of this gateway' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    'x-limits': Object.fromEntries(LIMIT_MEANINGS.map(({ name, value, meaning }) => [name, { value, meaning }])),
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: tagsOf(operations),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: securityText() } },
      schemas: { ...schemas.components, Page: PAGE, FeedPage: FEED_PAGE, ...problemSchemas() },
      headers: HEADERS,
      parameters: HEADER_PARAMETERS,
      responses: problemResponses(),
    },
  }
}

function operationObject(operation: CompiledRoute, schemas: JsonSchemas): JsonSchema {
  const { route, rootField, scope, scopes, parameters, input } = operation
  return {
    operationId: route.type === CSV_TYPE ? `${route.operation}Csv` : route.operation,
    summary: `${firstSentence(rootField.description ?? '')}${route.type === CSV_TYPE ? ', as CSV' : ''}`,
    description: [rootField.description, ...scopeNote(scope), ...csvNote(route)].join(' '),
    tags: [tagOf(operation)],
    security: [{ apiKey: [] }],
    // Not in `security`: it has scopes only for OAuth 2, and linters and generators reject others.
    ...(scope && { 'x-required-scope': scope }),
    ...(scopes.length > 0 && { 'x-required-scope-one-of': scopes }),
    parameters: [
      ...parameters.map((parameter) => parameterObject(parameter, schemas)),
      ...(route.type === CSV_TYPE ? [SEPARATOR_PARAMETER] : []),
      ...['RequestId', ...conditionsOf(route)].map((name) => ref('parameters', name)),
    ],
    ...(input && { requestBody: requestBody(route, schemas.input(input), schemas) }),
    responses: {
      [route.status]: successObject(operation, schemas),
      ...(route.method === 'GET' && {
        304: { description: 'Not modified.', headers: headersOf(['Request-Id', ...CACHE_HEADERS]) },
      }),
      ...Object.fromEntries(statusesOf(operation).map((status) => [status, refusalObject(status, route)])),
    },
  }
}

/** Empty if any valid key may use the field: its own description says so. */
function scopeNote(scope: CompiledRoute['scope']): string[] {
  return scope ? [`Needs the scope \`${scope}\`.`] : []
}

function csvNote({ sheet, type, path, isFeed }: Route): string[] {
  if (isFeed) return [`With \`Accept: ${EVENTS_TYPE}\` as a batch of CloudEvents 1.0 (HTTP Feeds).`]
  return sheet && !type ? [`As CSV: \`${path}.csv\`, or here with \`Accept: text/csv\`.`] : []
}

/** The conditional and idempotency headers of a route, by component name. */
function conditionsOf({ method, path }: Route): string[] {
  if (method === 'GET') return ['IfNoneMatch']
  if (method === 'POST') return ['IdempotencyKey']
  const isTagged = ROUTES.some((other) => other.method === 'GET' && other.path === path)
  return ['IdempotencyKey', isTagged ? 'IfMatch' : 'IfMatchAny']
}

function requestBody({ method }: Route, schema: JsonSchema, schemas: JsonSchemas): JsonSchema {
  const media = mediaObject(schema, schemas)
  const types = method === 'PATCH' ? PATCH_TYPES : BODY_TYPES
  return { required: true, content: Object.fromEntries(types.map((type) => [type, media])) }
}

function successObject(operation: CompiledRoute, schemas: JsonSchemas): JsonSchema {
  const { route, isList } = operation
  if (route.status === 204) {
    return { description: 'Done, also if nothing had to change.', headers: headersOf(['Request-Id']) }
  }
  return {
    description: route.method === 'GET' ? 'OK.' : 'Stored.',
    headers: headersOf([
      'Request-Id',
      ...RATE_LIMIT_HEADERS,
      ...ownHeaders(route),
      ...(isList ? ['Link'] : []),
      ...(route.type === CSV_TYPE ? ['Content-Disposition'] : []),
    ]),
    content: successContent(operation, schemas),
  }
}

function ownHeaders({ method, status }: Route): readonly string[] {
  if (method === 'GET') return CACHE_HEADERS
  if (method === 'PATCH') return ['ETag', 'Idempotency-Replayed']
  return [...(status === 201 ? ['Location'] : []), 'Idempotency-Replayed']
}

/** One media type for each path, so that generated clients have one type for its response. */
function successContent(operation: CompiledRoute, schemas: JsonSchemas): JsonSchema {
  const { route, shown, isList, columns = [] } = operation
  const output = notNull(schemas.output(shown.field.type, shown.node.selectionSet))
  const listName = getNamedType(shown.field.type).name.replace('Connection', 'List')
  const listed = () => listSchema(output, route.isFeed ? 'FeedPage' : 'Page')
  const name = route.isFeed ? 'Feed' : listName
  const media = mediaObject(isList ? schemas.named(name, listed) : output, schemas)
  if (route.type !== CSV_TYPE) return { 'application/json': media }
  const { data } = media['example'] as { data: Entry[] }
  return { [CSV_TYPE]: { schema: { type: 'string', description: CSV }, example: csvText(columns, data) } }
}

const SEPARATOR_PARAMETER: JsonSchema = {
  name: SEPARATOR,
  in: 'query',
  description: 'The separator of the cells; spreadsheets of many locales expect a semicolon.',
  schema: { type: 'string', enum: Object.keys(SEPARATOR_NAMES), default: 'comma' },
}

const CSV =
  "A byte order mark, a header line, then a line for each entry (RFC 4180). Text that a spreadsheet would run as a formula, at the beginning of a cell or after a `,`, a `;`, a tab or a line break in it, is prefixed with `'`."

// The 415 of a PATCH has an `Accept-Patch` header.
function refusalObject(status: string, { method }: Route): JsonSchema {
  const isOfPatch = method === 'PATCH' && status === String(STATUS.UNSUPPORTED_MEDIA_TYPE)
  return ref('responses', isOfPatch ? `Patch${status}` : `Problem${status}`)
}

function parameterObject(parameter: Parameter, schemas: JsonSchemas): JsonSchema {
  const { name, in: place, type, use, isRequired, defaultValue } = parameter
  const schema = withBounds(schemas.input(type), use.extensions)
  const isList = schema['type'] === 'array'
  const many = isList ? ' For several values, repeat the parameter or separate them with commas.' : ''
  return {
    name,
    in: place,
    required: isRequired,
    description: `${use.description}${many}`,
    ...(isList && { style: 'form', explode: true }),
    schema: defaultValue === undefined ? schema : { ...schema, default: defaultValue },
  }
}

function statusesOf({ route, scope, scopes, input }: CompiledRoute): string[] {
  const codes: Code[] = ['BAD_REQUEST', 'UNAUTHENTICATED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE']
  if (route.status !== 204) codes.push('NOT_ACCEPTABLE')
  if (route.method !== 'GET' && route.method !== 'POST') codes.push('PRECONDITION_FAILED')
  if (route.method === 'PUT') codes.push('CONFLICT')
  if (scope || scopes.length > 0) codes.push('INSUFFICIENT_SCOPE')
  if (route.isFeed) codes.push('CURSOR_GONE')
  if (route.path.includes('{')) codes.push('NOT_FOUND')
  if (route.method !== 'GET') codes.push('CONFLICT', 'VALIDATION_FAILED')
  if (input) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  return codes.map((code) => String(STATUS[code])).sort()
}

function listSchema({ description, properties }: JsonSchema, page: string): JsonSchema {
  const { nodes } = properties as { nodes: JsonSchema }
  return {
    type: 'object',
    description,
    required: ['data', 'page'],
    properties: { data: nodes, page: ref('schemas', page) },
  }
}

const FEED_PAGE: JsonSchema = {
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
}

const PAGE: JsonSchema = {
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
}

function fragmentsOf(operations: readonly CompiledRoute[]): Map<string, FragmentDefinitionNode> {
  return new Map(operations.flatMap(({ operation }) => Object.entries(operation.fragments)))
}

function tagOf({ route }: CompiledRoute): string {
  return route.path.split(/[/.]/)[2] ?? ''
}

function tagsOf(operations: readonly CompiledRoute[]): JsonSchema[] {
  const names = [...new Set(operations.map(tagOf))]
  return names.map((name) => {
    const first = operations.find((operation) => tagOf(operation) === name)
    return { name, description: first?.rootField.description ?? '' }
  })
}

function bodySizes(): string {
  const { bodyBytesMax, syncBodyBytesMax } = LIMITS
  return `Bodies larger than ${bodyBytesMax} bytes are refused; for syncs the limit is ${syncBodyBytesMax}.`
}

function securityText(): string {
  const scopes = Object.entries(SCOPES).map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`)
  return ['`Authorization: Bearer <API_KEY>`. A key holds scopes:', ...scopes].join('\n')
}

function mediaObject(schema: JsonSchema, { components }: JsonSchemas): JsonSchema {
  const pages = {
    Page: { examples: [{ next: null, total: null }] },
    FeedPage: { examples: [{ next: FEED_CURSOR, more: false }] },
  }
  return { schema, example: exampleOf(schema, { ...components, ...pages }) }
}

function notNull(schema: JsonSchema): JsonSchema {
  const [inner] = (schema['anyOf'] ?? []) as JsonSchema[]
  return inner ?? schema
}

function firstSentence(text: string): string {
  return text.split(/[.;:](?:\s|$)/)[0] ?? text
}
