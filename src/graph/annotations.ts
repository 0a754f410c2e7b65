import {
  type ConstDirectiveNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type NameNode,
  parseConstValue,
} from 'graphql'
import type { Scope } from '../auth/scopes.js'
import { LIMITS } from '../limits.js'
import { HANDFUL } from '../store/relations.js'
import type { FieldPrice } from './prices.js'

/** The directives of federation that `annotate` adds, besides those that the faces declare. */
export const ANNOTATIONS = ['@cost', '@listSize', '@tag'] as const

interface Directive {
  readonly name: string
  readonly args: object
}

/**
 * Tells a router what we know already: by `@tag` which scope a part of the schema needs, from which contract graphs are
 * made, and by `@cost` and `@listSize` what a list costs. All of it follows from what the fields declare for ourselves.
 */
export function annotate(schema: GraphQLSchema): void {
  const tags = tagsOf(schema)
  for (const type of objectTypes(schema)) {
    const { astNode } = type
    // Printing reads the directives of the syntax tree, which Pothos has made for every type.
    if (!astNode) throw new Error(`${type.name} has no syntax tree.`)
    const fields = astNode.fields?.map((node) => withDirectives(node, directivesOf(type.getFields()[node.name.value])))
    type.astNode = { ...withDirectives(astNode, [...(tags.get(type) ?? [])].sort().map(tagFor)), fields: fields ?? [] }
  }
}

function directivesOf(field: GraphQLField<unknown, unknown> | undefined): Directive[] {
  const scope = field && scopeOf(field)
  return [...(scope ? [tagFor(scope)] : []), ...(field ? costOf(field) : [])]
}

function objectTypes(schema: GraphQLSchema): GraphQLObjectType[] {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith('_'))
}

function scopeOf({ extensions }: GraphQLObjectType | GraphQLField<unknown, unknown>): Scope | undefined {
  return (extensions as { scope?: Scope | null }).scope ?? undefined
}

/** The scope of each type; one that has none, such as a connection, has the scopes of all that lead to it. */
function tagsOf(schema: GraphQLSchema): ReadonlyMap<GraphQLObjectType, ReadonlySet<Scope>> {
  const tags = new Map<GraphQLObjectType, Set<Scope>>()
  const reach = (type: GraphQLObjectType, scope: Scope): void => {
    const known = tags.get(type) ?? new Set<Scope>()
    if (known.has(scope)) return
    tags.set(type, known.add(scope))
    reachFrom(type, scope)
  }
  const reachFrom = (type: GraphQLObjectType, around: Scope | undefined): void => {
    for (const field of Object.values(type.getFields())) {
      const next = getNamedType(field.type)
      const scope = scopeOf(field) ?? around
      if (scope && isObjectType(next) && scopeOf(next) === undefined) reach(next, scope)
    }
  }
  for (const type of objectTypes(schema)) {
    const scope = scopeOf(type)
    if (scope) reach(type, scope)
    else reachFrom(type, undefined)
  }
  return tags
}

// A tag may have letters, digits, `_`, `-` and `/`, and no dot.
function tagFor(scope: Scope): Directive {
  return { name: 'tag', args: { name: scope.replace('.', '-') } }
}

const PAGED = { slicingArguments: ['first'], sizedFields: ['edges', 'nodes'], requireOneSlicingArgument: false }

/** What `prices.ts` makes of a list, in the words of the cost specification. */
function costOf({ type, extensions }: GraphQLField<unknown, unknown>): Directive[] {
  const price = extensions['price'] as FieldPrice | undefined
  if (price && 'list' in price) return [listSize({ ...PAGED, assumedSize: LIMITS.wholeListPricedRows })]
  if (price && 'isNestedList' in price) {
    // Its `first` has a default, and Cosmo takes that or an assumed size, not both.
    return [{ name: 'cost', args: { weight: LIMITS.nestedListCost } }, listSize(PAGED)]
  }
  const isPlainList = !price && isListType(getNullableType(type)) && isObjectType(getNamedType(type))
  return isPlainList ? [listSize({ assumedSize: HANDFUL })] : []
}

function listSize(args: object): Directive {
  return { name: 'listSize', args }
}

function withDirectives<N extends { readonly directives?: readonly ConstDirectiveNode[] | undefined }>(
  node: N,
  added: readonly Directive[],
): N {
  return { ...node, directives: [...(node.directives ?? []), ...added.map(nodeOf)] }
}

function nodeOf({ name, args }: Directive): ConstDirectiveNode {
  const named = (value: string): NameNode => ({ kind: Kind.NAME, value })
  return {
    kind: Kind.DIRECTIVE,
    name: named(name),
    arguments: Object.entries(args).map(([arg, value]) => ({
      kind: Kind.ARGUMENT,
      name: named(arg),
      // Texts, numbers and lists of them are written the same in both languages.
      value: parseConstValue(JSON.stringify(value)),
    })),
  }
}
