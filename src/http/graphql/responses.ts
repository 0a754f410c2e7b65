import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import { Fault } from '../../errors.js'
import { faultOf, isRefusal } from '../../graph/faults.js'
import { explained } from '../../graph/hints/suggestions.js'
import { type Answer, dataOf, errorsOf } from '../../graph/query/run.js'
import { LIMITS } from '../../limits.js'
import { schema } from '../../schema.js'
import { isOfStore } from '../../store/faults.js'
import { type Exchange, logCause } from '../observe/exchange.js'
import { Content, JSON_TYPE, respond } from '../wire/content.js'
import { faultHeaders, STATUS } from '../wire/problems.js'
import type { HttpResponse } from '../wire/request.js'
import { joined } from '../wire/slices.js'
import { inputErrors } from './inputErrors.js'
import type { Params } from './parameters.js'

/** The result of an operation: its answer, if it was run. Yoga itself only has errors. */
export interface Result extends ExecutionResult {
  readonly answer?: Answer
}

export function refused(fault: Fault): Result {
  return { errors: [new GraphQLError(fault.message, { originalError: fault })] }
}

/** Whom to answer, and the negotiated media type. */
export interface Recipient {
  readonly exchange: Exchange
  readonly type: string
  /** Undefined if they could not be read. */
  readonly params?: Params
}

/** Sends a result with the published form of every error, and logs the causes. */
export async function responseOf(
  log: Logger,
  { exchange, type, params }: Recipient,
  result: Result,
): Promise<HttpResponse> {
  const { data, isEmpty, errors: found = [], more } = writtenOf(result)
  exchange.hasData = !isEmpty
  const { errors, status, headers } = publishedErrors(log, exchange, found, isEmpty, type)
  const ofInputs = data || !params ? [] : await inputErrors(exchange, params, found)
  const listed = [...errors, ...ofInputs.map((error) => error.toJSON()), ...unlisted(errors, more)]
  const before = listed.length > 0 ? `{"errors":${JSON.stringify(listed)}` : '{'
  const between = listed.length > 0 && data ? ',' : ''
  const parts = data ? [Buffer.from(`${before}${between}"data":`), ...data, END] : [Buffer.from(before), END]
  const content = new Content(`${type}; charset=utf-8`, await joined(parts))
  return respond(exchange.request, content, { status, headers })
}

const END = Buffer.from('}')

/** A result with its data as JSON; undefined if it has none. */
function writtenOf({ answer, data, errors }: Result) {
  if (!answer) return { data: data === null ? [Buffer.from('null')] : undefined, errors, isEmpty: true, more: 0 }
  const isEmpty = answer.roots.every(({ result }) => result instanceof Fault || !result.isThere)
  return { data: dataOf(answer), isEmpty, ...errorsOf(answer, LIMITS.errorsMax) }
}

/** The errors of a result as the client sees them, with the status and headers that they require. */
function publishedErrors(
  log: Logger,
  exchange: Exchange,
  errors: readonly GraphQLError[],
  isEmpty: boolean,
  type: string,
) {
  let status = 200
  const headers: Record<string, string> = {}
  const published = errors.map((thrown): GraphQLFormattedError => {
    const error = explained(schema, thrown)
    const fault = faultOf(error)
    exchange.refusal ??= fault
    logCause(log, exchange, fault)
    const isWhole = error.path === undefined || (isEmpty && (isOfStore(fault) || fault.code === 'INTERNAL'))
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
  return { errors: published, status, headers }
}

/** One error that counts those above `errorsMax`: every reference of a gateway may have one. */
function unlisted(errors: readonly GraphQLFormattedError[], more: number): GraphQLFormattedError[] {
  if (more === 0) return []
  const message = `${more} more ${more === 1 ? 'error is' : 'errors are'} not listed.`
  return [{ message, extensions: { code: errors.at(-1)?.extensions?.['code'], unlisted: more } }]
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
