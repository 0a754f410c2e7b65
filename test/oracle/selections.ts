import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isAbstractType,
  isListType,
  isObjectType,
  Kind as NodeKind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import type { ListArguments, ListName, PageArguments } from './lists.js'
import { type Caller, holds, KINDS, type Kind, type Scope, scopeOf } from './rows.js'

/** What does not depend on any row: the fields that a caller may not read, and the lists with their arguments. */

export interface Refusal {
  /** With `@` for any entry of a list. */
  readonly path: readonly string[]
  readonly scope: Scope
}

/** A field of the response and what is below it. */
export interface Selected {
  readonly refusals: Refusal[]
  readonly lists: ListArguments[]
}

interface Document {
  readonly schema: GraphQLSchema
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Caller
  /** The scope of a field by its type and name. */
  readonly needs: ReadonlyMap<string, Scope>
}

const LISTS: Readonly<Record<string, ListName>> = { members: 'personnel' }
const kindOf = (type: string) => KINDS.find((kind) => kind === type.toUpperCase())

/** The fields of an object by their keys in the response. */
export function fieldsIn(
  document: Document,
  type: GraphQLObjectType,
  sets: readonly (SelectionSetNode | undefined)[],
): Map<string, [FieldNode, ...FieldNode[]]> {
  const { schema, fragments, variables } = document
  const found = new Map<string, [FieldNode, ...FieldNode[]]>()
  const isIncluded = (node: SelectionNode) =>
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false
  const visit = (selections: readonly SelectionNode[]) => {
    for (const node of selections.filter(isIncluded)) {
      if (node.kind === NodeKind.FIELD) {
        const key = (node.alias ?? node.name).value
        found.set(key, [...(found.get(key) ?? []), node] as [FieldNode, ...FieldNode[]])
        continue
      }
      const fragment = node.kind === NodeKind.INLINE_FRAGMENT ? node : fragments[node.name.value]
      const condition = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value)
      const isOther = isAbstractType(condition) ? !schema.isSubType(condition, type) : condition && condition !== type
      if (fragment && !isOther) visit(fragment.selectionSet.selections)
    }
  }
  for (const set of sets) visit(set?.selections ?? [])
  return found
}

/** Walks a field. `kinds` are those of the changes that it shows. */
export function selectedIn(
  document: Document,
  parent: GraphQLObjectType,
  nodes: readonly [FieldNode, ...FieldNode[]],
  path: readonly string[],
  types: (type: GraphQLObjectType) => boolean,
  selected: Selected = { refusals: [], lists: [] },
): Selected {
  walk(document, parent, nodes, path, { kinds: [], types, selected, isRoot: true })
  return selected
}

interface Walk {
  readonly kinds: readonly Kind[]
  /** Whether a reference is of this type: only then a refusal below it counts. */
  readonly types: (type: GraphQLObjectType) => boolean
  readonly selected: Selected
  readonly isRoot?: boolean
}

function walk(
  document: Document,
  parent: GraphQLObjectType,
  nodes: readonly [FieldNode, ...FieldNode[]],
  path: readonly string[],
  { kinds, types, selected, isRoot = false }: Walk,
): void {
  const { schema, variables, caller, needs } = document
  const field = parent.getFields()[nodes[0].name.value]
  if (!field) return
  const scope = needs.get(`${parent.name}.${field.name}`)
  // The error of a root field is that of its resolver.
  if (scope && !holds(caller, scope)) return void (isRoot || selected.refusals.push({ path, scope }))
  if (parent.name === 'Change' && ['by', 'import'].includes(field.name)) {
    const unmanaged = kinds.map((kind) => scopeOf(kind, 'manage')).find((one) => !holds(caller, one))
    if (unmanaged) selected.refusals.push({ path, scope: unmanaged })
    return
  }
  const type = getNamedType(field.type)
  const kind = kindOf(type.name)
  // Of a kind that the caller may not read there is no change, and so nothing that it refers to.
  if (parent.name === 'Change' && kind && !holds(caller, scopeOf(kind, 'read'))) return
  const at = isListType(getNullableType(field.type)) ? [...path, '@'] : path
  let shown = kinds
  if (field.args.some(({ name }) => name === 'after')) {
    const args: PageArguments = getArgumentValues(field, nodes[0], variables)
    selected.lists.push({ list: LISTS[field.name] ?? (field.name as ListName), args })
    const own = kindOf(parent.name)
    shown = own ? [own] : field.name === 'changes' ? kindsShown(caller, args) : []
  }
  const isReadable = ({ name }: GraphQLObjectType) => {
    const of = kindOf(name)
    return of === undefined || holds(caller, scopeOf(of, 'read'))
  }
  const possible = isObjectType(type)
    ? [type]
    : isAbstractType(type)
      ? schema.getPossibleTypes(type).filter(isReadable)
      : []
  for (const one of possible) {
    const inner = fieldsIn(
      document,
      one,
      nodes.map(({ selectionSet }) => selectionSet),
    )
    const counts = isAbstractType(type) && !types(one) ? { ...selected, refusals: [] } : selected
    for (const [key, below] of inner)
      walk(document, one, below, [...at, key], { kinds: shown, types, selected: counts })
  }
}

/** The kinds of the changes that a filter leaves: those that are named, or that the caller may read. */
function kindsShown(caller: Caller, { filter }: PageArguments): readonly Kind[] {
  const kinds = filter?.entity ?? KINDS.filter((kind) => holds(caller, scopeOf(kind, 'read')))
  return filter?.project ? kinds.filter((kind) => scopeOf(kind, 'read') === 'projects.read') : kinds
}
