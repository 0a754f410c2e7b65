import type { ObjectRef } from '@pothos/core'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type GraphQLSchema, lexicographicSortSchema } from 'graphql'
import { annotationsOf } from './annotations.js'
import { boundArguments } from './bounds.js'
import { builder, type Context } from './builder.js'
import { type FieldPrice, limitPrices } from './prices.js'
import { countReferences, type EntityOptions, registerEntity, resolveReferences } from './references.js'
import { publishErrors } from './resolverErrors.js'
import { addDirectives, federated, keyDirective, printedSubgraph, SHAREABLE, withEntities } from './subgraph.js'
import { inTurns } from './turns.js'

type Types = typeof builder.$inferSchemaTypes

/** The keys of each entity, by the name of its type. */
const entities = new Map<string, readonly string[]>()

/** Makes a type an entity of the larger graph: other subgraphs may refer to it by each of these keys. */
export function asEntity<T extends PgTable>(type: ObjectRef<Types, T['$inferSelect']>, entity: EntityOptions<T>): void {
  registerEntity(type.name, entity)
  entities.set(type.name, Object.keys(entity.keys))
}

/** What a field is that others show: a neighbour who has it at hand may give it too, and saves the router a request to us. */
export const displayed = { extensions: federated(SHAREABLE) }

/** The first version with `@cost` and `@listSize`. */
const LINK = 'https://specs.apollo.dev/federation/v2.9'

/** The schema as an Apollo Federation subgraph. */
interface Subgraph {
  /** With `_service` and `_entities`. */
  readonly schema: GraphQLSchema
  /** What `_service` tells a gateway, and what is printed and committed. */
  readonly sdl: () => string
}

export function toSubgraph(): Subgraph {
  // The text has fields in the order of their declarations, as people read them; introspection has them by name.
  const declared = builder.toSchema({ sortSchema: false })
  for (const [name, keys] of entities) {
    const type = declared.getType(name)
    if (type) addDirectives(type, ...keys.map(keyDirective))
  }
  for (const [element, directives] of annotationsOf(declared)) addDirectives(element, ...directives)
  // Printing it takes as long as a hundred other fields, and one query may ask for it fifty times.
  let printed = ''
  const sdl = () => {
    printed ||= printedSubgraph(declared, LINK)
    return printed
  }
  const schema = withEntities(lexicographicSortSchema(declared), [...entities.keys()])
  const { _entities, _service } = schema.getQueryType()?.getFields() ?? {}
  if (!_entities || !_service) throw new Error('The schema has no entities.')
  const price: FieldPrice = {
    references: ({ representations }) => countReferences(representations as readonly unknown[]),
  }
  // Each entity has a scope of its own, asked for where it is resolved; any valid key may see the schema.
  _entities.extensions = { scope: null, price }
  _service.extensions = { scope: null }
  _service.resolve = () => ({ sdl: sdl() })
  _entities.resolve = async (_, { representations }, context: Context) =>
    inTurns(context, await resolveReferences(context, representations))
  boundArguments(schema)
  limitPrices(schema)
  publishErrors(schema)
  return { schema, sdl }
}
