import { GraphQLError, parse } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import type { Authenticate } from '../auth/principal.js'
import { Fault } from '../errors.js'
import { faultOf, internal } from '../graph/faults.js'
import { LIMITS } from '../limits.js'
import { requireAcceptable } from './accept.js'
import { readJson } from './body.js'
import type { Engine } from './engine.js'
import { exchangeOf } from './exchange.js'
import { faultHeaders, STATUS } from './problems.js'

const ANSWERS = ['application/json', 'application/graphql-response+json']
const ALLOW = 'GET, POST, OPTIONS'

/** The GraphQL door: who may come in, and in what form, before Yoga takes over. */
export function useDoor(endpoint: string, authenticate: Authenticate): Plugin {
  return {
    async onRequest({ request, url, endResponse }) {
      if (url.pathname !== endpoint) return
      if (request.method === 'OPTIONS')
        return endResponse(new Response(null, { status: 204, headers: { allow: ALLOW } }))
      try {
        if (request.method !== 'GET' && request.method !== 'POST') {
          throw new Fault('METHOD_NOT_ALLOWED', 'GraphQL takes GET and POST.')
        }
        requireAcceptable(request, ...ANSWERS)
        exchangeOf(request).principal = await authenticate(request.headers.get('authorization'))
      } catch (error) {
        endResponse(refusal(error instanceof Fault ? error : internal(error)))
      }
    },
    onRequestParse({ setRequestParser }) {
      setRequestParser(readParams)
    },
  }
}

interface Params {
  query?: string
  variables?: Record<string, unknown>
  operationName?: string
  extensions?: Record<string, unknown>
}

async function readParams(request: Request): Promise<Params> {
  const params: unknown =
    request.method === 'GET' ? paramsOfUrl(request) : await readJson(request, exchangeOf(request).principal)
  if (Array.isArray(params)) throw new Fault('BAD_REQUEST', 'Send one operation at a time: there is no batching.')
  if (typeof params !== 'object' || params === null) {
    throw new Fault('BAD_REQUEST', 'The body must be a JSON object with the member `query`.')
  }
  const { query } = params as Params
  if (typeof query !== 'string' || query.trim() === '') {
    throw new Fault('BAD_REQUEST', 'The member `query` must hold the GraphQL text to run.')
  }
  return params
}

function paramsOfUrl(request: Request): Record<string, unknown> {
  const query = new URL(request.url).searchParams
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

/** Parses within the token limit, and runs what it parsed in the engine that REST uses too. */
export function useEngine(engine: Engine): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((source, options) => {
        if (source.toString().length > LIMITS.queryCharactersMax) throw tooLong('characters', LIMITS.queryCharactersMax)
        try {
          return parse(source, { ...options, maxTokens: LIMITS.queryTokensMax })
        } catch (error) {
          throw error instanceof GraphQLError && /more th\w+ \d+ tokens/.test(error.message)
            ? tooLong('tokens', LIMITS.queryTokensMax)
            : error
        }
      })
    },
    onExecute({ args, setExecuteFn }) {
      const name = args.operationName
      exchangeOf(args.contextValue.request).operation = name ?? 'anonymous'
      setExecuteFn((execution) => engine.execute(execution))
    },
  }
}

function tooLong(what: string, most: number): Fault {
  return new Fault('TOO_COMPLEX', `The query has more than ${most} ${what}. Ask in smaller parts.`)
}

/** Puts every error of an answer into the words of the catalogue; the causes go to the log. */
export function useCatalogue(log: Logger): Plugin {
  return {
    onResultProcess({ request, result, setResult }) {
      if (!('errors' in result) || !result.errors) return
      const errors = result.errors.map((error) => {
        const fault = faultOf(error)
        if (fault.code === 'INTERNAL')
          log.error({ requestId: exchangeOf(request).requestId, err: fault.cause }, 'request failed')
        return published(fault, error)
      })
      setResult({ ...result, errors })
    },
  }
}

function published(fault: Fault, error: GraphQLError): GraphQLError {
  const ofYoga = error.extensions['http'] as YogaHttp | undefined
  const code = ofYoga?.status === STATUS.METHOD_NOT_ALLOWED ? 'METHOD_NOT_ALLOWED' : fault.code
  return new GraphQLError(fault.message, {
    ...(error.nodes && { nodes: error.nodes }),
    ...(error.source && { source: error.source }),
    ...(error.positions && { positions: error.positions }),
    ...(error.path && { path: error.path }),
    extensions: {
      ...fault.extensions,
      code,
      ...(error.path === undefined && { http: ofYoga ? httpOfYoga(ofYoga) : httpOf(fault, error) }),
    },
  })
}

interface YogaHttp {
  readonly status?: number
  readonly spec?: boolean
  readonly headers?: Record<string, string>
}

// Yoga sends Allow with every refusal of its own; it belongs to a 405 alone.
function httpOfYoga({ headers, ...http }: YogaHttp): YogaHttp {
  return http.status === STATUS.METHOD_NOT_ALLOWED && headers ? { ...http, headers } : http
}

// `spec`: a bad document is a 400 to those who take application/graphql-response+json, and a 200 to older clients;
// what is wrong before there is a document is a 400 to everyone.
function httpOf(fault: Fault, error: GraphQLError) {
  const isOfDocument = !(error.originalError instanceof Fault) || fault.code === 'TOO_COMPLEX'
  return { status: STATUS[fault.code], headers: faultHeaders(fault), ...(isOfDocument && { spec: true }) }
}

function refusal(fault: Fault): Response {
  const body = { errors: [{ message: fault.message, extensions: fault.extensions }] }
  const allow = fault.code === 'METHOD_NOT_ALLOWED' ? { allow: ALLOW } : {}
  return new Response(JSON.stringify(body), {
    status: STATUS[fault.code],
    headers: { ...allow, ...faultHeaders(fault), 'content-type': 'application/json' },
  })
}
