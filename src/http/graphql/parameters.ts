import { grants, type Scope } from '../../auth/scopes.js'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import type { Exchange } from '../observe/exchange.js'
import type { Bodies } from '../wire/body.js'
import type { HttpRequest } from '../wire/request.js'
import type { PersistedQueries } from './persistedQueries.js'

/** The parameters of a GraphQL request; Yoga checks all members but `query`. */
export interface Params {
  query: string
  variables?: Record<string, unknown>
  operationName?: string
  extensions?: Record<string, unknown>
}

/** Reads the parameters from the URL or a JSON body, the only forms that are accepted; Yoga would accept more. */
export async function readParams(
  exchange: Exchange,
  bodies: Bodies,
  persistedQueries: PersistedQueries,
): Promise<Params> {
  const { request } = exchange
  const params: unknown =
    request.method === 'GET' ? paramsOfUrl(request) : await bodies.json(exchange, bytesMaxOf(exchange))
  if (Array.isArray(params)) throw new Fault('BAD_REQUEST', 'Send one operation at a time: there is no batching.')
  if (typeof params !== 'object' || params === null) {
    throw new Fault('BAD_REQUEST', 'The body must be a JSON object with the member `query`.')
  }
  const query = persistedQueries.textFor(params)
  if (typeof query !== 'string' || query.trim() === '') {
    throw new Fault('BAD_REQUEST', 'The member `query` must hold the GraphQL text to run.')
  }
  return { ...params, query }
}

/** The operation is known only from the body: a key that may sync many records may send a body of that size. */
function bytesMaxOf({ principal }: Exchange): number {
  const maySync = SYNCING.some((scope) => principal && grants(principal.scopes, scope))
  return maySync ? LIMITS.syncBodyBytesMax : LIMITS.bodyBytesMax
}

const SYNCING: readonly Scope[] = ['projects.manage', 'personnel.manage']

function paramsOfUrl({ url: { searchParams: query } }: HttpRequest): Record<string, unknown> {
  const params: Record<string, unknown> = Object.fromEntries(query)
  for (const name of ['variables', 'extensions']) {
    const text = query.get(name)
    if (!text) delete params[name]
    else params[name] = parsedParameter(name, text)
  }
  return params
}

function parsedParameter(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Fault('BAD_REQUEST', `The parameter ${name} is not valid JSON.`, { cause })
  }
}
