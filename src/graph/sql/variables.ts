import { type GraphQLSchema, getVariableValues, type OperationDefinitionNode } from 'graphql'

type Variables = Readonly<Record<string, unknown>>

interface Known {
  readonly operation: OperationDefinitionNode
  readonly coerced: Variables | undefined
}

/** By the variables of a request as they were sent. */
const known = new WeakMap<object, Known>()

/**
 * The variables of a request as its operation declares them, coerced once however many steps ask for them; undefined
 * where they are wrong, which execution says. Each error would print all that was sent, so the first one is enough.
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
