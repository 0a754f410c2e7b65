import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getOperationAST,
  isAbstractType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'

/** A validated operation; the `info` of a resolver is one. */
export interface Operation {
  /** The schema that it was validated against: that of a host may have more types than ours. */
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
}

const operations = new WeakMap<OperationDefinitionNode, Operation>()

/** The operation of a validated document; undefined if there is none of this name. */
export function operationIn(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string | null,
): Operation | undefined {
  const operation = getOperationAST(document, operationName)
  if (!operation) return undefined
  const known = operations.get(operation) ?? { schema, operation, fragments: fragmentsOf(document) }
  operations.set(operation, known)
  return known
}

export function fragmentsOf({ definitions }: DocumentNode): Operation['fragments'] {
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
  return Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment]))
}

export type Variables = Readonly<Record<string, unknown>>

export type Nodes = readonly [FieldNode, ...FieldNode[]]

/** The selected fields of an object by response key, in the order of the response. */
export type Selected = ReadonlyMap<string, Nodes>

type IsIncluded = (node: SelectionNode) => boolean

/** Applies `@skip` and `@include` with these variables. */
export function includedBy(variables: Variables): IsIncluded {
  return (node) =>
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false
}

/** Collects the fields of objects of a type (GraphQL's CollectFields). */
export type Collect = (type: GraphQLObjectType, sets: readonly SelectionSetNode[]) => Selected

export function selectionsOf({ schema, fragments }: Operation, isIncluded: IsIncluded): Collect {
  const applies = (condition: NamedTypeNode | undefined, { name }: GraphQLObjectType) => {
    const named = condition && schema.getType(condition.name.value)
    if (!named || named.name === name) return true
    return isAbstractType(named) && schema.getPossibleTypes(named).some((type) => type.name === name)
  }
  return (type, sets) => {
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

/** The root fields of an operation. */
export function rootFieldsIn(operation: Operation, isIncluded: IsIncluded): Selected {
  const { schema, operation: node } = operation
  const type = schema.getRootType(node.operation)
  return type ? selectionsOf(operation, isIncluded)(type, [node.selectionSet]) : new Map()
}

const deciders = new WeakMap<OperationDefinitionNode, readonly string[]>()

/** The variables of `@skip` and `@include`, on which the selection depends. */
export function decidingVariables({ operation, fragments }: Operation): readonly string[] {
  const known = deciders.get(operation) ?? decidingIn([operation, ...Object.values(fragments)])
  deciders.set(operation, known)
  return known
}

function decidingIn(definitions: readonly (OperationDefinitionNode | FragmentDefinitionNode)[]): readonly string[] {
  const names = new Set<string>()
  for (const definition of definitions) {
    visit(definition, {
      Directive({ name, arguments: given = [] }) {
        if (name.value !== GraphQLSkipDirective.name && name.value !== GraphQLIncludeDirective.name) return
        for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
      },
    })
  }
  return [...names]
}
