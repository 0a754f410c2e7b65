import { extendSchema, type GraphQLFieldResolver, type GraphQLSchema, parse } from 'graphql'
import type { Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import { ID_PREFIX } from '../ids.js'
import type { Context } from './builder.js'
import { resolveReferences } from './federation/references.js'
import type { References } from './fields.js'

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
  if (!node) throw new Error('The schema has no node.')
  const referenceOf = referencesAmong(types)
  node.resolve = nodeResolver(referenceOf)
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
  const byPrefix = new Map<string, NodeType>(
    Object.entries(ID_PREFIX).flatMap(([kind, prefix]) => {
      const type = types.find(({ name }) => name.toLowerCase() === kind)
      return type ? [[prefix, type] as const] : []
    }),
  )
  if (byPrefix.size < types.length) throw new Error('A type of node has no prefix of its ids.')
  return (id) => {
    const type = byPrefix.get(id.slice(0, id.indexOf('_')))
    return type ? [{ __typename: type.name, id }] : []
  }
}

function nodeResolver(referenceOf: ReferenceOf): GraphQLFieldResolver<unknown, Context, { id: string }> {
  return async (_, { id }, context) => {
    // The scope is checked before the look-up, so that a refusal does not depend on what exists.
    const [found = null] = await resolveReferences(context, referenceOf(id))
    if (found instanceof Fault) throw found
    return found
  }
}
