import { GraphQLString, getNamedType } from 'graphql'
import { DESCRIPTION, VERSION } from '../../about.js'
import { SCOPES } from '../../auth/scopes.js'
import { SEPARATOR_NAMES } from '../../csv.js'
import type { Code } from '../../errors.js'
import { inMegabytes, LIMIT_MEANINGS, LIMITS } from '../../limits.js'
import { type CompiledRoute, compiledRoute, type Parameter } from '../rest/compiledRoutes.js'
import { csvText, type Entry } from '../rest/csv.js'
import { NONE, SEPARATOR } from '../rest/parameters.js'
import { bodyTypesOf, CSV_TYPE, EVENTS_TYPE, ROUTES, type Route } from '../rest/routes.js'
import { STATUS } from '../wire/problems.js'
import {
  CACHE_HEADERS,
  COMMON_SCHEMAS,
  HEADER_PARAMETERS,
  HEADERS,
  problemRef,
  problemResponses,
} from './components.js'
import { FEED_CURSOR, fieldExample } from './examples.js'
import { exampleOf, headersOf, type JsonObject, type JsonSchema, JsonSchemas, ref, withBounds } from './jsonSchema.js'
import { descriptionOf, inRest, parentOf } from './wording.js'

/** The OpenAPI 3.1 document, derived from the route table, its operations and the schema. */
export function openapi(basePath = ''): JsonObject {
  const operations = ROUTES.map(compiledRoute)
  const schemas = new JsonSchemas(operations)
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const operation of operations) {
    const { method, path } = operation.route
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(operation, schemas) }
  }
  const scopes = Object.entries(SCOPES).map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`)
  const { bodyBytesMax, syncBodyBytesMax } = LIMITS
  const [most, mostOfSync] = [bodyBytesMax, syncBodyBytesMax].map(inMegabytes)
  const sizes = `Bodies larger than ${most} are refused; for syncs the limit is ${mostOfSync}.`
  const bearer = ['`Authorization: Bearer <API_KEY>`. A key holds scopes:', ...scopes].join('\n')
  return inRest({
    openapi: '3.1.0',
    info: {
      title: 'Operations Gateway',
      version: VERSION,
      description: `${DESCRIPTION} Every GET route also supports HEAD. ${sizes}`,
      contact: { name: 'The operator of this gateway' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    'x-limits': Object.fromEntries(LIMIT_MEANINGS.map(({ name, value, meaning }) => [name, { value, meaning }])),
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: tagsOf(operations),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: bearer } },
      schemas: { ...schemas.components, ...COMMON_SCHEMAS },
      headers: HEADERS,
      parameters: HEADER_PARAMETERS,
      responses: problemResponses(),
    },
  })
}

function operationObject(operation: CompiledRoute, schemas: JsonSchemas): JsonObject {
  const { route, scope, scopes, parameters, input } = operation
  const description = descriptionOf(operation)
  return {
    operationId: route.type === CSV_TYPE ? `${route.operation}Csv` : route.operation,
    // The first sentence.
    summary: `${description.split(/[.;:](?:\s|$)/)[0]}${route.type === CSV_TYPE ? ', as CSV' : ''}`,
    description: [description, ...notesOf(operation, description)].join(' '),
    tags: [tagOf(operation)],
    security: [{ apiKey: [] }],
    // Not in `security`: it has scopes only for OAuth 2, and linters and generators reject others.
    ...(scope && { 'x-required-scope': scope }),
    ...(scopes.length > 0 && { 'x-required-scope-one-of': scopes }),
    parameters: [
      ...parameters.map((parameter) => parameterObject(parameter, operation, schemas)),
      ...(route.type === CSV_TYPE ? [SEPARATOR_PARAMETER] : []),
      ...['RequestId', ...conditionsOf(route)].map((name) => ref('parameters', name)),
    ],
    ...(input && { requestBody: requestBody(route, schemas.input(input), schemas) }),
    responses: {
      [route.status]: successObject(operation, schemas),
      ...(route.method === 'GET' && {
        304: { description: 'Not modified.', headers: headersOf(['Request-Id', ...CACHE_HEADERS]) },
      }),
      ...Object.fromEntries(statusesOf(operation).map((status) => [status, problemRef(status, route.method)])),
    },
  }
}

/** No scope is named if the description does it, or says that any valid key will do. */
function notesOf({ scope, route: { sheet, type, path, isFeed } }: CompiledRoute, description: string): string[] {
  const asCsv = sheet && !type && `As CSV: \`${path}.csv\`, or here with \`Accept: text/csv\`.`
  const asEvents = `With \`Accept: ${EVENTS_TYPE}\` as a batch of CloudEvents 1.0 (HTTP Feeds).`
  const needed = scope && !description.includes(scope) && `Needs the scope \`${scope}\`.`
  return [needed, isFeed ? asEvents : asCsv].flatMap((note) => note || [])
}

/** The conditional and idempotency headers of a route, by component name. */
function conditionsOf({ method, path }: Route): string[] {
  if (method === 'GET') return ['IfNoneMatch']
  if (method === 'POST') return ['IdempotencyKey']
  const isTagged = ROUTES.some((other) => other.method === 'GET' && other.path === path)
  return ['IdempotencyKey', isTagged ? 'IfMatch' : 'IfMatchAny']
}

function requestBody({ method }: Route, schema: JsonSchema, schemas: JsonSchemas): JsonObject {
  const media = mediaObject(schema, schemas)
  return { required: true, content: Object.fromEntries(bodyTypesOf(method).map((type) => [type, media])) }
}

function successObject(operation: CompiledRoute, schemas: JsonSchemas): JsonObject {
  const { isList, route } = operation
  const { method, status, type } = route
  if (status === 204) {
    return { description: 'Done, also if nothing had to change.', headers: headersOf(['Request-Id']) }
  }
  const headers = ['Request-Id', 'RateLimit-Policy', 'RateLimit']
  if (method === 'GET') headers.push(...CACHE_HEADERS)
  if (method === 'PATCH') headers.push('ETag')
  if (status === 201) headers.push('Location')
  if (method !== 'GET') headers.push('Idempotency-Replayed')
  if (isList) headers.push('Link')
  if (type === CSV_TYPE) headers.push('Content-Disposition')
  const description = method === 'GET' ? 'OK.' : 'Stored.'
  return { description, headers: headersOf(headers), content: successContent(operation, schemas) }
}

/** One media type for each path, so that generated clients have one type for its response. */
function successContent(operation: CompiledRoute, schemas: JsonSchemas): JsonObject {
  const { route, shown, isList, columns = [] } = operation
  const output = schemas.outputValue(shown.field.type, shown.node.selectionSet)
  const listName = getNamedType(shown.field.type).name.replace('Connection', 'List')
  const listed = () => listSchema(output, route.isFeed ? 'FeedPage' : 'Page')
  const name = route.isFeed ? 'Feed' : listName
  const media = mediaObject(isList ? schemas.named(name, listed) : output, schemas)
  if (route.type !== CSV_TYPE) return { 'application/json': media }
  const { data } = media['example'] as { data: Entry[] }
  return { [CSV_TYPE]: { schema: { type: 'string', description: CSV }, example: csvText(columns, data) } }
}

const SEPARATOR_PARAMETER: JsonObject = {
  name: SEPARATOR,
  in: 'query',
  description: 'The separator of the cells; spreadsheets of many locales expect a semicolon.',
  schema: { type: 'string', enum: Object.keys(SEPARATOR_NAMES), default: 'comma' },
}

const CSV =
  "A byte order mark, a header line, then a line for each entry (RFC 4180). Text that a spreadsheet would run as a formula, at the beginning of a cell or after a `,`, a `;`, a tab or a line break in it, is prefixed with `'`."

/** What is required has an example; what is optional has none, as tools would send it. */
function parameterExample({ name, isRequired }: Parameter, { route, rootField }: CompiledRoute): unknown {
  if (!isRequired) return undefined
  const types = [parentOf(route), getNamedType(rootField.type)]
  return types.map((type) => type && fieldExample(type.name, name)).find((one) => one !== undefined)
}

function parameterObject(parameter: Parameter, operation: CompiledRoute, schemas: JsonSchemas): JsonObject {
  const { name, in: place, type, use, isRequired, defaultValue } = parameter
  const schema = withBounds(schemas.input(type), use.extensions)
  const isList = schema['type'] === 'array'
  const isText = getNamedType(type) === GraphQLString
  const comma = isText ? ' Write a comma inside a value as `\\,`.' : ''
  const many = isList ? ` For several values, repeat the parameter or separate them with commas.${comma}` : ''
  return {
    name,
    in: place,
    required: isRequired,
    // A query has no null.
    description: `${use.description.replace('null', `\`${NONE}\``)}${many}`,
    ...(isList && { style: 'form', explode: true }),
    example: parameterExample(parameter, operation),
    schema: defaultValue === undefined ? schema : { ...schema, default: defaultValue },
  }
}

function statusesOf({ route, input }: CompiledRoute): string[] {
  const codes: Code[] = ['BAD_REQUEST', 'UNAUTHENTICATED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE']
  // Also without a scope of its own: a token that holds none is refused everywhere.
  codes.push('INSUFFICIENT_SCOPE')
  if (route.status !== 204) codes.push('NOT_ACCEPTABLE')
  if (route.method !== 'GET' && route.method !== 'POST') codes.push('PRECONDITION_FAILED')
  if (route.method === 'PUT') codes.push('CONFLICT')
  if (route.isFeed) codes.push('CURSOR_GONE')
  if (route.path.includes('{')) codes.push('NOT_FOUND')
  if (route.method !== 'GET') codes.push('CONFLICT', 'VALIDATION_FAILED')
  if (input) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  return codes.map((code) => String(STATUS[code])).sort()
}

function listSchema({ description, properties = {} }: JsonSchema, page: string): JsonSchema {
  const { nodes: data = {} } = properties
  const required = ['data', 'page']
  return { type: 'object', description, required, properties: { data, page: ref('schemas', page) } }
}

function tagOf({ route }: CompiledRoute): string {
  return route.path.split(/[/.]/)[2] ?? ''
}

function tagsOf(operations: readonly CompiledRoute[]): JsonObject[] {
  const names = [...new Set(operations.map(tagOf))]
  return names.map((name) => {
    const first = operations.find((operation) => tagOf(operation) === name)
    return { name, description: first ? descriptionOf(first) : '' }
  })
}

function mediaObject(schema: JsonSchema, { components }: JsonSchemas): JsonObject {
  const pages = {
    Page: { examples: [{ next: null, total: null }] },
    FeedPage: { examples: [{ next: FEED_CURSOR, more: false }] },
  }
  return { schema, example: exampleOf(schema, { ...components, ...pages }) }
}
