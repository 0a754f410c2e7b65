import { DETAILS } from '../../../details.js'
import { type Column, columnsOf, type Occurrence, occurrencesInWords } from '../guess/column.js'
import type { Guess } from '../guess/guess.js'
import { isOwnValue } from '../guess/statuses.js'
import { headingKey } from '../header.js'
import { folded, type Mapping, mayLack, type Rule, type Scalar } from '../mapping.js'
import { isBlank, type SheetNoun, type TableRow } from '../table.js'
import { RecordMapper } from './recordMapper.js'

/** A map with which an import from a source was accepted, and all headings that its file had. */
export interface AcceptedMap {
  readonly mapping: Mapping
  readonly headings: readonly string[]
}

/** A table as it is in a file. */
export interface Cells {
  readonly header: readonly string[]
  readonly rows: readonly TableRow[]
  /** Headings whose texts are lists: what their values are together says nothing. */
  readonly lists?: ReadonlySet<string>
}

export interface FilledCells {
  readonly header: readonly string[]
  readonly rows: Iterable<TableRow>
}

/** The headings that have something below them. */
export function filledHeadings({ header, rows }: FilledCells): string[] {
  const open = new Set([...header.keys()].filter((at) => header[at] !== ''))
  const filled = new Set<number>()
  for (const { cells } of rows) {
    if (open.size === 0) break
    for (const at of open) if (!isBlank(cells[at]) && open.delete(at)) filled.add(at)
  }
  return header.filter((_, at) => filled.has(at))
}

/** Whether a header has every column that a map needs. */
export function hasColumns({ rules, where }: Mapping, header: readonly string[]): boolean {
  return goneFrom({ rules, where }, header).length === 0
}

/** What a map needs, and a header lacks. */
function goneFrom({ rules, where }: Pick<Mapping, 'rules' | 'where'>, header: readonly string[]): string[] {
  const present = new Set(header.map(headingKey))
  const uses = [...rules, ...where.map((one) => ['where', one] as const)].filter(([, { from }]) => from.length > 0)
  const gone = uses.filter(([, one]) => !mayLack(one) && !one.from.some((name) => present.has(headingKey(name))))
  return gone.map(([use, { from }]) => `${from.join(' or ')} (${use})`)
}

/** Fewer rows may all be blank by chance. */
const BLANK_ROWS_MIN = 5

/** Columns that had something when the map was accepted, and have nothing in any row now: that would clear every entry. */
export function blankNow({ mapping, headings }: AcceptedMap, { header, rows }: Cells): string[] {
  if (rows.length < BLANK_ROWS_MIN) return []
  const had = new Set(headings.map(headingKey))
  const has = new Set(filledHeadings({ header, rows }).map(headingKey))
  const blank = [...mapping.rules].filter(([field, { from }]) => {
    const names = from.map(headingKey).filter((name) => had.has(name))
    return !field.startsWith(`${DETAILS}.`) && names.length > 0 && names.every((name) => !has.has(name))
  })
  const present = new Set(header.map(headingKey))
  const shown = blank.filter(([, { from }]) => from.some((name) => present.has(headingKey(name))))
  return shown.length === 0
    ? []
    : [`Blank in every row: ${shown.map(([field, { from }]) => `${from[0]} (${field})`).join(', ')}.`]
}

/** The columns that the source did not have when its map was accepted. */
export function addedColumns({ headings, mapping }: AcceptedMap, columns: readonly Column[]): Column[] {
  const mapped = Array.from(mapping.rules.values(), ({ from }) => from).flat()
  const known = new Set([...headings, ...mapped].map(headingKey))
  return columns.filter(({ heading, filled }) => filled > 0 && !known.has(headingKey(heading)))
}

/** What of a sheet does not fit the map, in words. */
export function misfitsOf(
  noun: SheetNoun,
  { rules, where }: Mapping,
  { header, rows, lists }: Cells,
  meaning: Meaning,
): string[] {
  const missing = goneFrom({ rules, where }, header)
  const strange = Array.from(rules, ([field, rule]) => {
    const isList = rule.from.some((name) => lists?.has(name))
    const unread = isList || isOwnValue(noun, field, '') === undefined ? [] : unreadBy(noun, field, rule, header, rows)
    const [first] = unread
    return (
      first &&
      `${rule.from[0]}: ${occurrencesInWords(unread)} is not known for ${field}. ${valueHint(first.text, meaning(field, first.text))}`
    )
  })
  return [...(missing.length > 0 ? [`Gone: ${missing.join(', ')}.`] : []), ...strange.flatMap((one) => one ?? [])]
}

/** The texts of which a rule makes no value of the field. */
function unreadBy(noun: SheetNoun, field: string, rule: Rule, header: readonly string[], rows: readonly TableRow[]) {
  const { with: _, unique: __, ...alone } = rule
  const mapper = new RecordMapper({ name: '', rules: new Map([[field, alone]]), where: [] })
  const cellAt = cellsBy(header)
  const seen = new Map<string, boolean>()
  const unread = new Map<string, Occurrence>()
  for (const row of rows) {
    const texts = rule.from.map((name) => cellAt(row, name).trim())
    const text = texts.find((one) => one !== '') ?? ''
    const key = texts.join('\n')
    const isRead = seen.get(key) ?? isReadBy(noun, field, rule, mapper, (name) => [cellAt(row, name)], text)
    seen.set(key, isRead)
    if (isRead) continue
    const occurrence = unread.get(text) ?? { text, count: 0, lines: [] }
    unread.set(text, occurrence)
    occurrence.count++
    occurrence.lines.push(row.line)
  }
  return [...unread.values()]
}

function isReadBy(
  noun: SheetNoun,
  field: string,
  { bands }: Rule,
  mapper: RecordMapper,
  gather: (name: string) => string[],
  text: string,
): boolean {
  const values: Record<string, unknown> = {}
  if (mapper.fillIn(values, gather, 0).length > 0) return false
  const [[least = 0] = [], [next = 0] = []] = bands ?? []
  // Among percentages, a fraction has lost its sign.
  const number = Number.parseFloat(text)
  if (bands?.at(-1)?.[0] === 100 && number > 0 && number < 1 && !text.includes('%')) return false
  // Bands of whole numbers begin with the lowest of their scale.
  if (bands && number < (next - least === 1 ? least : 0)) return false
  return isOwnValue(noun, field, String(values[field])) === true
}

/** The rows that the conditions of a map take. */
export function takenRows(mapping: Mapping, header: readonly string[], rows: readonly TableRow[]): readonly TableRow[] {
  if (mapping.where.length === 0) return rows
  const cellAt = cellsBy(header)
  const mapper = new RecordMapper(mapping)
  return rows.filter((row) => mapper.takes((name) => [cellAt(row, name)]))
}

/** New columns that a guess would take for a field; others are kept in details. */
export function takenAnew({ columns }: Guess, added: readonly Column[]): string[] {
  const isAdded = new Set(added.map(({ heading }) => heading))
  return columns.flatMap(({ column, field }) =>
    isAdded.has(column) ? [`${column} is new, and looks like ${field}.`] : [],
  )
}

/** What a guess takes a text for, if anything. */
export type Meaning = (field: string, text: string) => Scalar | undefined

function valueHint(text: string, value: Scalar = '...'): string {
  return `Say what it means with --value ${JSON.stringify(`${text}=${value}`)}.`
}

/** The words of --value, by their folded text. */
export type GivenValues = ReadonlyMap<string, string>

/** A map in which the given words stand for their values, in each column that has them and can have the value. */
export function withValues(noun: SheetNoun, mapping: Mapping, { header, rows }: Cells, given: GivenValues) {
  if (given.size === 0) return { mapping, misfits: [] }
  const named = byHeading(columnsOf(header, rows))
  const unused = new Set(given.keys())
  const rules = new Map(mapping.rules)
  for (const [field, rule] of mapping.rules) {
    const texts = rule.from.flatMap((name) => named(name)?.texts ?? []).map(({ text }) => folded(text))
    const words = texts.flatMap((text) => {
      const becomes = given.get(text)
      return becomes !== undefined && isOwnValue(noun, field, becomes) ? [[text, becomes] as const] : []
    })
    for (const [text] of words) unused.delete(text)
    if (words.length > 0) rules.set(field, { ...rule, values: new Map([...(rule.values ?? []), ...words]) })
  }
  const misfits = [...unused].map(
    (text) =>
      `--value ${JSON.stringify(`${text}=${given.get(text)}`)}: no column has that word where this value is possible.`,
  )
  return { mapping: { ...mapping, rules }, misfits }
}

function byHeading(columns: readonly Column[]) {
  const named = new Map(columns.map((column) => [headingKey(column.heading), column] as const).toReversed())
  return (heading: string) => named.get(headingKey(heading))
}

function cellsBy(header: readonly string[]) {
  const places = new Map(header.map((heading, at) => [headingKey(heading), at] as const).toReversed())
  return ({ cells }: TableRow, heading: string) => cells[places.get(headingKey(heading)) ?? -1] ?? ''
}
