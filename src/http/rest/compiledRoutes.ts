import {
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLString,
  getNamedType,
  isNonNullType,
  isObjectType,
  Kind,
  validate,
} from 'graphql'
import type { Scope } from '../../auth/scopes.js'
import { oncePer } from '../../caches.js'
import { type Operation, operationIn } from '../../graph/query/selections.js'
import { SHEETS } from '../../nouns.js'
import { schema } from '../../schema.js'
import type { Variable, VariableUse } from './documents.js'
import { OPERATIONS } from './operations.js'
import { CSV_TYPE, EVENTS_TYPE, type Route, routeOf } from './routes.js'

/** Seconds that a request may wait for a change. */
const WAIT_SECONDS_MAX = 30

/** A compiled route: its operation, validated against the schema, and what HTTP needs to know about it. */
export interface CompiledRoute {
  readonly route: Route
  readonly operation: Operation
  readonly rootField: GraphQLField<unknown, unknown>
  /** The scope that the root field declares; null if any valid key may use it, or keys with one of `scopes`. */
  readonly scope: Scope | null
  /** The scopes of which one is enough; the response is limited to what the key may read. */
  readonly scopes: readonly Scope[]
  readonly isList: boolean
  /** The selection of the response: the root field, or the list inside it. */
  readonly shown: Shown
  /** The media types of the response, the preferred one first; empty if it has no body. */
  readonly types: readonly MediaType[]
  /** The columns of its CSV form, if it has one. */
  readonly columns: readonly string[] | undefined
  readonly parameters: readonly Parameter[]
  /** The type of the request body, if the route takes one. */
  readonly input: GraphQLInputType | undefined
}

interface Shown {
  readonly field: GraphQLField<unknown, unknown>
  readonly node: FieldNode
  /** Whether it is nested in the root field. */
  readonly isInner: boolean
}

export type MediaType = 'application/json' | typeof CSV_TYPE | typeof EVENTS_TYPE

/** A variable of an operation, as a parameter of its route. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: GraphQLInputType
  readonly isRequired: boolean
  readonly defaultValue: boolean | string | undefined
  readonly use: VariableUse
}

const BODY = 'input'

function parameter(name: string, type: Parameter['type'], description: string, maximum?: number): Parameter {
  const extensions = maximum === undefined ? {} : { minimum: 0, maximum }
  const use = { argument: name, description, extensions }
  return { name, in: 'query', type, isRequired: false, defaultValue: undefined, use }
}

const WAIT =
  'Seconds to wait if there is nothing new: the response comes as soon as something matches, or empty at the end.'
const TIMEOUT = 'The same as `wait` in milliseconds, by its name in HTTP Feeds.'

/** The parameters of a feed that are no variables of its operation. */
const FEED_PARAMETERS: readonly Parameter[] = [
  parameter('wait', GraphQLInt, WAIT, WAIT_SECONDS_MAX),
  parameter('lastEventId', GraphQLString, 'The same as `cursor`, by its name in HTTP Feeds.'),
  parameter('timeout', GraphQLInt, TIMEOUT, WAIT_SECONDS_MAX * 1_000),
]

/** Compiled once: validating its operation takes longer than running it. */
export const compiledRoute: (route: Route) => CompiledRoute = oncePer(compile)

function compile(route: Route): CompiledRoute {
  const { document, variables: given } = OPERATIONS[route.operation]
  const errors = validate(schema, document)
  const operation = operationIn(schema, document)
  const rootNode = operation?.operation.selectionSet.selections[0]
  if (errors.length > 0 || !operation || rootNode?.kind !== Kind.FIELD) {
    throw new Error(`The operation ${route.operation} does not fit the schema: ${errors.join('; ')}`)
  }
  const rootField = schema.getRootType(operation.operation.operation)?.getFields()[rootNode.name.value]
  if (!rootField) throw new Error(`The operation ${route.operation} has no root field.`)
  const variables = given.map((one) => parameterOf(one, route))
  const shown = shownOf(rootField, rootNode)
  return {
    route,
    operation,
    rootField,
    scope: (rootField.extensions['scope'] ?? null) as Scope | null,
    scopes: (rootField.extensions['scopes'] ?? []) as readonly Scope[],
    isList: isConnection(shown.field),
    shown,
    types: typesOf(route),
    columns: route.sheet && SHEETS[route.sheet].columns,
    parameters: [...variables.filter((one) => isParameter(one, route)), ...(route.isFeed ? FEED_PARAMETERS : [])],
    input: variables.find(({ name }) => name === BODY)?.type,
  }
}

function isConnection({ type }: GraphQLField<unknown, unknown>): boolean {
  return getNamedType(type).name.endsWith('Connection')
}

/** The response is the nested list if it is all that the operation selects of an entity; otherwise the root field. */
function shownOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Shown {
  const [inner, ...more] = node.selectionSet?.selections ?? []
  const type = getNamedType(field.type)
  if (inner?.kind !== Kind.FIELD || more.length > 0 || !isObjectType(type)) return { field, node, isInner: false }
  const found = type.getFields()[inner.name.value]
  return found && isConnection(found) ? { field: found, node: inner, isInner: true } : { field, node, isInner: false }
}

function parameterOf({ name, type, defaultValue, use }: Variable, { path, parent }: Route): Parameter {
  const ofParent = routeOf(parent)
  const named = ofParent && compiledRoute(ofParent).parameters.find((one) => one.name === name)
  return {
    name,
    in: path.includes(`{${name}}`) ? 'path' : 'query',
    type,
    isRequired: isNonNullType(type),
    defaultValue:
      defaultValue?.kind === Kind.BOOLEAN || defaultValue?.kind === Kind.ENUM ? defaultValue.value : undefined,
    // The same description of the id as in the route of the parent itself.
    use: { ...use, description: named?.use.description ?? use.description },
  }
}

function typesOf({ status, sheet, type, isFeed }: Route): readonly MediaType[] {
  if (status === 204) return []
  if (type) return [type]
  if (isFeed) return ['application/json', EVENTS_TYPE]
  return sheet ? ['application/json', CSV_TYPE] : ['application/json']
}

/** The CSV form has no parameter for what is in none of its columns. */
const NOT_IN_CSV: ReadonlySet<string> = new Set(['totalCount', 'on'])

/** Whether a variable is a parameter of the route, whose responses are CSV if that is its type. */
export function isParameter({ name, use }: Parameter, { type }: Pick<Route, 'type'>): boolean {
  return name !== BODY && !(type === CSV_TYPE && NOT_IN_CSV.has(use.argument))
}
