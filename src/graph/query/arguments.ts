import {
  type GraphQLArgument,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  GraphQLString,
  getArgumentValues,
  getNullableType,
  getVariableValues,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
} from 'graphql'
import { oncePer, oncePerPair } from '../../caches.js'
import { badArgument, Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { canonicalWithin } from '../../store/query/conditions.js'
import type { CountedList } from '../../store/query/rowCounts.js'
import { foldedName, lengthViolation } from '../../text.js'
import { TEXT_MAX } from '../../vocabulary.js'
import type { Arguments, Slot } from './declared.js'
import { decidingVariables, type Operation, type Variables } from './selections.js'

/** Coerces the variables of a request. `maxErrors: 1`, because each error prints the whole value. */
export function coercionOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  sent: Variables,
): ReturnType<typeof getVariableValues> {
  return getVariableValues(schema, variableDefinitions, sent, { maxErrors: 1 })
}

/** Only the variables of `@skip` and `@include`: the others may be large. Undefined if they are invalid. */
export function decidedBy(operation: Operation, sent: Variables): Variables | undefined {
  const deciding = decidingVariables(operation)
  const { variableDefinitions = [] } = operation.operation
  const definitions = variableDefinitions.filter(({ variable }) => deciding.includes(variable.name.value))
  return getVariableValues(operation.schema, definitions, sent, { maxErrors: 1 }).coerced
}

/** Bounds the lists in the variables of a query together, before anything is done for each item. */
export function requireFewItems(variables: Variables): void {
  let items = 0
  const waiting: unknown[] = [variables]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(Object(value))
    if (Array.isArray(value)) items += value.length
    if (items > LIMITS.queryItemsMax) {
      const limit = `the most in a query is ${LIMITS.queryItemsMax}. Send them in several queries.`
      throw new Fault('TOO_COMPLEX', `The lists in the variables have ${items} items or more; ${limit}`)
    }
    for (const one of inner) if (typeof one === 'object' && one !== null) waiting.push(one)
  }
}

/** An argument, or a member of an input. */
type Declared = GraphQLArgument | GraphQLInputField

/**
 * The arguments of a field, checked: each text within the bound of the field that it is compared with, each list of a
 * filter without duplicates and within its limit. Called before they are processed: folding can make a text 18 times
 * as long, and one variable can be repeated in a list hundreds of times.
 */
export function argumentsOf({ field, node }: Pick<Slot, 'field' | 'node'>, variables: Variables): Arguments {
  const args = getArgumentValues(field, node, variables)
  // References of a gateway are counted where they are read, and may repeat.
  if (field.name.startsWith('_')) return args
  if (!field.extensions['mutation']) return membersWithin(field.args, args)
  // The input of a mutation is parsed by the noun's table of fields, which reports every violation.
  const others = field.args.filter(({ type }) => !isInputObjectType(getNullableType(type)))
  return membersWithin(others, args)
}

function membersWithin(declared: readonly Declared[], values: Arguments): Arguments {
  let within = values
  for (const one of declared) {
    const value = values[one.name]
    const kept = value === undefined ? undefined : checkedOnce(one, value)
    if (kept !== value) within = { ...within, [one.name]: kept }
  }
  return within
}

/** Checks a list or an object once: one variable may be the argument of many aliases, and is priced before it is used. */
function checkedOnce(declared: Declared, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return within(declared, declared.type, value)
  const outcome = outcomeOf(value, declared)
  if (outcome instanceof Fault) throw outcome
  return outcome
}

const outcomeOf = oncePerPair((value: object, declared: Declared): unknown => {
  try {
    return within(declared, declared.type, value)
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
})

const NO_ID = ''

type Bounds = Pick<Declared, 'name' | 'extensions'>

/** Returns a value if it is within its bounds, or refuses it by the name of its argument. */
function within(declared: Bounds, given: GraphQLInputType, value: unknown): unknown {
  const type = getNullableType(given)
  if (isListType(type)) {
    if (value !== null) return listWithin(declared, type.ofType, value as readonly unknown[])
    // Where a null in the list means something, so does a null instead of the list.
    return isNonNullType(type.ofType) ? null : [null]
  }
  if (value === null) return null
  if (isInputObjectType(type)) return membersWithin(Object.values(type.getFields()), value as Arguments)
  // A malformed id is not found, and so is one that is too long.
  if (type === GraphQLID) return (value as string).length > TEXT_MAX.id ? NO_ID : value
  if (type === GraphQLString) requireLength(declared, value as string)
  return value
}

/** Lengths first: comparing texts that are too long is already expensive. */
function listWithin({ name, extensions }: Bounds, type: GraphQLInputType, values: readonly unknown[]) {
  const { items = {} } = extensions as { items?: Bounds['extensions'] }
  const item = { name, extensions: items }
  const isOfTexts = [GraphQLString, GraphQLID].some((one) => one === getNullableType(type))
  for (const value of values) {
    if (value === null) continue
    if (isOfTexts) requireLength(item, value as string)
    else within(item, type, value)
  }
  const different = new Set(values)
  if (different.size > LIMITS.filterItemsMax) {
    throw badArgument(name, `There are ${different.size} different values; the most is ${LIMITS.filterItemsMax}.`)
  }
  return different.size === values.length ? values : [...different]
}

function requireLength({ name, extensions }: Bounds, text: string): void {
  const { maxLength = TEXT_MAX.id } = extensions as { maxLength?: number }
  const violation = lengthViolation(text, maxLength)
  if (violation !== undefined) throw badArgument(name, violation)
}

export interface GivenFilter {
  readonly list: Pick<CountedList, 'names'>
  readonly filter: Arguments
}

/** Refuses filters whose texts are too long together in the form in which they are compared, before any is read. */
export function requireComparable(filters: Iterable<GivenFilter>): void {
  let left: number = LIMITS.comparedCharactersMax
  const seen = new Set<unknown>()
  for (const { list, filter } of filters) {
    for (const [member, value] of Object.entries(filter)) {
      // Several aliases may have the same list, which is then folded once.
      if (value == null || seen.has(value)) continue
      seen.add(value)
      const texts = Array.isArray(value) ? value : typeof value === 'string' ? [value] : []
      const compared = canonicalWithin(texts, list.names?.[member]?.key?.canonical ?? foldedName, left)
      if (!compared) throw new Fault('TOO_COMPLEX', TEXTS_TOO_LONG)
      left -= compared.reduce((total, { length }) => total + length, 0)
    }
  }
}

const TEXTS_TOO_LONG =
  `The texts in the filters of this query have more than ${LIMITS.comparedCharactersMax} characters in the form in ` +
  'which they are compared, Unicode NFKC. Filter by fewer values, or send several queries.'

/** The bytes of all texts in an input, measured once: several aliases may have the same variable of megabytes. */
export const textBytesOf: (input: object) => number = oncePer(textBytesIn)

/** The bytes of all texts in a value, in UTF-8. */
export function textBytesIn(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  let bytes = 0
  for (const member of Array.isArray(value) ? value : Object.values(value)) bytes += textBytesIn(member)
  return bytes
}
