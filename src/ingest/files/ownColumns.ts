import { unguarded } from '../../csv.js'
import { DETAILS, detailField } from '../../details.js'
import { type HeadedTable, headingKey, recordRows, surplusOf } from './header.js'
import type { JsonRecord } from './json.js'
import { isBlank, listed, type Place, type ReadSheet, type SheetRecord, UnreadableSheet } from './table.js'

/** The names of a noun's fields and computed columns, and the file's name for messages. */
export interface ColumnOptions {
  readonly name: string
  readonly fields: readonly string[]
  readonly derived: readonly string[]
  readonly ignoreUnknown: boolean
}

export type Columns = ReturnType<typeof ownColumns>

/** Sorts the column names of a source into fields, computed columns and unknown ones. */
export function ownColumns(options: ColumnOptions) {
  const fields = new Map(options.fields.map((field) => [headingKey(field), field]))
  const computed = new Set(options.derived.map(headingKey))
  /** The source's name for the column of each field. */
  const named = new Map<string, string>()
  const [derived, unknown] = [new Set<string>(), new Set<string>()]
  /** The field of every name that was seen, so that each is resolved once. */
  const met = new Map<string, string | undefined>()
  const detailOf = (name: string) => (fields.has(DETAILS) ? detailField(name) : undefined)
  return {
    ...{ named, derived, unknown, met },

    knows(name: string): boolean {
      const key = headingKey(name)
      return fields.has(key) || computed.has(key) || detailOf(name) !== undefined
    },

    fieldOf(name: string): string | undefined {
      if (met.has(name)) return met.get(name)
      const key = headingKey(name)
      // A detail may be called #, which has no letter to compare.
      const field = detailOf(name) ?? fields.get(key)
      met.set(name, field)
      if (field === undefined) (computed.has(key) ? derived : unknown).add(name)
      else if (!named.has(field)) named.set(field, name)
      return field
    },

    requireSome(place?: Place): void {
      if (named.size > 0) return
      const sentence =
        `No column is known. The columns may be called ${options.fields.join(', ')}. ` +
        'If the file has columns of other names, say in a map what they mean: --suggest-map prints one to start with, --map takes it.'
      throw new UnreadableSheet(options.name, sentence, place)
    },

    requireKnown(place?: Place, advice?: string): void {
      if (unknown.size === 0 || options.ignoreUnknown) return
      const found = `Unknown ${unknown.size === 1 ? 'column' : 'columns'}: ${listed(unknown)}.`
      const ways = ['Ignore them with --ignore-unknown.', advice ?? []].flat().join(' ')
      throw new UnreadableSheet(options.name, `${found} ${ways} Known columns: ${options.fields.join(', ')}.`, place)
    },
  }
}

/** A table whose columns have the fields' own names. */
export function namedTable(found: HeadedTable, options: ColumnOptions): ReadSheet {
  const { table, header } = found
  const columns = ownColumns({ ...options, name: table.name })
  const place = { line: header.line, unit: table.unit }
  const taken = ownFields(found, columns)
  const nameless = header.cells.flatMap((cell, at) => (cell === '' ? [at] : []))
  columns.requireSome(place)
  // Copied for each record, so that all records have the same hidden class in V8.
  const blank: Record<string, unknown> = Object.fromEntries(taken.map(([field]) => [field, '']))
  const filled = new Set<number>()
  const records: SheetRecord[] = []
  const notes: string[] = []
  for (const { line, cells } of recordRows(found, taken, notes)) {
    const values = { ...blank }
    for (const [field, [at]] of taken) values[field] = unguarded(cells[at] ?? '')
    for (const at of nameless) {
      if (at >= cells.length) break
      if (!isBlank(cells[at])) filled.add(at)
    }
    records.push({ index: records.length, line, values, violations: surplusOf(cells, header.cells.length) })
  }
  // Checked at the end, because a column without a name does not matter if it is blank in every row.
  for (const at of filled) columns.unknown.add(`column ${at + 1}, without a name`)
  columns.requireKnown(place)
  return { ...sheetOf(records, columns), notes }
}

function ownFields({ table, header }: HeadedTable, columns: Columns) {
  const taken = new Map<string, readonly [at: number]>()
  for (const [at, cell] of header.cells.entries()) {
    const field = cell === '' ? undefined : columns.fieldOf(cell)
    if (field === undefined) continue
    const [twin] = taken.get(field) ?? []
    if (twin !== undefined) {
      const sentence = `The columns ${twin + 1} and ${at + 1} are both ${field}; take one of them out or rename it.`
      throw new UnreadableSheet(table.name, sentence, { line: header.line, unit: table.unit })
    }
    taken.set(field, [at])
  }
  return [...taken]
}

/** Objects whose members have the fields' own names. */
export function namedObjects(source: Iterable<JsonRecord>, columns: Columns): ReadSheet {
  const records: SheetRecord[] = []
  for (const { line, members, violations } of source) {
    const values: Record<string, unknown> = {}
    const flaws = [...violations]
    for (const name of Object.keys(members)) {
      const field = columns.fieldOf(name)
      if (field === undefined) continue
      if (Object.hasOwn(values, field))
        flaws.push({ column: name, value: '', detail: `This is ${field} a second time.` })
      else values[field] = members[name]
    }
    records.push({ index: records.length, line, values, violations: flaws.length === 0 ? violations : flaws })
  }
  return sheetOf(records, columns)
}

export function checkedObjects(sheet: ReadSheet, columns: Columns, advice?: string): ReadSheet {
  columns.requireKnown(undefined, advice)
  if (columns.unknown.size > 0) columns.requireSome()
  return sheet
}

function sheetOf(records: readonly SheetRecord[], { unknown, derived, named }: Columns): ReadSheet {
  const columnOf = (field: string) => named.get(field) ?? field
  const names = { ignored: [...unknown], derived: [...derived], headings: [] }
  return { unit: 'line', notes: [], warnings: [], records, ...names, columnOf }
}
