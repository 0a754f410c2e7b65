import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  validate,
  visit,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { Fault, ResponseTooLong } from '../../errors.js'
import type { Context } from '../../graph/builder.js'
import { faultOf, isRefusal } from '../../graph/faults.js'
import { explained } from '../../graph/hints/suggestions.js'
import { isPersonal as isOfKey } from '../../graph/sql/compiler.js'
import { refusedMutation } from '../../graph/sql/mutations/scopes.js'
import { LIMITS } from '../../limits.js'
import { schema } from '../../schema.js'
import { isOfStore } from '../../store/faults.js'
import type { RunCompiled } from '../compiledQueries.js'
import type { Engine } from '../engine.js'
import { type Exchange, logCause } from '../observe/exchange.js'
import { JSON_TYPE } from '../wire/content.js'
import { isLong, longJson } from '../wire/longJson.js'
import { faultHeaders, STATUS } from '../wire/problems.js'
import { joined } from '../wire/slices.js'
import type { Documents } from './documents.js'
import { inputErrors } from './inputErrors.js'
import { parseWithinLimits } from './limits.js'
import type { Params } from './parameters.js'

/** The server context that the handler passes to Yoga with each request. */
export interface ServerContext {
  readonly exchange: Exchange
  readonly params: Params
  /** The negotiated media type of the response. */
  readonly type: string
}

type GraphqlPlugin = Plugin<ServerContext, ServerContext>

/** Uses the parameters that the handler has parsed: the body was already read for the response cache. */
export function useParams(): GraphqlPlugin {
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      setRequestParser(() => serverContext.params)
    },
  }
}

interface OperationsOptions {
  readonly runCompiled: RunCompiled
  readonly engine: Engine
  /** What Yoga has parsed. */
  readonly documents: Documents
  readonly contextFor: (serverContext: ServerContext) => ServerContext & Context
}

/**
 * Parses within the limits, and runs operations. A document that Yoga has validated before is run at once: passing all
 * hooks of parsing, validation and context again would take longer than preparing its SQL.
 */
export function useOperations(options: OperationsOptions): GraphqlPlugin {
  const { documents } = options
  const run = runnerWith(options)
  return {
    onParse({ setParseFn }) {
      setParseFn((source, options) => parseWithinLimits(source.toString(), options))
    },
    onValidate({ setValidationFn }) {
      // A suggestion is searched for each error.
      setValidationFn((schema, document, rules) => validate(schema, document, rules, { maxErrors: LIMITS.flawsMax }))
    },
    onParams({ paramsHandler, setParamsHandler }) {
      setParamsHandler((payload) => {
        const { params, request, context } = payload
        const { query = '', operationName, variables } = params
        const document = documents.findValid(query)
        const kind = document && getOperationAST(document, operationName)?.operation
        // Yoga refuses an unknown operation and a mutation by GET in its hooks of parsing.
        const isAllowed = kind === 'query' || (kind === 'mutation' && request.method === 'POST')
        if (!document || !isAllowed) return paramsHandler(payload)
        return run({ document, operationName, variables }, context)
      })
    },
    onExecute({ args, setExecuteFn }) {
      const { document, operationName, variableValues: variables, contextValue } = args
      documents.noteValid(document)
      setExecuteFn(() => run({ document, operationName, variables }, contextValue))
    },
  }
}

interface Operation {
  readonly document: DocumentNode
  readonly operationName: string | null | undefined
  readonly variables: Readonly<Record<string, unknown>> | null | undefined
}

/** A client may name its operation as it likes, at the length of a whole query. */
const NAME_CHARACTERS_LOGGED = 100

/** Runs a validated operation as compiled SQL where possible; all others are executed. */
function runnerWith({ runCompiled, engine, contextFor }: OperationsOptions) {
  return async ({ document, operationName, variables }: Operation, server: ServerContext): Promise<ExecutionResult> => {
    const { exchange } = server
    // Not Yoga's own: it is made with `defineProperties`, and every look at such an object is slow.
    const context = contextFor(server)
    const operation = getOperationAST(document, operationName)
    exchange.operation = operation?.name?.value.slice(0, NAME_CHARACTERS_LOGGED) ?? 'anonymous'
    exchange.isChange = operation?.operation === 'mutation'
    exchange.isShared = operation?.operation === 'query' && !isPersonal(document, schema)
    const query = { document, operationName: operationName ?? undefined, variables: variables ?? {} }
    const execution = { schema, document, operationName, variableValues: variables, contextValue: context }
    const refused = refusedMutation(execution)
    if (refused) {
      context.onExecuted?.('scope')
      return refused
    }
    try {
      const result = await runCompiled(exchange, query, context)
      if (result) return new WrittenResult(await joined([BEFORE_DATA, ...result.data, AFTER_DATA]))
      // The result of a change may be stored, without refusals.
      if (exchange.isChange) return await engine.execute(execution)
      exchange.refusals = { reported: 0, unlisted: 0 }
      const contextValue = { ...context, refusals: exchange.refusals }
      return await exchange.deadline.bound(engine.execute({ ...execution, contextValue }))
    } catch (error) {
      // Of the store, the rate limit or the deadline.
      if (!(error instanceof Fault)) throw error
      return { errors: [new GraphQLError(error.message, { originalError: error })] }
    }
  }
}

const BEFORE_DATA = Buffer.from('{"data":')
const AFTER_DATA = Buffer.from('}')

/** A result that is already serialized as JSON. */
class WrittenResult implements ExecutionResult {
  readonly data = null
  readonly json: Buffer

  constructor(json: Buffer) {
    this.json = json
  }
}

const personal = new WeakMap<DocumentNode, boolean>()

/** Whether a document selects a field about the caller's own key; a field of the same name elsewhere counts too. */
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

/** Serializes results in the negotiated media type, with the published form of every error, and logs the causes. */
export function useResponses(log: Logger, bytesMax: number): GraphqlPlugin {
  return {
    onResultProcess({ serverContext: { exchange, params, type }, setResultProcessor }) {
      setResultProcessor(async (result, { Response }) => {
        // Cannot happen: batches are refused, and there are no subscriptions.
        if (Array.isArray(result) || Symbol.asyncIterator in result) throw new Error('Expected a single result.')
        const contentType = { 'content-type': `${type}; charset=utf-8` }
        if (result instanceof WrittenResult) return new Response(bodyOf(result.json), { headers: contentType })
        const { errors, status, headers } = publishedErrors(log, exchange, result, type)
        const ofInputs = result.data === undefined ? await inputErrors(exchange, params, result.errors ?? []) : []
        const listed = [...errors, ...ofInputs.map((error) => error.toJSON())]
        const body = await jsonOf(result, listed, bytesMax).catch((error: unknown) => {
          if (!(error instanceof ResponseTooLong)) throw error
          exchange.refusal = error
          const { message, extensions } = error
          return Buffer.from(JSON.stringify({ errors: [{ message, extensions }] }))
        })
        return new Response(bodyOf(body), { status, headers: { ...headers, ...contentType } })
      }, type)
    },
  }
}

// The types exclude a SharedArrayBuffer; Yoga's own Response accepts one, and passes the bytes on unchanged.
const bodyOf = (bytes: Buffer) => bytes as Buffer<ArrayBuffer>

async function jsonOf(
  { data }: ExecutionResult,
  errors: readonly GraphQLFormattedError[],
  bytesMax: number,
): Promise<Buffer> {
  const whole = { ...(errors.length > 0 && { errors }), ...(data !== undefined && { data }) }
  if (!isLong(data)) return Buffer.from(JSON.stringify(whole))
  const before = errors.length > 0 ? `{"errors":${JSON.stringify(errors)},"data":` : '{"data":'
  return joined([Buffer.from(before), ...(await longJson(data, bytesMax)), AFTER_DATA])
}

/** The errors of a result as the client sees them, with the status and headers that they require. */
function publishedErrors(log: Logger, exchange: Exchange, { data, errors = [] }: ExecutionResult, type: string) {
  const isEmpty = Object.values(data ?? {}).every((value) => value === null)
  exchange.hasData = !isEmpty
  let status = 200
  const headers: Record<string, string> = {}
  const published = errors.slice(0, LIMITS.errorsMax).map((thrown) => {
    const error = explained(schema, thrown)
    const fault = faultOf(error)
    exchange.refusal ??= fault
    logCause(log, exchange, fault)
    const isWhole = error.path === undefined || (isEmpty && isOfStore(fault))
    const http = isWhole ? httpOf(fault, error) : undefined
    Object.assign(headers, http?.headers)
    // With `application/json`, an invalid document is a 200, as older clients expect.
    if (http && !(http.isOfDocument && type === JSON_TYPE)) status = Math.max(status, http.status)
    const code = http?.status === STATUS.METHOD_NOT_ALLOWED ? 'METHOD_NOT_ALLOWED' : fault.code
    const { locations, path } = error
    const place = { ...(locations && { locations }), ...(path && { path }) }
    // Not a GraphQLError, which would capture a stack for each of a thousand.
    return { message: fault.message, ...place, extensions: { ...fault.extensions, code } }
  })
  return { errors: [...published, ...unlisted(errors, exchange)], status, headers }
}

/** One error that counts those above `errorsMax`: every row of a long list may have one. */
function unlisted(errors: readonly GraphQLError[], { refusals }: Exchange): GraphQLFormattedError[] {
  const next = errors[LIMITS.errorsMax]
  if (!next) return []
  const count = errors.length - LIMITS.errorsMax + (refusals?.unlisted ?? 0)
  const message = `${count} more ${count === 1 ? 'error is' : 'errors are'} not listed.`
  return [{ message, extensions: { code: faultOf(next).code, unlisted: count } }]
}

interface Http {
  readonly status: number
  readonly headers: Record<string, string>
  /** An error of the document, which is a 400 only with `application/graphql-response+json`. */
  readonly isOfDocument: boolean
}

/** Status and headers of an error without data. An error before the document is parsed applies to every media type. */
function httpOf(fault: Fault, error: GraphQLError): Http {
  const ofYoga = error.extensions['http'] as YogaHttp | undefined
  if (!ofYoga) {
    const isOfDocument = !isRefusal(error) || fault.code === 'TOO_COMPLEX'
    return { status: STATUS[fault.code], headers: faultHeaders(fault), isOfDocument }
  }
  const { status = STATUS[fault.code], spec = false, headers = {} } = ofYoga
  // Yoga adds `Allow` to all of its own errors; it belongs only to a 405.
  const allow = status === STATUS.METHOD_NOT_ALLOWED && headers['Allow'] ? { allow: headers['Allow'] } : {}
  return { status, headers: allow, isOfDocument: spec }
}

/** The `http` extension that Yoga adds to its own errors. */
interface YogaHttp {
  readonly status?: number
  readonly spec?: boolean
  readonly headers?: Record<string, string>
}
