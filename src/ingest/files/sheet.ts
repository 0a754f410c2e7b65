import { Columns } from './columns.js'
import { type CsvRecord, csvRecords, separatorOf, unguarded } from './csv.js'
import { decode } from './decode.js'
import { excerpt, listed, NO_FLAWS, type SheetFlaw, UnreadableSheet } from './flaws.js'
import { type JsonRecord, jsonRecords, ndjsonRecords } from './json.js'
import { RecordMapper } from './mappedRecords.js'
import { blankOf, type Condition, folded, type Mapping, mayLack, type Rule } from './mapping.js'
import { mappedObjects } from './maps/objects.js'
import type { SheetRecord, SheetRecords } from './records.js'

export { type SheetFlaw, UnreadableSheet } from './flaws.js'
export type { SheetRecord } from './records.js'

export const SHEET_FORMATS = ['csv', 'ndjson', 'json'] as const
export type SheetFormat = (typeof SHEET_FORMATS)[number]

export interface Sheet extends SheetRecords {
  /** Columns that were ignored because they are unknown. */
  readonly ignored: readonly string[]
  /** Known columns that are computed, and so not taken from a file. */
  readonly derived: readonly string[]
  /** The source's name for the column of a field: the header, or the field's own name. */
  columnOf(field: string): string
}

export interface SheetOptions {
  /** The file's name, for messages. */
  readonly name: string
  readonly format: SheetFormat
  readonly encoding?: string | undefined
  readonly fields: readonly string[]
  readonly derived: readonly string[]
  readonly ignoreUnknown: boolean
  readonly mapping?: Mapping | undefined
}

const EXTENSIONS: Readonly<Record<SheetFormat, RegExp>> = {
  csv: /\.(csv|tsv|txt)$/i,
  ndjson: /\.(ndjson|jsonl)$/i,
  json: /\.json$/i,
}

/** The format of a file by its extension. */
export function formatOf(fileName: string): SheetFormat | undefined {
  return SHEET_FORMATS.find((format) => EXTENSIONS[format].test(fileName))
}

/** Reads a whole file. A file that is not a table throws UnreadableSheet; flaws of a record are in the record. */
export function readSheet(bytes: Uint8Array, options: SheetOptions): Sheet {
  const { name, format, mapping } = options
  const text = decode(bytes, name, options.encoding)
  if (format === 'csv') return csvSheet(text, options)
  const source = format === 'json' ? jsonRecords(text, name) : ndjsonRecords(text)
  return mapping
    ? mappedSheet(mappedObjects(source, mapping, name), mapping)
    : objectSheet(source, new Columns(options))
}

/** A file that ends within its last row was truncated: the missing cells are lost, not blank. */
function refuseBreak(text: string, name: string, header: CsvRecord, last: CsvRecord | undefined): void {
  if (!last || last.cells.length >= header.cells.length || /[\r\n]$/.test(text)) return
  const sentence = `The file is truncated: its last row has ${last.cells.length} of ${header.cells.length} cells.`
  throw new UnreadableSheet(name, sentence, last.line)
}

function csvSheet(text: string, options: SheetOptions): Sheet {
  const { name, fields, mapping } = options
  const { separator, start } = separatorOf(text)
  const rows = csvRecords(text, separator, { name, start })
  const first = rows.next()
  if (first.done) throw new UnreadableSheet(name, `There is no header; the columns may be called ${fields.join(', ')}.`)
  const header = { line: first.value.line, cells: first.value.cells.map((cell) => unguarded(cell).trim()) }
  let last: CsvRecord | undefined
  const watched = (function* () {
    for (const row of rows) {
      last = row
      yield row
    }
  })()
  const sheet = mapping ? mappedTable(header, watched, mapping, name) : tableSheet(header, watched, options)
  refuseBreak(text, name, header, last)
  return sheet
}

function mappedTable(header: CsvRecord, rows: Iterable<CsvRecord>, mapping: Mapping, name: string): Sheet {
  const places = placesOf(header.cells)
  const present = mappingOf(header, mapping, places, name)
  return mappedSheet(cellRecords(header, rows, present, places), present)
}

/** A table whose header has our field names. */
function tableSheet(header: CsvRecord, rows: Iterable<CsvRecord>, options: SheetOptions): Sheet {
  const columns = new Columns(options)
  const taken = fieldsOf(header, columns, options.name)
  const nameless = header.cells.flatMap((cell, at) => (cell === '' ? [at] : []))
  columns.requireSome(header.line)
  // Copied for each record, so that all records have the same hidden class in V8.
  const blank: Record<string, unknown> = Object.fromEntries(taken.map(({ field }) => [field, '']))
  const filled = new Set<number>()
  const records: SheetRecord[] = []
  for (const { line, cells } of rows) {
    const values = { ...blank }
    for (const { field, at } of taken) values[field] = unguarded(cells[at] ?? '')
    for (const at of nameless) if (!isBlank(cells[at])) filled.add(at)
    records.push({ index: records.length, line, values, flaws: surplusOf(cells, header.cells.length) })
  }
  // Checked at the end, because a column without a name does not matter if it is blank in every row.
  for (const at of filled) columns.unknown.add(`column ${at + 1}, without a name`)
  columns.requireKnown(header.line)
  return sheetOf(records, columns)
}

function fieldsOf(header: CsvRecord, columns: Columns, name: string): { field: string; at: number }[] {
  const taken = new Map<string, number>()
  for (const [at, cell] of header.cells.entries()) {
    const field = cell === '' ? undefined : columns.fieldOf(cell)
    if (field === undefined) continue
    const twin = taken.get(field)
    if (twin !== undefined) {
      const sentence = `The columns ${twin + 1} and ${at + 1} are both ${field}; take one of them out or rename it.`
      throw new UnreadableSheet(name, sentence, header.line)
    }
    taken.set(field, at)
  }
  return Array.from(taken, ([field, at]) => ({ field, at }))
}

function surplusOf(cells: readonly string[], width: number): readonly SheetFlaw[] {
  if (cells.length <= width) return NO_FLAWS
  const at = cells.findIndex((cell, index) => index >= width && !isBlank(cell))
  if (at === -1) return NO_FLAWS
  const detail = `There are ${cells.length} cells, but the header has ${width}. Is a quote or a separator missing?`
  return [{ column: `column ${at + 1}`, value: excerpt(cells[at] ?? ''), detail }]
}

function isBlank(cell: string | undefined): boolean {
  return cell === undefined || cell.trim() === ''
}

/** Objects whose members have our field names. */
function objectSheet(source: Iterable<JsonRecord>, columns: Columns): Sheet {
  const records: SheetRecord[] = []
  for (const { line, members, flaws } of source) {
    const values: Record<string, unknown> = {}
    const twins: SheetFlaw[] = []
    for (const name of Object.keys(members)) {
      const field = columns.fieldOf(name)
      if (field === undefined) continue
      if (Object.hasOwn(values, field))
        twins.push({ column: name, value: '', detail: `This is ${field} a second time.` })
      else values[field] = members[name]
    }
    records.push({ index: records.length, line, values, flaws: twins.length === 0 ? flaws : twins })
  }
  columns.requireKnown()
  if (columns.unknown.size > 0) columns.requireSome()
  return sheetOf(records, columns)
}

function sheetOf(records: readonly SheetRecord[], { unknown, derived, named }: Columns): Sheet {
  const columnOf = (field: string) => named.get(field) ?? field
  return { records, notes: [], warnings: [], ignored: [...unknown], derived: [...derived], columnOf }
}

function mappedSheet(mapped: SheetRecords, { rules }: Mapping): Sheet {
  return { ...mapped, ignored: [], derived: [], columnOf: (field) => rules.get(field)?.from[0] ?? field }
}

type Places = ReadonlyMap<string, { readonly name: string; readonly at: number[] }>

/** The columns by their folded names; several columns may have the same name. */
function placesOf(header: readonly string[]): Places {
  const places = new Map<string, { name: string; at: number[] }>()
  for (const [at, name] of header.entries()) {
    const place = places.get(folded(name))
    if (place) place.at.push(at)
    else if (name !== '') places.set(folded(name), { name, at: [at] })
  }
  return places
}

/** A map applied to a header: with the header's own names, and without columns that it lacks. */
function mappingOf({ line, cells }: CsvRecord, mapping: Mapping, places: Places, name: string): Mapping {
  const missing: string[] = []
  const present = (one: Rule | Condition, use: string) => {
    const from = one.from.flatMap((heading) => places.get(folded(heading))?.name ?? [])
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
  const columns = listed(new Set(cells.filter((cell) => cell !== '')))
  const sentence = `There is no column ${missing.join(', ')}, which ${mapping.name} names. The columns are: ${columns}.`
  throw new UnreadableSheet(name, sentence, line)
}

function cellRecords(header: CsvRecord, rows: Iterable<CsvRecord>, mapping: Mapping, places: Places): SheetRecords {
  const mapper = new RecordMapper(mapping)
  const blank = blankOf(mapping)
  const columns = new Map(Array.from(places.values(), ({ name, at }) => [name, at]))
  const records: SheetRecord[] = []
  for (const { line, cells } of rows) {
    const gather = (name: string) => columns.get(name)?.map((at) => unguarded(cells[at] ?? '')) ?? []
    if (!mapper.takes(gather)) continue
    const values = { ...blank }
    const flaws = [...surplusOf(cells, header.cells.length), ...mapper.fillIn(values, gather, line)]
    records.push({ index: records.length, line, values, flaws: flaws.length === 0 ? NO_FLAWS : flaws })
  }
  return { records, notes: mapper.notes(), warnings: mapper.warnings() }
}
