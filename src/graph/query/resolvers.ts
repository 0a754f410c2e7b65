import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  type InlineFragmentNode,
  OperationTypeNode,
  parse,
  visit,
} from 'graphql'
import { oncePer, oncePerPair } from '../../caches.js'
import { Fault } from '../../errors.js'
import { type Context, requireContext } from '../builder.js'
import { publicError } from '../faults.js'
import { ROW_MEMBER, TYPE_MEMBER } from './entries.js'
import { type Answer, answer, type RootAnswer } from './run.js'
import { type Nodes, type Operation, operationIn } from './selections.js'

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
    return valueIn(found)
  } catch (error) {
    throw publicError(error)
  }
}

function valueIn({ result }: RootAnswer): unknown {
  if (result instanceof Fault) throw result
  const value: unknown = JSON.parse(Buffer.concat(result.json).toString())
  for (const [index, violation] of result.violations ?? []) (value as unknown[])[index] = publicError(violation)
  return answered(value)
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

/** The `info` of a resolver. */
export type ResolveInfo = GraphQLResolveInfo

interface Batch {
  readonly references: object[]
  readonly values: Promise<readonly unknown[]>
}

/** By the field of an execution whose rows they become; as one field, all entries of a list have the same nodes. */
const batches = oncePer((_: Context) => new Map<GraphQLResolveInfo['fieldNodes'], Batch>())

/** Reads rows for a field of a host that has one of our types: those of all entries of a list together. */
export async function loadEntity(
  context: unknown,
  reference: object,
  info: GraphQLResolveInfo,
): Promise<object | null> {
  requireContext(context)
  const waiting = batches(context)
  const known = waiting.get(info.fieldNodes)
  const isFull = known?.references.length === REFERENCES_TOGETHER_MAX
  const batch = known && !isFull ? known : newBatch(context, info)
  waiting.set(info.fieldNodes, batch)
  const index = batch.references.push(reference) - 1
  const value = (await batch.values)[index]
  if (value instanceof Error) throw value
  return value as object | null
}

function newBatch(context: Context, info: GraphQLResolveInfo): Batch {
  const references: object[] = []
  const read = async () => {
    // Other entries of the list may wait for rows of the host first.
    await nextTurn()
    batches(context).delete(info.fieldNodes)
    try {
      const variables = { ...info.variableValues, [REFERENCES]: references }
      const { roots } = await answer(lookUpOf(info), variables, context, { isHosted: true })
      return roots.flatMap(valueIn)
    } catch (error) {
      throw publicError(error)
    }
  }
  return { references, values: read() }
}

/** Two underscores begin no name that is a client's own. */
const REFERENCES = '__references'

const REFERENCES_TOGETHER_MAX = 1_000

/** The query for what a field selects of its rows; planned once for its document. */
function lookUpOf({ schema, fragments, fieldNodes, returnType }: GraphQLResolveInfo): Operation {
  const [node, ...others] = fieldNodes as Nodes
  const { name } = getNamedType(returnType)
  const operation = operationIn(schema, others.length > 0 ? lookUp(fieldNodes, name) : lookUpBy(node, name))
  if (!operation) throw new Error('A look-up has one operation.')
  return { ...operation, schema, fragments }
}

const lookUpBy = oncePerPair((node: FieldNode, type: string) => lookUp([node], type))

function lookUp(nodes: readonly FieldNode[], type: string): DocumentNode {
  const selections = nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
  const query = `{ _entities(representations: $${REFERENCES}) { ... on ${type} { __typename } } }`
  const withSelections = (node: InlineFragmentNode) => ({ ...node, selectionSet: { ...node.selectionSet, selections } })
  return visit(parse(query), { InlineFragment: { leave: withSelections } })
}

/** Resolves a field below the root from what its root field has read. */
export const resolveField: GraphQLFieldResolver<unknown, unknown> = (source, _, __, { path, parentType }) => {
  const { [VALUES]: values } = Object(source) as Partial<Answered>
  if (!values) throw new GraphQLError(`This ${parentType.name} was not read by the operations gateway. ${LOAD}`)
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

const LOAD = 'Return what loadEntity(context, { __typename, id }, info) gives, instead of an object of your own.'
