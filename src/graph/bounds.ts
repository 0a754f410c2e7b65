import {
  type GraphQLField,
  GraphQLID,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLString,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { badArgument, Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { lengthFlaw } from '../text.js'
import { TEXT_MAX } from '../vocabulary.js'
import type { Arguments } from './fields.js'

/** Returns a value if it is within its bounds, or refuses it by the name of its argument. */
interface Bounding {
  (value: unknown): unknown
  /** Whether null means something else than an absent value. */
  readonly takesNull?: boolean
}
type Bounded = ReadonlyMap<string, Bounding>

const known = new WeakMap<object, Bounded>()

/**
 * The arguments of a field, checked: each text within the bound of the field that it is compared with, each list of a
 * filter without duplicates and within its limit. Called before they are processed: folding can make a text 18 times
 * as long, and one variable can be repeated in a list hundreds of times.
 */
export function boundedArguments(field: GraphQLField<unknown, unknown>, args: Arguments): Arguments {
  const bounded = known.get(field) ?? boundingsOf(field.args)
  known.set(field, bounded)
  return bounded.size === 0 ? args : withinBounds(bounded, args)
}

/** Checks the arguments in each resolver, so that the bounds hold in any server that executes the schema. */
export function boundArguments(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      // References of a gateway are counted where they are resolved, and may repeat.
      if (field.name.startsWith('_')) known.set(field, new Map())
      else bindField(type, field, schema)
    }
  }
}

function bindField(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, schema: GraphQLSchema): void {
  // The input of a mutation is parsed by the noun's table of fields, which reports every flaw.
  const args = type === schema.getMutationType() ? field.args.filter(({ type }) => !isInput(type)) : field.args
  const bounded = boundingsOf(args)
  known.set(field, bounded)
  const { resolve } = field
  if (bounded.size === 0 || !resolve) return
  field.resolve = (source, given, context, info) => resolve(source, withinBounds(bounded, given), context, info)
}

function isInput(type: GraphQLInputType): boolean {
  return isInputObjectType(getNullableType(type))
}

const NO_ID = ''

interface Given {
  readonly name: string
  readonly type: GraphQLInputType
  readonly extensions: Readonly<Record<string, unknown>>
}

function boundingsOf(given: readonly Given[]): Bounded {
  return new Map(
    given.flatMap((one) => {
      const bounding = boundingOf(one, one.type)
      return bounding ? [[one.name, remembered(bounding)] as const] : []
    }),
  )
}

/** Checks a list or an object once: one variable may be the argument of many aliases, and is priced before it is used. */
function remembered(bounding: Bounding): Bounding {
  const known = new WeakMap<object, { readonly kept: unknown } | Fault>()
  const once = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return bounding(value)
    const outcome = known.get(value) ?? outcomeOf(() => bounding(value))
    known.set(value, outcome)
    if (outcome instanceof Fault) throw outcome
    return outcome.kept
  }
  return Object.assign(once, { takesNull: bounding.takesNull ?? false })
}

function outcomeOf(work: () => unknown): { readonly kept: unknown } | Fault {
  try {
    return { kept: work() }
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}

function boundingOf(given: Given, nullable: GraphQLInputType, isEntry = false): Bounding | undefined {
  const type = getNullableType(nullable)
  if (isInputObjectType(type)) {
    const members = boundingsOf(Object.values(type.getFields()))
    return (value) => withinBounds(members, value as Arguments)
  }
  if (isListType(type)) {
    const { items = {} } = given.extensions as { items?: Given['extensions'] }
    const item = boundingOf({ ...given, extensions: items }, type.ofType, true)
    // Where a null in the list means something, so does a null instead of the list.
    const takesNull = !isNonNullType(type.ofType)
    const bounding = (list: unknown) => withinList(given, item, list === null ? [null] : (list as unknown[]))
    return Object.assign(bounding, { takesNull })
  }
  // A malformed id is not found, and so is one that is too long.
  if (type === GraphQLID && !isEntry) return (id) => ((id as string).length > TEXT_MAX.id ? NO_ID : id)
  if (type === GraphQLString || type === GraphQLID) {
    const { maxLength = TEXT_MAX.id } = given.extensions as { maxLength?: number }
    return (text) => withinLength(given, maxLength, text as string)
  }
  return undefined
}

function withinBounds(bounded: Bounded, values: Arguments): Arguments {
  let within: Record<string, unknown> | undefined
  for (const [name, bounding] of bounded) {
    const value = values[name]
    if (value === undefined || (value === null && !bounding.takesNull)) continue
    const kept = bounding(value)
    if (kept === value) continue
    within ??= { ...values }
    within[name] = kept
  }
  return within ?? values
}

/** Lengths first: comparing texts that are too long is already expensive. */
function withinList({ name }: Given, item: Bounding | undefined, values: readonly unknown[]): readonly unknown[] {
  if (item) for (const value of values) if (value !== null) item(value)
  const different = new Set(values)
  if (different.size > LIMITS.filterItemsMax) {
    throw badArgument(name, `There are ${different.size} different values; the most is ${LIMITS.filterItemsMax}.`)
  }
  return different.size === values.length ? values : [...different]
}

function withinLength({ name }: Given, most: number, text: string): string {
  const flaw = lengthFlaw(text, most)
  if (flaw !== undefined) throw badArgument(name, flaw)
  return text
}
