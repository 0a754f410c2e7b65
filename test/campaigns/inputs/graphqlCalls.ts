/** Calls of every argument, every member of an input and every field of the schema, as introspection shows it. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { LIMITS } from '../../../src/limits.js'
import type { Sent } from '../../hostile/support/wire.js'
import type { Call, KeyName } from './stage.js'
import { type Kind, kindsOf, oneOf, type Random, smallest, times, withDigits } from './values.js'

/** The most aliases of a query, with some room for fields around them. */
export const ALIASES = LIMITS.queryNamesMax - 5
const RECORDS_BYTES = LIMITS.syncBodyBytesMax - 1_000_000
const DEEPEST_INPUT = 3

/** A place for a value: an argument, or a member of one. */
interface Place {
  readonly where: string
  readonly argument: GraphQLArgument
  readonly field: GraphQLField<unknown, unknown>
  /** What is around the field: a list whose entries have it, or nothing. */
  readonly around: readonly [before: string, after: string]
  readonly operation: 'query' | 'mutation'
  readonly type: GraphQLInputType
  readonly charactersMax: number
  /** The value of the argument that has this value in this place. */
  readonly wrap: (value: unknown) => unknown
  /** The same with as many records as fit, if the place is in a list of records. */
  readonly wrapMany: ((value: unknown) => unknown) | undefined
}

/** A key for a call: mostly one that may do it, so that it gets as far as it can. */
export function anyKey(random: Random): KeyName | undefined {
  return random(4) > 0 ? 'manager' : oneOf(random, ['reader', 'personnel', 'projects', undefined])
}

export function posted(body: string, target = '/graphql', method = 'POST'): Sent {
  return { method, target, headers: { 'Content-Type': 'application/json' }, body }
}

export function queried(query: string, variables: unknown = {}): Sent {
  return posted(withDigits(JSON.stringify({ query, variables })))
}

const charactersMaxIn = (description: string | null | undefined) =>
  Number(/at most (\d+) characters/i.exec(description ?? '')?.[1] ?? 200)

/** The members of an input below a place, to some depth. */
function* membersBelow(place: Place, depth: number): Generator<Place> {
  yield place
  const inner = getNullableType(place.type)
  const item = isListType(inner) ? getNullableType(inner.ofType) : inner
  if (!isInputObjectType(item) || depth === DEEPEST_INPUT) return
  for (const member of Object.values(item.getFields())) yield* membersBelow(memberOf(place, item, member), depth + 1)
}

function memberOf(place: Place, object: GraphQLInputType, { name, type, description }: GraphQLInputField): Place {
  const isList = isListType(getNullableType(place.type))
  const record = (value: unknown, index: number) => ({
    ...Object(smallest(object, name, index)),
    // A project is not closed by what its records lack.
    ...(String(object).startsWith('SyncProject') && { mode: 'PARTIAL' }),
    [name]: value,
  })
  const many = (value: unknown) => {
    const bytes = Buffer.byteLength(JSON.stringify(record(value, LIMITS.syncRecordsMax))) + 1
    return times(Math.min(LIMITS.syncRecordsMax, Math.floor(RECORDS_BYTES / bytes)), (i) => record(value, i))
  }
  return {
    ...place,
    where: `${place.where}.${name}`,
    type,
    charactersMax: charactersMaxIn(description),
    wrap: (value) => place.wrap(isList ? [record(value, 0)] : record(value, 0)),
    wrapMany: isList ? (value) => place.wrap(many(value)) : undefined,
  }
}

/** The list of a root field whose entries have this type, such as `groups(first: 1) { nodes { ... } }`. */
function aroundFor(schema: GraphQLSchema, typeName: string): Place['around'] | undefined {
  for (const { name, type } of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const connection = getNamedType(type)
    const nodes = isObjectType(connection) ? connection.getFields()['nodes'] : undefined
    if (nodes && getNamedType(nodes.type).name === typeName) return [`${name}(first: 1) { nodes {`, '} }']
  }
  return undefined
}

/** Every argument of every field, with the members of its input. */
export function placesOf(schema: GraphQLSchema): Place[] {
  const places: Place[] = []
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    const isMutation = type === schema.getMutationType()
    const isRoot = isMutation || type === schema.getQueryType()
    const around = isRoot ? (['', ''] as const) : aroundFor(schema, type.name)
    if (!around) continue
    for (const field of Object.values(type.getFields())) {
      for (const argument of field.args) {
        const place: Place = {
          where: `${isRoot ? '' : `${type.name}.`}${field.name}(${argument.name})`,
          ...{ argument, field, around, type: argument.type },
          operation: isMutation ? 'mutation' : 'query',
          charactersMax: charactersMaxIn(argument.description),
          wrap: (value) => value,
          wrapMany: undefined,
        }
        places.push(...membersBelow(place, 0))
      }
    }
  }
  return places
}

/** The smallest selection of a field that reads something; of a connection, its count as well. */
function selectionOf({ type }: GraphQLField<unknown, unknown>): string {
  const named = getNamedType(type)
  if (!isCompositeType(named)) return ''
  const isConnection = isObjectType(named) && 'totalCount' in named.getFields()
  return isConnection ? '{ totalCount nodes { __typename } }' : '{ __typename }'
}

/** The other arguments that a field needs, and a short page. */
function othersFor({ field, argument }: Place): string[] {
  return field.args.flatMap((other) => {
    if (other === argument) return []
    if (other.name === 'first') return ['first: 1']
    return isNonNullType(other.type) ? [`${other.name}: ${literal(smallest(other.type, other.name))}`] : []
  })
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(' ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, one]) => `${name}: ${literal(one)}`)
    .join(' ')}}`
}

function documentFor(place: Place, aliases: number, given = '$v'): string {
  const { field, argument, around, operation } = place
  const used = [`${argument.name}: ${given}`, ...othersFor(place)].join(', ')
  const fields = times(aliases, (i) => `a${i}: ${field.name}(${used}) ${selectionOf(field)}`)
  const declared = given === '$v' ? `($v: ${argument.type})` : ''
  return `${operation} ${declared} { ${around[0]} ${fields.join(' ')} ${around[1]} }`
}

/** One call for each place and kind of value, once, under many aliases, in many records, and as a literal. */
export function argumentCalls(schema: GraphQLSchema, random: Random): Call[] {
  return placesOf(schema).flatMap((place) => {
    const kinds = kindsOf(place.type, place.charactersMax, random)
    const aliased = (count: number) => (kind: Kind) => callOf(place, kind, count, random)
    return [
      ...kinds.map(aliased(1)),
      ...kinds.filter(() => random(3) === 0).map(aliased(ALIASES)),
      ...(place.wrapMany ? kinds.slice(0, 2).map((kind) => recordsCall(place, kind)) : []),
      ...LITERALS.map(([name, text]) => ({
        name: `${place.where}: ${name}`,
        as: anyKey(random),
        sent: () => queried(documentFor(place, 1, text())),
      })),
    ]
  })
}

function callOf(place: Place, { name, value }: Kind, aliases: number, random: Random): Call {
  return {
    name: `${place.where}: ${name}${aliases > 1 ? `, under ${aliases} aliases` : ''}`,
    as: anyKey(random),
    sent: () => queried(documentFor(place, aliases), { v: place.wrap(value()) }),
  }
}

function recordsCall(place: Place, { name, value }: Kind): Call {
  return {
    name: `${place.where}: ${name}, in the most records`,
    as: 'manager',
    sent: () => queried(documentFor(place, 1), { v: place.wrapMany?.(value()) }),
  }
}

const SHOWN_MAX = LIMITS.queryCharactersMax - 2_000
/** Values in the text of the query, of the most characters or tokens. */
const LITERALS: readonly (readonly [name: string, text: () => string])[] = [
  ['a literal text of the most letters', () => JSON.stringify('a'.repeat(SHOWN_MAX))],
  ['a block of the most line breaks', () => `"""${'\n'.repeat(SHOWN_MAX)}"""`],
  ['a literal list of the most items', () => `[${'"x" '.repeat(LIMITS.queryTokensMax - 100)}]`],
  ['a literal object of the most members', () => `{${times(300, (i) => `x${i}: 1`).join(' ')}}`],
]

/** Every field: all leaves of each list, and each list or object inside a page of the most rows. */
export function fieldCalls(schema: GraphQLSchema): Call[] {
  return Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(({ name, type, args }) => {
    const connection = getNamedType(type)
    const nodes = isObjectType(connection) ? connection.getFields()['nodes'] : undefined
    const entry = nodes && getNamedType(nodes.type)
    if (!isObjectType(entry)) return []
    const fields = Object.values(entry.getFields())
    const leaves = fields.filter((field) => !isCompositeType(getNamedType(field.type))).map((field) => field.name)
    const objects = fields.filter((field) => isCompositeType(getNamedType(field.type)))
    const page = `${name}(first: ${LIMITS.pageRowsMax})`
    const isWhole = args.some((arg) => arg.name === 'first' && !isNonNullType(arg.type))
    const read = (what: string, query: string): Call => ({ name: what, as: 'manager', sent: () => queried(query) })
    return [
      read(`${page}: all leaves`, `{ ${page} { nodes { ${leaves.join(' ')} } edges { cursor } } }`),
      ...(isWhole ? [read(`${name}: all leaves of all rows`, `{ ${name} { nodes { ${leaves.join(' ')} } } }`)] : []),
      ...objects.map((field) => {
        const inner = field.args.length > 0 ? `${field.name}(first: 1)` : field.name
        const selection = selectionOf(field).replace('totalCount ', '') || '{ __typename }'
        return read(`${page}: ${field.name}`, `{ ${page} { nodes { ${inner} ${selection} } } }`)
      }),
    ]
  })
}
