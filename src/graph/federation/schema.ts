import type { ObjectRef } from '@pothos/core'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type GraphQLSchema, Kind, lexicographicSortSchema, parse, print, printSchema, visit } from 'graphql'
import { builder } from '../builder.js'
import { withNode } from '../node.js'
import { annotationsOf } from './annotations.js'
import { type EntityOptions, entityTypes, registerEntity } from './references.js'
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
  return { schema: withEntities(withNode(lexicographicSortSchema(declared), entities), names, sdl), sdl }
}

/** The names that federation adds begin with an underscore. */
const isOfGateways = (name: string) => name.startsWith('_')

/** The schema for clients: plain GraphQL without what only gateways use. */
export function printApi(schema: GraphQLSchema): string {
  const document = visit(parse(printSchema(schema)), {
    enter(node) {
      const isTypeOrField = 'name' in node && node.name?.kind === Kind.NAME && node.kind !== Kind.NAMED_TYPE
      if (isTypeOrField && isOfGateways(node.name.value)) return null
      return undefined
    },
  })
  return `${print(document)}\n`
}
