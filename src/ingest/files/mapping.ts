import { DETAILS, detailField } from '../../details.js'
import { fold } from '../../text.js'
import { type DayPattern, dayPattern, isMonthLanguage } from './days.js'
import { isObject, type Members, parsed } from './json.js'

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
  /** Only the part after it, likewise. */
  readonly after?: string | undefined
  /** The mapping of values, by their folded text. */
  readonly values?: ReadonlyMap<string, Scalar> | undefined
  /** For a blank, and for a value that is not in `values`. */
  readonly default?: Scalar | undefined
  /** For a blank only. */
  readonly whenBlank?: Scalar | undefined
  /** For a value that is not in `values`, with a warning. */
  readonly otherwise?: Scalar | undefined
  readonly join?: string | undefined
  readonly split?: string | undefined
  /** Ascending; a fraction and a percentage are the same. */
  readonly bands?: readonly Band[] | undefined
  readonly date?: DayPattern | undefined
  readonly prefix?: string | undefined
  /** The longest text to keep, in code points. */
  readonly cut?: number | undefined
  /** The source may lack all of `from`: then there is only the default. */
  readonly optional?: true | undefined
  readonly oneLine?: true | undefined
  /** For references made from texts: a long one is cut and ends in its hash, a repeated one ends in (2). */
  readonly unique?: true | undefined
  /** Blank wherever this other field is blank. */
  readonly with?: string | undefined
  /** For a status that is blank: what it is where one of these columns has a day, or (Terminated) after a name. */
  readonly closedBy?: Readonly<Record<string, Scalar>> | undefined
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

export interface Mapping {
  readonly name: string
  readonly rules: ReadonlyMap<string, Rule>
  readonly where: readonly Condition[]
  /** The sheet of a workbook. */
  readonly sheet?: string | undefined
  /** Headings of sections, totals and legends among the rows of a table are left out. */
  readonly entriesOnly?: true | undefined
}

/** Whether a source may lack all the names of a rule or a condition. */
export function mayLack(one: Rule | Condition): boolean {
  return 'blank' in one ? one.blank === true : 'optional' in one && one.optional === true
}

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
  const problems: string[] = []
  const rules = new Map<string, Rule>()
  for (const [field, rule] of columnsOf(content, problems)) {
    if (isField(field, fields)) rules.set(field, ruleOf(rule, field, problems))
    else problems.push(`${JSON.stringify(field)} is not a field; the fields are ${fields.join(', ')}.`)
  }
  const map = isObject(content) ? content : {}
  const where = conditionsOf(map['where'], problems)
  const take = taker(map, 'the map', problems)
  const entriesOnly = take('entriesOnly', isTrue, 'true')
  const sheet = take('sheet', isFilled, 'the name of a sheet')
  if (problems.length > 0) throw new BadMapping(name, problems)
  return { name, rules, where, sheet, entriesOnly }
}

function isField(name: string, fields: readonly string[]): boolean {
  return fields.includes(name) || (fields.includes(DETAILS) && detailField(name) === name)
}

function columnsOf(map: unknown, problems: string[]): [string, unknown][] {
  const columns = isObject(map) ? map['columns'] : undefined
  if (!isObject(map)) problems.push('The map must be a JSON object, such as {"columns": {"title": "Summary"}}.')
  else {
    refuseUnknown(map, ['columns', 'where', 'sheet', 'entriesOnly'], 'the map', problems)
    if (!isObject(columns)) problems.push('"columns" must be an object that has a rule for each field.')
    else if (Object.keys(columns).length === 0) problems.push('"columns" is empty: no field would be filled in.')
  }
  return isObject(columns) ? Object.entries(columns) : []
}

const RULE_MEMBERS = [
  ...'from constant before after values default whenBlank otherwise join split bands date months'.split(' '),
  ...'prefix cut optional oneLine unique with closedBy'.split(' '),
]

function ruleOf(content: unknown, field: string, problems: string[]): Rule {
  const members: Members | undefined = isText(content) ? { from: content } : isObject(content) ? content : undefined
  if (!members) problems.push(`${field} must be the name of a column, or an object with "from" or "constant".`)
  else {
    refuseUnknown(members, RULE_MEMBERS, field, problems)
    refuseContradictions(members, field, problems)
  }
  const take = taker(members ?? {}, field, problems)
  const months = take('months', isNames, 'a language such as de, or a list of languages')
  return {
    from: listOf(take('from', isNames, 'a name, or a list of names')),
    constant: take('constant', isScalar, SCALAR),
    before: take('before', isFilled, 'a text that is not empty'),
    after: take('after', isFilled, 'a text that is not empty'),
    values: valuesOf(take('values', isScalars, 'an object of texts, numbers, true or false'), field, problems),
    default: take('default', isScalar, SCALAR),
    whenBlank: take('whenBlank', isScalar, SCALAR),
    otherwise: take('otherwise', isScalar, SCALAR),
    join: take('join', isText, 'a text'),
    split: take('split', isFilled, 'a text that is not empty'),
    bands: take('bands', isBands, 'pairs of an ascending number and a value, such as [[0.1, 1], [0.5, 2]]'),
    date: patternOf(take('date', isNames, 'a pattern such as yyyy-MM-dd, or a list'), months, field, problems),
    prefix: take('prefix', isFilled, 'a text that is not empty'),
    cut: take('cut', isLength, 'a whole number of characters, from 1'),
    optional: take('optional', isTrue, 'true'),
    oneLine: take('oneLine', isTrue, 'true'),
    unique: take('unique', isTrue, 'true'),
    with: take('with', isFilled, 'the name of a field'),
    closedBy: take('closedBy', isScalars, 'an object of columns and values'),
  }
}

const SCALAR = 'a text, a number, true or false'

/** Takes members of a rule in their form; a wrong one is a problem. */
function taker(members: Members, where: string, problems: string[]) {
  return <T>(member: string, is: (value: unknown) => value is T, form: string): T | undefined => {
    const value = members[member]
    if (value === undefined || is(value)) return value
    problems.push(`"${member}" of ${where} must be ${form}.`)
    return undefined
  }
}

function refuseUnknown(members: Members, names: readonly string[], where: string, problems: string[]): void {
  const unknown = Object.keys(members).filter((member) => !names.includes(member))
  const others = unknown.map((one) => JSON.stringify(one)).join(', ')
  if (others !== '') problems.push(`${where} has ${others}, which is unknown; use ${names.join(', ')}.`)
}

const EXCLUDES: Readonly<Record<string, { readonly others: readonly string[]; readonly why: string }>> = {
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
    const others = RULE_MEMBERS.filter((member) => member !== 'constant' && has(member))
    if (others.length > 0) problems.push(`${field} has "constant", and so must not have ${others.join(', ')}.`)
    return
  }
  if (!has('from') && !has('closedBy')) problems.push(`${field} must have "from" or "constant".`)
  for (const [member, { others, why }] of Object.entries(EXCLUDES)) {
    const both = has(member) ? others.filter(has) : []
    if (both.length > 0) problems.push(`${field} has "${member}", and so must not have ${both.join(' or ')}, ${why}.`)
  }
  for (const [member, needed] of NEEDS) {
    if (has(member) && !has(needed)) problems.push(`${field} has "${member}", which needs "${needed}".`)
  }
}

function valuesOf(values: Readonly<Record<string, Scalar>> | undefined, field: string, problems: string[]) {
  if (!values) return undefined
  const byText = new Map<string, Scalar>()
  for (const [text, becomes] of Object.entries(values)) {
    const before = byText.get(folded(text))
    if (before !== undefined && before !== becomes) {
      problems.push(`"values" of ${field} has ${JSON.stringify(text)} twice, in another case, with different values.`)
    }
    byText.set(folded(text), becomes)
  }
  return byText
}

function patternOf(date: Names | undefined, months: Names | undefined, field: string, problems: string[]) {
  const languages = listOf(months)
  const strange = languages.find((language) => !isMonthLanguage(language))
  if (strange !== undefined) {
    problems.push(`"months" of ${field} has ${JSON.stringify(strange)}, which is no language; use de, fr, pt-BR, ...`)
  }
  if (date === undefined) return undefined
  const checked = dayPattern(listOf(date), strange === undefined ? languages : [])
  if ('pattern' in checked) return checked.pattern
  problems.push(`"date" of ${field} ${checked.violation}.`)
  return undefined
}

function conditionsOf(where: unknown, problems: string[]): Condition[] {
  if (where === undefined) return []
  const all: unknown[] = Array.isArray(where) ? where : [where]
  return all.flatMap((one) => {
    if (!isObject(one)) {
      problems.push('"where" must be a condition such as {"column": "Type", "is": "Risk"}, or a list of conditions.')
      return []
    }
    refuseUnknown(one, ['column', 'is', 'not', 'blank'], '"where"', problems)
    const take = taker(one, '"where"', problems)
    const given = ['is', 'not', 'blank'].filter((member) => one[member] !== undefined)
    if (one['column'] === undefined) problems.push('"where" must name its "column".')
    if (given.length !== 1) problems.push('A condition of "where" must have one of "is", "not" and "blank".')
    const texts = (member: string) => take(member, isWords, 'a value, or a list of values')
    const [is, not, blank] = [texts('is'), texts('not'), take('blank', isBoolean, 'true or false')]
    const from = listOf(take('column', isNames, 'a name, or a list of names'))
    return [{ from, is: wordsOf(is), not: wordsOf(not), ...(blank !== undefined && { blank }) }]
  })
}

function wordsOf(words: Scalar | readonly Scalar[] | undefined): string[] | undefined {
  return words === undefined ? undefined : [words].flat().map((word) => folded(String(word)))
}

function listOf(names: Names | undefined): readonly string[] {
  return typeof names === 'string' ? [names] : (names ?? [])
}

type Names = string | readonly string[]

const isText = (value: unknown): value is string => typeof value === 'string'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isTrue = (value: unknown): value is true => value === true
const isFilled = (value: unknown): value is string => isText(value) && value !== ''
const isLength = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0

function isScalars(value: unknown): value is Readonly<Record<string, Scalar>> {
  return isObject(value) && Object.values(value).every(isScalar)
}

function isNames(value: unknown): value is Names {
  const names: unknown[] = Array.isArray(value) ? value : [value]
  return names.length > 0 && names.every((name) => isText(name) && name.trim() !== '')
}

function isWords(value: unknown): value is Scalar | readonly Scalar[] {
  const words: unknown[] = Array.isArray(value) ? value : [value]
  return words.length > 0 && words.every(isScalar)
}

function isBands(value: unknown): value is readonly Band[] {
  if (!Array.isArray(value) || value.length === 0) return false
  const pairs: unknown[] = value
  const isPair = (pair: unknown): pair is Band =>
    Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'number' && isScalar(pair[1])
  return pairs.every(isPair) && pairs.every(([bound], at) => at === 0 || bound > (pairs[at - 1]?.[0] ?? bound))
}

export function printMapping({ rules, where, sheet, entriesOnly }: Mapping): string {
  const conditions = where.map(({ from, ...rest }) => printed({ column: oneOrAll(from), ...rest }))
  const columns = Object.fromEntries(Array.from(rules, ([field, rule]) => [field, printedRule(rule)]))
  const condition = where.length > 0 && { where: oneOrAll(conditions) }
  return `${JSON.stringify({ ...condition, ...printed({ sheet, entriesOnly }), columns }, null, 2)}\n`
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
