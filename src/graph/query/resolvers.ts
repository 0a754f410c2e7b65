import { isDeepStrictEqual } from 'node:util'
import {
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  getArgumentValues,
  OperationTypeNode,
} from 'graphql'
import { Fault } from '../../errors.js'
import { type Context, requireContext } from '../builder.js'
import { publicError } from '../faults.js'
import { ROW_MEMBER, TYPE_MEMBER } from './entries.js'
import { type Answer, answer } from './run.js'

/** What resolvers of a host get: the columns of a row, where the host has fields of its own, beside what was selected. */
interface Answered {
  readonly [VALUES]: Readonly<Record<string, unknown>>
}

/** By response key, so apart from the columns: a client may give a field the name of another. */
const VALUES: unique symbol = Symbol('values')

/** Resolves a root field, wherever the schema is executed: with the same answer as our own server. */
export const resolveRoot: GraphQLFieldResolver<unknown, unknown> = async (_, args, context, info) => {
  requireContext(context)
  requireAsSent(args, info)
  try {
    // A host may have Query as the type of a field, also of a mutation.
    const isOfQuery = info.operation.operation === 'query' && info.path.prev === undefined
    const { roots } = await (isOfQuery ? read(context, info) : apart(context, info))
    const found = roots.find(({ key }) => key === info.path.key)
    if (!found) throw new Error(`The plan has no ${info.path.key}.`)
    if (found.result instanceof Fault) throw found.result
    const value: unknown = JSON.parse(Buffer.concat(found.result.json).toString())
    for (const [index, violation] of found.result.violations ?? []) (value as unknown[])[index] = publicError(violation)
    return answered(value)
  } catch (error) {
    throw publicError(error)
  }
}

/** A host that wraps a resolver may pass other arguments, which a plan of the query cannot see: better loud than ignored. */
function requireAsSent(
  args: object,
  { parentType, fieldName, fieldNodes: [node], variableValues }: GraphQLResolveInfo,
) {
  const field = parentType.getFields()[fieldName]
  // Inputs and references may be large.
  if (!field || !node || fieldName.startsWith('_') || 'input' in args) return
  if (isDeepStrictEqual({ ...args }, getArgumentValues(field, node, variableValues))) return
  throw new GraphQLError(
    `The arguments of ${fieldName} were changed on the way, but the operations gateway answers the query as it was sent. Change the query itself, and delegate it.`,
  )
}

/** By the variables of an execution, an object of its own: all root fields of it are read together. */
const executions = new WeakMap<object, Promise<Answer>>()

function read(context: Context, info: GraphQLResolveInfo): Promise<Answer> {
  const { variableValues } = info
  const known = executions.get(variableValues) ?? answer(info, variableValues, context, { isHosted: true })
  executions.set(variableValues, known)
  return known
}

/** Changes are made one after the other, so each root field is an operation of its own. */
function apart(context: Context, info: GraphQLResolveInfo): Promise<Answer> {
  const { schema, operation, fragments, fieldNodes, parentType, variableValues } = info
  const kind = parentType === schema.getMutationType() ? OperationTypeNode.MUTATION : OperationTypeNode.QUERY
  const selectionSet = { ...operation.selectionSet, selections: fieldNodes }
  const alone = { schema, operation: { ...operation, operation: kind, selectionSet }, fragments }
  return answer(alone, variableValues, context, { isHosted: true })
}

/** Resolves a field below the root from what its root field has read. */
export const resolveField: GraphQLFieldResolver<unknown, unknown> = (source, _, __, { path, parentType }) => {
  const { [VALUES]: values } = Object(source) as Partial<Answered>
  if (!values) throw new GraphQLError(`This ${parentType.name} was not read by the operations gateway. ${DELEGATE}`)
  return answered(values[path.key])
}

/** The type of an object whose field has an abstract type. */
export function resolveType(source: unknown): string | undefined {
  const { [VALUES]: values } = Object(source) as Partial<Answered>
  return values?.[TYPE_MEMBER] as string | undefined
}

function answered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(answered)
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  const values = value as Answered[typeof VALUES]
  return { ...(values[ROW_MEMBER] as object | undefined), [VALUES]: values } satisfies Answered
}

const DELEGATE = 'Delegate to its query, such as `node(id:)`, instead of returning an object.'
