import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'

/** The fields that are asked for in one place, by the names they are answered under, in the order of execution. */
export type Selected = ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]>

/** Whether a field or a fragment is asked for at all. */
export type IsIncluded = (node: SelectionNode) => boolean

export const everything: IsIncluded = () => true

/** Heeds `@skip` and `@include`, as these values of the variables have them. */
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

/** Collects selections as execution does; undefined where a fragment is of another type. */
export function selectionsOf({ definitions }: DocumentNode, isIncluded: IsIncluded) {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const one of definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one)

  return (type: string, sets: readonly SelectionSetNode[]): Selected | undefined => {
    const selected = new Map<string, [FieldNode, ...FieldNode[]]>()
    const seen = new Set<string>()
    const collect = ({ selections }: SelectionSetNode): boolean =>
      selections.every((node) => {
        if (!isIncluded(node)) return true
        if (node.kind === Kind.FIELD) {
          const name = node.alias?.value ?? node.name.value
          const same = selected.get(name)
          if (same) same.push(node)
          else selected.set(name, [node])
          return true
        }
        if (node.kind === Kind.INLINE_FRAGMENT) {
          return (node.typeCondition?.name.value ?? type) === type && collect(node.selectionSet)
        }
        if (seen.has(node.name.value)) return true
        seen.add(node.name.value)
        const fragment = fragments.get(node.name.value)
        return fragment?.typeCondition.name.value === type && collect(fragment.selectionSet)
      })
    return sets.every(collect) ? selected : undefined
  }
}

/** The variables that decide what is asked for; undefined when a directive does that we do not know. */
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
