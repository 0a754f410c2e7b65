import { extendSchema, type GraphQLSchema, isInterfaceType, parse } from 'graphql'
import type { Scope } from '../auth/scopes.js'
import { ID_PREFIX } from '../ids.js'
import type { References } from './query/declared.js'
import { resolveRoot, resolveType } from './query/resolvers.js'

/** A type whose rows are found by id: an entity. */
interface NodeType {
  readonly name: string
  readonly scope: Scope
}

/**
 * Adds `Node` and `node(id)`, by which Relay refetches. Not declared with the builder: they must not be in the
 * subgraph, because they would not compose with the `node` of another subgraph.
 */
export function withNode(subgraph: GraphQLSchema, types: readonly NodeType[]): GraphQLSchema {
  const schema = extendSchema(subgraph, parse(sdlOf(types)))
  const { node } = schema.getQueryType()?.getFields() ?? {}
  const interfaceType = schema.getType('Node')
  if (!node || !isInterfaceType(interfaceType)) throw new Error('The schema has no node.')
  interfaceType.resolveType = resolveType
  const referenceOf = referencesAmong(types)
  node.resolve = resolveRoot
  const entities: References = { of: ({ id }) => referenceOf(String(id)), isOne: true }
  // Not `scope: null`, which any key may read: the scope is that of the type of the id.
  node.extensions = { scopes: [...new Set(types.map(({ scope }) => scope))], sql: { entities } }
  return schema
}

function sdlOf(types: readonly NodeType[]): string {
  const needed = types.map(({ name, scope }) => `${scope} for ${name}`).join(', ')
  return `
    """An entity that can be read by its id."""
    interface Node {
      """The id; unique across all types."""
      id: ID!
    }
    extend type Query {
      """
      The entity with this id, for clients that refetch by id, such as Relay. Needs ${needed}.
      """
      node(
        """The id of a node: ${types.map(({ name }) => name).join(', ')}."""
        id: ID!
      ): Node
    }
    ${types.map(({ name }) => `extend type ${name} implements Node`).join('\n')}`
}

/** The entity of an id, whose prefix gives the type; empty if the prefix is unknown. */
type ReferenceOf = (id: string) => readonly { readonly __typename: string; readonly id: string }[]

function referencesAmong(types: readonly NodeType[]): ReferenceOf {
  const prefixes = new Map<string, string>(Object.entries(ID_PREFIX))
  const byPrefix = new Map(types.map((type) => [prefixes.get(type.name.toLowerCase()), type]))
  if (byPrefix.has(undefined)) throw new Error('A type of node has no prefix of its ids.')
  return (id) => {
    const type = byPrefix.get(id.slice(0, id.indexOf('_')))
    return type ? [{ __typename: type.name, id }] : []
  }
}
