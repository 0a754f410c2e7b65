import type { Principal } from '../../auth/principal.js'
import { grants } from '../../auth/scopes.js'
import { badArgument, Fault } from '../../errors.js'
import { type Context, requireScope } from '../../graph/builder.js'
import { coercionOf, requireFewItems } from '../../graph/query/arguments.js'
import type { RootResult } from '../../graph/query/results.js'
import { type Answer, answer } from '../../graph/query/run.js'
import { LIMITS } from '../../limits.js'
import { schema } from '../../schema.js'
import type { ApiOptions, Engine } from '../engine.js'
import type { Exchange } from '../observe/exchange.js'
import { PATCH_TYPES } from '../wire/body.js'
import { emptyResponse, requireAcceptable } from '../wire/content.js'
import { notAllowed } from '../wire/problems.js'
import { type HttpRequest, type HttpResponse, isReading } from '../wire/request.js'
import { type CompiledRoute, compiledRoute } from './compiledRoutes.js'
import { feedRequestOf, longPoll } from './feed/longPoll.js'
import type { Waiting } from './feed/waiting.js'
import { readBody, readParameters, readSeparator } from './parameters.js'
import { didYouMean, doneElsewhere } from './pathHints.js'
import { requireMatch, tagsToMatch, unmatchable } from './preconditions.js'
import { nothingAt, type RouteCall, responseOf } from './results.js'
import { type Match, type Place, routesAt } from './router.js'
import { ROUTES } from './routes.js'

interface RestOptions extends ApiOptions {
  readonly basePath: string
  readonly waiting: Waiting
}

/** Handles a request below `/v1`; `path` is without the base path. */
export type Rest = (exchange: Exchange, path: string) => Promise<HttpResponse>

/** The REST API: each compiled route runs its GraphQL operation, and maps the result to HTTP. */
export function createRest(options: RestOptions): Rest {
  const { engine, serveCached, rateLimits, basePath } = options
  return async (exchange, path) => {
    const { request } = exchange
    const match = routesAt(path)
    if (match) exchange.path = basePath + match.at.path
    if (request.method === 'OPTIONS' && match) return optionsOf(match.at)
    await rateLimits.admit(exchange)
    if (!match) return redirectFrom(request, path, basePath)
    const { at, parameters } = match
    const route = at.routes.get(request.method === 'HEAD' ? 'GET' : request.method)
    if (!route) return notAllowed(exchange, at.allow, doneElsewhere(request.method, at))
    const operation = compiledRoute(schema, route)
    exchange.operation = route.operation
    const type = operation.types.length === 0 ? undefined : requireAcceptable(request, operation.types)
    const call: RouteCall = { request, operation, parameters, type, path: basePath + path }
    if (!isReading(request)) return change(exchange, call, at, options)
    const serve = (given?: Record<string, unknown>) =>
      serveCached(exchange, type ?? '', () => read(exchange, call, engine, given))
    if (!route.isFeed) return serve()
    const feed = feedRequestOf(principalFor(exchange, operation), readParameters(call))
    return longPoll(exchange, options, feed.waitMs, () => serve(feed.variables))
  }
}

async function read(
  exchange: Exchange,
  call: RouteCall,
  engine: Engine,
  given?: Record<string, unknown>,
): Promise<HttpResponse> {
  const { operation, type } = call
  principalFor(exchange, operation)
  const variables = given ?? readParameters(call)
  const separator = readSeparator(call)
  const context = engine.contextFor(exchange)
  requireFewItems(variables)
  const coerced = coercedFor(operation, variables)
  const between = type === 'application/json' ? ',' : '\n'
  const result = await resultOf(operation, engine.read(exchange, operation.operation, coerced, context, between))
  if (result.list?.entries.length === 0) await requireParent(call, context)
  return responseOf(result, call, separator)
}

async function change(
  exchange: Exchange,
  call: RouteCall,
  at: Place,
  { engine, rateLimits, bodies, basePath }: RestOptions,
): Promise<HttpResponse> {
  const { request, operation, parameters, path } = call
  exchange.isChange = true
  principalFor(exchange, operation)
  const variables = readParameters(call)
  const reading = at.routes.get('GET')
  const tags = CONDITIONAL.has(request.method) ? tagsToMatch(request) : undefined
  if (tags && !reading) throw unmatchable()
  if (operation.input) {
    const { bodyBytesMax: bytesMax = LIMITS.bodyBytesMax } = operation.route
    variables['input'] = await readBody(await bodies.json(exchange, bytesMax), operation.input)
    await rateLimits.confirm(exchange)
  }
  const context = engine.contextFor(exchange)
  const precondition = async (read: Context['store']['read']) => {
    if (!tags || !reading) return
    const current = { ...context, store: { ...context.store, read } }
    requireMatch(tags, await readOne(compiledRoute(schema, reading), parameters, current))
  }
  const mutation = {
    operation: operation.operation,
    variables,
    context: { ...context, precondition },
    path: path.slice(basePath.length),
    sent: variables['input'],
    isReadAgain: false,
  }
  return responseOf(await resultOf(operation, engine.change(exchange, mutation)), call)
}

/** REST has checked what it sends as variables; their defaults are in the operation. */
function coercedFor({ operation }: CompiledRoute, variables: Record<string, unknown>) {
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
  const [flaw] = fault.flaws
  if (fault.code === 'TOO_COMPLEX') {
    const sentence = fault.message.replace(/`\w+\(first: (\d+)\)`/g, '`limit=$1`').replaceAll('`first`', '`limit`')
    return new Fault(fault.code, sentence, { cause: fault })
  }
  const parameter = parameters.find(({ use }) => use.argument === flaw?.parameter)
  if (flaw && parameter?.in === 'path' && fault.code === 'BAD_REQUEST') return new Fault('NOT_FOUND', flaw.detail)
  return flaw && parameter ? badArgument(parameter.name, flaw.detail) : fault
}

/** A list may be empty because its parent does not exist; callers who may read the parent get NOT_FOUND then. */
async function requireParent(call: RouteCall, context: Context): Promise<void> {
  const { parent } = call.operation.route
  const route = ROUTES.find(({ operation }) => operation === parent)
  const reading = route && compiledRoute(schema, route)
  if (!reading?.scope || !grants(context.principal.scopes, reading.scope)) return
  const found = await readOne(reading, call.parameters, context)
  if (!found.isThere) throw nothingAt({ operation: reading, path: call.path.replace(/\/[^/]*$/, '') })
}

/** Reads the one entity of a route on behalf of another route. */
function readOne(
  route: CompiledRoute,
  parameters: Match['parameters'],
  { onPriced: _, ...uncharged }: Context,
): Promise<RootResult> {
  return resultOf(route, answer(route.operation, coercedFor(route, parameters), uncharged))
}

/** Redirects a path with one trailing slash to the route without it. */
function redirectFrom({ url: { pathname, search } }: HttpRequest, path: string, basePath: string): HttpResponse {
  if (path.endsWith('/') && routesAt(path.slice(0, -1)))
    return { status: 308, headers: { location: `${pathname.slice(0, -1)}${search}` }, body: null }
  const hint = didYouMean(path, basePath)
  throw new Fault('NOT_FOUND', `There is nothing at ${path}.${hint} See ${basePath}/v1/openapi.json.`)
}

/** Requires the scope before parameters and body are read; the schema checks it again. */
function principalFor({ principal }: Exchange, { scope }: CompiledRoute): Principal {
  if (!principal) throw new Error('The key of the request has not been checked.')
  if (scope) requireScope(principal, scope)
  return principal
}

/** The methods that support `If-Match`. */
const CONDITIONAL = new Set(['PATCH', 'PUT', 'DELETE'])

function optionsOf({ routes, allow }: Place): HttpResponse {
  const patch = routes.has('PATCH') ? { 'accept-patch': PATCH_TYPES.join(', ') } : undefined
  return emptyResponse({ allow, ...patch })
}
