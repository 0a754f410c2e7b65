import { createHash } from 'node:crypto'
import { TEXT_MAX } from '../../../vocabulary.js'
import { dayIn } from '../days.js'
import { isObject } from '../json.js'
import { type Band, type Condition, folded, isScalar, type Mapping, type Rule, type Scalar } from '../mapping.js'
import { excerpt, NO_FLAWS, type RowUnit, type SheetRecord, type SheetViolation } from '../table.js'
import { adfText, isAdf } from './adf.js'

/** The source's values under a name: the cells of its columns, or the members at the end of its path. */
type Gather = (name: string) => readonly unknown[]

type Noted = { count: number; readonly line: number }

/** Applies a map to the records of one source, and remembers what to warn about. */
export function recordMapper({ name, rules, where }: Mapping, unit: RowUnit = 'line') {
  const records: (SheetRecord & { readonly values: Record<string, unknown> })[] = []
  // Copied for each record, so that all records have the same hidden class in V8.
  const blank: Readonly<Record<string, unknown>> = Object.fromEntries(Array.from(rules.keys(), (field) => [field, '']))
  const cut = new Map<string, Noted>()
  const unknown = new Map<string, Map<string, Noted>>()
  /** How often a text of a unique field was there, by its project. */
  const texts = new Map<string, number>()
  let leftOut = 0

  const noteWord = (field: string, word: string, line: number): void => {
    const words = unknown.get(field) ?? new Map<string, Noted>()
    unknown.set(field, words)
    const shown = excerpt(word)
    if (words.size < WORDS_SHOWN || words.has(shown)) count(words, shown, line)
  }

  /** The mapped value of the first known text, else the map's value for unknown ones. */
  const mapped = (field: string, rule: Rule, scalars: readonly Scalar[], line: number): Scalar | undefined => {
    const known = scalars.map((one) => rule.values?.get(folded(String(one)))).find((one) => one !== undefined)
    // `bands` and `date` read the text themselves, and a part of a list stays as it is.
    if (known !== undefined || !rule.values || rule.bands || rule.date) return known
    if (rule.otherwise !== undefined) noteWord(field, String(scalars[0]), line)
    return rule.otherwise ?? (rule.split === undefined ? rule.default : undefined)
  }

  const limited = (field: string, value: Scalar, most: number, line: number): Scalar => {
    const text = String(value).trim()
    // A code point is one or two UTF-16 units.
    if (text.length <= most) return value
    const points = Array.from(text.slice(0, 2 * most + 2))
    if (points.length <= most) return value
    count(cut, field, line)
    return `${points.slice(0, most - 1).join('')}…`
  }

  /** The value of a field; undefined if there is a violation instead. */
  const valueBy = (field: string, rule: Rule, gather: Gather, line: number, violations: SheetViolation[]) => {
    if (rule.constant !== undefined) return rule.constant
    const { column, scalars, violation } = foundIn(rule, gather)
    const [first] = scalars
    if (violation) {
      violations.push(violation)
      return undefined
    }
    if (first === undefined) return closedBy(rule, gather) ?? rule.whenBlank ?? rule.default ?? ''
    const { split } = rule
    if (split !== undefined) {
      const parts = scalars.flatMap((one) => String(one).split(split)).map((part) => part.trim())
      return parts.filter(isFilled).map((part) => String(mapped(field, rule, [part], line) ?? prefixed(rule, part)))
    }
    const known = mapped(field, rule, scalars, line)
    if (known !== undefined) return known
    const read = rule.bands ? bandOf(String(first), rule.bands) : rule.date && dayIn(String(first), rule.date)
    if (read && 'violation' in read) {
      violations.push({ column, value: excerpt(String(first)), detail: read.violation })
      return undefined
    }
    if (read) return 'day' in read ? read.day : read.value
    const text = prefixed(rule, rule.join === undefined ? first : scalars.join(rule.join))
    const value = rule.oneLine && typeof text === 'string' ? oneLine(text) : text
    return rule.cut === undefined ? value : limited(field, value, rule.cut, line)
  }

  /** A reference made of a text within a project, the same one each time that the same rows are read. */
  const uniqueText = (field: string, values: Readonly<Record<string, unknown>>): string => {
    const text = shortened(oneLine(String(values[field] ?? '')).trim())
    const key = [field, values['project'], text].join('\n')
    const times = (texts.get(key) ?? 0) + 1
    texts.set(key, times)
    return text === '' || times === 1 ? text : `${text} (${times})`
  }

  const takes = (gather: Gather): boolean => {
    const isTaken = where.every((condition) => holds(condition, gather))
    if (!isTaken) leftOut++
    return isTaken
  }

  /** The fields of one record; one with a violation is blank. */
  const read = (gather: Gather, line: number) => {
    const values = { ...blank }
    const violations: SheetViolation[] = []
    for (const [field, rule] of rules) {
      const value = valueBy(field, rule, gather, line, violations)
      if (value !== undefined) values[field] = value
    }
    for (const [field, rule] of rules) {
      if (rule.with !== undefined && !isFilled(values[rule.with])) values[field] = ''
      if (rule.unique) values[field] = uniqueText(field, values)
    }
    return { values, violations }
  }

  const warnings = (): string[] => {
    const ofCut = Array.from(cut, ([field, { count, line }]) => {
      const texts = count === 1 ? '1 text was' : `${count.toLocaleString('en')} texts were`
      const most = rules.get(field)?.cut?.toLocaleString('en')
      return `${texts} cut to ${most} characters in ${field} (the first in ${unit} ${line}).`
    })
    const ofUnknown = Array.from(unknown, ([field, words]) => {
      const becomes = rules.get(field)?.otherwise
      const shown = Array.from(words, ([word, { count, line }]) => {
        return `${JSON.stringify(word)} (${count}, first in ${unit} ${line})`
      })
      const values = Array.from(words.keys(), (word) => `${JSON.stringify(word)}: ${JSON.stringify(becomes)}`)
      const advice = `To change that, put it into the map: "${field}": { "values": { ${values.join(', ')} } }.`
      return `${field} takes ${becomes} for ${shown.join(', ')}, not known to ${name}. ${advice}`
    })
    return [...ofCut, ...ofUnknown]
  }

  return {
    takes,
    read,

    /** Adds a record, unless `where` leaves it out; one with `flaws` that cannot be read has no `gather`. */
    add(line: number, flaws: readonly SheetViolation[], gather?: Gather): void {
      if (gather && !takes(gather)) return
      const { values, violations } = gather ? read(gather, line) : { values: { ...blank }, violations: [] }
      const all = flaws.length + violations.length === 0 ? NO_FLAWS : [...flaws, ...violations]
      records.push({ index: records.length, line, values, violations: all })
    },

    /** The records that were added, and what to tell about them. */
    result() {
      const count = leftOut === 1 ? '1 record' : `${leftOut.toLocaleString('en')} records`
      const notes = leftOut === 0 ? [] : [`${count} left out by "where" of ${name}.`]
      return { records, notes, warnings: warnings() }
    },
  }
}

/** A map can hardly know more words, and a report should not list more. */
const WORDS_SHOWN = 30

function count(noted: Map<string, Noted>, key: string, line: number): void {
  const before = noted.get(key)
  if (before) before.count++
  else noted.set(key, { count: 1, line })
}

const CLOSED = /\d{4}|\d[./-]\d|\(terminated\)/i

function closedBy({ closedBy: columns = {} }: Rule, gather: Gather): Scalar | undefined {
  const isClosed = (column: string) => gather(column).some((value) => CLOSED.test(String(value ?? '')))
  return Object.entries(columns).find(([column]) => isClosed(column))?.[1]
}

function prefixed({ prefix }: Rule, value: Scalar): Scalar {
  return prefix === undefined ? value : `${prefix}${value}`
}

/** The values of the first name that is not empty; of all names if they are joined, or looked up one by one. */
function foundIn(rule: Rule, gather: Gather) {
  const takesAll = rule.join !== undefined || (rule.values !== undefined && rule.split === undefined)
  const scalars: Scalar[] = []
  let first: string | undefined
  for (const column of rule.from) {
    const filled = gather(column)
      .map((value) => (isAdf(value) ? adfText(value) : value))
      .filter(isFilled)
    const values = filled.filter(isScalar)
    if (values.length < filled.length) return { column, scalars, violation: nested(column, filled) }
    if (filled.length > 0) first ??= column
    scalars.push(...values.map((value) => partOf(rule, value)).filter(isFilled))
    if (first !== undefined && !takesAll) break
  }
  return { column: first ?? '', scalars }
}

function partOf({ before, after }: Rule, value: Scalar): Scalar {
  const text = String(value)
  const start = after === undefined ? -1 : text.indexOf(after)
  const rest = after === undefined || start === -1 ? text : text.slice(start + after.length)
  const part = before !== undefined && rest.includes(before) ? rest.slice(0, rest.indexOf(before)) : rest
  return part === text ? value : part.trim()
}

function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && !(typeof value === 'string' && value.trim() === '')
}

function holds({ from, is, not, blank }: Condition, gather: Gather): boolean {
  const filled = from.map((name) => gather(name).filter(isFilled)).find((values) => values.length > 0) ?? []
  if (blank !== undefined) return blank === (filled.length === 0)
  const words = new Set(filled.map((value) => folded(String(value))))
  if (is) return is.some((word) => words.has(word))
  return !not?.some((word) => words.has(word))
}

function nested(column: string, found: readonly unknown[]): SheetViolation {
  const object = found.find(isObject)
  const member = object && Object.keys(object)[0]
  const detail = member
    ? `This is an object; the map must name one of its members, such as ${column}.${excerpt(member)}.`
    : 'This is a list or an object, not a value.'
  return { column, value: object ? '{...}' : '[...]', detail }
}

// 0.35, 0,35, 1,000.5 and 35 %
const NUMBER = /^([+-]?)(?:([1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?)|(\d+(?:[.,]\d+)?))\s*(%?)$/

/** The value of the first band that a number fits in, or why there is none. */
function bandOf(text: string, bands: readonly Band[]): { value: Scalar } | { violation: string } {
  const last = bands.at(-1)?.[0] ?? 0
  const number = numberIn(text, last)
  if (number === undefined) return { violation: 'Must be a number or a percentage, for the bands of the map.' }
  const band = bands.find(([bound]) => number <= bound)
  return band ? { value: band[1] } : { violation: `Must be at most ${last}, where the last band of the map ends.` }
}

function numberIn(text: string, last: number): number | undefined {
  const [, sign, grouped, plain = '', percent] = NUMBER.exec(text.trim()) ?? []
  if (sign === undefined) return undefined
  const number = Number(`${sign}${grouped?.replaceAll(',', '') ?? plain.replace(',', '.')}`)
  // Bands that end at 1 are fractions; all others count percentages as they are written.
  return percent && last <= 1 ? number / 100 : number
}

/** Room for the number of a repeated text. */
const NUMBER_CHARACTERS = 10
const TEXT_CHARACTERS_MAX = TEXT_MAX.reference - NUMBER_CHARACTERS
const HASH_CHARACTERS = 8

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ')
}

/** Two long texts with the same beginning stay different by their hashes. */
function shortened(text: string): string {
  const points = Array.from(text)
  if (points.length <= TEXT_CHARACTERS_MAX) return text
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS)
  const start = points.slice(0, TEXT_CHARACTERS_MAX - HASH_CHARACTERS - 1).join('')
  return `${start.trimEnd()}~${hash}`
}
