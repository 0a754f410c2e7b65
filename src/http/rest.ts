import { type GraphQLSchema, getNamedType } from 'graphql'
import type { Authenticate } from '../auth/principal.js'
import { badArgument, Fault } from '../errors.js'
import { requireScope } from '../graph/builder.js'
import { faultOf } from '../graph/faults.js'
import { requireAcceptable } from './accept.js'
import { readJson } from './body.js'
import type { Engine } from './engine.js'
import type { Exchange } from './exchange.js'
import { checkBody, readParameters } from './parameters.js'
import { notAllowed } from './problems.js'
import { Content, respond } from './represent.js'
import { ROUTES } from './routes.js'
import { compile, type StoredOperation } from './stored.js'

interface RestOptions {
  readonly schema: GraphQLSchema
  readonly engine: Engine
  readonly authenticate: Authenticate
  readonly basePath: string
}

/** Answers a request below `/v1`; `path` is without the base path. */
export type Rest = (request: Request, path: string, query: URLSearchParams, exchange: Exchange) => Promise<Response>

/** The REST door: each route runs its stored operation, and what HTTP wants is put around it. */
export function createRest({ schema, engine, authenticate, basePath }: RestOptions): Rest {
  const operations = ROUTES.map((route) => compile(schema, route))

  return async (request, path, query, exchange) => {
    const here = matchesOf(operations, path)
    const allow = allowed(here)
    if (request.method === 'OPTIONS' && here.length > 0) return new Response(null, { status: 204, headers: { allow } })

    exchange.principal = await authenticate(request.headers.get('authorization'))
    if (here.length === 0) throw new Fault('NOT_FOUND', `There is nothing at ${path}. See ${basePath}/v1/openapi.json.`)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const match = here.find(({ operation }) => operation.route.method === method)
    if (!match) return notAllowed(request, allow, exchange.requestId)
    const { operation, parameters } = match
    exchange.operation = operation.route.operation
    requireAcceptable(request, 'application/json')
    // The schema refuses as well; asked first, nobody without the scope gets as far as the parameters and the body.
    if (operation.scope) requireScope(exchange.principal, operation.scope)
    const variables = readParameters(operation, parameters, query)
    if (operation.input) {
      variables['input'] = await readJson(request)
      checkBody(variables['input'], operation.input)
      // A body can take its time, and the key may have been revoked meanwhile.
      exchange.principal = await authenticate(request.headers.get('authorization'))
    }
    const { data, errors } = await engine.run(operation.document, variables, exchange.principal)
    const [error] = errors ?? []
    if (error) throw inParameterNames(faultOf(error), operation)
    return shape(request, operation, data?.[operation.rootNode.name.value], basePath + path, query)
  }
}

interface Match {
  readonly operation: StoredOperation
  readonly parameters: Record<string, string>
}

function matchesOf(operations: readonly StoredOperation[], path: string): Match[] {
  const steps = path.split('/')
  return operations.flatMap((operation) => {
    const pattern = operation.route.path.split('/')
    if (pattern.length !== steps.length) return []
    const parameters: Record<string, string> = {}
    for (const [index, part] of pattern.entries()) {
      const step = steps[index] ?? ''
      if (part.startsWith('{') && step !== '') parameters[part.slice(1, -1)] = decoded(step)
      else if (part !== step) return []
    }
    return [{ operation, parameters }]
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

function allowed(matches: readonly Match[]): string {
  const methods = matches.map(({ operation }) => operation.route.method)
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}

/** Resolvers speak of arguments; a REST caller knows them by the names of the parameters that feed them. */
function inParameterNames(fault: Fault, { parameters }: StoredOperation): Fault {
  const [flaw] = fault.flaws
  const fed = parameters.find(({ use }) => use.argument === flaw?.parameter)
  return flaw && fed ? badArgument(fed.name, flaw.detail) : fault
}

interface ListAnswer {
  readonly nodes: readonly unknown[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  readonly totalCount?: number
}

async function shape(
  request: Request,
  { route, isList, rootField }: StoredOperation,
  answer: unknown,
  path: string,
  query: URLSearchParams,
): Promise<Response> {
  if (isList) {
    const { nodes, pageInfo, totalCount } = answer as ListAnswer
    const next = pageInfo.hasNextPage ? pageInfo.endCursor : null
    const body = Content.json({ data: nodes, page: { next, total: totalCount ?? null } })
    return respond(request, body, { headers: next === null ? {} : { link: nextLink(path, query, next) } })
  }
  if (answer === null || answer === undefined) {
    throw new Fault('NOT_FOUND', `There is no ${getNamedType(rootField.type).name.toLowerCase()} at ${path}.`)
  }
  const created = route.status === 201 ? { location: `${path}/${(answer as { id: string }).id}` } : undefined
  return respond(request, Content.json(answer), { status: route.status, ...(created && { headers: created }) })
}

function nextLink(path: string, query: URLSearchParams, next: string): string {
  const following = new URLSearchParams(query)
  following.set('cursor', next)
  return `<${path}?${following}>; rel="next"`
}
