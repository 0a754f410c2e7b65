import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  Kind,
  OperationTypeNode,
  valueFromASTUntyped,
} from 'graphql'
import { flawed } from '../../errors.js'
import { isRefusal } from '../../graph/faults.js'
import { checkedInput } from '../../graph/inputFlaws.js'
import { parseWithinLimits } from './limits.js'
import type { Params } from './parameters.js'

/**
 * An error for each input of a mutation that graphql-js has refused, with all of its flaws: graphql-js stops at the
 * first bad variable, and before the nouns see any input. None if one flaw is all, which graphql-js has reported.
 */
export async function inputErrors(
  schema: GraphQLSchema,
  { query, operationName, variables }: Params,
  errors: readonly GraphQLError[],
): Promise<GraphQLError[]> {
  if (errors.some((error) => error.path !== undefined || isRefusal(error))) return []
  const document = parsed(query)
  const operation = document && getOperationAST(document, operationName)
  if (operation?.operation !== OperationTypeNode.MUTATION) return []
  const fields = schema.getMutationType()?.getFields() ?? {}
  const found: GraphQLError[] = []
  for (const node of operation.selectionSet.selections) {
    if (node.kind !== Kind.FIELD || !Object.hasOwn(fields, node.name.value)) continue
    for (const { name, value } of node.arguments ?? []) {
      const type = fields[node.name.value]?.args.find((one) => one.name === name.value)?.type
      if (!type || !isInputObjectType(getNullableType(type))) continue
      const { flaws, ofTypes } = await checkedInput(valueFromASTUntyped(value, Object(variables)), type, true)
      if (flaws.length === ofTypes && ofTypes < 2) continue
      const { message, extensions } = flawed('VALIDATION_FAILED', `\`${name.value}\` cannot be used as given.`, flaws)
      found.push(new GraphQLError(message, { nodes: [node], extensions }))
    }
  }
  return found
}

function parsed(query: string): DocumentNode | undefined {
  try {
    return parseWithinLimits(query, undefined)
  } catch {
    return undefined
  }
}
