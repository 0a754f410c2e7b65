import {
  GraphQLBoolean,
  type GraphQLEnumType,
  GraphQLError,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql'
import { mergedViolations, type Violation } from '../errors.js'
import { LIMITS } from '../limits.js'
import { InputCheck, tooManyItems } from '../text.js'
import type { Work } from '../work.js'
import { meantBy } from './hints/suggestions.js'
import { checkedInputOf } from './inputs.js'

const POINTER_STEP_MAX = 100

/** Different unknown members of one input that get a hint: finding one takes longer than reading the record. */
const HINTS_MAX = 10

/**
 * Coerces an input and finds its violations: those of its types, and with them those that only the noun knows. Instead of
 * graphql's own coercion, which reports the parent of a bad member and not the member. REST takes enums in any case,
 * and nothing but a list for a list; GraphQL is the other way round. `ofTypes` is how many violations are of its types.
 */
export async function checkedInput(given: unknown, type: GraphQLInputType, work: Work, isGraphql: boolean) {
  const { findViolations, violationsMax = LIMITS.violationsMax } = checkedInputOf(Object(getNullableType(type)))
  const reader = new InputReader(violationsMax, isGraphql)
  const value = work.time('check', () => reader.read(given, type, ''))
  const { found, isFull } = reader
  const check = new InputCheck()
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // If its types are right, the noun itself refuses it.
  if (isObject && !isFull && (isGraphql || found.length > 0)) await findViolations?.({ ...value }, check)
  const all = mergedViolations(found, check.violations)
  return {
    value,
    violations: all.slice(0, violationsMax),
    ofTypes: found.length,
    isCut: isFull || all.length > violationsMax,
  }
}

/** What the scalars of GraphQL take, in plain words; our own ones and enums say it themselves. */
const TAKES = new Map<GraphQLLeafType, string>([
  [GraphQLString, 'Must be a text.'],
  [GraphQLID, 'Must be a text.'],
  [GraphQLInt, 'Must be a whole number.'],
  [GraphQLBoolean, 'Must be true or false.'],
])

/** Coerces values, and collects their violations up to a limit, each with its JSON Pointer. */
class InputReader {
  readonly found: Violation[] = []
  private readonly hints = new Map<string, string>()
  private readonly violationsMax: number
  private readonly isGraphql: boolean

  constructor(violationsMax: number, isGraphql: boolean) {
    this.violationsMax = violationsMax
    this.isGraphql = isGraphql
  }

  get isFull(): boolean {
    return this.found.length === this.violationsMax
  }

  read(value: unknown, type: GraphQLInputType, pointer: string): unknown {
    if (this.isFull) return value
    if (isNonNullType(type))
      return value == null ? this.violation(value, pointer, 'Is needed.') : this.read(value, type.ofType, pointer)
    if (value === null || value === undefined) return value
    if (isLeafType(type)) return this.readLeaf(value, type, pointer)
    if (isListType(type)) {
      if (Array.isArray(value)) return value.map((item, index) => this.read(item, type.ofType, `${pointer}/${index}`))
      return this.isGraphql
        ? [this.read(value, type.ofType, pointer)]
        : this.violation(value, pointer, 'Must be a list.')
    }
    if (typeof value === 'object' && !Array.isArray(value)) return this.readMembers(Object(value), type, pointer)
    return this.violation(value, pointer, 'Must be an object.')
  }

  private violation(value: unknown, pointer: string, detail: string): unknown {
    if (!this.isFull) this.found.push({ pointer, detail })
    return value
  }

  private readLeaf(value: unknown, type: GraphQLLeafType, pointer: string): unknown {
    if (typeof value === 'string' && (type === GraphQLString || type === GraphQLID)) return value
    try {
      return type.parseValue(isEnumType(type) ? readEnum(value, type, !this.isGraphql) : value)
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error
      return this.violation(value, pointer, TAKES.get(type) ?? error.message)
    }
  }

  /** An absent member stays absent: in a merge patch, null means something else. */
  private readMembers(given: Readonly<Record<string, unknown>>, type: GraphQLInputObjectType, pointer: string): object {
    const fields = type.getFields()
    for (const name of Object.keys(given)) {
      if (Object.hasOwn(fields, name)) continue
      // A token of a JSON Pointer (RFC 6901), cut to a readable length.
      const token = name.slice(0, POINTER_STEP_MAX).replaceAll('~', '~0').replaceAll('/', '~1')
      this.violation(undefined, `${pointer}/${token}`, `Unknown member.${this.hintFor(name, type)}`)
    }
    const read: Record<string, unknown> = {}
    for (const field of Object.values(fields)) {
      const { name } = field
      const isGiven = Object.hasOwn(given, name)
      const value = isGiven ? given[name] : field.defaultValue
      const at = `${pointer}/${name}`
      const tooLong = lengthViolation(value, field)
      if (tooLong !== undefined) this.violation(value, at, tooLong)
      else if (isGiven) read[name] = this.read(value, field.type, at)
      else if (value !== undefined) read[name] = value
      else this.read(undefined, field.type, at)
    }
    return read
  }

  /** The same for each record that has the member. */
  private hintFor(name: string, type: GraphQLInputObjectType): string {
    const key = `${type.name} ${name}`
    const known = this.hints.get(key)
    if (known !== undefined || this.hints.size === HINTS_MAX) return known ?? ''
    const names = Object.keys(type.getFields())
    const [meant] = meantBy(name, names)
    const hint = meant === undefined ? ` Known members: ${names.join(', ')}.` : ` Did you mean ${meant}?`
    this.hints.set(key, hint)
    return hint
  }
}

/** Checked before the items of a list, which may be far too many to check. */
function lengthViolation(given: unknown, { extensions }: GraphQLInputField): string | undefined {
  if (!Array.isArray(given)) return undefined
  const { maxItems = Number.POSITIVE_INFINITY, beyond = '' } = extensions as { maxItems?: number; beyond?: string }
  return given.length > maxItems ? tooManyItems(given.length, maxItems, beyond) : undefined
}

/** The value of an enum; REST ignores upper and lower case. */
export function readEnum(value: unknown, type: GraphQLEnumType, isAnyCase = true): string {
  const names = type.getValues().map(({ name }) => name)
  const name = names.find((one) => typeof value === 'string' && one === (isAnyCase ? value.toUpperCase() : value))
  if (name === undefined) throw new GraphQLError(`Must be one of ${names.join(', ')}.`)
  return name
}
