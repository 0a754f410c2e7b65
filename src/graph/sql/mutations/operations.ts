import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FieldNode,
  GraphQLError,
  getOperationAST,
  locatedError,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import { grants } from '../../../auth/scopes.js'
import { Fault } from '../../../errors.js'
import type { Context } from '../../builder.js'
import { billWith } from '../../cost/bills.js'
import { priceIn } from '../../cost/prices.js'
import { publicError } from '../../faults.js'
import { fragmentsOf, includedBy, selectionsOf } from '../../selections.js'
import type { Nodes } from '../entries.js'
import { type ExecutionReason, NotCompilable } from '../statements.js'
import { coercedVariables } from '../variables.js'
import { compiledMutation, SelectionFailed } from './compiler.js'

/** A prepared root field. */
interface PreparedField {
  readonly key: string
  readonly nodes: Nodes
  readonly run: () => Promise<unknown>
}

interface Mutation {
  readonly args: ExecutionArgs
  readonly operation: OperationDefinitionNode
  readonly context: Context
  readonly variables: Readonly<Record<string, unknown>>
}

/**
 * Runs the compiled root fields of a validated mutation in series; the result equals that of `execute`. If one cannot be
 * compiled, or execution must refuse it, returns the reason before anything is changed.
 */
export async function runMutation(args: ExecutionArgs): Promise<ExecutionResult | ExecutionReason> {
  const fields = await prepared(args)
  if (typeof fields === 'string') return fields
  // No prototype: callers choose the response keys.
  const data: Record<string, unknown> = Object.create(null)
  const errors: GraphQLError[] = []
  for (const field of fields) {
    const result = await runField(args, field)
    data[field.key] = result.value
    errors.push(...result.errors)
  }
  return errors.length > 0 ? { errors, data } : { data }
}

interface FieldResult {
  readonly value: unknown
  readonly errors: readonly GraphQLError[]
}

async function runField(args: ExecutionArgs, { key, nodes, run }: PreparedField): Promise<FieldResult> {
  try {
    return { value: await run(), errors: [] }
  } catch (error) {
    if (!(error instanceof SelectionFailed)) {
      return { value: null, errors: [locatedError(publicError(error), nodes, [key])] }
    }
    const context = args.contextValue as Context
    // Inside a larger transaction the change still exists: the code that began the transaction must roll it back.
    if ('by' in context.store.read) throw error
    context.onExecuted?.('failed', error.cause)
    const { data, errors = [] } = await execute(alone(args, nodes))
    return { value: data?.[key] ?? null, errors }
  }
}

/** The operation with only one of its root fields. */
export function alone(args: ExecutionArgs, selections: readonly FieldNode[]): ExecutionArgs {
  const operation = getOperationAST(args.document, args.operationName)
  const definitions = args.document.definitions.map((node) =>
    node === operation ? { ...operation, selectionSet: { ...operation.selectionSet, selections } } : node,
  )
  return { ...args, document: { ...args.document, definitions } }
}

async function prepared(args: ExecutionArgs): Promise<readonly PreparedField[] | ExecutionReason> {
  const { schema, document, operationName, variableValues, contextValue } = args
  const operation = getOperationAST(document, operationName)
  if (operation?.operation !== OperationTypeNode.MUTATION) return 'bad_input'
  const variables = coercedVariables(schema, operation, variableValues ?? {})
  if (!variables) return 'bad_input'
  // Our schema is always executed with our context type.
  const context = contextValue as Context
  try {
    const bill = () => billWith(variables, { schema, operation, fragments: fragmentsOf(document) })
    await priceIn(context, variables, bill)
    return await preparedFields({ args, operation, context, variables })
  } catch (error) {
    if (error instanceof NotCompilable) return error.reason
    // Execution reports bad input.
    if (error instanceof GraphQLError || error instanceof Fault) return 'bad_input'
    throw error
  }
}

async function preparedFields(mutation: Mutation): Promise<readonly PreparedField[]> {
  const { args, operation, variables } = mutation
  const { schema, document } = args
  const root = schema.getMutationType()
  if (!root) throw new NotCompilable()
  const selected = selectionsOf(schema, document, includedBy(variables))(root, [operation.selectionSet])
  const fields: PreparedField[] = []
  for (const [key, nodes] of selected) {
    const isTypename = nodes[0].name.value === '__typename'
    fields.push({ key, nodes, run: isTypename ? async () => root.name : await preparedField(mutation, nodes) })
  }
  return fields
}

async function preparedField({ args, context, variables }: Mutation, nodes: Nodes): Promise<PreparedField['run']> {
  const field = compiledMutation(args.schema, args.document, nodes, variables)
  if (typeof field === 'string') throw new NotCompilable(field)
  const { scopes } = context.principal
  if (![...field.scopes].every((scope) => grants(scopes, scope))) throw new NotCompilable('scope')
  const run = await field.prepare(context, variables)
  return async () => (await run()).toJSON()
}
