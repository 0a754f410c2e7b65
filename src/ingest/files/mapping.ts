import { fold } from '../../text.js'
import type { DayPattern } from './days.js'

export type Scalar = string | number | boolean

/** Numbers up to and including the bound become the value. */
export type Band = readonly [bound: number, becomes: Scalar]

/** The rule that fills one field. A member that is absent does nothing. */
export interface Rule {
  /** Headers, or member paths; the first non-blank one wins. Empty for a constant. */
  readonly from: readonly string[]
  readonly constant?: Scalar | undefined
  /** Only the part of each value before this text is looked at, if the value has it. */
  readonly before?: string | undefined
  /** The mapping of values, by their folded text. */
  readonly values?: ReadonlyMap<string, Scalar> | undefined
  /** For a blank, and for a value that is not in `values`. */
  readonly default?: Scalar | undefined
  /** For a value that is not in `values`, with a warning. */
  readonly otherwise?: Scalar | undefined
  /** Joins all values of all names. */
  readonly join?: string | undefined
  /** Splits a text into a list. */
  readonly split?: string | undefined
  /** Ascending; a fraction and a percentage are the same. */
  readonly bands?: readonly Band[] | undefined
  readonly date?: DayPattern | undefined
  /** Put before every value. */
  readonly prefix?: string | undefined
  /** The longest text to keep, in code points. */
  readonly cut?: number | undefined
  /** The source may lack all of `from`: then there is only the default. */
  readonly optional?: true | undefined
  /** Line breaks become spaces. */
  readonly oneLine?: true | undefined
  /** For references made from texts: a long one is cut and ends in its hash, a repeated one ends in (2). */
  readonly unique?: true | undefined
  /** Blank wherever this other field is blank. */
  readonly with?: string | undefined
}

/** A condition on the source's records; exactly one of `is`, `not` and `blank` is there. */
export interface Condition {
  readonly from: readonly string[]
  /** Folded texts, of which one must be there. */
  readonly is?: readonly string[] | undefined
  /** Folded texts, of which none may be there. */
  readonly not?: readonly string[] | undefined
  readonly blank?: boolean | undefined
}

/** A map: a rule for each field, and which records to take. */
export interface Mapping {
  /** The name for messages. */
  readonly name: string
  readonly rules: ReadonlyMap<string, Rule>
  /** All of them must hold. */
  readonly where: readonly Condition[]
  /** Headings of sections, totals and legends among the rows of a table are left out. */
  readonly entriesOnly?: true | undefined
}

/** Whether a source may lack all the names of a rule or a condition. */
export function mayLack(one: Rule | Condition): boolean {
  return 'blank' in one ? one.blank === true : 'optional' in one && one.optional === true
}

/** A record before its fields are filled in. */
export function blankOf({ rules }: Mapping): Record<string, unknown> {
  return Object.fromEntries(Array.from(rules.keys(), (field) => [field, '']))
}

/** The folded form in which values and headers are compared. */
export function folded(text: string): string {
  return fold(text.trim())
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** A map as the JSON text that `readMapping` reads. */
export function printMapping({ rules, where, entriesOnly }: Mapping): string {
  const conditions = where.map(({ from, ...rest }) => printed({ column: oneOrAll(from), ...rest }))
  const columns = Object.fromEntries(Array.from(rules, ([field, rule]) => [field, printedRule(rule)]))
  const condition = where.length > 0 && { where: oneOrAll(conditions) }
  return `${JSON.stringify({ ...condition, ...(entriesOnly && { entriesOnly }), columns }, null, 2)}\n`
}

function printedRule({ from, values, date, ...rest }: Rule): unknown {
  const members = printed({
    from: from.length === 0 ? undefined : oneOrAll(from),
    ...rest,
    values: values && Object.fromEntries(values),
    date: date && oneOrAll(date.texts),
    months: date && date.languages.length > 0 ? oneOrAll(date.languages) : undefined,
  })
  return Object.keys(members).length === 1 && typeof members['from'] === 'string' ? members['from'] : members
}

function printed(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

function oneOrAll<T>(all: readonly T[]): T | readonly T[] {
  const [first] = all
  return first !== undefined && all.length === 1 ? first : all
}
