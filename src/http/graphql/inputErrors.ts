import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import { grants, type Scope } from '../../auth/scopes.js'
import { flawed } from '../../errors.js'
import { isRefusal } from '../../graph/faults.js'
import { checkedInput } from '../../graph/inputFlaws.js'
import { operationIn, selectionsOf } from '../../graph/query/selections.js'
import { schema } from '../../schema.js'
import type { Exchange } from '../observe/exchange.js'
import { parseWithinLimits } from './limits.js'
import type { Params } from './parameters.js'

/**
 * An error for each input of a mutation that graphql-js has refused, with all of its flaws: graphql-js stops at the
 * first bad variable, and before the nouns see any input. None if one flaw is all, which graphql-js has reported.
 */
export async function inputErrors(
  { principal }: Exchange,
  { query, operationName, variables }: Params,
  errors: readonly GraphQLError[],
): Promise<GraphQLError[]> {
  if (errors.some((error) => error.path !== undefined || isRefusal(error))) return []
  const document = parsed(query)
  const sent = document && operationIn(schema, document, operationName)
  const mutation = schema.getMutationType()
  if (!mutation || sent?.operation.operation !== OperationTypeNode.MUTATION) return []
  const fields = mutation.getFields()
  const given = { ...defaultsOf(sent.operation), ...Object(variables) }
  const inputs = new Map<string, Input>()
  const selected = selectionsOf(sent, () => true)(mutation, [sent.operation.selectionSet])
  for (const node of [...selected.values()].flat()) {
    const field = Object.hasOwn(fields, node.name.value) ? fields[node.name.value] : undefined
    const scope = field?.extensions['scope'] as Scope | undefined
    if (!field || !principal || (scope && !grants(principal.scopes, scope))) continue
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
    const { flaws, ofTypes } = await checkedInput(valueFromASTUntyped(value, given), type, true)
    if (flaws.length === ofTypes && ofTypes < 2) continue
    const { message, extensions } = flawed('VALIDATION_FAILED', `\`${name}\` cannot be used as given.`, flaws)
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

function parsed(query: string): DocumentNode | undefined {
  try {
    return parseWithinLimits(query, undefined)
  } catch {
    return undefined
  }
}
