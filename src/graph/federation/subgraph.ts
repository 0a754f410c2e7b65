import {
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  parseConstValue,
  print,
  printType,
} from 'graphql'
import type { References, SqlField } from '../query/declared.js'
import { resolveField, resolveRoot, resolveType } from '../query/resolvers.js'

/** What Apollo Federation adds to a schema: its directives, the fields that routers use, and the SDL that they compose. */

export interface Directive {
  readonly name: string
  readonly args?: Readonly<Record<string, unknown>>
}

type Directed = GraphQLNamedType | GraphQLField<unknown, unknown>

/** Extensions that give a type or a field federation directives. */
export function federated(...directives: readonly Directive[]) {
  return { federation: directives }
}

export const SHAREABLE: Directive = { name: 'shareable' }
export const INACCESSIBLE: Directive = { name: 'inaccessible' }

export function keyDirective(fields: string): Directive {
  return { name: 'key', args: { fields } }
}

function directivesOf({ extensions }: Pick<Directed, 'extensions'>): readonly Directive[] {
  return (extensions as Partial<ReturnType<typeof federated>>).federation ?? []
}

/** Appends directives to a type or a field of a built schema. */
export function addDirectives(element: Directed, ...directives: readonly Directive[]): void {
  element.extensions = { ...element.extensions, ...federated(...directivesOf(element), ...directives) }
}

const Any = new GraphQLScalarType({ name: '_Any', description: 'A reference to an entity: its type and a key.' })

/** The same schema with `_service` and `_entities`; any valid key may use both. */
export function withEntities(plain: GraphQLSchema, names: readonly string[], sdl = () => ''): GraphQLSchema {
  const { query, types, ...config } = plain.toConfig()
  if (!query) throw new Error('The schema has no queries.')
  const Entity = new GraphQLUnionType({
    name: '_Entity',
    description: 'All entities.',
    types: types.filter(isObjectType).filter(({ name }) => names.includes(name)),
    resolveType,
  })
  // The scope of each entity is checked where it is read.
  const entities: References = { of: ({ representations }) => representations as readonly unknown[] }
  const fields = {
    ...query.toConfig().fields,
    _entities: {
      description: 'For federation gateways: the entities that other subgraphs refer to.',
      type: new GraphQLNonNull(new GraphQLList(Entity)),
      args: { representations: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(Any))) } },
      ...readBy(resolveRoot, { scope: null, sql: { entities } }),
    },
    _service: {
      description: 'For federation gateways: the SDL of this subgraph.',
      type: new GraphQLNonNull(Service),
      ...readBy(resolveRoot, { scope: null, sql: { local: () => sdl } }),
    },
  }
  const whole = new GraphQLObjectType({ ...query.toConfig(), fields })
  return new GraphQLSchema({ ...config, query: whole, types: types.map((type) => (type === query ? whole : type)) })
}

const Service = new GraphQLObjectType({
  name: '_Service',
  description: 'The metadata of this subgraph for routers.',
  fields: {
    sdl: {
      type: GraphQLString,
      description: 'The SDL, with its federation directives.',
      ...readBy(resolveField, { sql: { local: (sdl: () => string) => sdl() } }),
    },
  },
})

function readBy(resolve: GraphQLFieldResolver<unknown, unknown>, extensions: { scope?: null; sql: SqlField }) {
  return { resolve, extensions }
}

/** The SDL of a subgraph: types by name, fields as declared, without federation's own definitions. */
export function printedSubgraph(schema: GraphQLSchema, linkUrl: string): string {
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !isOfFederation(type))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const used = new Set(types.flatMap(allDirectivesOf).map(({ name }) => `@${name}`))
  const link = printed({ name: 'link', args: { url: linkUrl, import: [...used].sort() } })
  return `${[`extend schema\n  ${link}`, ...types.map(printedType)].join('\n\n')}\n`
}

function isOfFederation({ name }: { readonly name: string }): boolean {
  return name.startsWith('_')
}

function allDirectivesOf(type: GraphQLNamedType): readonly Directive[] {
  return [...directivesOf(type), ...(isObjectType(type) ? Object.values(type.getFields()).flatMap(directivesOf) : [])]
}

function printed({ name, args = {} }: Directive): string {
  // Strings, numbers and lists have the same syntax in JSON and in GraphQL, except for blanks.
  const given = Object.entries(args).map(([arg, value]) => `${arg}: ${print(parseConstValue(JSON.stringify(value)))}`)
  return given.length > 0 ? `@${name}(${given.join(', ')})` : `@${name}`
}

function printedType(type: GraphQLNamedType): string {
  const text = isObjectType(type) ? printedObject(type) : printType(type)
  const directives = directivesOf(type)
  const lines = directives.map((one) => `\n  ${printed(one)}`).join('')
  return directives.length === 0 ? text : text.replace(new RegExp(`^(type ${type.name}\\b.*) {$`, 'm'), `$1${lines}\n{`)
}

/** Marks a field with directives; no deprecation reason begins with it. */
const MARK = '\u00a7'

// graphql prints no directive but `@deprecated`: it marks the place, and the others are inserted there.
function printedObject(type: GraphQLObjectType): string {
  const { fields, ...config } = type.toConfig()
  const marked = Object.entries(fields)
    .filter(([name]) => !isOfFederation({ name }))
    .map(([name, field]) => [name, markedField(name, field)] as const)
  const text = printType(new GraphQLObjectType({ ...config, fields: Object.fromEntries(marked) }))
  return text.replaceAll(new RegExp(` @deprecated\\(reason: "${MARK}(\\w+)"\\)`, 'g'), (_, name) => {
    const { deprecationReason: reason, extensions } = fields[name] ?? {}
    const deprecated = reason == null ? [] : [{ name: 'deprecated', args: { reason } }]
    return [...deprecated, ...directivesOf({ extensions: extensions ?? {} })].map((one) => ` ${printed(one)}`).join('')
  })
}

function markedField(name: string, field: GraphQLFieldConfig<unknown, unknown>): GraphQLFieldConfig<unknown, unknown> {
  if (directivesOf({ extensions: field.extensions ?? {} }).length === 0) return field
  return { ...field, deprecationReason: `${MARK}${name}` }
}
