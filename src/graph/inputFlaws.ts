import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql'
import { type Flaw, united } from '../errors.js'
import { LIMITS } from '../limits.js'
import { InputCheck, tooManyItems } from '../text.js'
import { meantBy } from './hints/suggestions.js'
import { checkedInputOf } from './inputs.js'

const POINTER_STEP_MAX = 100

/** Different unknown members of one input that get a hint: finding one takes longer than reading the record. */
const HINTS_MAX = 10

/** Returns the coerced value, and adds each flaw with its JSON Pointer. */
type Check = (value: unknown, pointer: string, flaws: InputFlaws) => unknown

const checks = new WeakMap<GraphQLInputType, Check>()

interface CheckedInput {
  readonly value: unknown
  readonly flaws: readonly Flaw[]
  /** How many of them are of its types. */
  readonly ofTypes: number
  readonly isCut: boolean
}

/**
 * Coerces an input and finds its flaws: those of its types, and with them those that only the noun knows. Checks are
 * compiled once per type. They replace graphql's own coercion, which reports the parent of a bad member instead of the
 * member. REST takes enums in any case, and nothing but a list for a list; GraphQL is the other way round.
 */
export async function checkedInput(given: unknown, type: GraphQLInputType, isGraphql: boolean): Promise<CheckedInput> {
  const { findFlaws, flawsMax = LIMITS.flawsMax } = checkedInputOf(Object(getNullableType(type)))
  const flaws = new InputFlaws(flawsMax, isGraphql)
  const { found } = flaws
  const value = flaws.upToLimit(() => checkOf(type)(given, '', flaws))
  const check = new InputCheck()
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // If its types are right, the noun itself refuses it.
  if (isObject && (isGraphql || found.length > 0)) await findFlaws?.({ ...value }, check)
  const all = united(found, check.flaws)
  const isCut = all.length > flawsMax || found.length === flawsMax
  return { value, flaws: all.slice(0, flawsMax), ofTypes: found.length, isCut }
}

/** Thrown to stop when the limit is reached. */
class LimitReached extends Error {}

/** Collects the flaws of an input. */
class InputFlaws {
  readonly found: Flaw[] = []
  readonly isGraphql: boolean
  private readonly hints = new Map<Members, Map<string, string>>()
  private hinted = 0
  private readonly most: number

  constructor(most: number, isGraphql: boolean) {
    this.most = most
    this.isGraphql = isGraphql
  }

  add(pointer: string, detail: string): void {
    this.found.push({ pointer, detail })
    if (this.found.length === this.most) throw new LimitReached()
  }

  addUnknown(pointer: string, name: string, members: Members): void {
    const hint = this.hintFor(name, members)
    this.add(`${pointer}/${escaped(name)}`, hint === undefined ? UNKNOWN : `${UNKNOWN} ${hint}`)
  }

  /** The same for each record that has the member. */
  private hintFor(name: string, members: Members): string | undefined {
    const ofMembers = this.hints.get(members) ?? new Map<string, string>()
    const known = ofMembers.get(name)
    if (known !== undefined || this.hinted === HINTS_MAX) return known
    this.hinted += 1
    const [meant] = meantBy(name, [...members.keys()])
    const hint = meant === undefined ? `Known members: ${[...members.keys()].join(', ')}.` : `Did you mean ${meant}?`
    this.hints.set(members, ofMembers.set(name, hint))
    return hint
  }

  /** Undefined if the limit was reached. */
  upToLimit(work: () => unknown): unknown {
    try {
      return work()
    } catch (error) {
      if (error instanceof LimitReached) return undefined
      throw error
    }
  }
}

function checkOf(type: GraphQLInputType): Check {
  const known = checks.get(type) ?? compile(type)
  checks.set(type, known)
  return known
}

function compile(type: GraphQLInputType): Check {
  const inner = getNullableType(type)
  const check = isListType(inner) ? listCheck(inner.ofType) : isLeafType(inner) ? leafCheck(inner) : objectCheck(inner)
  const isNeeded = isNonNullType(type)
  return (value, pointer, flaws) => {
    if (value !== null && value !== undefined) return check(value, pointer, flaws)
    if (isNeeded) flaws.add(pointer, 'Is needed.')
    return value
  }
}

function listCheck(type: GraphQLInputType): Check {
  const check = checkOf(type)
  return (value, pointer, flaws) => {
    if (Array.isArray(value)) return value.map((item, index) => check(item, `${pointer}/${index}`, flaws))
    if (flaws.isGraphql) return [check(value, pointer, flaws)]
    flaws.add(pointer, 'Must be a list.')
    return value
  }
}

/** What the scalars of GraphQL take, in plain words; our own ones and enums say it themselves. */
const TAKES = new Map<GraphQLLeafType, string>([
  [GraphQLString, 'Must be a text.'],
  [GraphQLID, 'Must be a text.'],
  [GraphQLInt, 'Must be a whole number.'],
  [GraphQLBoolean, 'Must be true or false.'],
])

function leafCheck(type: GraphQLLeafType): Check {
  const isText = type === GraphQLString || type === GraphQLID
  return (value, pointer, flaws) => {
    if (isText && typeof value === 'string') return value
    try {
      return type.parseValue(type instanceof GraphQLEnumType ? readEnum(value, type, !flaws.isGraphql) : value)
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error
      flaws.add(pointer, TAKES.get(type) ?? error.message)
      return value
    }
  }
}

interface Member {
  readonly field: GraphQLInputField
  readonly check: Check
}
type Members = ReadonlyMap<string, Member>

const UNKNOWN = 'Unknown member.'

function objectCheck(type: GraphQLInputType): Check {
  if (!isInputObjectType(type)) throw new Error(`${type.toString()} is not an input type.`)
  // Built lazily on first use: a type may be recursive.
  let members: Members | undefined
  return (value, pointer, flaws) => {
    members ??= membersOf(type)
    if (typeof value === 'object' && !Array.isArray(value)) return readMembers(Object(value), members, pointer, flaws)
    flaws.add(pointer, 'Must be an object.')
    return value
  }
}

function membersOf(type: GraphQLInputObjectType): Members {
  return new Map(Object.values(type.getFields()).map((field) => [field.name, { field, check: checkOf(field.type) }]))
}

/** An absent member stays absent: in a merge patch, null means something else. */
function readMembers(
  given: Readonly<Record<string, unknown>>,
  members: Members,
  pointer: string,
  flaws: InputFlaws,
): object {
  for (const name of Object.keys(given)) {
    if (!members.has(name)) flaws.addUnknown(pointer, name, members)
  }
  const read: Record<string, unknown> = {}
  for (const [name, { field, check }] of members) {
    const isGiven = Object.hasOwn(given, name)
    const value = isGiven ? given[name] : field.defaultValue
    const at = `${pointer}/${name}`
    const tooLong = lengthFlaw(value, field)
    if (tooLong !== undefined) flaws.add(at, tooLong)
    else if (isGiven) read[name] = check(value, at, flaws)
    else if (value !== undefined) read[name] = value
    else check(undefined, at, flaws)
  }
  return read
}

/** Checked before the items of a list, which may be far too many to check. */
function lengthFlaw(given: unknown, { extensions }: GraphQLInputField): string | undefined {
  if (!Array.isArray(given)) return undefined
  const { maxItems = Number.POSITIVE_INFINITY, beyond = '' } = extensions as { maxItems?: number; beyond?: string }
  return given.length > maxItems ? tooManyItems(given.length, maxItems, beyond) : undefined
}

/** A member name as a token of a JSON Pointer (RFC 6901), cut to a readable length. */
function escaped(step: string): string {
  return step.slice(0, POINTER_STEP_MAX).replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The value of an enum; REST ignores upper and lower case. */
export function readEnum(value: unknown, type: GraphQLEnumType, isAnyCase = true): string {
  const names = type.getValues().map(({ name }) => name)
  const name = names.find((one) => typeof value === 'string' && one === (isAnyCase ? value.toUpperCase() : value))
  if (name === undefined) throw new GraphQLError(`Must be one of ${names.join(', ')}.`)
  return name
}
