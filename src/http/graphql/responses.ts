import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import type { Logger } from 'pino'
import type { Principal } from '../../auth/principal.js'
import { grants, type Scope } from '../../auth/scopes.js'
import { Fault, invalid } from '../../errors.js'
import { faultOf, isRefusal } from '../../graph/faults.js'
import { explained } from '../../graph/hints/suggestions.js'
import { checkedInput } from '../../graph/inputViolations.js'
import { type Answer, dataOf, errorsOf } from '../../graph/query/run.js'
import { operationIn, rootFieldsIn } from '../../graph/query/selections.js'
import { LIMITS } from '../../limits.js'
import { schema } from '../../schema.js'
import { isOfStore } from '../../store/faults.js'
import type { Work } from '../../work.js'
import { logCause, type Received } from '../observe/exchange.js'
import { Content, JSON_TYPE, respond } from '../wire/content.js'
import { faultHeaders, STATUS } from '../wire/problems.js'
import type { HttpResponse } from '../wire/request.js'
import { joined } from '../wire/slices.js'
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
  readonly exchange: Received
  readonly type: string
  /** Undefined if it could not be read. */
  readonly sent?: Sent
}

interface Sent {
  readonly principal: Principal
  readonly params: Params
  /** Undefined if the query could not be parsed. */
  readonly document: DocumentNode | undefined
}

/** Sends a result with the published form of every error, and logs the causes. */
export async function responseOf(log: Logger, recipient: Recipient, result: Result): Promise<HttpResponse> {
  const { exchange, type } = recipient
  const { data, isEmpty, errors: found = [], more } = writtenOf(result)
  exchange.record.hasData = !isEmpty
  const { work } = exchange.record
  const { errors, status, headers } = work.time('check', () => publishedErrors(log, recipient, found, isEmpty))
  const ofInputs = data || !recipient.sent ? [] : await inputErrors(recipient.sent, found, work)
  const listed = [...errors, ...ofInputs.map((error) => error.toJSON()), ...unlisted(errors, more)]
  const written = work.time('serialise', () => JSON.stringify(listed))
  const members = [...(listed.length > 0 ? [`"errors":${written}`] : []), ...(data ? ['"data":'] : [])]
  const parts = [Buffer.from(`{${members.join()}`), ...(data ?? []), Buffer.from('}')]
  const content = new Content(`${type}; charset=utf-8`, await joined(parts))
  return respond(exchange.request, content, { status, headers })
}

/** A result with its data as JSON; undefined if it has none. */
function writtenOf({ answer, data, errors }: Result) {
  if (!answer) return { data: data === null ? [Buffer.from('null')] : undefined, errors, isEmpty: true, more: 0 }
  const isEmpty = answer.roots.every(({ result }) => result instanceof Fault || !result.isThere)
  return { data: dataOf(answer), isEmpty, ...errorsOf(answer, LIMITS.errorsMax) }
}

/** The errors of a result as the client sees them, with the status and headers that they require. */
function publishedErrors(
  log: Logger,
  { exchange, type }: Recipient,
  errors: readonly GraphQLError[],
  isEmpty: boolean,
) {
  let status = 200
  const headers: Record<string, string> = {}
  const published = errors.map((thrown): GraphQLFormattedError => {
    const error = explained(schema, thrown)
    const fault = faultOf(error)
    exchange.record.refusal ??= fault
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

/** The methods of the path; Yoga says itself that a mutation needs POST. */
export const ALLOW = 'GET, POST, OPTIONS'

/** The `http` extension that Yoga adds to its own errors; an error with `spec` is one of the document. */
interface YogaHttp {
  readonly status?: number
  readonly spec?: boolean
  readonly headers?: Record<string, string>
}

/** An error of the document is a 400 only with `application/graphql-response+json`; one before it always. */
function httpOf(fault: Fault, error: GraphQLError) {
  const ofYoga = error.extensions['http'] as YogaHttp | undefined
  if (!ofYoga) {
    const isOfDocument = !isRefusal(error) || fault.code === 'TOO_COMPLEX'
    const allow = fault.code === 'METHOD_NOT_ALLOWED' ? { allow: ALLOW } : undefined
    return { status: STATUS[fault.code], headers: { ...faultHeaders(fault), ...allow }, isOfDocument }
  }
  const { status = STATUS[fault.code], spec: isOfDocument = false, headers = {} } = ofYoga
  // Yoga adds `Allow` to all of its own errors; it belongs only to a 405.
  const allow = status === STATUS.METHOD_NOT_ALLOWED && headers['Allow'] ? { allow: headers['Allow'] } : {}
  return { status, headers: allow, isOfDocument }
}

/**
 * An error for each input of a mutation that graphql-js has refused, with all of its violations: graphql-js stops at the
 * first bad variable, and before the nouns see any input. None if one violation is all, which graphql-js has reported.
 */
async function inputErrors(
  { principal, params, document }: Sent,
  errors: readonly GraphQLError[],
  work: Work,
): Promise<GraphQLError[]> {
  if (errors.some((error) => error.path !== undefined || isRefusal(error))) return []
  const sent = document && operationIn(schema, document, params.operationName)
  const mutation = schema.getMutationType()
  if (!mutation || sent?.operation.operation !== 'mutation') return []
  const fields = mutation.getFields()
  const given = { ...defaultsOf(sent.operation), ...Object(params.variables) }
  const inputs = new Map<string, Input>()
  for (const node of [...rootFieldsIn(sent, () => true).values()].flat()) {
    const field = Object.hasOwn(fields, node.name.value) ? fields[node.name.value] : undefined
    const scope = field?.extensions['scope'] as Scope | undefined
    if (!field || (scope && !grants(principal.scopes, scope))) continue
    for (const { name, value } of node.arguments ?? []) {
      const type = field.args.find((one) => one.name === name.value)?.type
      if (!type || !isInputObjectType(getNullableType(type))) continue
      // A variable is one input, however many fields take it.
      const key = value.kind === Kind.VARIABLE ? `${type} $${value.name.value}` : `${inputs.size}`
      inputs.set(key, { name: name.value, value, type, nodes: [...(inputs.get(key)?.nodes ?? []), node] })
    }
  }
  const found: GraphQLError[] = []
  for (const { name, value, type, nodes } of [...inputs.values()].slice(0, INPUTS_CHECKED_MAX)) {
    const { violations, ofTypes } = await checkedInput(valueFromASTUntyped(value, given), type, work, true)
    if (violations.length === ofTypes && ofTypes < 2) continue
    const { message, extensions } = invalid('VALIDATION_FAILED', `\`${name}\` cannot be used as given.`, violations)
    found.push(new GraphQLError(message, { nodes, extensions }))
  }
  return found
}

/** The first inputs are checked: each may have thousands of records, and one bad variable refuses all. */
const INPUTS_CHECKED_MAX = 5

/** An input of a mutation, with the fields that take it. */
interface Input {
  readonly name: string
  readonly value: ValueNode
  readonly type: GraphQLInputType
  readonly nodes: readonly FieldNode[]
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Readonly<Record<string, unknown>> {
  const withDefault = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  )
  return Object.fromEntries(withDefault)
}
