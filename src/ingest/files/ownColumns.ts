import { DETAILS, detailField } from '../../details.js'
import { unguarded } from './csv.js'
import { type HeadedTable, headingKey, joinedNotes, recordRows, surplusOf } from './header.js'
import type { JsonRecord } from './json.js'
import {
  isBlank,
  listed,
  type Place,
  type ReadSheet,
  type SheetRecord,
  type SheetViolation,
  UnreadableSheet,
} from './table.js'

/** The names of a noun's fields and computed columns, and the file's name for messages. */
interface ColumnOptions {
  readonly name: string
  readonly fields: readonly string[]
  readonly derived: readonly string[]
  readonly ignoreUnknown: boolean
}

/** Sorts the column names of a source into fields, computed columns and unknown ones. */
export class Columns {
  /** The source's name for the column of each field. */
  readonly named = new Map<string, string>()
  readonly derived = new Set<string>()
  readonly unknown = new Set<string>()
  readonly #options: ColumnOptions
  readonly #fields: ReadonlyMap<string, string>
  readonly #derived: ReadonlySet<string>
  /** Every name that was seen, so that each is resolved once. */
  readonly #met = new Map<string, string | undefined>()

  constructor(options: ColumnOptions) {
    this.#options = options
    this.#fields = new Map(options.fields.map((field) => [headingKey(field), field]))
    this.#derived = new Set(options.derived.map(headingKey))
  }

  /** Every name that was seen. */
  get met(): Iterable<string> {
    return this.#met.keys()
  }

  knows(name: string): boolean {
    const key = headingKey(name)
    return this.#fields.has(key) || this.#derived.has(key) || this.#detailOf(name) !== undefined
  }

  #detailOf(name: string): string | undefined {
    return this.#fields.has(DETAILS) ? detailField(name) : undefined
  }

  fieldOf(name: string): string | undefined {
    if (!this.#met.has(name)) this.#met.set(name, this.#meet(name))
    return this.#met.get(name)
  }

  #meet(name: string): string | undefined {
    const key = headingKey(name)
    // A detail may be called #, which has no letter to compare.
    const field = this.#detailOf(name) ?? this.#fields.get(key)
    if (field === undefined) (this.#derived.has(key) ? this.derived : this.unknown).add(name)
    else if (!this.named.has(field)) this.named.set(field, name)
    return field
  }

  requireSome(place?: Place): void {
    if (this.named.size > 0) return
    const sentence =
      `No column is known. The columns may be called ${this.#options.fields.join(', ')}. ` +
      'If the file has columns of other names, say in a map what they mean: --suggest-map prints one to start with, --map takes it.'
    throw new UnreadableSheet(this.#options.name, sentence, place)
  }

  requireKnown(place?: Place, advice?: string): void {
    if (this.unknown.size === 0 || this.#options.ignoreUnknown) return
    const sentences = [
      `Unknown ${this.unknown.size === 1 ? 'column' : 'columns'}: ${listed(this.unknown)}.`,
      'Ignore them with --ignore-unknown.',
      ...(advice === undefined ? [] : [advice]),
      `Known columns: ${this.#options.fields.join(', ')}.`,
    ]
    throw new UnreadableSheet(this.#options.name, sentences.join(' '), place)
  }
}

/** A table whose columns have the fields' own names. */
export function namedTable(found: HeadedTable, options: ColumnOptions): ReadSheet {
  const { table, header } = found
  const columns = new Columns({ ...options, name: table.name })
  const place = { line: header.line, unit: table.unit }
  const taken = fieldsOf(found, columns)
  const nameless = header.cells.flatMap((cell, at) => (cell === '' ? [at] : []))
  columns.requireSome(place)
  // Copied for each record, so that all records have the same hidden class in V8.
  const blank: Record<string, unknown> = Object.fromEntries(taken.map(({ field }) => [field, '']))
  const filled = new Set<number>()
  const records: SheetRecord[] = []
  let joined = 0
  const named = taken.map(({ field, at }) => [field, [at]] as const)
  for (const { line, cells } of recordRows(found, named, () => joined++)) {
    const values = { ...blank }
    for (const { field, at } of taken) values[field] = unguarded(cells[at] ?? '')
    for (const at of nameless) {
      if (at >= cells.length) break
      if (!isBlank(cells[at])) filled.add(at)
    }
    records.push({ index: records.length, line, values, violations: surplusOf(cells, header.cells.length) })
  }
  // Checked at the end, because a column without a name does not matter if it is blank in every row.
  for (const at of filled) columns.unknown.add(`column ${at + 1}, without a name`)
  columns.requireKnown(place)
  return { ...sheetOf(records, columns), notes: joinedNotes(joined) }
}

function fieldsOf({ table, header }: HeadedTable, columns: Columns): { field: string; at: number }[] {
  const taken = new Map<string, number>()
  for (const [at, cell] of header.cells.entries()) {
    const field = cell === '' ? undefined : columns.fieldOf(cell)
    if (field === undefined) continue
    const twin = taken.get(field)
    if (twin !== undefined) {
      const sentence = `The columns ${twin + 1} and ${at + 1} are both ${field}; take one of them out or rename it.`
      throw new UnreadableSheet(table.name, sentence, { line: header.line, unit: table.unit })
    }
    taken.set(field, at)
  }
  return Array.from(taken, ([field, at]) => ({ field, at }))
}

/** Objects whose members have the fields' own names. */
export function namedObjects(source: Iterable<JsonRecord>, columns: Columns): ReadSheet {
  const records: SheetRecord[] = []
  for (const { line, members, violations } of source) {
    const values: Record<string, unknown> = {}
    const twins: SheetViolation[] = []
    for (const name of Object.keys(members)) {
      const field = columns.fieldOf(name)
      if (field === undefined) continue
      if (Object.hasOwn(values, field))
        twins.push({ column: name, value: '', detail: `This is ${field} a second time.` })
      else values[field] = members[name]
    }
    records.push({ index: records.length, line, values, violations: twins.length === 0 ? violations : twins })
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
