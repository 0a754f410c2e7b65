import { lazily } from '../../caches.js'
import { DETAILS } from '../../details.js'
import { type NounPlural, TEXT_MAX } from '../../vocabulary.js'
import { csvTables } from './csv.js'
import { decode } from './decode.js'
import type { GuessOptions } from './guess/assignment.js'
import { detailName, type Guess, guess } from './guess/guess.js'
import { headingsOf } from './guess/headings.js'
import { isOwnForm, OWN_ID } from './guess/statuses.js'
import {
  type HeadedTable,
  headedTable,
  headingKey,
  knownColumns,
  mappedColumns,
  numberedHeadings,
  rowsBelow,
} from './header.js'
import { type JsonRecord, jsonRecords, ndjsonRecords } from './json.js'
import { folded, type Mapping } from './mapping.js'
import { type AcceptedMap, addedColumns, type Cells, filledHeadings, fittedTo, isFor, withValues } from './maps/fit.js'
import { listRule, mappedObjects, objectTable } from './maps/mappedObjects.js'
import { headerFor, mappedCells } from './maps/mappedTables.js'
import { type Recognisable, recognised, recognisedObject, recognising } from './maps/recognition.js'
import { ofEntries, outlineOf } from './outline.js'
import { type Columns, checkedObjects, namedObjects, namedTable, ownColumns } from './ownColumns.js'
import { listed, type ReadSheet, type Table, type TableRow, UnreadableSheet } from './table.js'
import { workbookTables } from './workbook/workbook.js'

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
  readonly noun: NounPlural
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

/** Options with which the columns may be guessed. */
type Planned = SheetOptions & { readonly guess: GuessPlan }

function isPlanned(options: SheetOptions): options is Planned {
  return options.guess !== undefined
}

/** How a file is read by a map. */
type Read = (mapping: Mapping) => Sheet

function objectsSheet(source: () => Iterable<JsonRecord>, options: SheetOptions): Sheet {
  const { mapping, accepted, recognisable = [] } = options
  const table = lazily(() => objectTable(source()))
  const read: Read = (by) => {
    const { header = [], rows = [] } = table() ?? {}
    return withHeadings(mappedSheet(mappedObjects(source(), by, options.name), by), header, rows, options)
  }
  if (mapping) return read(mapping)
  const columns = ownColumns(options)
  if (!isPlanned(options)) return checkedObjects(namedObjects(source(), columns), columns)
  const [first] = accepted ? [] : source()
  const map = first && recognisedObject(recognisable, first)
  const cells = map && table()
  if (cells) return recognisedSheet(map, options, cells, read)
  const named = namedObjects(source(), columns)
  const advice = 'Or say in a map what the members mean, and give it with --map.'
  return guessedObjects(named, columns, options, table, read) ?? checkedObjects(named, columns, advice)
}

/** In a text, so many rows above a header are data, and what looks like a header is one of them. */
const ROWS_ABOVE_MAX = 10

function tableSheet(tables: Iterable<Table>, options: SheetOptions): Sheet {
  const { name, fields, accepted, guess: plan, recognisable = [] } = options
  const columns = ownColumns(options)
  const headings = plan && headingsOf(plan.noun, fields)
  const knows = (heading: string) => columns.knows(heading) || (headings?.meaningsOf(heading).size ?? 0) > 0
  const isNamed = (sheet: string) => headings?.isOf(sheet) === true
  const isHeader = recognising(recognisable, { ...knownColumns(knows, headings !== undefined), isNamed })
  const isAccepted = accepted ? mappedColumns(accepted.mapping, isHeader) : isHeader
  const test = options.mapping ? mappedColumns(options.mapping) : isAccepted
  const found = headedTable(tables, test)
  if (!found) throw new UnreadableSheet(name, `There is no header; the columns may be called ${fields.join(', ')}.`)
  const { unit, notes, sheets } = found.table
  if (sheets.length > 1 && found.count === 0 && test.needed > 0) {
    const none = `No sheet has a header: a row that names at least two columns. The sheets are: ${listed(sheets)}.`
    throw new UnreadableSheet(name, `${none} The columns may be called ${fields.join(', ')}; --map names others.`)
  }
  const isGuessed = plan !== undefined && !accepted && !options.mapping
  if (isGuessed && unit === 'line' && found.above > ROWS_ABOVE_MAX) {
    const where = `The only line that looks like a header is ${found.header.line}, below ${found.above} rows`
    throw new UnreadableSheet(name, `${where}. Correct the headings in line 1, or delete what is above the header.`)
  }
  if (isGuessed && sheets.length > 1 && rowsBelow(found).next().done) {
    const none = `The sheet ${JSON.stringify(found.table.sheet)} has the header, and no row below it.`
    throw new UnreadableSheet(name, `${none} --sheet takes another one: ${listed(sheets)}.`)
  }
  const sheet = readTable(found, options, columns)
  // One sheet among several is part of what is accepted.
  const chosen = options.sheet ?? (sheets.length > 1 ? found.table.sheet : undefined)
  const mapping = sheet.mapping && chosen !== undefined ? { ...sheet.mapping, sheet: chosen } : sheet.mapping
  const whole = withNotes([...notes, ...noteAbove(found)], { ...sheet, unit, mapping })
  return mapping ? withHeadings(whole, found.header.cells, rowsBelow(found), options) : whole
}

function readTable(found: HeadedTable, options: SheetOptions, columns: Columns): Sheet {
  const { mapping, accepted, fields, recognisable = [] } = options
  const { cells: header } = found.header
  const order = options.guess?.dateOrder
  if (mapping && !(mapping.entriesOnly && options.guess)) return mappedTable(found, mapping, order)
  if (!isPlanned(options)) return namedTable(found, options)
  if (mapping) {
    const { found: entries, notes } = outlineOf(found, options.guess.noun, fields)
    return withNotes(notes, mappedTable(entries, mapping, order))
  }
  const map = accepted ? undefined : recognised(recognisable, header)
  if (!map) return guessedTable(found, options, columns)
  return recognisedSheet(map, options, { header, rows: [...rowsBelow(found)] }, (by) => mappedTable(found, by, order))
}

function withNotes(notes: readonly string[], sheet: Sheet): Sheet {
  return { ...sheet, notes: [...notes, ...sheet.notes] }
}

/** A sheet that was read by a map, with the headings that have something below them, now or when the map was accepted. */
function withHeadings(sheet: Sheet, header: readonly string[], rows: Iterable<TableRow>, { accepted }: SheetOptions) {
  return { ...sheet, headings: [...new Set([...(accepted?.headings ?? []), ...filledHeadings(header, rows)])] }
}

const NO_RECORDS = { records: [], notes: [], warnings: [] }

/** A sheet by a map that nobody gave for this file, if it fits. */
function fittedSheet({ mapping, misfits }: ReturnType<typeof fittedTo>, read: Read): Sheet {
  return misfits.length > 0 ? { ...mappedSheet(NO_RECORDS, mapping), misfits } : read(mapping)
}

function recognisedSheet(map: Recognisable, options: Planned, cells: Cells, read: Read): Sheet {
  const note = `This looks like ${map.product}: using the map ${map.name}.`
  return withNotes([note], fittedSheet(fittedTo({ mapping: map.mapping(), headings: [] }, cells, options.guess), read))
}

/** Reads a sheet by the map that was accepted before: columns that are new are kept in details, unless one may be a field. */
function acceptedSheet(accepted: AcceptedMap, options: Planned, cells: Cells, read: Read): Sheet {
  const added = addedColumns(accepted, cells)
  const isKept = options.fields.includes(DETAILS) && !options.ignoreUnknown
  const rules = new Map(accepted.mapping.rules)
  for (const heading of isKept ? added : [])
    rules.set(`${DETAILS}.${detailName(heading)}`, { from: [heading], cut: TEXT_MAX.detailText })
  const guessed = lazily(() => guessOf(options, cells))
  const anew = added.length === 0 ? [] : guessed().columns.filter(({ column }) => added.includes(column))
  const looks = anew.map(({ column, field }) => `${column} is new, and looks like ${field}.`)
  const meaning = (field: string, text: string) => guessed().mapping.rules.get(field)?.values?.get(folded(text))
  const extended = { ...accepted, mapping: { ...accepted.mapping, rules } }
  const sheet = fittedSheet(fittedTo(extended, cells, options.guess, looks, meaning), read)
  if (added.length === 0 || sheet.misfits) return sheet
  if (isKept) return withNotes([`New, so kept in details: ${listed(added)}.`], sheet)
  return { ...sheet, ignored: [...sheet.ignored, ...added] }
}

/** The guess about a table in which the words of --value are known. */
function guessOf({ guess: plan, fields, derived, ignoreUnknown }: Planned, cells: Cells): Guess {
  const seen = guess(plan.noun, cells.header, cells.rows, { ...plan, fields, derived, ignoreUnknown })
  const { mapping, misfits } = withValues(seen.mapping, cells, plan)
  return { ...seen, mapping, questions: [...seen.questions, ...misfits] }
}

function noteAbove({ table: { unit }, header, above }: HeadedTable): string[] {
  if (above === 0) return []
  const rows = above === 1 ? 'the row above it was' : `the ${above} rows above it were`
  return [`The header is in ${unit} ${header.line}; ${rows} passed over.`]
}

function mappedTable(found: HeadedTable, mapping: Mapping, order?: GuessPlan['dateOrder']): Sheet {
  const { present, ...mapped } = mappedCells(found, mapping, order)
  return mappedSheet(mapped, present)
}

function isChosen({ referenceFrom, keep, isForced }: GuessPlan): boolean {
  return referenceFrom !== undefined || keep !== undefined || isForced === true
}

/** A table whose columns are guessed, unless its header and its values are our own. */
function guessedTable(found: HeadedTable, options: Planned, columns: Columns): Sheet {
  const { accepted, fields, guess: plan } = options
  const { cells: headings } = found.header
  const hasFieldNames = headings.every((heading) => heading === '' || columns.knows(heading)) && !isChosen(plan)
  // Without a header that is known there is nothing to guess from.
  const named = hasFieldNames || (found.count === 0 && !plan.isForced) ? namedTable(found, options) : undefined
  const isSame = named && isOwnForm(plan.noun, Object.keys(named.records[0]?.values ?? {}), named.records)
  const isOurs = isSame && !isFor(accepted, headings)
  if (isOurs && !named.records.some(isLone)) return named
  const numbered = accepted ? headerFor(accepted.mapping, headings) : numberedHeadings(headings)
  const whole = { ...found, header: { ...found.header, cells: [...numbered] } }
  const outline = outlineOf(whole, plan.noun, fields)
  if (isOurs && outline.notes.length === 0) return named
  const isWhole = accepted && !accepted.mapping.entriesOnly
  const { found: table, rows, notes } = isWhole ? { found: whole, rows: [...rowsBelow(whole)], notes: [] } : outline
  const cells = { header: table.header.cells, rows }
  const read: Read = (mapping) => mappedTable(table, mapping)
  if (accepted) return withNotes(notes, acceptedSheet(accepted, options, cells, read))
  const guessed = guessOf(options, cells)
  // In a sheet with our own names only words and dates are translated; what else is wrong is a violation of its row.
  if (named && !isTranslation(guessed, named)) return named
  const mapping = notes.length > 0 ? ofEntries(guessed.mapping) : guessed.mapping
  return guessedSheet({ ...guessed, mapping, notes: [...notes, ...guessed.notes] }, read)
}

/** Whether a record has a single value: it may be the heading of a section. */
function isLone({ values }: ReadSheet['records'][number]): boolean {
  let count = 0
  for (const field in values) if (values[field] !== '' && ++count > 1) return false
  return true
}

/** Objects whose members are guessed like columns; undefined if their names and values are our own. */
function guessedObjects(
  named: ReadSheet,
  columns: Columns,
  options: Planned,
  table: () => ReturnType<typeof objectTable>,
  read: Read,
): Sheet | undefined {
  const { accepted, guess: plan } = options
  const isNamed = columns.unknown.size === 0
  const isSame = isNamed && isOwnForm(plan.noun, [...columns.named.keys()], named.records)
  const isOurs = isSame && !isChosen(plan) && !isFor(accepted, [...columns.met.keys()])
  // Whoever sends details as a list knows our names, so that an unknown one is a mistake.
  const cells = isOurs || columns.named.has(DETAILS) ? undefined : table()
  if (!cells) return undefined
  if (accepted) return acceptedSheet(accepted, options, cells, read)
  const guessed = guessOf(options, cells)
  const isUsed = isChosen(plan) || (isNamed ? isTranslation(guessed, named) : guessed.columns.length > 0)
  if (!isUsed) return undefined
  const rules = new Map(Array.from(guessed.mapping.rules, ([field, rule]) => [field, listRule(rule, cells.lists)]))
  return guessedSheet({ ...guessed, mapping: { ...guessed.mapping, rules } }, read)
}

function guessedSheet(guessed: Guess, read: Read): Sheet {
  if (guessed.questions.length > 0) return { ...mappedSheet(NO_RECORDS, guessed.mapping), guess: guessed }
  const sheet = read(guessed.mapping)
  return { ...sheet, warnings: [...guessed.warnings, ...sheet.warnings], guess: guessed }
}

function isTranslation({ mapping: { rules, where }, questions, warnings }: Guess, { records }: Sheet): boolean {
  const isOurs = ({ id }: ReadSheet['records'][number]['values']) => id !== '' && OWN_ID.test(String(id))
  // A column ID has references, if its values are no ids of ours: such a sheet has our names by chance.
  const hasReferences = headingKey(rules.get('reference')?.from[0] ?? '') === 'id'
  if (hasReferences && !records.some(({ values }) => isOurs(values))) return true
  const isWhole = Object.keys(records[0]?.values ?? {}).every((field) => rules.has(field))
  const isPlain = Array.from(rules.values()).every((rule) => !rule.unique && !rule.with && !rule.cut && !rule.oneLine)
  return isWhole && isPlain && where.length + questions.length + warnings.length === 0
}

function mappedSheet(mapped: Pick<ReadSheet, 'records' | 'notes' | 'warnings'>, mapping: Mapping): Sheet {
  const columnOf = (field: string) => mapping.rules.get(field)?.from[0] ?? field
  return { ...mapped, unit: 'line', ignored: [], derived: [], headings: [], mapping, columnOf }
}
