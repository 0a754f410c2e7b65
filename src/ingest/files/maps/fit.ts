import { type Column, occurrencesInWords } from '../guess/column.js'
import type { Guess } from '../guess/guess.js'
import { isOwnValue } from '../guess/statuses.js'
import { headingKey } from '../header.js'
import { folded, type Mapping, mayLack, type Rule, type Scalar } from '../mapping.js'
import type { SheetNoun, TableRow } from '../table.js'
import { RecordMapper } from './recordMapper.js'

/** A map with which an import from a source was accepted, and all headings that its file had. */
export interface AcceptedMap {
  readonly mapping: Mapping
  readonly headings: readonly string[]
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
  header: readonly string[],
  columns: readonly Column[],
): string[] {
  const named = byHeading(columns)
  const present = new Set(header.map(headingKey))
  const uses = [...rules, ...where.map((one) => ['where', one] as const)].filter(([, { from }]) => from.length > 0)
  const gone = uses.filter(([, one]) => !mayLack(one) && !one.from.some((name) => present.has(headingKey(name))))
  const missing = gone.map(([use, { from }]) => `${from.join(' or ')} (${use})`)
  const strange = Array.from(rules, ([field, rule]) => {
    const texts = rule.from.flatMap((name) => named(name)?.texts ?? [])
    const unread = texts.filter(({ text }) => !isRead(noun, field, rule, text))
    return unread.length === 0
      ? ''
      : `${rule.from[0]}: ${occurrencesInWords(unread)} is new for ${field}. ${valueHint(unread[0]?.text)}`
  })
  return [
    ...(missing.length > 0 ? [`Gone: ${missing.join(', ')}.`] : []),
    ...strange.filter((sentence) => sentence !== ''),
  ]
}

/** The rows that the conditions of a map take. */
export function takenRows(mapping: Mapping, header: readonly string[], rows: readonly TableRow[]): readonly TableRow[] {
  if (mapping.where.length === 0) return rows
  const places = new Map(header.map((heading, at) => [headingKey(heading), at] as const).toReversed())
  const mapper = new RecordMapper(mapping)
  return rows.filter(({ cells }) => mapper.takes((name) => [cells[places.get(headingKey(name)) ?? -1] ?? '']))
}

/** New columns that a guess would take for a field; others are kept in details. */
export function takenAnew({ columns }: Guess, added: readonly Column[]): string[] {
  const isAdded = new Set(added.map(({ heading }) => heading))
  return columns.flatMap(({ column, field }) =>
    isAdded.has(column) ? [`${column} is new, and looks like ${field}.`] : [],
  )
}

export function valueHint(text = ''): string {
  return `Say what it means with --value ${JSON.stringify(`${text}=...`)}.`
}

/** The words of --value, by their folded text. */
export type GivenValues = ReadonlyMap<string, Scalar>

/** A map in which the given words stand for their values, in each column that has them and can have the value. */
export function withValues(noun: SheetNoun, mapping: Mapping, columns: readonly Column[], given: GivenValues) {
  const named = byHeading(columns)
  const unused = new Set(given.keys())
  const rules = new Map(mapping.rules)
  for (const [field, rule] of mapping.rules) {
    const texts = rule.from.flatMap((name) => named(name)?.texts ?? []).map(({ text }) => folded(text))
    const words = texts.flatMap((text) => {
      const becomes = given.get(text)
      return becomes !== undefined && isOwnValue(noun, field, String(becomes)) ? [[text, becomes] as const] : []
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

/** The rows as a guess sees them: with the values in the places of their words. */
export function withoutWords<R extends { readonly cells: readonly string[] }>(
  rows: readonly R[],
  given: GivenValues,
): R[] {
  if (given.size === 0) return [...rows]
  return rows.map((row) => ({ ...row, cells: row.cells.map((cell) => String(given.get(folded(cell)) ?? cell)) }))
}

function byHeading(columns: readonly Column[]) {
  const named = new Map(columns.map((column) => [headingKey(column.heading), column] as const).toReversed())
  return (heading: string) => named.get(headingKey(heading))
}

/** Whether a rule makes a value of the field of a text; what is no word, number or day is always read. */
function isRead(noun: SheetNoun, field: string, rule: Rule, text: string): boolean {
  if (isOwnValue(noun, field, '') === undefined) return true
  const values: Record<string, unknown> = {}
  const { with: _, unique: __, ...alone } = rule
  const mapper = new RecordMapper({ name: '', rules: new Map([[field, alone]]), where: [] })
  const violations = mapper.fillIn(values, () => [text], 0)
  const isBelow = rule.bands !== undefined && text.trim().startsWith('-') && /\d/.test(text)
  return violations.length === 0 && !isBelow && isOwnValue(noun, field, String(values[field])) === true
}
