import { DETAILS, detailField } from '../../details.js'
import { fold } from '../../text.js'
import { type DayPattern, isMonthLanguage, patternViolation } from './days.js'
import { isObject, type Members, parsed } from './json.js'

export type Scalar = string | number | boolean
type Names = string | readonly string[]

/** Numbers up to and including the bound become the value. */
export type Band = readonly [bound: number, becomes: Scalar]

/** How a member of a map is written: a test, and its words. */
type Form<T> = readonly [is: (value: unknown) => value is T, words: string]
type Forms = Readonly<Record<string, Form<unknown>>>
type Given<F extends Forms> = { readonly [M in keyof F]?: (F[M] extends Form<infer T> ? T : never) | undefined }

const isAny = (_: unknown): _ is unknown => true
const isText = (value: unknown): value is string => typeof value === 'string'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isTrue = (value: unknown): value is true => value === true
const isFilled = (value: unknown): value is string => isText(value) && value !== ''
const isScalars = (value: unknown): value is Readonly<Record<string, Scalar>> =>
  isObject(value) && Object.values(value).every(isScalar)
const isWords = (value: unknown): value is Scalar | readonly Scalar[] => isListOf(value, isScalar)
const isNames = (value: unknown): value is Names => isListOf(value, (name) => isText(name) && name.trim() !== '')
const isLength = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0

const SCALAR = [isScalar, 'a text, a number, true or false'] as const
const FILLED = [isFilled, 'a text that is not empty'] as const
const TRUE = [isTrue, 'true'] as const
const NAMES = [isNames, 'a name, or a list of names'] as const
const WORDS = [isWords, 'a value, or a list of values'] as const

/** The members of a rule. One that is absent does nothing. */
const RULE = {
  /** Headers, or member paths; the first non-blank one wins. Empty for a constant. */
  from: NAMES,
  constant: SCALAR,
  /** Only the part of each value before this text is looked at, if the value has it. */
  before: FILLED,
  /** Only the part after it, likewise. */
  after: FILLED,
  values: [isScalars, 'an object of texts, numbers, true or false'],
  /** For a blank, and for a value that is not in `values`. */
  default: SCALAR,
  /** For a blank only. */
  whenBlank: SCALAR,
  /** For a value that is not in `values`, with a warning. */
  otherwise: SCALAR,
  join: [isText, 'a text'],
  split: FILLED,
  /** Ascending; a fraction and a percentage are the same. */
  bands: [isBands, 'pairs of an ascending number and a value, such as [[0.1, 1], [0.5, 2]]'],
  date: [isNames, 'a pattern such as yyyy-MM-dd, or a list'],
  months: [isNames, 'a language such as de, or a list of languages'],
  prefix: FILLED,
  /** The longest text to keep, in code points. */
  cut: [isLength, 'a whole number of characters, from 1'],
  /** The source may lack all of `from`: then there is only the default. */
  optional: TRUE,
  oneLine: TRUE,
  /** For references made from texts: a long one is cut and ends in its hash, a repeated one ends in (2). */
  unique: TRUE,
  /** Blank wherever this other field is blank. */
  with: [isFilled, 'the name of a field'],
  /** For a status that is blank: what it is where one of these columns has a day, or (Terminated) after a name. */
  closedBy: [isScalars, 'an object of columns and values'],
} as const satisfies Forms

const CONDITION = { column: NAMES, is: WORDS, not: WORDS, blank: [isBoolean, 'true or false'] } as const
const MAP = {
  columns: [isAny, ''],
  where: [isAny, ''],
  sheet: [isFilled, 'the name of a sheet'],
  entriesOnly: TRUE,
} as const

/** The rule that fills one field. */
export interface Rule extends Omit<Given<typeof RULE>, 'from' | 'values' | 'date' | 'months'> {
  readonly from: readonly string[]
  /** By their folded text. */
  readonly values?: ReadonlyMap<string, Scalar> | undefined
  readonly date?: DayPattern | undefined
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

export interface Mapping extends Pick<Given<typeof MAP>, 'sheet' | 'entriesOnly'> {
  readonly name: string
  readonly rules: ReadonlyMap<string, Rule>
  readonly where: readonly Condition[]
}

/** What takes its values from columns or paths: the rules by their fields, and the conditions. */
export function usesOf({ rules, where }: Mapping): (readonly [use: string, one: Rule | Condition])[] {
  return [...rules, ...where.map((one) => ['where', one] as const)].filter(([, { from }]) => from.length > 0)
}

/** Whether a source must have one of the names of a rule or a condition. */
export function isNeeded(one: Rule | Condition): boolean {
  return !('blank' in one && one.blank) && !('optional' in one && one.optional)
}

/** What needs a column or path that a source lacks. */
export function lackingIn(mapping: Mapping, has: (name: string) => boolean) {
  return usesOf(mapping).filter(([, one]) => isNeeded(one) && !one.from.some(has))
}

/** The folded form in which values and headers are compared. */
export function folded(text: string): string {
  return fold(text.trim())
}

/** An invalid map; the message has a line for each error. */
export class BadMapping extends Error {
  constructor(name: string, problems: readonly string[]) {
    super(problems.map((problem) => `${name}: ${problem}`).join('\n'))
    this.name = 'BadMapping'
  }
}

/** Reads the text of a map; what is no JSON is no object either. */
export function readMapping(text: string, name: string, fields: readonly string[]): Mapping {
  const content = parsed(text.replace(/^\uFEFF/, ''))
  return mappingOf('value' in content ? content.value : undefined, name, fields)
}

export function mappingOf(content: unknown, name: string, fields: readonly string[]): Mapping {
  if (!isObject(content))
    throw new BadMapping(name, ['The map must be a JSON object, such as {"columns": {"title": "Summary"}}.'])
  const problems: string[] = []
  const { columns, where, ...rest } = membersOf(content, MAP, 'the map', problems)
  if (!isObject(columns)) problems.push('"columns" must be an object that has a rule for each field.')
  else if (Object.keys(columns).length === 0) problems.push('"columns" is empty: no field would be filled in.')
  const rules = new Map<string, Rule>()
  for (const [field, rule] of Object.entries(isObject(columns) ? columns : {})) {
    const isDetail = fields.includes(DETAILS) && detailField(field) === field
    if (isDetail || fields.includes(field)) rules.set(field, ruleOf(rule, field, problems))
    else problems.push(`${JSON.stringify(field)} is not a field; the fields are ${fields.join(', ')}.`)
  }
  const conditions = where === undefined ? [] : [where].flat().flatMap((one) => conditionOf(one, problems))
  if (problems.length > 0) throw new BadMapping(name, problems)
  return { name, rules, where: conditions, ...rest }
}

function ruleOf(content: unknown, field: string, problems: string[]): Rule {
  const members: Members | undefined = isText(content) ? { from: content } : isObject(content) ? content : undefined
  if (members) refuseContradictions(members, field, problems)
  else problems.push(`${field} must be the name of a column, or an object with "from" or "constant".`)
  const { from, values, date, months, ...rest } = membersOf(members ?? {}, RULE, field, problems)
  return {
    ...rest,
    from: listOf(from),
    values: values && valuesOf(values, field, problems),
    date: patternOf(date, months, field, problems),
  }
}

/** The members that have their form; others are problems. */
function membersOf<F extends Forms>(members: Members, forms: F, where: string, problems: string[]): Given<F> {
  const names = Object.keys(forms)
  const unknown = Object.keys(members).filter((member) => !names.includes(member))
  const others = unknown.map((one) => JSON.stringify(one)).join(', ')
  if (others !== '') problems.push(`${where} has ${others}, which is unknown; use ${names.join(', ')}.`)
  const given = Object.entries(forms).flatMap(([name, [is, words]]) => {
    const value = members[name]
    if (value === undefined || is(value)) return [[name, value]]
    problems.push(`"${name}" of ${where} must be ${words}.`)
    return []
  })
  // Each value has the form of its type.
  return Object.fromEntries(given) as Given<F>
}

const EXCLUDES = {
  join: { others: ['values', 'otherwise', 'split', 'bands', 'date'], why: 'which are for one value' },
  split: { others: ['bands', 'date', 'cut'], why: 'which are for one value' },
  bands: { others: ['otherwise', 'date', 'prefix', 'cut'], why: 'which are for texts' },
  date: { others: ['otherwise', 'prefix', 'cut'], why: 'which would spoil the day' },
}

const NEEDS = Object.entries({ otherwise: 'values', months: 'date' })

// A contradiction that would be ignored silently is an error of the author.
function refuseContradictions(members: Members, field: string, problems: string[]): void {
  const has = (member: string) => members[member] !== undefined
  if (has('constant')) {
    const others = Object.keys(RULE).filter((member) => member !== 'constant' && has(member))
    if (others.length > 0) problems.push(`${field} has "constant", and so must not have ${others.join(', ')}.`)
    return
  }
  if (!has('from') && !has('closedBy')) problems.push(`${field} must have "from" or "constant".`)
  for (const [member, { others, why }] of Object.entries(EXCLUDES)) {
    const both = has(member) ? others.filter(has) : []
    if (both.length > 0) problems.push(`${field} has "${member}", and so must not have ${both.join(' or ')}, ${why}.`)
  }
  for (const [member, needed] of NEEDS)
    if (has(member) && !has(needed)) problems.push(`${field} has "${member}", which needs "${needed}".`)
}

function valuesOf(values: Readonly<Record<string, Scalar>>, field: string, problems: string[]) {
  const byText = new Map<string, Scalar>()
  for (const [text, becomes] of Object.entries(values)) {
    if ((byText.get(folded(text)) ?? becomes) !== becomes)
      problems.push(`"values" of ${field} has ${JSON.stringify(text)} twice, in another case, with different values.`)
    byText.set(folded(text), becomes)
  }
  return byText
}

function patternOf(date: Names | undefined, months: Names | undefined, field: string, problems: string[]) {
  const languages = listOf(months)
  const strange = languages.find((language) => !isMonthLanguage(language))
  if (strange !== undefined)
    problems.push(`"months" of ${field} has ${JSON.stringify(strange)}, which is no language; use de, fr, pt-BR, ...`)
  if (date === undefined) return undefined
  const texts = listOf(date)
  const violation = texts.map(patternViolation).find((one) => one !== undefined)
  if (violation !== undefined) problems.push(`"date" of ${field} ${violation}.`)
  return { texts, languages }
}

function conditionOf(content: unknown, problems: string[]): Condition[] {
  if (!isObject(content)) {
    problems.push('"where" must be a condition such as {"column": "Type", "is": "Risk"}, or a list of conditions.')
    return []
  }
  const { column, is, not, ...rest } = membersOf(content, CONDITION, '"where"', problems)
  const given = ['is', 'not', 'blank'].filter((member) => content[member] !== undefined)
  if (content['column'] === undefined) problems.push('"where" must name its "column".')
  if (given.length !== 1) problems.push('A condition of "where" must have one of "is", "not" and "blank".')
  return [{ from: listOf(column), is: wordsOfRule(is), not: wordsOfRule(not), ...rest }]
}

function wordsOfRule(words: Scalar | readonly Scalar[] | undefined): string[] | undefined {
  return words === undefined ? undefined : [words].flat().map((word) => folded(String(word)))
}

function listOf(names: Names = []): readonly string[] {
  return isText(names) ? [names] : names
}

export function isScalar(value: unknown): value is Scalar {
  return isText(value) || typeof value === 'number' || typeof value === 'boolean'
}

/** Whether one value, or each of a list that is not empty, is of a kind. */
function isListOf(value: unknown, is: (one: unknown) => boolean): boolean {
  const all: unknown[] = [value].flat()
  return all.length > 0 && all.every(is)
}

function isBands(value: unknown): value is readonly Band[] {
  if (!Array.isArray(value) || value.length === 0) return false
  const pairs: unknown[] = value
  const isPair = (pair: unknown): pair is Band =>
    Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'number' && isScalar(pair[1])
  return pairs.every(isPair) && pairs.every(([bound], at) => at === 0 || bound > (pairs[at - 1]?.[0] ?? bound))
}

export function printMapping({ rules, where, sheet, entriesOnly }: Mapping): string {
  const conditions = where.map(({ from, ...rest }) => ({ column: oneOrAll(from), ...rest }))
  const columns = Object.fromEntries(Array.from(rules, ([field, rule]) => [field, printedRule(rule)]))
  const map = { where: where.length > 0 ? oneOrAll(conditions) : undefined, sheet, entriesOnly, columns }
  return `${JSON.stringify(map, null, 2)}\n`
}

function printedRule({ from, values, date, ...rest }: Rule): unknown {
  const members = {
    from: from.length === 0 ? undefined : oneOrAll(from),
    ...rest,
    values: values && Object.fromEntries(values),
    date: date && oneOrAll(date.texts),
    months: date && date.languages.length > 0 ? oneOrAll(date.languages) : undefined,
  }
  const isShort = Object.values(members).filter((one) => one !== undefined).length === 1
  return isShort && isText(members.from) ? members.from : members
}

function oneOrAll<T>(all: readonly T[]): T | readonly T[] {
  const [first] = all
  return first !== undefined && all.length === 1 ? first : all
}
