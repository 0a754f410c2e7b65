import { unguarded } from '../csv.js'
import { type DayPattern, dayIn, patternAt } from '../days.js'
import type { DateOrder } from '../guess/dates.js'
import {
  type HeadedTable,
  headingKey,
  joinedNotes,
  numberedHeadings,
  recordRows,
  rowsBelow,
  surplusOf,
} from '../header.js'
import { blankOf, type Condition, folded, type Mapping, mayLack, type Rule } from '../mapping.js'
import { listed, NO_FLAWS, type SheetRecord, UnreadableSheet } from '../table.js'
import { RecordMapper } from './recordMapper.js'

/** The records of a table by a map, and the map as it applies to the table. */
export function mappedCells(found: HeadedTable, mapping: Mapping, order?: DateOrder) {
  const places = placesOf(headerFor(mapping, found.header.cells))
  const columns = new Map(Array.from(places.values(), ({ name, at }) => [name, at]))
  const cellsOf = (cells: readonly string[]) => (name: string) =>
    columns.get(name)?.map((at) => unguarded(cells[at] ?? '')) ?? []
  const rows = function* () {
    for (const { cells } of rowsBelow(found)) yield cellsOf(cells)
  }
  const present = withDayFormats(mappingOf(found, mapping, places), rows, order, found.table.name)
  const mapper = new RecordMapper(present, found.table.unit)
  const blank = blankOf(present)
  const records: SheetRecord[] = []
  const named = Array.from(
    present.rules,
    ([field, { from }]) => [field, from.flatMap((one) => columns.get(one) ?? [])] as const,
  )
  let joined = 0
  for (const { line, cells } of recordRows(found, named, () => joined++)) {
    const gather = cellsOf(cells)
    if (!mapper.takes(gather)) continue
    const values = { ...blank }
    const violations = [...surplusOf(cells, found.header.cells.length), ...mapper.fillIn(values, gather, line)]
    records.push({ index: records.length, line, values, violations: violations.length === 0 ? NO_FLAWS : violations })
  }
  return { present, records, notes: [...joinedNotes(joined), ...mapper.notes()], warnings: mapper.warnings() }
}

/** A map that names the second of two columns of the same heading, as X (2), means the first by X. */
export function headerFor({ rules }: Mapping, headings: readonly string[]): readonly string[] {
  const own = new Set(headings.map(folded))
  const numbered = numberedHeadings(headings)
  const added = new Set(numbered.map(folded).filter((heading) => !own.has(heading)))
  const isNumbered = [...rules.values()].some(({ from }) => from.some((heading) => added.has(folded(heading))))
  return isNumbered ? numbered : headings
}

type Places = ReadonlyMap<string, { readonly name: string; readonly at: number[] }>

/** The columns by their folded names; several columns may have the same name. */
function placesOf(headings: readonly string[]): Places {
  const places = new Map<string, { name: string; at: number[] }>()
  for (const [at, name] of headings.entries()) {
    const place = places.get(folded(name))
    if (place) place.at.push(at)
    else if (name !== '') places.set(folded(name), { name, at: [at] })
  }
  // A name that is the same but for its punctuation stands for the column too, unless another has just that name.
  for (const place of [...places.values()]) {
    const key = headingKey(place.name)
    if (!places.has(key)) places.set(key, place)
  }
  return places
}

/** A map applied to a header: with the header's own names, and without columns that it lacks. */
function mappingOf({ table, header }: HeadedTable, mapping: Mapping, places: Places): Mapping {
  const missing: string[] = []
  const nameOf = (heading: string) => (places.get(folded(heading)) ?? places.get(headingKey(heading)))?.name
  const present = (one: Rule | Condition, use: string) => {
    const from = [...new Set(one.from.flatMap((heading) => nameOf(heading) ?? []))]
    if (from.length === 0 && one.from.length > 0 && !mayLack(one)) missing.push(`${one.from.join(' or ')} (for ${use})`)
    return from
  }
  const rules = new Map<string, Rule>()
  for (const [field, rule] of mapping.rules) {
    const from = present(rule, field)
    const closing = Object.entries(rule.closedBy ?? {}).map(
      ([heading, is]) => [nameOf(heading) ?? heading, is] as const,
    )
    const always = rule.constant ?? rule.whenBlank ?? rule.default
    const closedBy = rule.closedBy && { closedBy: Object.fromEntries(closing) }
    if (from.length > 0 || closedBy) rules.set(field, { ...rule, from, ...closedBy })
    else if (always !== undefined) rules.set(field, { from, constant: always })
  }
  const where = mapping.where.map((condition) => ({ ...condition, from: present(condition, 'where') }))
  if (missing.length === 0) return { ...mapping, rules, where }
  const columns = listed(new Set(header.cells.filter((cell) => cell !== '')))
  const sentence = `There is no column ${missing.join(', ')}, which ${mapping.name} names. The columns are: ${columns}.`
  throw new UnreadableSheet(table.name, sentence, { line: header.line, unit: table.unit })
}

/** Chooses the date format of each column by all of its texts; 3/6/2026 is decided by other columns, or by the user. */
function withDayFormats(
  mapping: Mapping,
  rows: () => Iterable<(name: string) => readonly string[]>,
  given: DateOrder | undefined,
  table: string,
): Mapping {
  const columns = Array.from(mapping.rules).flatMap(([field, rule]) =>
    rule.date && rule.date.texts.length > 1 ? [{ field, rule, date: rule.date, texts: new Set<string>() }] : [],
  )
  if (columns.length === 0) return mapping
  for (const cells of rows()) {
    for (const { rule, texts } of columns) {
      const text = rule.from.flatMap(cells).find((one) => one.trim() !== '')
      if (text !== undefined && !rule.values?.has(folded(text))) texts.add(text)
    }
  }
  const fitting = columns.map((column) => ({ ...column, formats: formatsFor(column.date, [...column.texts]) }))
  const shown = new Set(fitting.flatMap(({ formats }) => (formats.length === 1 ? formats : [])))
  const orderOf = (format: string): DateOrder => (format.indexOf('d') < format.indexOf('M') ? 'dmy' : 'mdy')
  const isMeant = (format: string) => shown.has(format) || orderOf(format) === given
  const rules = new Map(mapping.rules)
  for (const { field, rule, date, texts, formats } of fitting) {
    const rivals = rivalsAmong(formats, date, [...texts])
    const left = rivals.length > 1 ? rivals.filter(isMeant) : rivals
    if (rivals.length > 1 && left.length !== 1)
      throw new UnreadableSheet(table, question(field, rule, [...texts][0], rivals))
    const [format] = left
    if (format !== undefined) rules.set(field, { ...rule, date: patternAt(date, format) })
  }
  return { ...mapping, rules }
}

function formatsFor(date: DayPattern, texts: readonly string[]): string[] {
  if (texts.length === 0) return []
  const patterns = date.texts.map((format) => [format, patternAt(date, format)] as const)
  return patterns
    .filter(([, pattern]) => texts.every((text) => 'day' in dayIn(text, pattern)))
    .map(([format]) => format)
}

function rivalsAmong(formats: readonly string[], date: DayPattern, texts: readonly string[]): readonly string[] {
  if (formats.length < 2) return formats
  const readings = formats.map((format) => JSON.stringify(texts.map((text) => dayIn(text, patternAt(date, format)))))
  return formats.filter((_, at) => readings.indexOf(readings[at] ?? '') === at)
}

function question(field: string, { from }: Rule, text: string | undefined, formats: readonly string[]): string {
  const line = `"${field}": { "from": ${JSON.stringify(from[0])}, "date": "${formats[0]}" }`
  const open = `${from[0]}: days such as ${text} fit ${formats.join(' and ')}, and no row shows which.`
  return `${open} Say it with --date-order dmy or --date-order mdy, or in a map: ${line}.`
}
