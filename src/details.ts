import {
  type Field,
  type Fields,
  patchedFields,
  type Reading,
  readText,
  type StoredValues,
  type Values,
  type ValueViolation,
  violationedBy,
} from './fields.js'
import { LIMITS } from './limits.js'
import { type InputCheck, tooManyItems } from './text.js'
import { DETAILS_MAX, TEXT_MAX } from './vocabulary.js'

/** A fact as the source wrote it, for which there is no field. */
export interface Detail {
  readonly name: string
  readonly text: string
}

/** Details as given: all of them, or only those with these names, where an empty text removes one. */
export interface DetailsChange {
  readonly isWhole: boolean
  readonly pairs: readonly Detail[]
}

/** The name of the field, and of the columns that have one detail each: `details.NAME`. */
export const DETAILS = 'details'
const PREFIX = `${DETAILS}.`

/** The field of a column such as `details.Cost`; undefined for another column. */
export function detailField(column: string): string | undefined {
  if (!column.toLowerCase().startsWith(PREFIX)) return undefined
  const name = column.slice(PREFIX.length).trim()
  return name === '' ? undefined : `${PREFIX}${name}`
}

/** The details that a column of the store has as JSON. */
export function detailsIn(stored: string | null | undefined): readonly Detail[] {
  return stored == null ? [] : (JSON.parse(stored) as Detail[])
}

/** Details as a column of the store has them; null for none. */
export function storedDetails(details: Iterable<Detail>): string | null {
  const all = Array.from(details, ({ name, text }) => ({ name, text }))
  return all.length === 0 ? null : JSON.stringify(all)
}

/** Details as they would be stored: those that stay keep their place, and new ones follow. */
export function detailsWith({ isWhole, pairs }: DetailsChange, before: string | null): string | null {
  const all = new Map((isWhole ? [] : detailsIn(before)).map((one) => [one.name, one]))
  for (const one of pairs) {
    if (one.text === '') all.delete(one.name)
    else all.set(one.name, one)
  }
  return storedDetails(all.values())
}

/** Adds a violation if the row would have too many details or too many bytes, together with what stays. */
export function checkSize<F extends Fields>(
  fields: F,
  values: Values<F> & { readonly details?: DetailsChange | null },
  before: (Partial<StoredValues<F>> & { readonly details?: string | null }) | undefined,
  check: InputCheck,
): void {
  const count = values.details ? detailsIn(detailsWith(values.details, before?.details ?? null)).length : 0
  if (count > DETAILS_MAX && !check.has(DETAILS)) check.violation(DETAILS, tooManyItems(count, DETAILS_MAX))
  // Encoding every row would take longer than all other checks.
  if (ESCAPED_BYTES_MAX * (charactersOf(values) + charactersOf(before ?? {})) <= LIMITS.rowBytesMax) return
  const bytes = bytesIn(fields, patchedFields(fields, values, before))
  // A row that was stored before there was a limit may change, but not grow.
  if (bytes <= Math.max(LIMITS.rowBytesMax, before ? bytesIn(fields, before) : 0)) return
  const limit = `The texts and details of one row are at most ${LIMITS.rowBytesMax} bytes together`
  check.violation(longestOf(values), `${limit}, as JSON in UTF-8; these are ${bytes}. Shorten this one, or others.`)
}

/** The bytes of one UTF-16 unit in JSON at most: `\u0001`. */
const ESCAPED_BYTES_MAX = 6

/** The characters of all texts in a value. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let characters = 0
  for (const member of Object.values(value)) characters += charactersOf(member)
  return characters
}

/** The bytes of these fields of a row, as a response shows them. */
function bytesIn<F extends Fields>(fields: F, row: Partial<StoredValues<F>>): number {
  let bytes = 0
  for (const name in fields) {
    const value: unknown = row[name]
    if (typeof value === 'string') bytes += name === DETAILS ? Buffer.byteLength(value) : byteLength(value)
  }
  return bytes
}

const byteLength = (value: unknown) => Buffer.byteLength(JSON.stringify(value ?? null))

function longestOf(values: object): string {
  const lengths = Object.entries(values).map(([name, value]) => ({ name, length: byteLength(value) }))
  return lengths.reduce((longest, one) => (one.length > longest.length ? one : longest)).name
}

/** The details of an entity: a list in JSON, columns `details.NAME` in a sheet. */
export function details(name: string, text: string): Field<DetailsChange, string> {
  return {
    meaning: 'Facts for which there is no field, in the order of the source; not searched, ranked or filtered by.',
    rule: `A column ${PREFIX}NAME for each, in JSON a list.`,
    example: JSON.stringify([{ name, text }]),
    form: `at most ${DETAILS_MAX} pairs of a name (${TEXT_MAX.detailName} characters) and a text (${TEXT_MAX.detailText})`,
    type: 'Detail',
    isList: true,
    isRequired: false,
    gather: (raw) => {
      const named = Object.keys(raw).filter((key) => key.startsWith(PREFIX))
      return named.length === 0 ? raw[DETAILS] : new Gathered(raw, named)
    },
    read: (raw) => (raw instanceof Gathered ? readGathered(raw) : readList(raw)),
    merge: detailsWith,
  }
}

/** A record of a sheet that has columns of single details. */
class Gathered {
  readonly raw: Readonly<Record<string, unknown>>
  readonly named: readonly string[]

  constructor(raw: Readonly<Record<string, unknown>>, named: readonly string[]) {
    this.raw = raw
    this.named = named
  }
}

function readGathered({ raw, named }: Gathered): Reading<DetailsChange> {
  const given = raw[DETAILS]
  const list: Reading<DetailsChange> =
    given == null || given === '' ? { value: { isWhole: false, pairs: [] } } : readList(given)
  if ('violation' in list) return list
  const pairs = [...list.value.pairs]
  for (const column of named) {
    const one = readPair(column.slice(PREFIX.length), raw[column])
    if ('violation' in one) return { violation: one.violation, at: column.slice(DETAILS.length) }
    pairs.push(one.value)
  }
  return { value: { isWhole: list.value.isWhole, pairs } }
}

const LIST = `Must be a list of objects with name and text; in CSV, give a column ${PREFIX}NAME for each.`

function readList(raw: unknown): Reading<DetailsChange> {
  const list = typeof raw === 'string' ? parsed(raw) : raw
  if (!Array.isArray(list)) return { violation: LIST }
  const pairs = new Map<string, Detail>()
  const violations: ValueViolation[] = []
  for (const [index, item] of list.entries()) {
    if (violations.length === DETAILS_MAX) break
    const one = readItem(item)
    if ('violation' in one) violations.push({ violation: one.violation, at: `/${index}${one.at ?? ''}` })
    else if (pairs.has(one.value.name)) {
      violations.push({ violation: `There is another detail ${JSON.stringify(one.value.name)}.`, at: `/${index}/name` })
    } else pairs.set(one.value.name, one.value)
  }
  return violationedBy(violations) ?? { value: { isWhole: true, pairs: [...pairs.values()] } }
}

function readItem(item: unknown): Reading<Detail> {
  if (typeof item !== 'object' || item === null || !('name' in item)) return { violation: LIST }
  return readPair(item.name, 'text' in item ? item.text : null)
}

function readPair(rawName: unknown, rawText: unknown): Reading<Detail> {
  const name = readText(rawName, 'detailName')
  if ('violation' in name) return { violation: name.violation, at: '/name' }
  // A blank cell, or a member that was not filled in.
  if (rawText == null || (typeof rawText === 'string' && rawText.trim() === ''))
    return { value: { name: name.value, text: '' } }
  const text = readText(typeof rawText === 'boolean' ? String(rawText) : rawText, 'detailText')
  return 'violation' in text
    ? { violation: text.violation, at: '/text' }
    : { value: { name: name.value, text: text.value } }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
