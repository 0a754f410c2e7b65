import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  visit,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { grants } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import type { Context } from '../graph/builder.js'
import { atPlaceOf, faultOf, isRefusal } from '../graph/faults.js'
import { isPersonal as isOfKey } from '../graph/sql/compiler.js'
import { explained } from '../graph/suggestions.js'
import { LIMITS } from '../limits.js'
import { schema } from '../schema.js'
import { isOfStore } from '../store/faults.js'
import type { Asked } from './asked.js'
import type { Bodies } from './body.js'
import type { Engine } from './engine.js'
import { type Exchange, logCause } from './exchange.js'
import { isLong, longJson } from './longJson.js'
import type { PersistedQueries } from './persistedQueries.js'
import { faultHeaders, STATUS } from './problems.js'
import { parseWithinLimits } from './queryLimits.js'
import type { Rates } from './rates.js'

/** What the door hands on with each request. */
export interface Passed {
  readonly exchange: Exchange
  readonly params: Promise<Params>
}

type GraphqlPlugin = Plugin<Passed, Passed>

/** Takes what the door has read, in the one form that we take, whatever Yoga would take besides. */
export function useParams(): GraphqlPlugin {
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      setRequestParser(() => serverContext.params)
    },
  }
}

export interface Params {
  query: string
  variables?: Record<string, unknown>
  operationName?: string
  extensions?: Record<string, unknown>
}

/** What is to be run, as the request says it. */
export async function readParams(
  exchange: Exchange,
  bodies: Bodies,
  persistedQueries: PersistedQueries,
): Promise<Params> {
  const { asked } = exchange
  const params: unknown = asked.method === 'GET' ? paramsOfUrl(asked) : await bodies.json(exchange, limitsOf(exchange))
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

/** What is to be run is known only from the body: whoever may bring in a whole project may send as much as that takes. */
function limitsOf({ principal }: Exchange) {
  const mayBring = principal && grants(principal.scopes, 'projects.manage')
  return { bytesMax: mayBring ? LIMITS.syncBodyBytesMax : LIMITS.bodyBytesMax, isLargeAlone: true }
}

function paramsOfUrl({ url: { searchParams: query } }: Asked): Record<string, unknown> {
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

/** Parses within the limits, charges what the query costs, and runs it in the engine that REST uses too. */
export function useEngine(engine: Engine, rates: Rates): GraphqlPlugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((source, options) => parseWithinLimits(source.toString(), options))
    },
    async onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
      const { exchange } = args.contextValue
      const operation = getOperationAST(args.document, args.operationName)
      exchange.operation = nameOf(operation)
      exchange.isChange = operation?.operation === 'mutation'
      exchange.isShared = operation?.operation === 'query' && !isPersonal(args.document, args.schema)
      try {
        const { document, operationName, variableValues } = args
        const query = { document, operationName: operationName ?? undefined, variables: variableValues ?? {} }
        // By now Yoga has put into it what `context` has made.
        const charge = await exchange.waiting.bound(engine.chargeFor(query, args.contextValue as unknown as Context))
        if (exchange.principal) rates.chargeQuery(exchange.principal, exchange, charge)
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        setResultAndStopExecution({ errors: [new GraphQLError(error.message, { originalError: error })] })
      }
      setExecuteFn(async (execution) => {
        const result = await engine.execute(execution)
        if (!isLong(result.data)) return result
        exchange.data = await longJson(result.data)
        return { ...result, data: WRITTEN_APART }
      })
    },
  }
}

/** What stands for `data` that is written apart; nothing that is asked for can have such a name. */
const WRITTEN_APART = { '': true }

/** The text that Yoga has made of an answer, with what was written apart in its place. */
export function withData(text: string, data: Buffer): Buffer {
  const mark = JSON.stringify(WRITTEN_APART)
  // Errors come first, and may quote anything.
  const at = text.lastIndexOf(mark)
  return Buffer.concat([Buffer.from(text.slice(0, at)), data, Buffer.from(text.slice(at + mark.length))])
}

/** What the log calls an operation. */
export function nameOf(operation: OperationDefinitionNode | null | undefined): string {
  return operation?.name?.value ?? 'anonymous'
}

const personal = new WeakMap<DocumentNode, boolean>()

/** Whether a document asks for what is about the caller's own key; a name like it elsewhere counts too. */
function isPersonal(document: DocumentNode, schema: GraphQLSchema): boolean {
  const known = personal.get(document)
  if (known !== undefined) return known
  const fields = schema.getQueryType()?.getFields() ?? {}
  let found = false
  visit(document, {
    Field({ name }) {
      const field = Object.hasOwn(fields, name.value) ? fields[name.value] : undefined
      if (field && isOfKey(field)) found = true
    },
  })
  personal.set(document, found)
  return found
}

/** Puts every error of an answer into the words of the catalogue; the causes go to the log. */
export function useCatalogue(log: Logger): GraphqlPlugin {
  return {
    onResultProcess({ serverContext: { exchange }, result, setResult }) {
      if (!('errors' in result) || !result.errors) return
      const isEmpty = Object.values(result.data ?? {}).every((value) => value === null)
      const errors = result.errors.slice(0, LIMITS.errorsMax).map((thrown) => {
        const error = explained(schema, thrown)
        const fault = faultOf(error)
        exchange.refusal ??= fault
        logCause(log, exchange, fault)
        return published(fault, error, isEmpty && isOfStore(fault))
      })
      setResult({ ...result, errors: [...errors, ...unlisted(result.errors)] })
    },
  }
}

/** What stands for the errors that are not listed: each row of a list may have one, and a list has very many rows. */
function unlisted(errors: readonly GraphQLError[]): GraphQLError[] {
  const next = errors[LIMITS.errorsMax]
  if (!next) return []
  const count = errors.length - LIMITS.errorsMax
  const message = `${count} more ${count === 1 ? 'error is' : 'errors are'} not listed.`
  return [new GraphQLError(message, { extensions: { code: faultOf(next).code, unlisted: count } })]
}

/** An error as the caller sees it; `isWhole` when it is the answer itself, and not a gap in one. */
function published(fault: Fault, error: GraphQLError, isWhole: boolean): GraphQLError {
  const ofYoga = error.extensions['http'] as YogaHttp | undefined
  const code = ofYoga?.status === STATUS.METHOD_NOT_ALLOWED ? 'METHOD_NOT_ALLOWED' : fault.code
  return atPlaceOf(error, {
    message: fault.message,
    extensions: {
      ...fault.extensions,
      code,
      ...((error.path === undefined || isWhole) && { http: ofYoga ? httpOfYoga(ofYoga) : httpOf(fault, error) }),
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
  const isOfDocument = !isRefusal(error) || fault.code === 'TOO_COMPLEX'
  return { status: STATUS[fault.code], headers: faultHeaders(fault), ...(isOfDocument && { spec: true }) }
}
