import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql'

export type Variables = Readonly<Record<string, unknown>>

/** The root fields of an operation by their response keys, in the order of the response (GraphQL's CollectFields). */
export function rootFieldsOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): ReadonlyMap<string, readonly FieldNode[]> {
  const unvisited = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) unvisited.set(node.name.value, node)
  }
  const fields = new Map<string, FieldNode[]>()
  const collect = (selections: readonly SelectionNode[] = []): void => {
    for (const node of selections) {
      if (!isIncluded(node, variables)) continue
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value
        fields.set(key, [...(fields.get(key) ?? []), node])
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        collect(node.selectionSet.selections)
      } else {
        const fragment = unvisited.get(node.name.value)
        unvisited.delete(node.name.value)
        collect(fragment?.selectionSet.selections)
      }
    }
  }
  collect(operation.selectionSet.selections)
  return fields
}

function isIncluded(node: SelectionNode, variables: Variables): boolean {
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return false
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false
}
