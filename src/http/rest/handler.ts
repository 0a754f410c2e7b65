import type { GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Principal } from '../../auth/principal.js'
import { grants } from '../../auth/scopes.js'
import { badArgument, Fault } from '../../errors.js'
import { type Context, requireScope } from '../../graph/builder.js'
import { storingCostOf } from '../../graph/cost/bills.js'
import { asFault, faultOf } from '../../graph/faults.js'
import { SelectionFailed } from '../../graph/sql/compiledMutations.js'
import { LIMITS } from '../../limits.js'
import type { Rates } from '../access/rateLimits.js'
import type { ResponseCache } from '../cache/responseCache.js'
import type { Engine } from '../engine.js'
import { orExecuted, type RunCompiled } from '../graphql/compiledQueries.js'
import { type Exchange, noting } from '../observe/exchange.js'
import { type Bodies, PATCH_TYPES } from '../wire/body.js'
import { emptyAnswer } from '../wire/content.js'
import { requireAcceptable } from '../wire/negotiation.js'
import { notAllowed } from '../wire/problems.js'
import { type Answer, type Asked, isReading } from '../wire/request.js'
import { readBody } from './bodyInput.js'
import { type StoredOperation, storedOperation } from './compiledRoutes.js'
import { createPerform, type RunningRequests } from './idempotency.js'
import { readParameters, readSeparator } from './parameters.js'
import { nearestPath } from './pathHints.js'
import { requireMatch, tagsToMatch, unmatchable } from './preconditions.js'
import { answerWith, answerWithCompiled, nothingAt, type Wanted } from './results.js'
import { type Match, type Place, routesAt } from './router.js'
import { ROUTES } from './routes.js'

interface RestOptions {
  readonly schema: GraphQLSchema
  readonly engine: Engine
  readonly runCompiled: RunCompiled
  readonly cache: ResponseCache
  readonly rates: Rates
  readonly bodies: Bodies
  readonly basePath: string
  readonly running: RunningRequests
  readonly log: Logger
}

/** Handles a request below `/v1`; `path` is without the base path. */
export type Rest = (exchange: Exchange, path: string) => Promise<Answer>

/** The REST API: each compiled route runs its GraphQL operation, and maps the result to HTTP. */
export function createRest(options: RestOptions): Rest {
  const { schema, cache, rates, basePath } = options
  const read = readerWith(options)
  const change = changerWith(options)
  return async (exchange, path) => {
    const { asked } = exchange
    const match = routesAt(path)
    if (asked.method === 'OPTIONS' && match) return optionsOf(match.at)
    await rates.admit(exchange)
    if (!match) {
      const redirect = redirectFrom(asked, path)
      if (redirect) return redirect
      throw nothingHere(path, basePath)
    }
    const { at } = match
    const route = at.routes.get(asked.method === 'HEAD' ? 'GET' : asked.method)
    if (!route) return notAllowed(exchange, at.allow)
    const operation = storedOperation(schema, route)
    exchange.operation = operation.route.operation
    const type = operation.types.length === 0 ? undefined : requireAcceptable(asked, operation.types)
    const wanted: Wanted = { asked, operation, type, path: basePath + path, separator: ',' }
    if (!isReading(asked)) return change(exchange, wanted, match)
    // A route without a scope is about the caller's own key.
    exchange.isShared = operation.scope !== null
    return cache.serve(exchange, type ?? '', () => read(exchange, wanted, match))
  }
}

type Handler = (exchange: Exchange, wanted: Wanted, match: Match) => Promise<Answer>

function readerWith({ schema, engine, runCompiled }: RestOptions): Handler {
  return async (exchange, negotiated, { parameters }) => {
    const { asked, operation, type } = negotiated
    const principal = principalFor(exchange, operation)
    const variables = readParameters(operation, parameters, asked.url.searchParams)
    const separator = operation.columns ? readSeparator(asked.url.searchParams, type) : ','
    const wanted = { ...negotiated, separator }
    const context = engine.contextFor(principal, noting(exchange), exchange.waiting)
    const query = { document: operation.document, variables }
    const result = await runCompiled(exchange, query, context, type === 'text/csv' ? '\n' : ',')
    const answer = result ? undefined : await run(engine, operation, variables, context)
    const isEmpty = result ? result.roots[0]?.list?.entries.length === 0 : isEmptyList(answer)
    if (isEmpty) await requireParent({ schema, engine }, wanted, parameters, context)
    return result ? answerWithCompiled(result, wanted) : answerWith(answer, wanted)
  }
}

/** A list may be empty because its parent does not exist; only callers who may read the parent are told. */
async function requireParent(
  { schema, engine }: Pick<RestOptions, 'schema' | 'engine'>,
  wanted: Wanted,
  parameters: Match['parameters'],
  context: Context,
): Promise<void> {
  const { parent } = wanted.operation.route
  const route = ROUTES.find(({ operation }) => operation === parent)
  const reading = route && storedOperation(schema, route)
  if (!reading?.scope || !grants(context.principal.scopes, reading.scope)) return
  const found = await run(engine, reading, parameters, context)
  if (!found) throw nothingAt({ ...wanted, operation: reading, path: wanted.path.replace(/\/[^/]*$/, '') })
}

function isEmptyList(answer: unknown): boolean {
  const { nodes } = Object(answer) as { nodes?: unknown }
  return Array.isArray(nodes) && nodes.length === 0
}

/** The redirect of a path that is right but for one slash at its end. */
function redirectFrom({ url: { pathname, search } }: Asked, path: string): Answer | undefined {
  if (!path.endsWith('/') || !routesAt(path.slice(0, -1))) return undefined
  return { status: 308, headers: { location: `${pathname.slice(0, -1)}${search}` }, body: null }
}

function nothingHere(path: string, basePath: string): Fault {
  const meant = nearestPath(path)
  const hint = meant === undefined ? '' : ` Did you mean ${basePath}${meant}?`
  return new Fault('NOT_FOUND', `There is nothing at ${path}.${hint} See ${basePath}/v1/openapi.json.`)
}

function changerWith({ schema, engine, rates, bodies, running, basePath, log }: RestOptions): Handler {
  const perform = createPerform(running)
  return async (exchange, wanted, { at, parameters }) => {
    const { asked, operation } = wanted
    exchange.isChange = true
    let principal = principalFor(exchange, operation)
    const variables = readParameters(operation, parameters, asked.url.searchParams)
    const reading = at.routes.get('GET')
    const tags = CONDITIONAL.has(asked.method) ? tagsToMatch(asked) : undefined
    if (tags && !reading) throw unmatchable()
    if (operation.input) {
      const { bodyBytesMax: bytesMax = LIMITS.bodyBytesMax } = operation.route
      variables['input'] = readBody(await bodies.json(exchange, { bytesMax }), operation.input)
      principal = await rates.confirm(exchange)
    }
    const storing = storingCostOf(operation.rootField, () => variables)
    if (storing > 0) rates.chargeQuery(principal, exchange, 1 + storing)
    const context = engine.contextFor(principal, noting(exchange), exchange.waiting)
    const precondition =
      tags && reading ? preconditionOf(engine, context, tags, storedOperation(schema, reading), parameters) : undefined
    const path = wanted.path.slice(basePath.length)
    const performed = (isExecuted: boolean) =>
      perform(asked, path, variables['input'], context, (inner) =>
        run(engine, operation, variables, { ...inner, precondition, isExecuted }),
      )
    const { answer, isReplay } = await performed(false).catch((error: unknown) => {
      if (!(error instanceof SelectionFailed)) throw error
      exchange.executedFor = orExecuted(log, exchange)(error.cause)
      return performed(true)
    })
    const shown = await answerWith(answer, wanted)
    return isReplay ? { ...shown, headers: { ...shown.headers, 'idempotency-replayed': 'true' } } : shown
  }
}

/** Requires the scope before parameters and body are read; the schema checks it again. */
function principalFor({ principal }: Exchange, { scope }: StoredOperation): Principal {
  if (!principal) throw new Error('The key of the request has not been checked.')
  if (scope) requireScope(principal, scope)
  return principal
}

/** The methods that support `If-Match`. */
const CONDITIONAL = new Set(['PATCH', 'PUT', 'DELETE'])

async function run(
  engine: Engine,
  operation: StoredOperation,
  variables: Record<string, unknown>,
  context: Context,
): Promise<unknown> {
  const change = engine.change(operation, variables, context)
  if (change) {
    return change().catch((error: unknown) => {
      throw error instanceof SelectionFailed ? error : inParameterNames(asFault(error), operation)
    })
  }
  const { data, errors } = await engine.run(operation.document, variables, context)
  const [error] = errors ?? []
  if (error) throw inParameterNames(faultOf(error), operation)
  return data?.[operation.rootNode.name.value]
}

/** Checks `If-Match` inside the transaction, against what GET would return now. */
function preconditionOf(
  engine: Engine,
  context: Context,
  tags: readonly string[],
  operation: StoredOperation,
  parameters: Match['parameters'],
): Context['precondition'] {
  return async (read) => {
    const store = { ...context.store, read }
    requireMatch(tags, await run(engine, operation, parameters, { ...context, store }))
  }
}

function optionsOf({ routes, allow }: Place): Answer {
  const patch = routes.has('PATCH') ? { 'accept-patch': PATCH_TYPES.join(', ') } : undefined
  return emptyAnswer({ allow, ...patch })
}

/** Names the REST parameter in a fault, where the resolver names the GraphQL argument. */
function inParameterNames(fault: Fault, { parameters }: StoredOperation): Fault {
  const [flaw] = fault.flaws
  if (fault.code === 'TOO_COMPLEX') {
    const sentence = fault.message.replace(/`\w+\(first: (\d+)\)`/g, '`limit=$1`').replaceAll('`first`', '`limit`')
    return new Fault(fault.code, sentence, { cause: fault })
  }
  const fed = parameters.find(({ use }) => use.argument === flaw?.parameter)
  if (flaw && fed?.in === 'path' && fault.code === 'BAD_REQUEST') return new Fault('NOT_FOUND', flaw.detail)
  return flaw && fed ? badArgument(fed.name, flaw.detail) : fault
}
