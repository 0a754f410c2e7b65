import { printSubgraphSchema } from '@apollo/subgraph'
import type { ObjectRef } from '@pothos/core'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type GraphQLField, type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import { ANNOTATIONS, annotate } from './annotations.js'
import { boundArguments } from './bounds.js'
import { builder, type Context } from './builder.js'
import { type FieldPrice, limitPrices } from './prices.js'
import { countReferences, type EntityOptions, registerEntity, resolveReferences } from './references.js'
import { inTurns } from './turns.js'

type Types = typeof builder.$inferSchemaTypes

/** Makes a type an entity of the larger graph: other subgraphs may refer to it by each of these keys. */
export function asEntity<T extends PgTable>(type: ObjectRef<Types, T['$inferSelect']>, entity: EntityOptions<T>): void {
  registerEntity(type.name, entity)
  builder.asEntity(type, {
    // Keys are texts here; Pothos would rather see them as literal types.
    key: Object.keys(entity.keys).map((name) => builder.selection<Record<string, string>>(name as never)),
    // Never called: the field below resolves references itself, so that one bad reference leaves the others intact.
    resolveReference: () => Promise.reject(new Error('References are resolved by _entities.')),
  })
}

/** What a field is that others show: a neighbour who has it at hand may give it too, and saves the router a request to us. */
export const displayed = { shareable: true } as const

/** The schema as an Apollo Federation subgraph: with `_service` and `_entities`. */
export function toSubgraph(): GraphQLSchema {
  const schema = builder.toSubGraphSchema({
    // The first version with `@cost` and `@listSize`.
    linkUrl: 'https://specs.apollo.dev/federation/v2.9',
    federationDirectives: ['@inaccessible', '@key', '@shareable', ...ANNOTATIONS].sort(),
  })
  annotate(schema)
  const { _entities, _service } = schema.getQueryType()?.getFields() ?? {}
  if (!_entities || !_service) throw new Error('The schema has no entities.')
  const price: FieldPrice = {
    references: ({ representations }) => countReferences(representations as readonly unknown[]),
  }
  // Each entity has a scope of its own, asked for where it is resolved; any valid key may see the schema.
  _entities.extensions = { scope: null, price, sql: { entities: true } }
  // Printing it takes as long as a hundred other fields, and one query may ask for it fifty times.
  let printed = ''
  const service = () => {
    printed ||= printSubgraph(schema)
    return { sdl: printed }
  }
  _service.extensions = { scope: null, sql: { local: service } }
  _service.resolve = service
  for (const field of Object.values(objectType(_service).getFields())) {
    field.extensions = { sql: { local: (source: ReturnType<typeof service>) => source.sdl } }
  }
  _entities.resolve = async (_, { representations }, context: Context) =>
    inTurns(context, await resolveReferences(context, representations))
  boundArguments(schema)
  limitPrices(schema)
  return schema
}

function objectType({ type }: GraphQLField<unknown, unknown>): GraphQLObjectType {
  const named = getNamedType(type)
  if (!isObjectType(named)) throw new Error(`${named.name} is no object.`)
  return named
}

/** What `_service` tells a gateway, and what is printed and committed. */
export function printSubgraph(schema: GraphQLSchema): string {
  return `${printSubgraphSchema(schema)}\n`
}
