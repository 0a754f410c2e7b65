import type { ObjectRef } from '@pothos/core'
import { type GraphQLSchema, lexicographicSortSchema } from 'graphql'
import type { Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { TEXT_MAX } from '../vocabulary.js'
import { boundArguments } from './bounds.js'
import { builder, type Context, requireScope } from './builder.js'
import { type FieldPrice, limitPrices } from './prices.js'
import { publishErrors } from './resolverErrors.js'
import { addDirectives, keyDirective, printedSubgraph, withEntities } from './subgraph.js'

type Types = typeof builder.$inferSchemaTypes

/** How a key of an entity finds its row: undefined when there is none. */
type Lookup = (context: Context, value: string) => Promise<object | undefined>

interface Entity {
  readonly scope: Scope
  /** By the name of the field that is the key. */
  readonly keys: Readonly<Record<string, Lookup>>
}

const entities = new Map<string, Entity>()

/** Makes a type an entity of the larger graph: other subgraphs may refer to it by each of these keys. */
export function asEntity(type: ObjectRef<Types, object>, entity: Entity): void {
  entities.set(type.name, entity)
}

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
  for (const [name, { keys }] of entities) {
    const type = declared.getType(name)
    if (type) addDirectives(type, ...Object.keys(keys).map(keyDirective))
  }
  // Printing it takes as long as a hundred other fields, and one query may ask for it fifty times.
  let printed = ''
  const sdl = () => {
    printed ||= printedSubgraph(declared, LINK)
    return printed
  }
  const schema = withEntities(lexicographicSortSchema(declared), [...entities.keys()])
  const { _entities, _service } = schema.getQueryType()?.getFields() ?? {}
  if (!_entities || !_service) throw new Error('The schema has no entities.')
  const price: FieldPrice = { times: ({ representations }) => (representations as readonly unknown[]).length }
  // Each entity has a scope of its own, asked for where it is resolved; any valid key may see the schema.
  _entities.extensions = { scope: null, price }
  _service.extensions = { scope: null }
  _service.resolve = () => ({ sdl: sdl() })
  _entities.resolve = (_, { representations }, context: Context) => {
    requireFewRepresentations(representations)
    return representations.map((representation: unknown) => resolveReference(context, representation))
  }
  boundArguments(schema)
  limitPrices(schema)
  publishErrors(schema)
  return { schema, sdl }
}

const LINK = 'https://specs.apollo.dev/federation/v2.6'

// The rows asked for in one turn become one statement for each type and key.
async function resolveReference(context: Context, representation: unknown): Promise<object | null> {
  const { typename, entity, lookup, value } = readReference(representation)
  requireScope(context.principal, entity.scope)
  const row = await lookup(context, value)
  return row ? { ...row, __typename: typename } : null
}

function readReference(representation: unknown) {
  const { __typename: typename, ...members } = Object(representation) as Record<string, unknown>
  const entity = typeof typename === 'string' ? entities.get(typename) : undefined
  if (typeof typename !== 'string' || !entity) {
    throw malformed(`\`__typename\` must be one of ${[...entities.keys()].join(', ')}.`)
  }
  const [[name, value] = ['', undefined], ...others] = Object.entries(members)
  const lookup = Object.hasOwn(entity.keys, name) ? entity.keys[name] : undefined
  if (!lookup || typeof value !== 'string' || value.length > TEXT_MAX.id || others.length > 0) {
    const keys = Object.keys(entity.keys).map((key) => `\`${key}\``)
    throw malformed(
      `A ${typename} is referred to by ${keys.join(' or ')}, a string of at most ${TEXT_MAX.id} characters, and nothing else.`,
    )
  }
  return { typename, entity, lookup, value }
}

function malformed(detail: string): Fault {
  return new Fault('BAD_REQUEST', `This representation cannot be used: ${detail}`)
}

/** Asked also before they are coerced, which takes longer than to count them. */
export function requireFewRepresentations(representations: unknown): void {
  const count = Array.isArray(representations) ? representations.length : 0
  if (count <= LIMITS.representationsMax) return
  throw new Fault('TOO_COMPLEX', `There are ${count} representations; the most is ${LIMITS.representationsMax}.`)
}
