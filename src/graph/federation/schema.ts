import type { ObjectRef } from '@pothos/core'
import type { PgTable } from 'drizzle-orm/pg-core'
import {
  assertObjectType,
  extendSchema,
  type GraphQLSchema,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql'
import type { Scope } from '../../auth/scopes.js'
import { ID_PREFIX } from '../../ids.js'
import { builder } from '../builder.js'
import type { SqlField } from '../query/declared.js'
import { resolveField, resolveRoot, resolveType } from '../query/resolvers.js'
import { annotate } from './annotations.js'
import { type Entity, type EntityOptions, entityTypes, registerEntity } from './references.js'
import { addDirectives, federated, printedSubgraph, SHAREABLE } from './subgraph.js'

type Types = typeof builder.$inferSchemaTypes

/** Makes a type an entity of the supergraph: other subgraphs may refer to it by each of these keys. */
export function asEntity<T extends PgTable>(type: ObjectRef<Types, T['$inferSelect']>, entity: EntityOptions<T>): void {
  registerEntity(type.name, entity)
}

/** Makes a display field shareable: a subgraph that has it may provide it, which saves the router a request to us. */
export const displayed = { extensions: federated(SHAREABLE) }

/** The first version with `@cost` and `@listSize`. */
const LINK = 'https://specs.apollo.dev/federation/v2.9'

/** The schema as an Apollo Federation subgraph; `sdl` is what `_service` returns, and what is printed and committed. */
export function toSubgraph(): { schema: GraphQLSchema; sdl: () => string } {
  // The SDL has fields in the order of their declaration, for readers; introspection has them by name.
  const declared = builder.toSchema({ sortSchema: false })
  const entities = entityTypes()
  for (const { name, keys } of entities) {
    const type = declared.getType(name)
    if (type) addDirectives(type, ...keys.map((key) => ({ name: 'key', args: { fields: key.name } })))
  }
  annotate(declared)
  // Memoised: printing takes as long as a hundred other fields, and one query may select it fifty times.
  let printed = ''
  const sdl = () => {
    printed ||= printedSubgraph(declared, LINK)
    return printed
  }
  return { schema: withLookUps(lexicographicSortSchema(declared), entities, sdl), sdl }
}

/**
 * Adds `_entities` and `_service` for gateways, and `Node` with `node(id)`, by which Relay refetches. Not declared with
 * the builder: the SDL of the subgraph must have none of them, and `node` would not compose with that of another one.
 */
function withLookUps(subgraph: GraphQLSchema, entities: readonly Entity[], sdl: () => string): GraphQLSchema {
  const schema = extendSchema(subgraph, parse(lookUpsOf(entities)))
  const prefixes = new Map<string, string>(Object.entries(ID_PREFIX))
  const byPrefix = new Map(entities.map(({ name }) => [prefixes.get(name.toLowerCase()), name]))
  const ofId = (id: string) => {
    const __typename = byPrefix.get(id.slice(0, id.indexOf('_')))
    return __typename === undefined ? [] : [{ __typename, id }]
  }
  const roots: Readonly<Record<string, { scope?: null; scopes?: readonly Scope[]; sql: SqlField }>> = {
    node: {
      // Not `scope: null`, which any key may read: the scope is that of the type of the id.
      scopes: [...new Set(entities.map(({ scope }) => scope))],
      sql: { entities: { of: ({ id }) => ofId(String(id)), isOne: true } },
    },
    // The scope of each entity is checked where it is read.
    _entities: {
      scope: null,
      sql: { entities: { of: ({ representations }) => representations as readonly unknown[] } },
    },
    _service: { scope: null, sql: { local: () => ({}) } },
  }
  const fieldsOf = (name: string) => assertObjectType(schema.getType(name)).getFields()
  for (const [name, extensions] of Object.entries(roots)) {
    Object.assign(fieldsOf('Query')[name] ?? {}, { resolve: resolveRoot, extensions })
  }
  Object.assign(fieldsOf('_Service')['sdl'] ?? {}, { resolve: resolveField, extensions: { sql: { local: sdl } } })
  for (const name of ['Node', '_Entity']) Object.assign(schema.getType(name) ?? {}, { resolveType })
  return schema
}

function lookUpsOf(entities: readonly Entity[]): string {
  const names = entities.map(({ name }) => name)
  return `
    """An entity that can be read by its id."""
    interface Node {
      """The id; unique across all types."""
      id: ID!
    }
    """All entities."""
    union _Entity = ${names.join(' | ')}
    """A reference to an entity: its type and a key."""
    scalar _Any
    """The metadata of this subgraph for routers."""
    type _Service {
      """The SDL, with its federation directives."""
      sdl: String
    }
    extend type Query {
      """
      The entity with this id, for clients that refetch by id, such as Relay. Needs ${entities
        .map(({ name, scope }) => `${scope} for ${name}`)
        .join(', ')}.
      """
      node(
        """The id of a node: ${names.join(', ')}."""
        id: ID!
      ): Node
      """For federation gateways: the entities that other subgraphs refer to."""
      _entities(representations: [_Any!]!): [_Entity]!
      """For federation gateways: the SDL of this subgraph."""
      _service: _Service!
    }
    ${names.map((name) => `extend type ${name} implements Node`).join('\n')}`
}

/** The schema for clients: plain GraphQL without what only gateways use, whose names begin with an underscore. */
export function printApi(schema: GraphQLSchema): string {
  const document = visit(parse(printSchema(schema)), {
    enter(node) {
      const isTypeOrField = 'name' in node && node.name?.kind === Kind.NAME && node.kind !== Kind.NAMED_TYPE
      return isTypeOrField && node.name.value.startsWith('_') ? null : undefined
    },
  })
  return `${print(document)}\n`
}
