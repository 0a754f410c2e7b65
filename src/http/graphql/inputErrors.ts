import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
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
  if (!document || operation?.operation !== OperationTypeNode.MUTATION) return []
  const fields = schema.getMutationType()?.getFields() ?? {}
  const given = { ...defaultsOf(operation), ...Object(variables) }
  const found: GraphQLError[] = []
  for (const node of fieldsIn(document, operation.selectionSet)) {
    if (!Object.hasOwn(fields, node.name.value)) continue
    for (const { name, value } of node.arguments ?? []) {
      const type = fields[node.name.value]?.args.find((one) => one.name === name.value)?.type
      if (!type || !isInputObjectType(getNullableType(type))) continue
      const { flaws, ofTypes } = await checkedInput(valueFromASTUntyped(value, given), type, true)
      if (flaws.length === ofTypes && ofTypes < 2) continue
      const { message, extensions } = flawed('VALIDATION_FAILED', `\`${name.value}\` cannot be used as given.`, flaws)
      found.push(new GraphQLError(message, { nodes: [node], extensions }))
    }
  }
  return found
}

/** The fields of a selection, also those in fragments; a fragment counts once, since it may contain itself. */
function fieldsIn(document: DocumentNode, { selections }: SelectionSetNode, seen = new Set<string>()): FieldNode[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node]
    if (node.kind === Kind.INLINE_FRAGMENT) return fieldsIn(document, node.selectionSet, seen)
    const name = node.name.value
    if (seen.has(name)) return []
    seen.add(name)
    const fragment = document.definitions.find(
      (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name,
    )
    return fragment && 'selectionSet' in fragment ? fieldsIn(document, fragment.selectionSet, seen) : []
  })
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
