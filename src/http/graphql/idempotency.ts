import {
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import {
  type IdempotentRequest,
  replaceIdempotencyRecord,
  storeIdempotencyRecord,
  type Unrecorded,
  unrecordedOf,
  wasUnrecorded,
} from '../../auth/idempotencyRecords.js'
import { grants, type Scope } from '../../auth/scopes.js'
import { type Code, Fault, type Flaw } from '../../errors.js'
import type { Context } from '../../graph/builder.js'
import { billWith } from '../../graph/cost/bills.js'
import { priceIn } from '../../graph/cost/prices.js'
import { asFault, faultOf } from '../../graph/faults.js'
import { fragmentsOf, includedBy, selectionsOf } from '../../graph/selections.js'
import { SelectionFailed } from '../../graph/sql/mutations/compiler.js'
import { alone } from '../../graph/sql/mutations/operations.js'
import { scopeLacking } from '../../graph/sql/mutations/scopes.js'
import { coercedVariables } from '../../graph/sql/variables.js'
import type { Read } from '../../store/store.js'
import type { Engine } from '../engine.js'
import { fingerprintOf, inside, type RunningRequests, replayOf, tokenOf } from '../rest/idempotency.js'
import type { ServerContext } from './plugins.js'

type Execute = Engine['execute']

/** A mutation with an Idempotency-Key: a client may safely send it again. */
interface Mutation {
  readonly args: ExecutionArgs
  readonly operation: OperationDefinitionNode
  readonly context: Context & ServerContext
  readonly variables: Readonly<Record<string, unknown>>
}

/** One root field of a mutation that has an Idempotency-Key. */
interface Field {
  readonly mutation: Mutation
  readonly request: IdempotentRequest
  /** The response key. */
  readonly key: string
  readonly nodes: readonly FieldNode[]
}

/** The result of a root field in an idempotency record. */
interface RecordedField {
  readonly value: unknown
  /** Instead of a value that is too long. */
  readonly unrecorded?: Unrecorded
  readonly errors: readonly RecordedError[]
  /** The scopes that the key had: with fewer, it may not see all of the value. */
  readonly scopes: readonly Scope[]
}

interface RecordedError {
  readonly message: string
  readonly path: readonly (string | number)[]
  readonly positions: readonly number[]
  readonly extensions: RecordedExtensions
}

interface RecordedExtensions {
  readonly code: Code
  readonly requiredScope?: string
  readonly existingId?: string
  readonly errors?: readonly Flaw[]
}

/** By response key. */
type RecordedFields = ReadonlyMap<string, RecordedField>

/** The result of a root field in this request. */
interface FieldResult {
  readonly value: unknown
  readonly errors: readonly GraphQLError[]
  /** Undefined for a field that cannot change anything. */
  readonly isReplay?: boolean
}

/**
 * Executes a mutation with an Idempotency-Key field by field. The result of a root field is recorded in the transaction
 * that makes its change, so a retry replays the finished fields and executes the others.
 */
export function idempotentEngine(engine: Engine, running: RunningRequests): Engine {
  const execute = idempotent((args) => engine.execute(args), running)
  return { ...engine, execute }
}

function idempotent(execute: Execute, running: RunningRequests): Execute {
  return async (args) => {
    const operation = getOperationAST(args.document, args.operationName)
    if (operation?.operation !== 'mutation') return execute(args)
    // The cast holds: Yoga merges its server context (`Passed`) into the context that the engine makes.
    const context = args.contextValue as Mutation['context']
    try {
      const token = tokenOf(context.exchange.request)
      const mutation = token === undefined ? undefined : await mutationOf(args, operation, context)
      if (token === undefined || !mutation) return await execute(args)
      const request = await requestOf(mutation, token)
      const recorded = await recordedFields(context.store.read, mutation, request)
      const fields = [...rootFieldsOf(mutation)].map(([key, nodes]) => ({
        mutation,
        request,
        key,
        nodes,
      }))
      const run = () => executeFields(execute, mutation, fields, recorded)
      return fields.every(({ key }) => recorded.has(key)) ? await run() : await running.alone(request, run)
    } catch (error) {
      const fault = asFault(error)
      return { errors: [new GraphQLError(fault.message, { originalError: fault })] }
    }
  }
}

/** The root fields by their response keys, in the order of the response. */
function rootFieldsOf({ args: { schema, document }, operation, variables }: Mutation) {
  const type = schema.getMutationType()
  return type ? selectionsOf(schema, document, includedBy(variables))(type, [operation.selectionSet]) : []
}

/** Undefined if execution will refuse the whole operation: bad variables, or a limit is exceeded. */
async function mutationOf(
  args: ExecutionArgs,
  operation: OperationDefinitionNode,
  context: Mutation['context'],
): Promise<Mutation | undefined> {
  const { schema, variableValues } = args
  const coerced = coercedVariables(schema, operation, variableValues ?? {})
  if (!coerced) return undefined
  const mutation = { args, operation, context, variables: coerced }
  return (await isWithinLimits(mutation)) ? mutation : undefined
}

/** Checks the cost of the whole operation: each field is executed alone, which checks only its own cost. */
async function isWithinLimits({ args, operation, context, variables }: Mutation): Promise<boolean> {
  const { document, schema } = args
  const bill = () => billWith(variables, { schema, operation, fragments: fragmentsOf(document) })
  return priceIn(context, variables, bill).then(
    () => true,
    () => false,
  )
}

async function requestOf({ context, variables, args }: Mutation, token: string): Promise<IdempotentRequest> {
  const { query } = context.params
  const fingerprint = fingerprintOf('POST', '/graphql', [query, args.operationName ?? null, variables])
  return { keyId: context.principal.keyId, token, fingerprint }
}

/** The recorded fields of this request; throws if its Idempotency-Key belongs to a different request. */
async function recordedFields(read: Read, { context }: Mutation, request: IdempotentRequest): Promise<RecordedFields> {
  const earlier = await replayOf(read, request, context.clock())
  // The cast holds: the fingerprint is that of a GraphQL mutation, and only this file records those.
  return new Map(earlier?.result as [string, RecordedField][] | undefined)
}

async function executeFields(
  execute: Execute,
  { context: { exchange } }: Mutation,
  fields: readonly Field[],
  recorded: RecordedFields,
): Promise<ExecutionResult> {
  // No prototype: the client chooses the response keys, `__proto__` included.
  const data: Record<string, unknown> = Object.create(null)
  const errors: GraphQLError[] = []
  for (const field of fields) {
    const result = await executeField(execute, field, recorded.get(field.key))
    data[field.key] = result.value
    errors.push(...result.errors)
    if (result.isReplay !== undefined) exchange.isReplay = result.isReplay && exchange.isReplay !== false
  }
  return { data, ...(errors.length > 0 && { errors }) }
}

async function executeField(execute: Execute, field: Field, before: RecordedField | undefined): Promise<FieldResult> {
  const { mutation, key, nodes } = field
  if (!mayChange(field)) return executed(execute, field, mutation.context)
  try {
    return before
      ? await replay(execute, field, before)
      : await changeOnce(execute, field).catch(orExecuted(execute, field))
  } catch (error) {
    const faults = error instanceof Unfinished ? error.faults : [asFault(error)]
    const errors = faults.map((fault) => new GraphQLError(fault.message, { nodes, path: [key], originalError: fault }))
    return { value: null, errors, isReplay: false }
  }
}

/** Avoids a transaction that would change nothing: for `__typename`, or if the key lacks the scope. */
function mayChange({ mutation: { args, context }, nodes: [node] }: Field): boolean {
  const isTypename = node?.name.value === '__typename'
  return node !== undefined && !isTypename && !scopeLacking(args.schema, context.principal, node)
}

async function executed(execute: Execute, { mutation, key, nodes }: Field, context: Context): Promise<FieldResult> {
  const { data, errors = [] } = await execute({ ...alone(mutation.args, nodes), contextValue: context })
  return { value: data?.[key] ?? null, errors }
}

/** Executes a field and records its result in one transaction. */
function changeOnce(execute: Execute, field: Field): Promise<FieldResult> {
  const { mutation, request, key } = field
  const { context } = mutation
  const { store, clock, principal } = context
  return store.write({ by: request.keyId, at: clock }, async (write) => {
    const done = await recordedFields(write, mutation, request)
    const meanwhile = done.get(key)
    if (meanwhile) return replay(execute, field, meanwhile)
    const { value, errors } = await executed(execute, field, { ...context, store: inside(store, write) })
    requireFinished(value, errors)
    const shown = { errors: errors.map(recordedError), scopes: [...principal.scopes] }
    const unrecorded = unrecordedOf(value, [shown, ...done])
    const recorded = { ...shown, ...(unrecorded ? { value: null, unrecorded } : { value }) }
    const record = done.size > 0 ? replaceIdempotencyRecord : storeIdempotencyRecord
    await record(write, request, [...done, [key, recorded]])
    return { value, errors, isReplay: false }
  })
}

/** If the compiled selection failed, the change was rolled back: run it again, executed field by field. */
function orExecuted(execute: Execute, field: Field): (error: unknown) => Promise<FieldResult> {
  return (error) => {
    if (!(error instanceof SelectionFailed)) throw error
    const { mutation } = field
    mutation.context.onExecuted?.('failed', error.cause)
    return changeOnce(execute, {
      ...field,
      mutation: { ...mutation, context: { ...mutation.context, isExecuted: true } },
    })
  }
}

/** Thrown to roll back a field. Nothing is recorded, so the client can retry with the same Idempotency-Key. */
class Unfinished extends Error {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super('The field failed.')
    this.faults = faults
  }
}

/** A field counts as finished even if parts of its result are null because the key lacks a scope. */
function requireFinished(value: unknown, errors: readonly GraphQLError[]): void {
  const faults = errors.map(faultOf)
  const failures = faults.filter(({ code }) => code === 'INTERNAL' || code === 'UNAVAILABLE')
  if (failures.length > 0) throw new Unfinished(failures)
  if (value === null && faults.length > 0) throw new Unfinished(faults)
}

function recordedError(error: GraphQLError): RecordedError {
  const { message, extensions } = faultOf(error)
  return { message, extensions, path: error.path ?? [], positions: error.positions ?? [] }
}

async function replay(
  execute: Execute,
  field: Field,
  { value, unrecorded, errors, scopes }: RecordedField,
): Promise<FieldResult> {
  const { context, args } = field.mutation
  const { principal } = context
  const requiredScope = scopes.find((scope) => !grants(principal.scopes, scope))
  if (requiredScope) {
    const sentence = `The recorded response needs the scope ${requiredScope}, which this key no longer has.`
    throw new Fault('INSUFFICIENT_SCOPE', sentence, { requiredScope })
  }
  if (unrecorded) {
    const again = readingOf(field, unrecorded)
    if (!again) throw wasUnrecorded(unrecorded)
    return { ...(await executed(execute, again, context)), isReplay: true }
  }
  const source = args.document.loc?.source
  const asBefore = ({ message, path, positions, extensions }: RecordedError) =>
    new GraphQLError(message, { source, positions, path, originalError: faultFrom(message, extensions) })
  return { value, errors: errors.map(asBefore), isReplay: true }
}

/** The query that reads what a field has changed, with the same selection; undefined if its id is not known. */
function readingOf(field: Field, { id }: Unrecorded): Field | undefined {
  const { mutation, key, nodes } = field
  const { args, operation } = mutation
  const declared = args.schema.getMutationType()?.getFields()[nodes[0]?.name.value ?? '']
  const type = declared && getNamedType(declared.type)
  if (id === undefined || !isObjectType(type) || !type.getInterfaces().some(({ name }) => name === NODE))
    return undefined
  const typeCondition = { kind: Kind.NAMED_TYPE, name: nameNode(type.name) } as const
  const node: FieldNode = {
    kind: Kind.FIELD,
    name: nameNode(NODE.toLowerCase()),
    alias: nameNode(key),
    arguments: [{ kind: Kind.ARGUMENT, name: nameNode('id'), value: { kind: Kind.STRING, value: id } }],
    selectionSet: {
      kind: Kind.SELECTION_SET,
      selections: nodes.flatMap(({ selectionSet }) =>
        selectionSet ? [{ kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet }] : [],
      ),
    },
  }
  const query = { ...operation, operation: OperationTypeNode.QUERY }
  const definitions = args.document.definitions.map((one) => (one === operation ? query : one))
  const reading = { ...args, document: { ...args.document, definitions } }
  return { ...field, mutation: { ...mutation, args: reading, operation: query }, nodes: [node] }
}

const NODE = 'Node'
const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const

function faultFrom(message: string, { code, errors: flaws, ...facts }: RecordedExtensions): Fault {
  return new Fault(code, message, { ...facts, ...(flaws && { flaws }) })
}
