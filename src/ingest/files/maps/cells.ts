import { surplusOf } from '../columns.js'
import { unguarded } from '../csv.js'
import { listed, NO_FLAWS, UnreadableSheet } from '../flaws.js'
import type { DateOrder } from '../guess/dates.js'
import { type HeadedTable, headingKey, rowsBelow } from '../header.js'
import { blankOf, type Condition, folded, type Mapping, mayLack, type Rule } from '../mapping.js'
import { RecordRows } from '../recordRows.js'
import type { SheetRecord, SheetRecords } from '../records.js'
import { type Cells, chooseDayFormats } from './dayFormats.js'
import { RecordMapper } from './records.js'

/** The records of a table by a map, and the map as it applies to the table. */
export function mappedCells(
  found: HeadedTable,
  mapping: Mapping,
  order?: DateOrder,
): SheetRecords & { present: Mapping } {
  const places = placesOf(found.header.cells)
  const columns = new Map(Array.from(places.values(), ({ name, at }) => [name, at]))
  const cellsOf = (cells: readonly string[]) => (name: string) =>
    columns.get(name)?.map((at) => unguarded(cells[at] ?? '')) ?? []
  const days = chooseDayFormats(mappingOf(found, mapping, places), () => cellRows(found, cellsOf), order)
  if ('flaw' in days) throw new UnreadableSheet(found.table.name, days.flaw)
  const present = days.mapping
  const mapper = new RecordMapper(present, found.table.unit)
  const blank = blankOf(present)
  const records: SheetRecord[] = []
  const named = Array.from(
    present.rules,
    ([field, { from }]) => [field, from.flatMap((one) => columns.get(one) ?? [])] as const,
  )
  const rows = new RecordRows(found, named)
  for (const { line, cells } of rows) {
    const gather = cellsOf(cells)
    if (!mapper.takes(gather)) continue
    const values = { ...blank }
    const flaws = [...surplusOf(cells, found.header.cells.length), ...mapper.fillIn(values, gather, line)]
    records.push({ index: records.length, line, values, flaws: flaws.length === 0 ? NO_FLAWS : flaws })
  }
  return { present, records, notes: [...rows.notes(), ...mapper.notes()], warnings: mapper.warnings() }
}

function* cellRows(found: HeadedTable, cellsOf: (cells: readonly string[]) => Cells): Generator<Cells, void> {
  for (const { cells } of rowsBelow(found)) yield cellsOf(cells)
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

function placeOf(places: Places, name: string): string | undefined {
  return (places.get(folded(name)) ?? places.get(headingKey(name)))?.name
}

/** A map applied to a header: with the header's own names, and without columns that it lacks. */
function mappingOf({ table, header }: HeadedTable, mapping: Mapping, places: Places): Mapping {
  const missing: string[] = []
  const present = (one: Rule | Condition, use: string) => {
    const from = [...new Set(one.from.flatMap((heading) => placeOf(places, heading) ?? []))]
    if (from.length === 0 && one.from.length > 0 && !mayLack(one)) missing.push(`${one.from.join(' or ')} (for ${use})`)
    return from
  }
  const rules = new Map<string, Rule>()
  for (const [field, rule] of mapping.rules) {
    const from = present(rule, field)
    const isAbsent = from.length === 0 && rule.constant === undefined && rule.default === undefined
    if (!isAbsent) rules.set(field, { ...rule, from })
  }
  const where = mapping.where.map((condition) => ({ ...condition, from: present(condition, 'where') }))
  if (missing.length === 0) return { name: mapping.name, rules, where }
  const columns = listed(new Set(header.cells.filter((cell) => cell !== '')))
  const sentence = `There is no column ${missing.join(', ')}, which ${mapping.name} names. The columns are: ${columns}.`
  throw new UnreadableSheet(table.name, sentence, { line: header.line, unit: table.unit })
}
