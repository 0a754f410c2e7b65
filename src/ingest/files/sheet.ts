import { lazily } from '../../caches.js'
import { DETAILS } from '../../details.js'
import { TEXT_MAX } from '../../vocabulary.js'
import { csvTables } from './csv.js'
import { decode } from './decode.js'
import type { GuessOptions } from './guess/assignment.js'
import { columnsOf } from './guess/column.js'
import type { DateOrder } from './guess/dates.js'
import { detailName, type Guess, guess } from './guess/guess.js'
import { Headings } from './guess/headings.js'
import { isOwnForm } from './guess/statuses.js'
import {
  type HeadedTable,
  headedTable,
  knownColumns,
  mappedColumns,
  numberedHeadings,
  orColumns,
  rowsBelow,
} from './header.js'
import { type JsonRecord, jsonRecords, ndjsonRecords } from './json.js'
import { folded, type Mapping, type Rule } from './mapping.js'
import {
  type AcceptedMap,
  addedColumns,
  blankNow,
  type Cells,
  type FilledCells,
  filledHeadings,
  type GivenValues,
  hasColumns,
  type Meaning,
  misfitsOf,
  takenAnew,
  takenRows,
  withValues,
} from './maps/fit.js'
import { listRule, mappedObjects, objectTable } from './maps/mappedObjects.js'
import { headerFor, mappedCells } from './maps/mappedTables.js'
import { type Recognisable, recognised, recognisedNote, recognisedObject, recognising } from './maps/recognition.js'
import { ofEntries, outlineOf } from './outline.js'
import { Columns, checkedObjects, namedObjects, namedTable } from './ownColumns.js'
import {
  listed,
  type ReadSheet,
  type SheetNoun,
  type SheetRecord,
  type SheetRecords,
  type Table,
  UnreadableSheet,
} from './table.js'
import { workbookTables } from './workbook/workbook.js'

export type { SheetRecord } from './table.js'
export { type SheetViolation, UnreadableSheet } from './table.js'

export const SHEET_FORMATS = ['csv', 'xlsx', 'ods', 'ndjson', 'json'] as const
export type SheetFormat = (typeof SHEET_FORMATS)[number]

export interface Sheet extends ReadSheet {
  /** The map by which it was read; absent if the columns have the fields' own names. */
  readonly mapping?: Mapping | undefined
  /** What does not fit the map that was accepted before; then there are no records. */
  readonly misfits?: readonly string[]
  /** What was guessed; absent if the columns have the fields' own names, or a map names them. */
  readonly guess?: Guess
}

export interface GuessPlan
  extends Pick<GuessOptions, 'hasProject' | 'referenceFrom' | 'dateOrder' | 'keep' | 'values'> {
  readonly noun: SheetNoun
  /** Guess also where everything has our own names and forms. */
  readonly isForced?: boolean | undefined
}

export interface SheetOptions {
  readonly name: string
  readonly format: SheetFormat
  readonly encoding?: string | undefined
  /** The sheet of a workbook; without it, the first one that has a header. */
  readonly sheet?: string | undefined
  readonly fields: readonly string[]
  readonly derived: readonly string[]
  readonly ignoreUnknown: boolean
  readonly mapping?: Mapping | undefined
  /** The map with which an import from the same source was accepted; it is used unless the columns have the fields' own names. */
  readonly accepted?: AcceptedMap | undefined
  /** Maps that are used without being named if the file has their signature. */
  readonly recognisable?: readonly Recognisable[]
  /** How to guess what the columns mean; without it, they have the fields' own names. */
  readonly guess?: GuessPlan | undefined
}

const EXTENSIONS: Readonly<Record<SheetFormat, RegExp>> = {
  csv: /\.(csv|tsv|txt)$/i,
  xlsx: /\.xls[xm]$/i,
  ods: /\.ods$/i,
  ndjson: /\.(ndjson|jsonl)$/i,
  json: /\.json$/i,
}

export function isWorkbook(format: SheetFormat | undefined): boolean {
  return format === 'xlsx' || format === 'ods'
}

export function formatOf(fileName: string): SheetFormat | undefined {
  return SHEET_FORMATS.find((format) => EXTENSIONS[format].test(fileName))
}

/** Reads a whole file. A file that is not a table throws UnreadableSheet; violations of a record are in the record. */
export function readSheet(bytes: Uint8Array, options: SheetOptions): Sheet {
  const { name, format } = options
  if (isWorkbook(format)) {
    const sheet = options.sheet ?? (options.mapping ?? options.accepted?.mapping)?.sheet
    return tableSheet(workbookTables(bytes, name, sheet), options)
  }
  const text = decode(bytes, name, options.encoding)
  if (format === 'csv') return tableSheet(csvTables(text, name), options)
  if (format === 'ndjson') return objectsSheet(() => ndjsonRecords(text), options)
  const records = jsonRecords(text, name)
  return objectsSheet(() => records, options)
}

function objectsSheet(source: () => Iterable<JsonRecord>, options: SheetOptions): Sheet {
  const { guess: plan, name } = options
  const read = (mapping: Mapping) => mappedSheet(mappedObjects(source(), mapping, name), mapping)
  if (options.mapping) return withHeadings(read(options.mapping), objectTable(source()), options)
  if (!plan) {
    const columns = new Columns(options)
    return checkedObjects(namedObjects(source(), columns), columns)
  }
  const [first] = options.accepted ? [] : source()
  const map = first && recognisedObject(options.recognisable ?? [], first)
  const table = map && objectTable(source())
  if (!map || !table) return guessedObjects(source, options, plan, read)
  const sheet = fittedSheet(map.mapping(), plan, table, read)
  return withHeadings({ ...sheet, notes: [recognisedNote(map), ...sheet.notes] }, table, options)
}

function tableSheet(tables: Iterable<Table>, options: SheetOptions): Sheet {
  const { name, fields, recognisable = [] } = options
  const columns = new Columns(options)
  const headings = options.guess && new Headings(options.guess.noun, fields)
  const isAlias = (heading: string) => headings !== undefined && headings.meaningsOf(heading).length > 0
  const knows = (heading: string) => columns.knows(heading) || isAlias(heading)
  const isNamed = (sheet: string) => headings?.isOf(sheet) === true
  const isHeader = recognising(recognisable, { ...knownColumns(knows, headings !== undefined), isNamed })
  const before = options.mapping ?? options.accepted?.mapping
  const test = options.mapping
    ? mappedColumns(options.mapping)
    : before
      ? orColumns(mappedColumns(before), isHeader)
      : isHeader
  const found = headedTable(tables, test)
  if (!found) throw new UnreadableSheet(name, `There is no header; the columns may be called ${fields.join(', ')}.`)
  const { unit, notes, sheets } = found.table
  if (sheets.length > 1 && found.count === 0 && test.needed > 0)
    throw new UnreadableSheet(name, noHeader(sheets, fields))
  const map = before ? undefined : recognised(recognisable, found.header.cells)
  const sheet = readTable(found, options, columns, map)
  const first = map ? [recognisedNote(map)] : []
  const all = [...first, ...notes, ...noteAbove(found), ...sheet.notes]
  // One sheet among several is part of what is accepted.
  const chosen = options.sheet ?? (sheets.length > 1 ? found.table.sheet : undefined)
  const mapping = sheet.mapping && chosen !== undefined ? { ...sheet.mapping, sheet: chosen } : sheet.mapping
  const cells = { header: found.header.cells, rows: rowsBelow(found) }
  return withHeadings({ ...sheet, unit, notes: all, mapping }, cells, options)
}

/** A sheet that was read by a map, with the headings that have something below them, now or when the map was accepted. */
function withHeadings(sheet: Sheet, cells: FilledCells | undefined, { accepted }: SheetOptions): Sheet {
  if (!sheet.mapping || !cells) return sheet
  return { ...sheet, headings: [...new Set([...(accepted?.headings ?? []), ...filledHeadings(cells)])] }
}

function readTable(found: HeadedTable, options: SheetOptions, columns: Columns, map: Recognisable | undefined): Sheet {
  const { mapping, guess: plan } = options
  if (mapping) return mappedEntries(found, mapping, options)
  if (!plan) return namedTable(found, options)
  if (!map) return guessedTable(found, options, plan, columns)
  const table = { header: found.header.cells, rows: [...rowsBelow(found)] }
  return fittedSheet(map.mapping(), plan, table, (fitted) => mappedEntries(found, fitted, options))
}

const NO_RECORDS: SheetRecords = { records: [], notes: [], warnings: [] }
const NO_WORDS: GivenValues = new Map()

/** Reads a sheet by a map that nobody gave for this file, if it fits. */
function fittedSheet(
  map: Mapping,
  { noun, values = NO_WORDS }: GuessPlan,
  cells: Cells,
  read: (mapping: Mapping) => Sheet,
  { meaning = () => undefined, others = [] }: { meaning?: Meaning; others?: readonly string[] } = {},
): Sheet {
  const rows = takenRows(map, cells.header, cells.rows)
  const given = withValues(noun, map, { ...cells, rows }, values)
  const misfits = [...misfitsOf(noun, given.mapping, { ...cells, rows }, meaning), ...others, ...given.misfits]
  return misfits.length > 0 ? { ...mappedSheet(NO_RECORDS, map), misfits } : read(given.mapping)
}

/** Reads a sheet by the map that was accepted before: columns that are new are kept in details, unless one may be a field. */
function acceptedSheet(
  accepted: AcceptedMap,
  plan: GuessPlan,
  options: SheetOptions,
  cells: Cells,
  read: (mapping: Mapping) => Sheet,
): Sheet {
  const added = addedColumns(accepted, columnsOf(cells.header, cells.rows))
  const isKept = options.fields.includes(DETAILS) && !options.ignoreUnknown
  const details = added.map(({ heading }): [string, Rule] => [
    `${DETAILS}.${detailName(heading)}`,
    { from: [heading], cut: TEXT_MAX.detailText },
  ])
  const { rules } = accepted.mapping
  const mapping = { ...accepted.mapping, rules: new Map(isKept ? [...rules, ...details] : rules) }
  const guessed = lazily(() => guessOf(plan, options, cells))
  const others = [...blankNow(accepted, cells), ...(added.length === 0 ? [] : takenAnew(guessed(), added))]
  const meaning: Meaning = (field, text) => guessed().mapping.rules.get(field)?.values?.get(folded(text))
  const sheet = fittedSheet(mapping, plan, cells, read, { meaning, others })
  const names = added.map(({ heading }) => heading)
  if (names.length === 0 || sheet.misfits) return sheet
  return isKept
    ? { ...sheet, notes: [`New, so kept in details: ${listed(names)}.`, ...sheet.notes] }
    : { ...sheet, ignored: [...sheet.ignored, ...names] }
}

/** The guess about a table in which the words of --value are known. */
function guessOf(plan: GuessPlan, { fields, derived, ignoreUnknown }: SheetOptions, cells: Cells): Guess {
  const { header, rows } = cells
  const seen = guess(plan.noun, header, rows, { ...plan, fields, derived, ignoreUnknown })
  const { mapping, misfits } = withValues(plan.noun, seen.mapping, cells, plan.values ?? NO_WORDS)
  return { ...seen, mapping, questions: [...seen.questions, ...misfits] }
}

function noHeader(sheets: readonly string[], fields: readonly string[]): string {
  const names = `The columns may be called ${fields.join(', ')}; --map names others.`
  return `No sheet has a header: a row that names at least two columns. The sheets are: ${listed(sheets)}. ${names}`
}

function noteAbove({ table: { unit }, header, above }: HeadedTable): string[] {
  if (above === 0) return []
  const rows = above === 1 ? 'the row above it was' : `the ${above} rows above it were`
  return [`The header is in ${unit} ${header.line}; ${rows} passed over.`]
}

function mappedEntries(found: HeadedTable, mapping: Mapping, { guess: plan, fields }: SheetOptions): Sheet {
  if (!mapping.entriesOnly || !plan) return mappedTable(found, mapping, plan?.dateOrder)
  const { found: table, notes } = outlineOf(found, plan.noun, fields)
  const sheet = mappedTable(table, mapping, plan.dateOrder)
  return { ...sheet, notes: [...notes, ...sheet.notes] }
}

function mappedTable(found: HeadedTable, mapping: Mapping, order?: DateOrder): Sheet {
  const { present, ...mapped } = mappedCells(found, mapping, order)
  return mappedSheet(mapped, present)
}

/** A table whose columns are guessed, unless its header and its values are our own. */
function guessedTable(found: HeadedTable, options: SheetOptions, plan: GuessPlan, columns: Columns): Sheet {
  const { cells: headings } = found.header
  const isChosen = plan.referenceFrom !== undefined || plan.keep !== undefined || plan.isForced
  const hasFieldNames = headings.every((heading) => heading === '' || columns.knows(heading)) && !isChosen
  // Without a header that is known there is nothing to guess from.
  const named = hasFieldNames || (found.count === 0 && !plan.isForced) ? namedTable(found, options) : undefined
  const isSame = named && isOwnForm(plan.noun, Object.keys(named.records[0]?.values ?? {}), named.records)
  // What was accepted for our own names counts, as a scale that is turned.
  const isOurs = isSame && !(options.accepted && hasColumns(options.accepted.mapping, headings))
  if (isOurs && !named.records.some(isLone)) return named
  const numbered = options.accepted ? headerFor(options.accepted.mapping, headings) : numberedHeadings(headings)
  const header = { ...found.header, cells: [...numbered] }
  const outline = outlineOf({ ...found, header }, plan.noun, options.fields)
  if (isOurs && outline.notes.length === 0) return named
  const isWhole = options.accepted && !options.accepted.mapping.entriesOnly
  const { found: table, rows, notes } = isWhole ? { ...outline, found: { ...found, header }, notes: [] } : outline
  const cells = { header: table.header.cells, rows: isWhole ? [...rowsBelow(table)] : rows }
  if (options.accepted) {
    const read = (mapping: Mapping) => mappedTable(table, mapping)
    const sheet = acceptedSheet(options.accepted, plan, options, cells, read)
    return { ...sheet, notes: [...notes, ...sheet.notes] }
  }
  const guessed = guessOf(plan, options, cells)
  // In a sheet with our own names only words and dates are translated; what else is wrong is a violation of its row.
  if (named && !isTranslation(guessed, named)) return named
  const mapping = notes.length > 0 ? ofEntries(guessed.mapping) : guessed.mapping
  const all = { ...guessed, mapping, notes: [...notes, ...guessed.notes] }
  return guessedSheet(all, () => mappedTable(table, mapping))
}

/** Whether a record has a single value: it may be the heading of a section. */
function isLone({ values }: SheetRecord): boolean {
  let count = 0
  for (const field in values) if (values[field] !== '' && ++count > 1) return false
  return true
}

/** Objects whose members are guessed like columns, unless their names and values are our own. */
function guessedObjects(
  source: () => Iterable<JsonRecord>,
  options: SheetOptions,
  plan: GuessPlan,
  read: (mapping: Mapping) => Sheet,
): Sheet {
  const columns = new Columns(options)
  const named = namedObjects(source(), columns)
  const isForced = plan.referenceFrom !== undefined || plan.keep !== undefined || plan.isForced === true
  const isNamed = columns.unknown.size === 0
  const hasFieldNames = isNamed && isOwnForm(plan.noun, [...columns.named.keys()], named.records)
  // Whoever sends details as a list knows our names, so that an unknown one is a mistake.
  const { accepted } = options
  const isAccepted = accepted !== undefined && hasColumns(accepted.mapping, [...columns.met])
  const isOurs = (hasFieldNames && !isForced && !isAccepted) || columns.named.has(DETAILS)
  const table = isOurs ? undefined : objectTable(source())
  const advice = 'Or say in a map what the members mean, and give it with --map.'
  if (!table) return checkedObjects(named, columns, advice)
  if (accepted) return withHeadings(acceptedSheet(accepted, plan, options, table, read), table, options)
  const guessed = guessOf(plan, options, table)
  const isUsed = isForced || (isNamed ? isTranslation(guessed, named) : guessed.columns.length > 0)
  if (!isUsed) return checkedObjects(named, columns, advice)
  const rules = new Map(Array.from(guessed.mapping.rules, ([field, rule]) => [field, listRule(rule, table.lists)]))
  const mapping = { ...guessed.mapping, rules }
  return withHeadings(
    guessedSheet({ ...guessed, mapping }, () => read(mapping)),
    table,
    options,
  )
}

function guessedSheet(guessed: Guess, mapped: () => Sheet): Sheet {
  if (guessed.questions.length > 0) return { ...mappedSheet(NO_RECORDS, guessed.mapping), guess: guessed }
  const sheet = mapped()
  return { ...sheet, warnings: [...guessed.warnings, ...sheet.warnings], guess: guessed }
}

function isTranslation({ mapping: { rules, where }, questions, warnings }: Guess, { records }: Sheet): boolean {
  const isWhole = Object.keys(records[0]?.values ?? {}).every((field) => rules.has(field))
  const isPlain = Array.from(rules.values()).every((rule) => !rule.unique && !rule.with && !rule.cut && !rule.oneLine)
  return isWhole && isPlain && where.length + questions.length + warnings.length === 0
}

function mappedSheet(mapped: SheetRecords, mapping: Mapping): Sheet {
  const columnOf = (field: string) => mapping.rules.get(field)?.from[0] ?? field
  return { ...mapped, unit: 'line', ignored: [], derived: [], headings: [], mapping, columnOf }
}
