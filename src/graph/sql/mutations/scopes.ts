import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql'
import type { Principal } from '../../../auth/principal.js'
import { grants, type Scope } from '../../../auth/scopes.js'
import { type Context, missingScope } from '../../builder.js'
import { publicError } from '../../faults.js'
import { decidingVariables, everything, type IsIncluded, includedBy, selectionsOf } from '../../selections.js'

/** The scope that a root field of a mutation needs and the caller lacks. */
export function scopeLacking(
  schema: GraphQLSchema,
  { scopes }: Principal,
  { name: { value: name } }: FieldNode,
): Scope | undefined {
  const fields = schema.getMutationType()?.getFields() ?? {}
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  const scope = field?.extensions['scope'] as Scope | null | undefined
  return scope && !grants(scopes, scope) ? scope : undefined
}

/**
 * The result of a mutation of which the caller may use no root field, equal to that of `execute`; undefined for all
 * others. Only the variables of `@skip` and `@include` are looked at: the others may be large.
 */
export function refusedMutation(args: ExecutionArgs): ExecutionResult | undefined {
  const { schema, document, operationName, variableValues, contextValue } = args
  const operation = getOperationAST(document, operationName)
  const root = schema.getMutationType()
  if (operation?.operation !== 'mutation' || !root) return undefined
  // Our schema is always executed with our context type.
  const { principal } = contextValue as Context
  const isIncluded = inclusion(schema, document, operation, variableValues ?? {})
  // No prototype: callers choose the response keys.
  const data: Record<string, unknown> = Object.create(null)
  const errors: GraphQLError[] = []
  for (const [key, nodes] of selectionsOf(schema, document, isIncluded)(root, [operation.selectionSet])) {
    const isTypename = nodes[0].name.value === '__typename'
    const scope = scopeLacking(schema, principal, nodes[0])
    if (!isTypename && !scope) return undefined
    data[key] = isTypename ? root.name : null
    if (scope) errors.push(locatedError(publicError(missingScope(scope)), nodes, [key]))
  }
  return errors.length > 0 ? { errors, data } : undefined
}

/** As execution decides it; if it would refuse the variables, everything counts as selected. */
function inclusion(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): IsIncluded {
  const deciding = decidingVariables(document) ?? []
  const definitions = variableDefinitions.filter(({ variable }) => deciding.includes(variable.name.value))
  const { coerced } = getVariableValues(schema, definitions, variables, { maxErrors: 1 })
  return coerced && deciding.every((name) => typeof coerced[name] === 'boolean') ? includedBy(coerced) : everything
}
