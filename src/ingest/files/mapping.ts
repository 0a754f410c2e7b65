import { DETAILS, detailField } from '../../details.js'
import { fold } from '../../text.js'
import { type DayPattern, dayPattern } from './days.js'
import { isObject, type Members } from './json.js'

export type Scalar = string | number | boolean

/** The rule that fills one field. */
export interface Rule {
  /** Headers, or member paths; the first non-blank one wins. Empty for a constant. */
  readonly from: readonly string[]
  readonly constant: Scalar | undefined
  /** The mapping of values, by their folded text. */
  readonly values: ReadonlyMap<string, Scalar> | undefined
  readonly default: Scalar | undefined
  readonly join: string | undefined
  readonly date: DayPattern | undefined
}

/** The rules of `--map`, by field. */
export interface Mapping {
  readonly name: string
  readonly rules: ReadonlyMap<string, Rule>
}

/** An invalid map; the message has a line for each error. */
export class BadMapping extends Error {
  constructor(name: string, problems: readonly string[]) {
    super(problems.map((problem) => `${name}: ${problem}`).join('\n'))
    this.name = 'BadMapping'
  }
}

export function readMapping(text: string, name: string, fields: readonly string[]): Mapping {
  const problems: string[] = []
  const rules = new Map<string, Rule>()
  for (const [field, content] of columnsOf(text, problems)) {
    if (fields.includes(field) || (fields.includes(DETAILS) && detailField(field) === field))
      rules.set(field, ruleOf(content, field, problems))
    else problems.push(`${JSON.stringify(field)} is not a field; the fields are ${fields.join(', ')}.`)
  }
  if (problems.length > 0) throw new BadMapping(name, problems)
  return { name, rules }
}

function columnsOf(text: string, problems: string[]): [string, unknown][] {
  const map = parsed(text)
  const columns = isObject(map) ? map['columns'] : undefined
  if (!isObject(map)) problems.push('The map must be a JSON object, such as {"columns": {"title": "Summary"}}.')
  else {
    refuseUnknown(map, ['columns'], 'the map', problems)
    if (!isObject(columns)) problems.push('"columns" must be an object that has a rule for each field.')
    else if (Object.keys(columns).length === 0) problems.push('"columns" is empty: no field would be filled in.')
  }
  return isObject(columns) ? Object.entries(columns) : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

const RULE_MEMBERS = ['from', 'constant', 'values', 'default', 'join', 'date']

function ruleOf(content: unknown, field: string, problems: string[]): Rule {
  const members: Members | undefined = isText(content) ? { from: content } : isObject(content) ? content : undefined
  if (!members) problems.push(`${field} must be the name of a column, or an object with "from" or "constant".`)
  else refuseUnknown(members, RULE_MEMBERS, field, problems)
  if (members) refuseContradictions(members, field, problems)

  const take = <T>(member: string, is: (value: unknown) => value is T, form: string): T | undefined => {
    const value = members?.[member]
    if (value === undefined || is(value)) return value
    problems.push(`"${member}" of ${field} must be ${form}.`)
    return undefined
  }
  const from = take('from', isNames, 'a name, or a list of names')
  return {
    from: typeof from === 'string' ? [from] : (from ?? []),
    constant: take('constant', isScalar, 'a text, a number, true or false'),
    values: valuesOf(take('values', isScalars, 'an object of texts, numbers, true or false'), field, problems),
    default: take('default', isScalar, 'a text, a number, true or false'),
    join: take('join', isText, 'a text'),
    date: patternOf(take('date', isText, 'a pattern such as yyyy-MM-dd'), field, problems),
  }
}

function refuseUnknown(members: Members, known: readonly string[], where: string, problems: string[]): void {
  const unknown = Object.keys(members).filter((member) => !known.includes(member))
  if (unknown.length === 0) return
  problems.push(
    `${where} has ${unknown.map((one) => JSON.stringify(one)).join(', ')}, which is unknown; use ${known.join(', ')}.`,
  )
}

// A contradiction that would be ignored silently is an error of the author.
function refuseContradictions(members: Members, field: string, problems: string[]): void {
  const has = (member: string) => members[member] !== undefined
  if (has('constant')) {
    const others = RULE_MEMBERS.filter((member) => member !== 'constant' && has(member))
    if (others.length > 0) problems.push(`${field} has "constant", and so must not have ${others.join(', ')}.`)
  } else if (!has('from')) problems.push(`${field} must have "from" or "constant".`)
  if (has('join') && (has('values') || has('date'))) {
    problems.push(`${field} has "join", and so must not have values or date, which are for one value.`)
  }
}

function valuesOf(
  values: Readonly<Record<string, Scalar>> | undefined,
  field: string,
  problems: string[],
): ReadonlyMap<string, Scalar> | undefined {
  if (!values) return undefined
  const known = new Map<string, Scalar>()
  for (const [text, becomes] of Object.entries(values)) {
    const before = known.get(folded(text))
    if (before !== undefined && before !== becomes) {
      problems.push(`"values" of ${field} has ${JSON.stringify(text)} twice, in another case, with different values.`)
    }
    known.set(folded(text), becomes)
  }
  return known
}

function patternOf(date: string | undefined, field: string, problems: string[]): DayPattern | undefined {
  if (date === undefined) return undefined
  const checked = dayPattern(date)
  if ('pattern' in checked) return checked.pattern
  problems.push(`"date" of ${field} ${checked.flaw}.`)
  return undefined
}

/** The folded form in which values and headers are compared. */
export function folded(text: string): string {
  return fold(text.trim())
}

export function isScalar(value: unknown): value is Scalar {
  return isText(value) || typeof value === 'number' || typeof value === 'boolean'
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isScalars(value: unknown): value is Readonly<Record<string, Scalar>> {
  return isObject(value) && Object.values(value).every(isScalar)
}

function isNames(value: unknown): value is string | string[] {
  const names: unknown[] = Array.isArray(value) ? value : [value]
  return names.length > 0 && names.every((name) => isText(name) && name.trim() !== '')
}
