import { type GraphQLError, type GraphQLSchema, getVariableValues, type OperationDefinitionNode } from 'graphql'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'

type Variables = Readonly<Record<string, unknown>>

/** The coerced variables, or what is wrong with them. */
type Coercion = { readonly coerced: Variables; readonly errors?: never } | Refused

interface Refused {
  readonly coerced?: never
  readonly errors: readonly GraphQLError[]
}

type Definitions = NonNullable<OperationDefinitionNode['variableDefinitions']>

interface Known {
  /** The same for an operation and for each of its root fields alone. */
  readonly definitions: Definitions
  readonly coercion: Coercion
}

/** By the raw variables object of a request. */
const known = new WeakMap<object, Known>()

const NO_DEFINITIONS: Definitions = []

/** Coerces the variables of a request once for all steps. `maxErrors: 1`, because each error prints the whole value. */
export function coercionOf(
  schema: GraphQLSchema,
  { variableDefinitions: definitions = NO_DEFINITIONS }: OperationDefinitionNode,
  sent: Variables,
): Coercion {
  if (definitions.length === 0) return { coerced: {} }
  const before = known.get(sent)
  if (before?.definitions === definitions) return before.coercion
  const { coerced, errors = [] } = getVariableValues(schema, definitions, sent, { maxErrors: 1 })
  const coercion = coerced ? { coerced } : { errors }
  known.set(sent, { definitions, coercion })
  return coercion
}

/** The same; undefined if they are invalid, which execution reports. */
export function coercedVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  sent: Variables,
): Variables | undefined {
  return coercionOf(schema, operation, sent).coerced
}

/** Bounds the lists in the variables of a query together, before anything is done for each item. */
export function requireFewItems(variables: Variables): void {
  let items = 0
  const waiting: unknown[] = [variables]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(Object(value))
    if (Array.isArray(value)) items += value.length
    if (items > LIMITS.queryItemsMax) throw tooManyItems(items)
    for (const one of inner) if (typeof one === 'object' && one !== null) waiting.push(one)
  }
}

function tooManyItems(items: number): Fault {
  const most = LIMITS.queryItemsMax
  return new Fault(
    'TOO_COMPLEX',
    `The lists in the variables have ${items} items or more; the most in a query is ${most}. Send them in several queries.`,
  )
}
