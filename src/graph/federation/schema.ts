import type { ObjectRef } from '@pothos/core'
import type { PgTable } from 'drizzle-orm/pg-core'
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  lexicographicSortSchema,
} from 'graphql'
import { boundArguments } from '../bounds.js'
import { builder, type Context } from '../builder.js'
import type { FieldPrice } from '../cost/fieldPrices.js'
import { limitPrices } from '../cost/prices.js'
import type { References } from '../fields.js'
import { withNode } from '../node.js'
import { publishErrors } from '../resolverErrors.js'
import { completeInTurns } from '../turns.js'
import { annotationsOf } from './annotations.js'
import { countReferences, type EntityOptions, entityTypes, registerEntity, resolveReferences } from './references.js'
import { addDirectives, federated, keyDirective, printedSubgraph, SHAREABLE, withEntities } from './subgraph.js'

type Types = typeof builder.$inferSchemaTypes

/** Makes a type an entity of the supergraph: other subgraphs may refer to it by each of these keys. */
export function asEntity<T extends PgTable>(type: ObjectRef<Types, T['$inferSelect']>, entity: EntityOptions<T>): void {
  registerEntity(type.name, entity)
}

/** Makes a display field shareable: a subgraph that has it may provide it, which saves the router a request to us. */
export const displayed = { extensions: federated(SHAREABLE) }

/** The first version with `@cost` and `@listSize`. */
const LINK = 'https://specs.apollo.dev/federation/v2.9'

/** The schema as an Apollo Federation subgraph. */
interface Subgraph {
  /** With `_service` and `_entities`, and with `node` for direct callers. */
  readonly schema: GraphQLSchema
  /** What `_service` returns, and what is printed and committed. */
  readonly sdl: () => string
}

export function toSubgraph(): Subgraph {
  // The SDL has fields in the order of their declaration, for readers; introspection has them by name.
  const declared = builder.toSchema({ sortSchema: false })
  const entities = entityTypes()
  for (const { name, keys } of entities) {
    const type = declared.getType(name)
    if (type) addDirectives(type, ...keys.map((key) => keyDirective(key.name)))
  }
  for (const [element, directives] of annotationsOf(declared)) addDirectives(element, ...directives)
  // Memoised: printing takes as long as a hundred other fields, and one query may select it fifty times.
  let printed = ''
  const sdl = () => {
    printed ||= printedSubgraph(declared, LINK)
    return printed
  }
  const names = entities.map(({ name }) => name)
  const schema = withEntities(withNode(lexicographicSortSchema(declared), entities), names)
  resolveFederation(schema, sdl)
  boundArguments(schema)
  limitPrices(schema)
  publishErrors(schema)
  completeInTurns(schema)
  return { schema, sdl }
}

/** Adds the resolvers, scopes and prices of `_entities` and `_service`. */
function resolveFederation(schema: GraphQLSchema, sdl: () => string): void {
  const { _entities, _service } = schema.getQueryType()?.getFields() ?? {}
  if (!_entities || !_service) throw new Error('The schema has no entities.')
  const price: FieldPrice = {
    references: ({ representations }, mayRead) => countReferences(representations as readonly unknown[], mayRead),
  }
  // Each entity's scope is checked where it is resolved; any valid key may read the schema.
  const entities: References = { of: ({ representations }) => representations as readonly unknown[] }
  _entities.extensions = { scope: null, price, sql: { entities } }
  _entities.resolve = (_, { representations }, context: Context) => resolveReferences(context, representations)
  const service = () => ({ sdl: sdl() })
  _service.extensions = { scope: null, sql: { local: service } }
  _service.resolve = service
  for (const field of Object.values(objectType(_service).getFields())) {
    field.extensions = { sql: { local: (source: ReturnType<typeof service>) => source.sdl } }
  }
}

function objectType({ type }: GraphQLField<unknown, unknown>): GraphQLObjectType {
  const named = getNamedType(type)
  if (!isObjectType(named)) throw new Error(`${named.name} is not an object type.`)
  return named
}
