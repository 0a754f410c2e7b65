import { checkText, type InputCheck, isEmail } from './text.js'
import { type EnumName, type EnumValue, TEXT_MAX, type TextKind, valuesOf } from './vocabulary.js'

/** The sentence that says what would be right, and where within the value. */
export interface ValueViolation {
  readonly violation: string
  readonly at?: string
  /** The further violations of a list. */
  readonly more?: readonly ValueViolation[]
}

/** A value as it is stored, or its violations. */
export type Reading<V> = { readonly value: V } | ValueViolation

/** The type of a value in the APIs, by its name in GraphQL. */
export type ValueType = 'ID' | 'String' | 'Int' | 'Boolean' | 'Date' | 'DateTime' | EnumName

/** The bound of a text, or of each in a list, or the range of a number. */
export type Bound = { readonly maxLength: number } | { readonly minimum: number; readonly maximum: number }

/** An input field of a record, whether it comes as a cell, a JSON value or an argument; `S` is what a row has of it. */
export interface Field<V, S = V> {
  /** What it is: said wherever the field is shown or asked for. */
  readonly meaning: string
  /** What else holds for a value that is given, in sentences. */
  readonly rule?: string
  readonly example: string
  /** The accepted form, for people. */
  readonly form: string
  readonly type: ValueType | 'Detail'
  readonly isList?: boolean
  readonly bound?: Bound
  /** A new record must have it, and it cannot be cleared. */
  readonly isRequired: boolean
  /** A new record has it even if it is not given. */
  readonly hasDefault?: boolean
  /** The value in a record, if it is not the one under the field's own name. */
  readonly gather?: (raw: Readonly<Record<string, unknown>>) => unknown
  readonly read: (raw: unknown) => Reading<V>
  /** How a new value changes the stored one, if it does not replace it. */
  merge?(value: V, before: S | null): S | null
}

export type Fields = Readonly<Record<string, Field<unknown>>>

/** The values of a record: absent keeps what is stored, null clears it. */
export type Values<F extends Fields> = {
  readonly [Name in keyof F]?: (F[Name] extends Field<infer V, infer _> ? V : never) | null
}

/** The values as arguments: undefined counts as absent. */
export type Arguments<F extends Fields> = { readonly [Name in keyof F]?: Values<F>[Name] | undefined }

/** The same as a row has them. */
export type StoredValues<F extends Fields> = {
  -readonly [Name in keyof F]: (F[Name] extends Field<infer _, infer S> ? S : never) | null
}

/** The names in a table such as that of fields, for what is derived from them. */
export function namesOf<F extends Readonly<Record<string, unknown>>>(fields: F): (keyof F & string)[] {
  return Object.keys(fields)
}

/** Reads records of these fields; violations go to the check, and their fields are left out. */
export function recordReader<F extends Fields>(fields: F) {
  const entries = Object.entries(fields)
  return (raw: Readonly<Record<string, unknown>>, check: InputCheck): Values<F> => {
    const values: Record<string, unknown> = {}
    for (const [name, { isRequired, gather, read }] of entries) {
      const given = gather ? gather(raw) : raw[name]
      if (given === undefined) continue
      if (isBlank(given)) {
        if (isRequired) check.violation(name, 'Must not be empty.')
        values[name] = null
        continue
      }
      const reading = read(given)
      if ('value' in reading) values[name] = reading.value
      else
        for (const { violation, at = '' } of [reading, ...(reading.more ?? [])])
          check.violation(`${name}${at}`, violation)
    }
    return values as Values<F>
  }
}

/** Adds a violation for each required field that a new record lacks. */
export function requireFields<F extends Fields>(fields: F, values: Values<F>, check: InputCheck): void {
  for (const name in fields) {
    if (fields[name]?.isRequired && values[name] === undefined && !check.has(name)) check.violation(name, 'Is needed.')
  }
}

/** The new value if there is one, else the value before. */
export function patched<V>(value: V | null | undefined, before: V | null | undefined): V | null {
  return value === undefined ? (before ?? null) : value
}

/** Every field as it would be stored: the given value merged with the row before. */
export function patchedFields<F extends Fields>(
  fields: F,
  values: Values<F>,
  before: Partial<StoredValues<F>> | undefined,
): StoredValues<F> {
  const stored: Record<string, unknown> = {}
  for (const name in fields) {
    const [value, last] = [values[name], before?.[name] ?? null]
    const merge = fields[name]?.merge
    stored[name] = value != null && merge ? merge(value, last) : patched<unknown>(value, last)
  }
  // The cast holds: each field was merged with the stored value of the same name.
  return stored as StoredValues<F>
}

// Forms and sheets send an empty text for fields that were not filled in.
function isBlank(raw: unknown): boolean {
  return raw === null || (typeof raw === 'string' && raw.trim() === '') || (Array.isArray(raw) && raw.length === 0)
}

export function required<V>(field: Field<V>): Field<V> {
  return { ...field, isRequired: true }
}

export function byDefault<V>(field: Field<V>, value: string): Field<V> {
  return { ...ruled(field, `${value} by default.`), hasDefault: true }
}

/** With a rule for the values that are given. */
export function ruled<F extends Field<unknown>>(field: F, rule: string): F {
  return { ...field, rule }
}

/** What people read who give a value. */
export function inputMeaning({ meaning, rule }: Pick<Field<unknown>, 'meaning' | 'rule'>): string {
  return rule === undefined ? meaning : `${meaning} ${rule}`
}

export function text(kind: TextKind, meaning: string, example: string): Field<string> {
  const form = `a text of at most ${TEXT_MAX[kind].toLocaleString('en')} characters`
  return ofText(kind, meaning, example, form, (raw) => readText(raw, kind))
}

export function email(meaning: string, example: string): Field<string> {
  return ofText('email', meaning, example, `an e-mail address of at most ${TEXT_MAX.email} characters`, (raw) =>
    refined(readText(raw, 'email'), isEmail, 'Must be an e-mail address, such as ada@example.com.'),
  )
}

// Only http and https: links are shown to people, and a browser would run `javascript:`.
export function link(meaning: string, example: string): Field<string> {
  const isLink = (url: string) => /^https?:\/\/\S+$/i.test(url)
  return ofText('url', meaning, example, 'an address that begins with https:// or http://', (raw) =>
    refined(readText(raw, 'url'), isLink, 'Must be an address such as https://example.com/page.'),
  )
}

/** The short name of a project; accepted in any case, stored in capitals. */
export function projectKey(meaning: string, example: string): Field<string> {
  const form = 'capitals, digits and hyphens, beginning with a letter, such as APOLLO-2'
  return ofText('projectKey', meaning, example, form, (raw) => {
    const reading = readText(typeof raw === 'string' ? raw.toUpperCase() : raw, 'projectKey')
    return refined(reading, (key) => /^[A-Z][A-Z0-9-]*$/.test(key), `Must be ${form}.`)
  })
}

/** A value of an enum, in any case, with spaces or hyphens for underscores. */
export function oneOf<N extends EnumName>(type: N, meaning: string): Field<EnumValue<N>> {
  const values = valuesOf(type)
  const form = `one of ${values.join(', ')}`
  return optional(type, meaning, values[0], form, (raw) => {
    const name = typeof raw === 'string' ? raw.trim().toUpperCase().replaceAll(/[ -]/g, '_') : raw
    const value = values.find((one) => one === name)
    return value === undefined ? { violation: `Must be ${form}.` } : { value }
  })
}

export function whole(least: number, most: number, meaning: string, example: string): Field<number> {
  const form = `a whole number from ${least} to ${most}`
  const field = optional('Int', meaning, example, form, (raw): Reading<number> => {
    const value = typeof raw === 'string' && /^\s*\d{1,9}\s*$/.test(raw) ? Number(raw) : raw
    const isRight = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
    return isRight ? { value } : { violation: `Must be ${form}.` }
  })
  return { ...field, bound: { minimum: least, maximum: most } }
}

export function day(meaning: string, example: string): Field<string> {
  return optional('Date', meaning, example, 'a day, as YYYY-MM-DD', (raw) => {
    const value = typeof raw === 'string' ? raw.trim() : ''
    return isDay(value) ? { value } : { violation: 'Must be a day such as 2027-01-31.' }
  })
}

/** Several names, each of a kind: a list in JSON, or a text separated by semicolons. */
export function names(kind: TextKind, meaning: string, example: string): Field<readonly string[]> {
  const field = optional('String', meaning, example, 'names separated by ;', (raw): Reading<readonly string[]> => {
    const parts: unknown[] = Array.isArray(raw) ? raw : String(raw).split(';')
    const texts = parts.filter((part) => typeof part === 'string').map((part) => part.trim())
    if (texts.length < parts.length) return { violation: 'Must be a list of texts.' }
    const violations = texts.flatMap((text, index) => {
      // Not 'name': what is referred to may be older than the rules for names.
      const checked = checkText(text, 'id')
      return 'violation' in checked && text !== ''
        ? [{ ...checked, ...(Array.isArray(raw) && { at: `/${index}` }) }]
        : []
    })
    return violationedBy(violations) ?? { value: [...new Set(texts.filter((name) => name !== ''))] }
  })
  return { ...field, isList: true, bound: { maxLength: TEXT_MAX[kind] } }
}

/** The violations of a list as one; undefined if there are none. */
export function violationedBy([first, ...more]: readonly ValueViolation[]): ValueViolation | undefined {
  return first && { ...first, more }
}

// Not by `Date`, which takes longer and would parse February 30th as March 2nd.
export function isDay(raw: string): boolean {
  if (!/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(raw)) return false
  const [year, month, day] = [Number(raw.slice(0, 4)), Number(raw.slice(5, 7)), Number(raw.slice(8))]
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  return day <= days
}

function optional<V>(
  type: ValueType,
  meaning: string,
  example: string,
  form: string,
  read: (raw: unknown) => Reading<V>,
): Field<V> {
  return { type, meaning, example, form, isRequired: false, read }
}

function ofText(
  kind: TextKind,
  meaning: string,
  example: string,
  form: string,
  read: (raw: unknown) => Reading<string>,
): Field<string> {
  return { ...optional('String', meaning, example, form, read), bound: { maxLength: TEXT_MAX[kind] } }
}

// Trackers number their entries, so JSON may have a number where a text is expected.
export function readText(raw: unknown, kind: TextKind): Reading<string> {
  if (typeof raw !== 'string' && typeof raw !== 'number') return { violation: 'Must be a text.' }
  const checked = checkText(String(raw), kind)
  return 'violation' in checked ? checked : { value: checked.text }
}

function refined(reading: Reading<string>, isRight: (value: string) => boolean, violation: string): Reading<string> {
  return 'violation' in reading || isRight(reading.value) ? reading : { violation }
}
