import type { GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Authenticate } from '../auth/principal.js'
import { grants } from '../auth/scopes.js'
import { badArgument, Fault } from '../errors.js'
import { storingCostOf } from '../graph/bills.js'
import { type Context, requireScope } from '../graph/builder.js'
import { faultOf } from '../graph/faults.js'
import { LIMITS } from '../limits.js'
import { requireAcceptable } from './accept.js'
import { answerWith, answerWithCompiled, nothingAt, type Wanted } from './answers.js'
import { type Answer, type Asked, isReading } from './asked.js'
import { type Bodies, PATCH_TYPES } from './body.js'
import type { Engine } from './engine.js'
import { type Exchange, noting, orExecuted } from './exchange.js'
import { createPerform, type RunningRequests } from './idempotency.js'
import { readBody, readParameters, readSeparator } from './parameters.js'
import { nearestPath } from './pathHints.js'
import { requireMatch, tagsToMatch, unmatchable } from './preconditions.js'
import { notAllowed } from './problems.js'
import type { Rates } from './rates.js'
import { emptyAnswer } from './represent.js'
import { ROUTES, type Route } from './routes.js'
import { type MediaType, type StoredOperation, storedOperation } from './stored.js'

interface RestOptions {
  readonly schema: GraphQLSchema
  readonly engine: Engine
  readonly authenticate: Authenticate
  readonly rates: Rates
  readonly bodies: Bodies
  readonly basePath: string
  readonly running: RunningRequests
  readonly log: Logger
}

/** Answers a request below `/v1`; `path` is without the base path. */
export type Rest = (exchange: Exchange, path: string) => Promise<Answer>

/** The REST door: each route runs its stored operation, and what HTTP wants is put around it. */
export function createRest({ schema, engine, authenticate, rates, bodies, basePath, running, log }: RestOptions): Rest {
  const perform = createPerform(running)

  /** That a list is empty may mean that what it belongs to is not there; told to those alone who may read that. */
  const requireParent = async (wanted: Wanted, parameters: Match['parameters'], context: Context): Promise<void> => {
    const { parent } = wanted.operation.route
    const route = ROUTES.find(({ operation }) => operation === parent)
    const reading = route && storedOperation(schema, route)
    if (!reading?.scope || !grants(context.principal.scopes, reading.scope)) return
    const isThere = await run(engine, reading, parameters, context)
    if (!isThere) throw nothingAt({ ...wanted, operation: reading, path: wanted.path.replace(/\/[^/]*$/, '') })
  }

  return async (exchange, path) => {
    const { asked } = exchange
    const here = matchesOf(path)
    if (asked.method === 'OPTIONS' && here.length > 0) return options(here)

    const hasCome = asked.isWhole
    let principal = await rates.admit(asked.header('authorization'), exchange)
    if (here.length === 0) {
      const isSlashed = path.endsWith('/') && matchesOf(path.slice(0, -1)).length > 0
      if (isSlashed) return { status: 308, headers: { location: withoutSlash(asked) }, body: null }
      throw nothingHere(path, basePath)
    }
    const match = matchOf(here, asked.method === 'HEAD' ? 'GET' : asked.method)
    if (!match) return notAllowed(exchange, allowed(here))
    const { parameters } = match
    const operation = storedOperation(schema, match.route)
    exchange.operation = operation.route.operation
    exchange.isChange = operation.route.method !== 'GET'
    // What any key may ask for is about the key itself.
    exchange.isShared = operation.route.method === 'GET' && operation.scope !== null
    const type = acceptableType(asked, operation)
    // The schema refuses as well; asked first, nobody without the scope gets as far as the parameters and the body.
    if (operation.scope) requireScope(principal, operation.scope)
    const variables = readParameters(operation, parameters, asked.url.searchParams)
    const between = operation.columns ? readSeparator(asked.url.searchParams, type) : ','
    const reading = matchOf(here, 'GET')
    const tags = CONDITIONAL.has(asked.method) ? tagsToMatch(asked) : undefined
    if (tags && !reading) throw unmatchable()
    if (operation.input) {
      const { bodyBytesMax: bytesMax = LIMITS.bodyBytesMax } = operation.route
      variables['input'] = readBody(await bodies.json(exchange, { bytesMax }), operation.input)
      // A body that came after the look at the key can have taken its time, and the key may have been revoked meanwhile.
      if (!hasCome) principal = await exchange.waiting.bound(authenticate(asked.header('authorization')))
    }
    const storing = storingCostOf(operation.rootField, () => variables)
    if (storing > 0) rates.chargeQuery(principal, exchange, 1 + storing)
    const context = engine.contextFor(principal, noting(exchange), exchange.waiting)
    const wanted = { asked, operation, type, path: basePath + path, separator: between }
    if (isReading(asked)) {
      const separator = type === 'text/csv' ? '\n' : ','
      const query = { document: operation.document, variables }
      const preparing = exchange.waiting.bound(engine.prepare(query, principal))
      const prepared = await preparing.catch(orExecuted(log, exchange))
      const isPrepared = typeof prepared !== 'string'
      const pricing = isPrepared ? prepared.charge : exchange.waiting.bound(engine.chargeFor(query, context))
      rates.chargeQuery(principal, exchange, await pricing)
      const result = isPrepared ? await prepared.run(context, separator).catch(orExecuted(log, exchange)) : prepared
      if (typeof result !== 'string') {
        if (result.roots[0]?.list?.entries.length === 0) await requireParent(wanted, parameters, context)
        return answerWithCompiled(result, wanted)
      }
      exchange.executedFor = result
    }
    const precondition =
      tags && reading
        ? preconditionOf(engine, context, tags, storedOperation(schema, reading.route), reading.parameters)
        : undefined
    const { answer, isReplay } = await perform(asked, path, variables['input'], context, (inner) =>
      run(engine, operation, variables, { ...inner, precondition }),
    )
    if (isEmptyList(answer)) await requireParent(wanted, parameters, context)
    const shown = await answerWith(answer, wanted)
    return isReplay ? { ...shown, headers: { ...shown.headers, 'idempotency-replayed': 'true' } } : shown
  }
}

function isEmptyList(answer: unknown): boolean {
  const { nodes } = Object(answer) as { nodes?: unknown }
  return Array.isArray(nodes) && nodes.length === 0
}

function withoutSlash({ url: { pathname, search } }: Asked): string {
  return `${pathname.slice(0, -1)}${search}`
}

function nothingHere(path: string, basePath: string): Fault {
  const meant = nearestPath(path)
  const hint = meant === undefined ? '' : ` Did you mean ${basePath}${meant}?`
  return new Fault('NOT_FOUND', `There is nothing at ${path}.${hint} See ${basePath}/v1/openapi.json.`)
}

/** The methods that heed `If-Match`. */
const CONDITIONAL = new Set(['PATCH', 'PUT', 'DELETE'])

function acceptableType(asked: Asked, { types }: StoredOperation): MediaType | undefined {
  return types.length === 0 ? undefined : requireAcceptable(asked, ...types)
}

async function run(
  engine: Engine,
  operation: StoredOperation,
  variables: Record<string, unknown>,
  context: Context,
): Promise<unknown> {
  const { data, errors } = await engine.run(operation.document, variables, context)
  const [error] = errors ?? []
  if (error) throw inParameterNames(faultOf(error), operation)
  return data?.[operation.rootNode.name.value]
}

/** Asks, inside the write, whether what GET would answer is still what the caller has seen. */
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

interface Match {
  readonly route: Route
  readonly parameters: Record<string, string>
}

const PATTERNS = ROUTES.map((route) => ({ route, pattern: route.path.split('/') }))

function matchesOf(path: string): Match[] {
  const steps = path.split('/')
  return PATTERNS.flatMap(({ route, pattern }) => {
    if (pattern.length !== steps.length) return []
    const parameters: Record<string, string> = {}
    for (const [index, part] of pattern.entries()) {
      const step = steps[index] ?? ''
      if (part.startsWith('{') && step !== '') parameters[part.slice(1, -1)] = decoded(step)
      else if (part !== step) return []
    }
    return [{ route, parameters }]
  })
}

// What cannot be decoded is taken as it stands, and so names nothing.
function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

function matchOf(matches: readonly Match[], method: string): Match | undefined {
  return matches.find(({ route }) => route.method === method)
}

function options(matches: readonly Match[]): Answer {
  const patch = matchOf(matches, 'PATCH') ? { 'accept-patch': PATCH_TYPES.join(', ') } : undefined
  return emptyAnswer({ allow: allowed(matches), ...patch })
}

function allowed(matches: readonly Match[]): string {
  const methods = matches.map(({ route }) => route.method)
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}

/** Resolvers speak of arguments; a REST caller knows them by the names of the parameters that feed them. */
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
