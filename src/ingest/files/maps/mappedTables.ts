import { unguarded } from '../../../csv.js'
import { type DayPattern, dayIn } from '../days.js'
import type { DateOrder } from '../guess/dates.js'
import { type HeadedTable, headingKey, numberedHeadings, recordRows, rowsBelow, surplusOf } from '../header.js'
import { type Condition, folded, lackingIn, type Mapping, type Rule } from '../mapping.js'
import { listed, UnreadableSheet } from '../table.js'
import { recordMapper } from './recordMapper.js'

/** The cells of a row by the name of their column. */
type CellsOf = (cells: readonly string[]) => (name: string) => readonly string[]

/** The records of a table by a map, and the map as it applies to the table. */
export function mappedCells(found: HeadedTable, mapping: Mapping, order?: DateOrder) {
  const places = placesOf(headerFor(mapping, found.header.cells))
  const columns = new Map(Array.from(places.values(), ({ name, at }) => [name, at]))
  const cellsOf: CellsOf = (cells) => (name) => columns.get(name)?.map((at) => unguarded(cells[at] ?? '')) ?? []
  const present = withDayFormats(mappingOf(found, mapping, places), found, cellsOf, order)
  const mapper = recordMapper(present, found.table.unit)
  const placesFor = ({ from }: Rule) => from.flatMap((one) => columns.get(one) ?? [])
  const named = Array.from(present.rules, ([field, rule]) => [field, placesFor(rule)] as const)
  const notes: string[] = []
  for (const { line, cells } of recordRows(found, named, notes))
    mapper.add(line, surplusOf(cells, found.header.cells.length), cellsOf(cells))
  const mapped = mapper.result()
  return { present, ...mapped, notes: [...notes, ...mapped.notes] }
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
  const nameOf = (heading: string) => (places.get(folded(heading)) ?? places.get(headingKey(heading)))?.name
  const missing = lackingIn(mapping, (heading) => nameOf(heading) !== undefined)
  if (missing.length > 0) {
    const names = missing.map(([use, { from }]) => `${from.join(' or ')} (for ${use})`).join(', ')
    const columns = listed(new Set(header.cells.filter((cell) => cell !== '')))
    const sentence = `There is no column ${names}, which ${mapping.name} names. The columns are: ${columns}.`
    throw new UnreadableSheet(table.name, sentence, { line: header.line, unit: table.unit })
  }
  const present = ({ from }: Rule | Condition) => [...new Set(from.flatMap((heading) => nameOf(heading) ?? []))]
  const rules = new Map<string, Rule>()
  for (const [field, rule] of mapping.rules) {
    const from = present(rule)
    const closing = Object.entries(rule.closedBy ?? {}).map(
      ([heading, is]) => [nameOf(heading) ?? heading, is] as const,
    )
    const always = rule.constant ?? rule.whenBlank ?? rule.default
    const closedBy = rule.closedBy && { closedBy: Object.fromEntries(closing) }
    if (from.length > 0 || closedBy) rules.set(field, { ...rule, from, ...closedBy })
    else if (always !== undefined) rules.set(field, { from, constant: always })
  }
  const where = mapping.where.map((condition) => ({ ...condition, from: present(condition) }))
  return { ...mapping, rules, where }
}

/** Chooses the date format of each column by all of its texts; 3/6/2026 is decided by other columns, or by the user. */
function withDayFormats(mapping: Mapping, found: HeadedTable, cellsOf: CellsOf, given?: DateOrder): Mapping {
  const columns = Array.from(mapping.rules).flatMap(([field, rule]) =>
    rule.date && rule.date.texts.length > 1 ? [{ field, rule, date: rule.date, texts: new Set<string>() }] : [],
  )
  if (columns.length === 0) return mapping
  for (const { cells } of rowsBelow(found)) {
    const gather = cellsOf(cells)
    for (const { rule, texts } of columns) {
      const text = rule.from.flatMap(gather).find((one) => one.trim() !== '')
      if (text !== undefined && !rule.values?.has(folded(text))) texts.add(text)
    }
  }
  const fitting = columns.map((column) => ({ ...column, ...formatsFor(column.date, [...column.texts]) }))
  const shown = new Set(fitting.flatMap(({ formats }) => (formats.length === 1 ? formats : [])))
  const orderOf = (format: string): DateOrder => (format.indexOf('d') < format.indexOf('M') ? 'dmy' : 'mdy')
  const isMeant = (format: string) => shown.has(format) || orderOf(format) === given
  const rules = new Map(mapping.rules)
  for (const { field, rule, date, texts, rivals } of fitting) {
    const left = rivals.length > 1 ? rivals.filter(isMeant) : rivals
    if (rivals.length > 1 && left.length !== 1) {
      const [column] = rule.from
      const open = `${column}: days such as ${[...texts][0]} fit ${rivals.join(' and ')}, and no row shows which.`
      const line = `"${field}": { "from": ${JSON.stringify(column)}, "date": "${rivals[0]}" }`
      const advice = `Say it with --date-order dmy or --date-order mdy, or in a map: ${line}.`
      throw new UnreadableSheet(found.table.name, `${open} ${advice}`)
    }
    const [format] = left
    if (format !== undefined) rules.set(field, { ...rule, date: { ...date, texts: [format] } })
  }
  return { ...mapping, rules }
}

/** The formats that read a day in each of the texts, and of those the ones that read other days than the others. */
function formatsFor(date: DayPattern, texts: readonly string[]) {
  const readings = new Map<string, string>()
  const formats = date.texts.filter((format) => {
    const pattern = { ...date, texts: [format] }
    const days = texts.map((text) => dayIn(text, pattern))
    const isFitting = days.length > 0 && days.every((read) => 'day' in read)
    if (isFitting) readings.set(JSON.stringify(days), readings.get(JSON.stringify(days)) ?? format)
    return isFitting
  })
  return { formats, rivals: [...readings.values()] }
}
