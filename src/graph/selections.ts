import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type NamedTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'

/** The selected fields of an object by response key, in the order of execution. */
export type Selected = ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]>

/** Whether a field or fragment is selected. */
export type IsIncluded = (node: SelectionNode) => boolean

export const everything: IsIncluded = () => true

/** Applies `@skip` and `@include` with these variables. */
export function includedBy(variables: Readonly<Record<string, unknown>>): IsIncluded {
  return (node) =>
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false
}

/** The fragments of a document, by name. */
export function fragmentsOf({ definitions }: DocumentNode): Readonly<Record<string, FragmentDefinitionNode>> {
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
  return Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment]))
}

/** Collects the fields of an object as execution does (GraphQL's CollectFields). */
export function selectionsOf(schema: GraphQLSchema, document: DocumentNode, isIncluded: IsIncluded) {
  const fragments = fragmentsOf(document)
  const applies = (condition: NamedTypeNode | undefined, type: GraphQLObjectType) => {
    const named = condition && schema.getType(condition.name.value)
    return !named || named === type || (isAbstractType(named) && schema.isSubType(named, type))
  }
  return (type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Selected => {
    const selected = new Map<string, [FieldNode, ...FieldNode[]]>()
    const seen = new Set<string>()
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const node of selections) {
        if (!isIncluded(node)) continue
        if (node.kind === Kind.FIELD) {
          const name = (node.alias ?? node.name).value
          const same = selected.get(name)
          if (same) same.push(node)
          else selected.set(name, [node])
          continue
        }
        const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments[node.name.value]
        if (node.kind === Kind.FRAGMENT_SPREAD && seen.has(node.name.value)) continue
        if (node.kind === Kind.FRAGMENT_SPREAD) seen.add(node.name.value)
        if (fragment && applies(fragment.typeCondition, type)) collect(fragment.selectionSet)
      }
    }
    for (const set of sets) collect(set)
    return selected
  }
}

/** The variables of `@skip` and `@include`; undefined if the document has any other directive. */
export function decidingVariables(document: DocumentNode): readonly string[] | undefined {
  const names = new Set<string>()
  let isKnown = true
  visit(document, {
    Directive({ name, arguments: given = [] }) {
      isKnown &&= name.value === GraphQLSkipDirective.name || name.value === GraphQLIncludeDirective.name
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return isKnown ? [...names] : undefined
}
