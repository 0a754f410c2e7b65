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
import { badArgument } from '../errors.js'
import { LIMITS } from '../limits.js'
import { lengthFlaw } from '../text.js'
import { TEXT_MAX } from '../vocabulary.js'
import type { Arguments } from './sql/fields.js'

/** Gives a value back within its bounds, or refuses it by the name of its argument. */
interface Bounding {
  (value: unknown): unknown
  /** Whether a null means something else than that nothing was given. */
  readonly takesNull?: boolean
}
type Bounded = ReadonlyMap<string, Bounding>

const known = new WeakMap<object, Bounded>()

/**
 * The arguments of a field as a resolver may use them: each text within the bound of what it is compared with, each list
 * of a filter without repeats and with no more entries than it may have. To be asked before anything is made of them:
 * folding can make a text 18 times as long, and one variable can stand in a list hundreds of times.
 */
export function boundedArguments(field: GraphQLField<unknown, unknown>, args: Arguments): Arguments {
  const bounded = known.get(field) ?? boundingsOf(field.args)
  known.set(field, bounded)
  return bounded.size === 0 ? args : withinBounds(bounded, args)
}

/** Has every resolver get its arguments within their bounds, whoever executes the schema. */
export function boundArguments(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      // A gateway's references are counted and read where they are resolved, and may well repeat.
      if (field.name.startsWith('_')) known.set(field, new Map())
      else bindField(type, field, schema)
    }
  }
}

function bindField(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, schema: GraphQLSchema): void {
  // What a mutation is to store is read by the table of fields of its noun, which points at every flaw.
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
      return bounding ? [[one.name, bounding] as const] : []
    }),
  )
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
    const bounding = (values: unknown) => withinList(given, item, values === null ? [null] : (values as unknown[]))
    return Object.assign(bounding, { takesNull })
  }
  // A malformed id is simply not found, and so is one that is too long.
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

/** Lengths first: whoever compares texts that are too long has lost already. */
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
