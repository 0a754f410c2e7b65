import type { Bound } from '../fields.js'
import { LIMITS } from '../limits.js'
import type { InputCheck } from '../text.js'
import { TEXT_MAX, type TextKind } from '../vocabulary.js'

/** Finds the violations of an input that neither its types nor the store tell; members may be of a wrong type. */
type FindViolations = (input: Readonly<Record<string, unknown>>, check: InputCheck) => unknown

interface CheckedInput {
  readonly findViolations?: FindViolations
  /** How many violations are reported. */
  readonly violationsMax?: number
}

/** The options of the input type of a mutation: with them all violations are reported together with those of its types. */
export function checkedBy(findViolations: FindViolations, violationsMax: number = LIMITS.violationsMax) {
  return { extensions: { findViolations, violationsMax } satisfies CheckedInput }
}

export function checkedInputOf({ extensions }: { readonly extensions: object }): CheckedInput {
  return extensions
}

/** The options of an input: its bound is in the description and, for machines, in the extensions. */
export function bounded(description: string, bound: Bound) {
  const [first = '', ...rest] = boundInWords(bound)
  return { description: `${description} ${first.toUpperCase()}${rest.join('')}`, extensions: { ...bound } }
}

/** The same for a list: each item is bounded. */
export function boundedItems(description: string, bound: Bound) {
  return { description: `${description} Each ${boundInWords(bound)}`, extensions: { items: { ...bound } } }
}

function boundInWords(bound: Bound): string {
  if ('maxLength' in bound) return `at most ${bound.maxLength.toLocaleString('en')} characters.`
  return `from ${bound.minimum} to ${bound.maximum}.`
}

export const boundedText = (kind: TextKind, description: string) => bounded(description, { maxLength: TEXT_MAX[kind] })
export const boundedTexts = (kind: TextKind, description: string) =>
  boundedItems(description, { maxLength: TEXT_MAX[kind] })
export const boundedNumber = (minimum: number, maximum: number, description: string) =>
  bounded(description, { minimum, maximum })

/** The options of an input that may be absent but not null, which GraphQL types cannot express. */
export function neverNull<O extends { readonly description: string; readonly extensions?: object }>(options: O) {
  return { ...options, extensions: { ...options.extensions, isNullable: false } }
}

/** The options of a list input, with its longest length; `beyond` says what to do with more. */
export function boundedList(maxItems: number, description: string, beyond = '') {
  return { description: `${description} At most ${maxItems.toLocaleString('en')}.`, extensions: { maxItems, beyond } }
}
