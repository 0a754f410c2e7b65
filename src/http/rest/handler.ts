import { grants, SCOPE_NAMES } from '../../auth/scopes.js'
import { badArgument, Fault, TooComplex } from '../../errors.js'
import { type Context, createContext, requireScope } from '../../graph/builder.js'
import { coercionOf, requireFewItems } from '../../graph/query/arguments.js'
import type { RootResult } from '../../graph/query/readers.js'
import { type Answer, answer } from '../../graph/query/run.js'
import type { Variables } from '../../graph/query/selections.js'
import { LIMITS } from '../../limits.js'
import { schema } from '../../schema.js'
import type { ChangeCounter } from '../../store/changeCounters.js'
import { BULK_STATEMENT_MS, type Store } from '../../store/store.js'
import { RequestDeadline } from '../deadline.js'
import type { Gate, Protocol } from '../gate.js'
import type { Answered, Identified, Received } from '../observe/exchange.js'
import { Content, emptyResponse, JSON_TYPE, requireAcceptable } from '../wire/content.js'
import { notAllowed, problem } from '../wire/problems.js'
import { type HttpRequest, type HttpResponse, isReading } from '../wire/request.js'
import { type CompiledRoute, compiledRoute } from './compiledRoutes.js'
import { feedRequestOf, longPoll } from './feed.js'
import type { OperationName } from './operations.js'
import { readBody, readParameters, readSeparator } from './parameters.js'
import { nothingAt, type RouteCall, responseOf } from './results.js'
import { didYouMean, doneElsewhere, type Place, routesAt } from './router.js'
import { bodyTypesOf, routeOf } from './routes.js'

/** The REST API: each compiled route runs its GraphQL operation, and maps the result to HTTP. */
export function createRest(gate: Gate): Protocol {
  const { basePath } = gate.options
  const handle = async (exchange: Received, path: string): Promise<HttpResponse> => {
    const { request, record } = exchange
    const match = routesAt(path)
    if (match) record.path = basePath + match.at.path
    if (request.method === 'OPTIONS' && match) {
      return emptyResponse({ allow: match.at.allow, ...(match.at.routes.has('PATCH') && ACCEPT_PATCH) })
    }
    const admitted = await gate.admit(exchange)
    if (!match) return redirectFrom(request, path, basePath)
    const { at, parameters } = match
    const route = at.routes.get(request.method === 'HEAD' ? 'GET' : request.method)
    if (!route) return notAllowed(exchange, at.allow, doneElsewhere(request.method, at))
    const operation = compiledRoute(route)
    record.operation = route.operation
    const type = operation.types.length === 0 ? undefined : requireAcceptable(request, operation.types)
    const call: RouteCall = { request, operation, parameters, type, path: basePath + path }
    if (!isReading(request)) return change(admitted, call, at, gate)
    const serve = (identified: Identified, given?: Record<string, unknown>) =>
      gate.serveCached(identified, type ?? '', (confirmed) => read(confirmed, call, gate, given))
    if (!route.isFeed) return serve(admitted)
    const feed = feedRequestOf(readParameters(call))
    return longPoll(admitted, gate, feed.waitMs, (identified) => serve(identified, feed.variables))
  }
  return { serves: (path) => path.startsWith('/v1/'), handle, refuse }
}

const ACCEPT_PATCH = { 'accept-patch': bodyTypesOf('PATCH').join(', ') }

/** A 415 of PATCH lists the supported types (RFC 5789, 2.2). */
function refuse(exchange: Received, fault: Fault): Promise<HttpResponse> {
  const isOfPatch = fault.code === 'UNSUPPORTED_MEDIA_TYPE' && exchange.request.method === 'PATCH'
  return problem(exchange, fault, isOfPatch ? ACCEPT_PATCH : {})
}

async function read(
  identified: Identified,
  call: RouteCall,
  gate: Gate,
  given?: Record<string, unknown>,
): Promise<Answered> {
  const { operation, type } = call
  requireScopeOf(operation, identified)
  const { record } = identified
  const variables = given ?? record.work.time('check', () => readParameters(call))
  const sent = operation.parameters.filter(({ name, in: place }) => place === 'query' && name in variables)
  record.parameters = sent.map(({ name }) => name)
  const separator = readSeparator(call)
  const context = gate.contextFor(identified)
  requireFewItems(variables)
  const coerced = coercedFor(operation, variables)
  const between = type === 'application/json' ? ',' : '\n'
  const first = operation.route.hasParentFirst ? await requireParent(call, context) : undefined
  const answered = gate.read(identified, operation.operation, coerced, context, { separator: between })
  const result = await resultOf(operation, answered)
  const isEmpty = result.list ? result.list.entries.length === 0 : !result.isThere
  const readsOfParent = first ?? (isEmpty ? await requireParent(call, context) : [])
  const { reads } = await answered
  const response = await responseOf(result, call, record.work, separator)
  return { response, reads: reads && [...reads, ...readsOfParent] }
}

async function change(admitted: Identified, call: RouteCall, at: Place, gate: Gate): Promise<HttpResponse> {
  const { request, operation, parameters } = call
  let identified = admitted
  identified.record.isChange = true
  requireScopeOf(operation, identified)
  const variables = readParameters(call)
  const tags = CONDITIONAL.has(request.method) ? tagsToMatch(request, at) : undefined
  const reading = tags && at.routes.get('GET')
  if (operation.input) {
    const { bodyBytesMax: bytesMax = LIMITS.bodyBytesMax } = operation.route
    const read = await gate.readJson(identified, bytesMax, bodyTypesOf(request.method))
    variables['input'] = await readBody(read.body, operation.input, identified.record.work)
    identified = read.identified
  }
  const context = gate.contextFor(identified)
  const precondition = async (read: Context['store']['read']) => {
    if (!reading) return
    const current = { ...context, store: { ...context.store, read } }
    const route = compiledRoute(reading)
    await requireMatch(tags, await resultOf(route, answerOne(route, parameters, current)))
  }
  const mutation = {
    operation: operation.operation,
    variables,
    context: { ...context, precondition },
    sent: variables['input'],
  }
  return responseOf(await resultOf(operation, gate.change(identified, mutation)), call, identified.record.work)
}

const CONDITIONAL = new Set(['PATCH', 'PUT', 'DELETE'])

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`
const TAGS = new RegExp(String.raw`^[\s,]*${TAG}(?:\s*,[\s,]*${TAG})*[\s,]*$`)

/** The strong tags of `If-Match`, since weak ones never match; undefined if there is no condition. */
function tagsToMatch(request: HttpRequest, { routes }: Place): readonly string[] | undefined {
  const wanted = request.header('if-match')?.trim()
  // `*` requires only that the resource exists, and a missing one is a 404 anyway (RFC 9110, 13.2.1).
  if (wanted === undefined || wanted === '*') return undefined
  if (!TAGS.test(wanted)) {
    throw new Fault('BAD_REQUEST', 'The header If-Match must hold ETags as they were received, in quotes, or `*`.')
  }
  if (!routes.has('GET')) {
    const advice = 'Read again what you want to change, and retry without If-Match.'
    throw new Fault('PRECONDITION_FAILED', `Nothing at this path has an ETag, so none can match. ${advice}`)
  }
  return wanted.match(new RegExp(TAG, 'g'))?.filter((tag) => !tag.startsWith('W/'))
}

/** Throws unless a tag matches the current resource. A missing resource passes: the change itself reports a 404. */
async function requireMatch(tags: readonly string[], { isThere, json }: RootResult): Promise<void> {
  const own = await new Content(JSON_TYPE, Buffer.concat(json)).tags()
  if (!isThere || tags.some((tag) => own.includes(tag))) return
  throw new Fault('PRECONDITION_FAILED', 'This has changed since you read it. Read it again, and retry with its ETag.')
}

/** REST has checked what it sends as variables; their defaults are in the operation. */
function coercedFor({ operation }: CompiledRoute, variables: Variables) {
  const { coerced, errors } = coercionOf(schema, operation.operation, variables)
  if (!coerced) throw new Fault('BAD_REQUEST', errors[0]?.message ?? '')
  return coerced
}

/** REST shows what the key may not read as null, without an error; the scope of the route itself was checked before. */
async function resultOf(route: CompiledRoute, answering: Promise<Answer>): Promise<RootResult> {
  try {
    const [root] = (await answering).roots
    if (!root) throw new Error(`The operation ${route.route.operation} has no root field.`)
    if (root.result instanceof Fault) throw root.result
    return root.result
  } catch (error) {
    throw error instanceof Fault ? inNamesOf(route, error) : error
  }
}

/** Names the REST parameter in a fault, where GraphQL has the name of an argument. */
function inNamesOf({ parameters }: CompiledRoute, fault: Fault): Fault {
  const [violation] = fault.violations
  if (fault instanceof TooComplex) return fault.inRest()
  const parameter = parameters.find(({ use }) => use.argument === violation?.parameter)
  if (violation && parameter?.in === 'path' && fault.code === 'BAD_REQUEST')
    return new Fault('NOT_FOUND', violation.detail)
  return violation && parameter ? badArgument(parameter.name, violation.detail) : fault
}

/** There may be nothing because the parent does not exist; callers who may read the parent get NOT_FOUND for it then. */
async function requireParent(call: RouteCall, context: Context): Promise<readonly ChangeCounter[]> {
  const route = routeOf(call.operation.route.parent)
  const reading = route && compiledRoute(route)
  if (!reading?.scope || !grants(context.principal.scopes, reading.scope)) return []
  const answered = answerOne(reading, call.parameters, context)
  const found = await resultOf(reading, answered)
  const below = call.operation.route.path.split('/').length - reading.route.path.split('/').length
  const path = call.path.split('/').slice(0, -below).join('/')
  if (!found.isThere) throw nothingAt({ operation: reading, path })
  return (await answered).reads ?? []
}

/** Reads the one entity of a route on behalf of another route. */
async function answerOne(
  route: CompiledRoute,
  variables: Variables,
  { onPriced: _, ...uncharged }: Context,
): Promise<Answer> {
  return answer(route.operation, coercedFor(route, variables), uncharged)
}

/** The operator, who may read everything. */
export const OPERATOR = {
  keyId: 'cli',
  name: 'cli',
  scopes: new Set(SCOPE_NAMES),
  projects: null,
  expiresAt: null,
} as const

/** The response body of a route with one object, without a request: for commands. */
export async function bodyOf(
  name: OperationName,
  variables: Variables,
  options: { readonly store: Store; readonly clock: () => Date },
): Promise<string> {
  const route = routeOf(name)
  if (!route) throw new Error(`There is no route of ${name}.`)
  const deadline = new RequestDeadline(BULK_STATEMENT_MS)
  const context = createContext({ ...options, schema, principal: OPERATOR, deadline })
  const compiled = compiledRoute(route)
  const { json } = await resultOf(compiled, answerOne(compiled, variables, context))
  return Buffer.concat(json).toString()
}

/** Redirects a path with one trailing slash to the route without it. */
function redirectFrom({ url: { pathname, search } }: HttpRequest, path: string, basePath: string): HttpResponse {
  if (path.endsWith('/') && routesAt(path.slice(0, -1)))
    return { status: 308, headers: { location: `${pathname.slice(0, -1)}${search}` }, body: null }
  const hint = didYouMean(path, basePath)
  throw new Fault('NOT_FOUND', `There is nothing at ${path}.${hint} See ${basePath}/v1/openapi.json.`)
}

/** Requires the scope before parameters and body are read; the schema checks it again. */
function requireScopeOf({ scope }: CompiledRoute, { principal }: Identified): void {
  if (scope) requireScope(principal, scope)
}
