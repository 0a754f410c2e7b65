import { type GraphQLSchema, getVariableValues, type OperationDefinitionNode } from 'graphql'

type Variables = Readonly<Record<string, unknown>>

interface Known {
  readonly operation: OperationDefinitionNode
  readonly coerced: Variables | undefined
}

/** By the raw variables object of a request. */
const known = new WeakMap<object, Known>()

/**
 * The variables of a request, coerced once for all steps; undefined if they are invalid, which execution reports.
 * `maxErrors: 1`, because each error prints the whole value.
 */
export function coercedVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  sent: Variables,
): Variables | undefined {
  const before = known.get(sent)
  if (before?.operation === operation) return before.coerced
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], sent, { maxErrors: 1 })
  known.set(sent, { operation, coerced })
  return coerced
}
