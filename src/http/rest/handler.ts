import type { GraphQLError, GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Principal } from '../../auth/principal.js'
import { grants } from '../../auth/scopes.js'
import { badArgument, Fault, ResponseTooLong } from '../../errors.js'
import { type Context, requireScope } from '../../graph/builder.js'
import { storingCostOf } from '../../graph/cost/bills.js'
import { asFault, faultOf } from '../../graph/faults.js'
import { isPersonal } from '../../graph/sql/compiler.js'
import { SelectionFailed } from '../../graph/sql/mutations/compiler.js'
import { LIMITS } from '../../limits.js'
import type { RateLimits } from '../access/rateLimits.js'
import type { ResponseCache } from '../cache/responseCache.js'
import { orExecuted, type RunCompiled } from '../compiledQueries.js'
import type { Engine } from '../engine.js'
import { type Exchange, trackStatements } from '../observe/exchange.js'
import { type Bodies, PATCH_TYPES } from '../wire/body.js'
import { emptyResponse } from '../wire/content.js'
import { requireAcceptable } from '../wire/negotiation.js'
import { notAllowed } from '../wire/problems.js'
import { type HttpRequest, type HttpResponse, isReading } from '../wire/request.js'
import { readBody } from './bodyInput.js'
import { type CompiledRoute, compiledRoute } from './compiledRoutes.js'
import { feedRequestOf, longPoll } from './feed/longPoll.js'
import type { Waiting } from './feed/waiting.js'
import { createPerform, type RunningRequests } from './idempotency.js'
import { readParameters, readSeparator } from './parameters.js'
import { doneElsewhere, nearestPath } from './pathHints.js'
import { requireMatch, tagsToMatch, unmatchable } from './preconditions.js'
import { nothingAt, type RouteCall, respondWithCompiled, respondWithResult } from './results.js'
import { type Match, type Place, routesAt } from './router.js'
import { ROUTES } from './routes.js'

interface RestOptions {
  readonly schema: GraphQLSchema
  readonly engine: Engine
  readonly runCompiled: RunCompiled
  readonly cache: ResponseCache
  readonly rateLimits: RateLimits
  readonly bodies: Bodies
  readonly basePath: string
  readonly running: RunningRequests
  readonly waiting: Waiting
  readonly responseBytesMax: number
  readonly log: Logger
}

/** Handles a request below `/v1`; `path` is without the base path. */
export type Rest = (exchange: Exchange, path: string) => Promise<HttpResponse>

/** The REST API: each compiled route runs its GraphQL operation, and maps the result to HTTP. */
export function createRest(options: RestOptions): Rest {
  const { schema, cache, rateLimits, basePath } = options
  const read = readerWith(options)
  const change = changerWith(options)
  return async (exchange, path) => {
    const { request } = exchange
    const match = routesAt(path)
    if (match) exchange.path = basePath + match.at.path
    if (request.method === 'OPTIONS' && match) return optionsOf(match.at)
    await rateLimits.admit(exchange)
    if (!match) {
      const redirect = redirectFrom(request, path)
      if (redirect) return redirect
      throw nothingHere(path, basePath)
    }
    const { at } = match
    const route = at.routes.get(request.method === 'HEAD' ? 'GET' : request.method)
    if (!route) return notAllowed(exchange, at.allow, doneElsewhere(request.method, at))
    const operation = compiledRoute(schema, route)
    exchange.operation = operation.route.operation
    const type = operation.types.length === 0 ? undefined : requireAcceptable(request, operation.types)
    const { responseBytesMax: bytesMax } = options
    const call: RouteCall = { request, operation, type, path: basePath + path, bytesMax, separator: ',' }
    if (!isReading(request)) return change(exchange, call, match)
    exchange.isShared = !isPersonal(operation.rootField)
    if (!route.isFeed) return cache.serve(exchange, type ?? '', () => read(exchange, call, match))
    const given = readParameters(operation, match.parameters, request.url.searchParams)
    const feed = feedRequestOf(principalFor(exchange, operation), given)
    return longPoll(exchange, options, feed.waitMs, () =>
      cache.serve(exchange, type ?? '', () => read(exchange, call, match, feed)),
    )
  }
}

type Handler = (exchange: Exchange, call: RouteCall, match: Match) => Promise<HttpResponse>
type Reader = (
  ...args: [...Parameters<Handler>, given?: { readonly variables: Record<string, unknown> }]
) => Promise<HttpResponse>

function readerWith({ schema, engine, runCompiled }: RestOptions): Reader {
  return async (exchange, negotiated, { parameters }, given) => {
    const { request, operation, type } = negotiated
    const principal = principalFor(exchange, operation)
    const { variables } = given ?? { variables: readParameters(operation, parameters, request.url.searchParams) }
    const separator = operation.columns ? readSeparator(request.url.searchParams, type) : ','
    const call = { ...negotiated, separator }
    const context = engine.contextFor(principal, trackStatements(exchange), exchange.deadline)
    const query = { document: operation.document, variables, isLenient: true }
    const separated = type === 'application/json' ? ',' : '\n'
    const named = (error: unknown): never => {
      throw error instanceof ResponseTooLong ? inParameterNames(error, operation) : error
    }
    const result = await runCompiled(exchange, query, context, separated).catch(named)
    const executed = result ? undefined : await exchange.deadline.bound(run(engine, operation, variables, context))
    const isEmpty = result ? result.roots[0]?.list?.entries.length === 0 : isEmptyList(executed)
    if (isEmpty) await requireParent({ schema, engine }, call, parameters, context)
    return result ? respondWithCompiled(result, call) : respondWithResult(executed, call).catch(named)
  }
}

/** A list may be empty because its parent does not exist; callers who may read the parent get NOT_FOUND then. */
async function requireParent(
  { schema, engine }: Pick<RestOptions, 'schema' | 'engine'>,
  call: RouteCall,
  parameters: Match['parameters'],
  context: Context,
): Promise<void> {
  const { parent } = call.operation.route
  const route = ROUTES.find(({ operation }) => operation === parent)
  const reading = route && compiledRoute(schema, route)
  if (!reading?.scope || !grants(context.principal.scopes, reading.scope)) return
  const found = await run(engine, reading, parameters, context)
  if (!found) throw nothingAt({ ...call, operation: reading, path: call.path.replace(/\/[^/]*$/, '') })
}

function isEmptyList(value: unknown): boolean {
  const { nodes } = Object(value) as { nodes?: unknown }
  return Array.isArray(nodes) && nodes.length === 0
}

/** Redirects a path with one trailing slash to the route without it. */
function redirectFrom({ url: { pathname, search } }: HttpRequest, path: string): HttpResponse | undefined {
  if (!path.endsWith('/') || !routesAt(path.slice(0, -1))) return undefined
  return { status: 308, headers: { location: `${pathname.slice(0, -1)}${search}` }, body: null }
}

function nothingHere(path: string, basePath: string): Fault {
  const meant = nearestPath(path)
  const hint = meant === undefined ? '' : ` Did you mean ${basePath}${meant}?`
  return new Fault('NOT_FOUND', `There is nothing at ${path}.${hint} See ${basePath}/v1/openapi.json.`)
}

function changerWith({ schema, engine, rateLimits, bodies, running, basePath, log }: RestOptions): Handler {
  const perform = createPerform(running)
  return async (exchange, call, { at, parameters }) => {
    const { request, operation } = call
    exchange.isChange = true
    let principal = principalFor(exchange, operation)
    const variables = readParameters(operation, parameters, request.url.searchParams)
    const reading = at.routes.get('GET')
    const tags = CONDITIONAL.has(request.method) ? tagsToMatch(request) : undefined
    if (tags && !reading) throw unmatchable()
    if (operation.input) {
      const { bodyBytesMax: bytesMax = LIMITS.bodyBytesMax } = operation.route
      variables['input'] = await readBody(await bodies.json(exchange, bytesMax), operation.input)
      principal = await rateLimits.confirm(exchange)
    }
    const storing = storingCostOf(operation.rootField, () => variables)
    if (storing > 0) rateLimits.chargeQuery(principal, exchange, 1 + storing)
    const context = engine.contextFor(principal, trackStatements(exchange), exchange.deadline)
    const precondition =
      tags && reading ? preconditionOf(engine, context, tags, compiledRoute(schema, reading), parameters) : undefined
    const path = call.path.slice(basePath.length)
    const performed = (isExecuted: boolean) =>
      perform(request, path, variables['input'], context, (inner) =>
        run(engine, operation, variables, { precondition, isExecuted, ...inner }),
      )
    const { result, isReplay } = await performed(false).catch((error: unknown) => {
      if (!(error instanceof SelectionFailed)) throw error
      exchange.executedFor = orExecuted(log, exchange)(error.cause)
      return performed(true)
    })
    const shown = await respondWithResult(result, call)
    return isReplay ? { ...shown, headers: { ...shown.headers, 'idempotency-replayed': 'true' } } : shown
  }
}

/** Requires the scope before parameters and body are read; the schema checks it again. */
function principalFor({ principal }: Exchange, { scope }: CompiledRoute): Principal {
  if (!principal) throw new Error('The key of the request has not been checked.')
  if (scope) requireScope(principal, scope)
  return principal
}

/** The methods that support `If-Match`. */
const CONDITIONAL = new Set(['PATCH', 'PUT', 'DELETE'])

async function run(
  engine: Engine,
  operation: CompiledRoute,
  variables: Record<string, unknown>,
  context: Context,
): Promise<unknown> {
  const change = await engine.change(operation, variables, context)
  if (change) {
    return change().catch((error: unknown) => {
      throw error instanceof SelectionFailed ? error : inParameterNames(asFault(error), operation)
    })
  }
  const { data, errors } = await engine.run(operation.document, variables, context)
  const error = errors?.find((one) => !isWithheld(one))
  if (error) throw inParameterNames(faultOf(error), operation)
  return data?.[operation.rootNode.name.value]
}

/** REST shows a reference that the key may not read as null; the scope of the route itself was checked before. */
function isWithheld(error: GraphQLError): boolean {
  return (error.path?.length ?? 0) > 1 && faultOf(error).code === 'INSUFFICIENT_SCOPE'
}

/** Checks `If-Match` inside the transaction, against what GET would return now. */
function preconditionOf(
  engine: Engine,
  context: Context,
  tags: readonly string[],
  operation: CompiledRoute,
  parameters: Match['parameters'],
): Context['precondition'] {
  return async (read) => {
    const store = { ...context.store, read }
    requireMatch(tags, await run(engine, operation, parameters, { ...context, store }))
  }
}

function optionsOf({ routes, allow }: Place): HttpResponse {
  const patch = routes.has('PATCH') ? { 'accept-patch': PATCH_TYPES.join(', ') } : undefined
  return emptyResponse({ allow, ...patch })
}

/** Names the REST parameter in a fault, where the resolver names the GraphQL argument. */
function inParameterNames(fault: Fault, { parameters }: CompiledRoute): Fault {
  const [flaw] = fault.flaws
  if (fault.code === 'TOO_COMPLEX') {
    const sentence = fault.message.replace(/`\w+\(first: (\d+)\)`/g, '`limit=$1`').replaceAll('`first`', '`limit`')
    return new Fault(fault.code, sentence, { cause: fault })
  }
  const parameter = parameters.find(({ use }) => use.argument === flaw?.parameter)
  if (flaw && parameter?.in === 'path' && fault.code === 'BAD_REQUEST') return new Fault('NOT_FOUND', flaw.detail)
  return flaw && parameter ? badArgument(parameter.name, flaw.detail) : fault
}
