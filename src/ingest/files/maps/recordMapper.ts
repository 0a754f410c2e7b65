import { createHash } from 'node:crypto'
import { TEXT_MAX } from '../../../vocabulary.js'
import { dayIn } from '../days.js'
import { isObject } from '../json.js'
import { type Band, type Condition, folded, isScalar, type Mapping, type Rule, type Scalar } from '../mapping.js'
import { excerpt, NO_FLAWS, type RowUnit, type SheetViolation } from '../table.js'
import { adfText, isAdf } from './adf.js'

/** The source's values under a name: the cells of its columns, or the members at the end of its path. */
type Gather = (name: string) => readonly unknown[]

type Filled = { readonly value: Scalar | readonly string[] } | { readonly violation: SheetViolation }

interface Found {
  readonly column: string
  readonly scalars: readonly Scalar[]
}

interface Noted {
  count: number
  readonly line: number
}

/** Applies a map to the records of one source, and remembers what to warn about. */
export class RecordMapper {
  readonly #mapping: Mapping
  readonly #unit: RowUnit
  readonly #cut = new Map<string, Noted>()
  readonly #unknown = new Map<string, Map<string, Noted>>()
  readonly #pairs: readonly (readonly [field: string, partner: string])[]
  readonly #unique: readonly (readonly [field: string, next: ReturnType<typeof uniqueTexts>])[]
  #leftOut = 0

  constructor(mapping: Mapping, unit: RowUnit = 'line') {
    this.#mapping = mapping
    this.#unit = unit
    const rules = [...mapping.rules]
    this.#pairs = rules.flatMap(([field, rule]) => (rule.with === undefined ? [] : [[field, rule.with] as const]))
    this.#unique = rules.flatMap(([field, rule]) => (rule.unique ? [[field, uniqueTexts()] as const] : []))
  }

  takes(gather: Gather): boolean {
    const isTaken = this.#mapping.where.every((condition) => holds(condition, gather))
    if (!isTaken) this.#leftOut++
    return isTaken
  }

  /** Fills in the fields of one record and returns the violations; a field with a violation is left as it is. */
  fillIn(values: Record<string, unknown>, gather: Gather, line: number): readonly SheetViolation[] {
    const violations: SheetViolation[] = []
    for (const [field, rule] of this.#mapping.rules) {
      const result = this.#valueBy(field, rule, gather, line)
      if ('value' in result) values[field] = result.value
      else violations.push(result.violation)
    }
    for (const [field, partner] of this.#pairs) if (!isFilled(values[partner])) values[field] = ''
    for (const [field, next] of this.#unique) values[field] = next(values[field], values['project'])
    return violations.length === 0 ? NO_FLAWS : violations
  }

  warnings(): string[] {
    const cut = Array.from(this.#cut, ([field, { count, line }]) => {
      const texts = count === 1 ? '1 text was' : `${count.toLocaleString('en')} texts were`
      const most = this.#mapping.rules.get(field)?.cut?.toLocaleString('en')
      return `${texts} cut to ${most} characters in ${field} (the first in ${this.#unit} ${line}).`
    })
    const unknown = Array.from(this.#unknown, ([field, words]) => this.#wordsWarning(field, words))
    return [...cut, ...unknown]
  }

  notes(): string[] {
    if (this.#leftOut === 0) return []
    const records = this.#leftOut === 1 ? '1 record' : `${this.#leftOut.toLocaleString('en')} records`
    return [`${records} left out by "where" of ${this.#mapping.name}.`]
  }

  #wordsWarning(field: string, words: ReadonlyMap<string, Noted>): string {
    const becomes = this.#mapping.rules.get(field)?.otherwise
    const placed = (word: string, { count, line }: Noted) => `${word} (${count}, first in ${this.#unit} ${line})`
    const shown = Array.from(words, ([word, noted]) => placed(JSON.stringify(word), noted))
    const line = Array.from(words.keys(), (word) => `${JSON.stringify(word)}: ${JSON.stringify(becomes)}`).join(', ')
    return [
      `${field} takes ${becomes} for ${shown.slice(0, WORDS_SHOWN).join(', ')}, not known to ${this.#mapping.name}.`,
      `To change that, put it into the map: "${field}": { "values": { ${line} } }.`,
    ].join(' ')
  }

  #valueBy(field: string, rule: Rule, gather: Gather, line: number): Filled {
    if (rule.constant !== undefined) return { value: rule.constant }
    const found = foundIn(rule, gather)
    if ('violation' in found) return found
    const { column, scalars } = found
    const [first] = scalars
    if (first === undefined) return { value: closedBy(rule, gather) ?? rule.whenBlank ?? rule.default ?? '' }
    if (rule.split !== undefined) return { value: this.#partsOf(field, rule, scalars, rule.split, line) }
    const mapped = rule.values && this.#mapped(field, rule, scalars, line)
    if (mapped !== undefined) return { value: mapped }
    if (rule.bands) {
      const band = bandOf(String(first), rule.bands)
      return 'value' in band ? band : invalid(column, first, band.violation)
    }
    if (rule.date) {
      const read = dayIn(String(first), rule.date)
      return 'day' in read ? { value: read.day } : invalid(column, first, read.violation)
    }
    const text = prefixed(rule, rule.join === undefined ? first : scalars.join(rule.join))
    const value = rule.oneLine && typeof text === 'string' ? oneLine(text) : text
    return { value: rule.cut === undefined ? value : this.#shortened(field, value, rule.cut, line) }
  }

  /** The mapped value of the first known text, else the map's value for unknown ones. */
  #mapped(field: string, { values, otherwise, ...rule }: Rule, scalars: readonly Scalar[], line: number) {
    for (const one of scalars) {
      const mapped = values?.get(folded(String(one)))
      if (mapped !== undefined) return mapped
    }
    // `bands` and `date` read the text themselves.
    if (rule.bands || rule.date) return undefined
    if (otherwise === undefined) return rule.default
    this.#noteWord(field, String(scalars[0]), line)
    return otherwise
  }

  #partsOf(field: string, rule: Rule, scalars: readonly Scalar[], separator: string, line: number): string[] {
    const parts = scalars.flatMap((one) => String(one).split(separator)).map((part) => part.trim())
    return parts.filter(isFilled).map((part) => {
      const mapped = rule.values?.get(folded(part))
      if (mapped !== undefined) return String(mapped)
      if (rule.otherwise === undefined) return String(prefixed(rule, part))
      this.#noteWord(field, part, line)
      return String(rule.otherwise)
    })
  }

  #shortened(field: string, value: Scalar, most: number, line: number): Scalar {
    const text = String(value).trim()
    // A code point is one or two UTF-16 units.
    if (text.length <= most) return value
    const points = Array.from(text.slice(0, 2 * most + 2))
    if (points.length <= most) return value
    count(this.#cut, field, line)
    return `${points.slice(0, most - 1).join('')}…`
  }

  #noteWord(field: string, word: string, line: number): void {
    const words = this.#unknown.get(field) ?? new Map<string, Noted>()
    this.#unknown.set(field, words)
    const shown = excerpt(word)
    if (words.size < WORDS_SHOWN || words.has(shown)) count(words, shown, line)
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

/** The values of the first name that has any; of all names if they are joined, or looked up one by one. */
function foundIn(rule: Rule, gather: Gather): Found | { violation: SheetViolation } {
  const takesAll = rule.join !== undefined || (rule.values !== undefined && rule.split === undefined)
  let found: Found | undefined
  for (const column of rule.from) {
    const filled = gather(column).map(plain).filter(isFilled)
    if (filled.length === 0) continue
    const values = filled.filter(isScalar)
    if (values.length < filled.length) return { violation: nested(column, filled) }
    const scalars = values.map((value) => partOf(rule, value)).filter(isFilled)
    if (!takesAll) return { column, scalars }
    found = found ? { column: found.column, scalars: [...found.scalars, ...scalars] } : { column, scalars }
  }
  return found ?? { column: rule.from[0] ?? '', scalars: [] }
}

function partOf({ before, after }: Rule, value: Scalar): Scalar {
  if (before === undefined && after === undefined) return value
  const text = String(value)
  const start = after === undefined ? -1 : text.indexOf(after)
  const rest = start === -1 ? text : text.slice(start + (after ?? '').length)
  const end = before === undefined ? -1 : rest.indexOf(before)
  return start + end === -2 ? value : rest.slice(0, end === -1 ? undefined : end).trim()
}

function plain(value: unknown): unknown {
  return isAdf(value) ? adfText(value) : value
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

function invalid(column: string, value: Scalar, detail: string): { violation: SheetViolation } {
  return { violation: { column, value: excerpt(String(value)), detail } }
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

/** Makes references of texts within a project, the same ones each time that the same rows are read. */
function uniqueTexts() {
  const seen = new Map<string, number>()
  return (value: unknown, project: unknown): string => {
    const text = oneLine(String(value ?? '')).trim()
    if (text === '') return ''
    const short = shortened(text)
    const key = `${String(project ?? '')}\n${short}`
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return count === 1 ? short : `${short} (${count})`
  }
}

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
