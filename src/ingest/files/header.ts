import { unguarded } from '../../csv.js'
import { DETAILS } from '../../details.js'
import { fold } from '../../text.js'
import { isNeeded, type Mapping, usesOf } from './mapping.js'
import { excerpt, isBlank, NO_FLAWS, type SheetViolation, type Table, type TableRow, UnreadableSheet } from './table.js'

/** Rows at the beginning of a file among which its header is looked for. */
const HEADER_ROWS_MAX = 50
/** Rows times columns with a heading. */
const CELLS_MAX = 100_000_000

// Line breaks, invisible characters, punctuation and symbols; a variation selector is an invisible mark.
const INSIGNIFICANT = /[^\p{L}\p{N}\p{M}]|\p{Default_Ignorable_Code_Point}/gu

/** Longer texts are no headings of columns or groups. */
export const HEADING_CHARACTERS_MAX = 200

/** The form in which headings are compared: their letters and digits, in any case. */
export function headingKey(heading: string): string {
  const folded = fold(heading)
  // A heading such as # has nothing else.
  return folded.replace(INSIGNIFICANT, '') || folded.trim()
}

/** Tests a row of headings: `count` returns how many wanted columns it names, and `needed` of them make a header. */
export interface HeaderTest {
  readonly needed: number
  /** Whether a later row that names more columns is a better header. */
  readonly isByMost?: boolean
  /** Whether the name of a sheet says that it has what is looked for. */
  readonly isNamed?: (sheet: string) => boolean
  knows(heading: string): boolean
  count(headings: readonly string[]): number
}

/** A header names two columns that are known: a single one may be a title or a value. */
export function knownColumns(knows: (heading: string) => boolean, isByMost = false): HeaderTest {
  return {
    needed: 2,
    isByMost,
    knows,
    count(headings) {
      const keys = new Set(headings.filter((heading) => heading !== '' && knows(heading)).map(headingKey))
      return keys.size < 2 ? 0 : keys.size
    },
  }
}

/** A header names a column for every rule of the map that needs one, or is one of another kind. */
export function mappedColumns(mapping: Mapping, other?: HeaderTest): HeaderTest {
  const uses = usesOf(mapping)
  const all = uses.map(([, one]) => one)
  const needed = all.filter(isNeeded)
  const wanted = (needed.length > 0 ? needed : all).map(({ from }) => from.map(headingKey))
  // As at the first import, a detail is no known heading: a note that is merged beside the table is such a detail.
  const fields = uses.filter(([field]) => !field.startsWith(`${DETAILS}.`))
  const names = new Set(fields.flatMap(([, { from }]) => from.map(headingKey)))
  return {
    needed: needed.length || Math.min(all.length, 1),
    ...other,
    knows: (heading) => names.has(headingKey(heading)) || other?.knows(heading) === true,
    count(headings) {
      const keys = new Set(headings.map(headingKey))
      const mapped = wanted.filter((names) => names.some((name) => keys.has(name))).length
      return Math.max(mapped, other?.count(headings) ?? 0)
    },
  }
}

export interface HeadedTable {
  readonly table: Table
  readonly header: TableRow
  /** The rows before it that have something in them. */
  readonly above: number
  /** How many of the columns that were looked for it names. */
  readonly count: number
}

/** The table with the best header, or the first one that is enough; if there is none, the row that is nearest to one. */
export function headedTable(tables: Iterable<Table>, test: HeaderTest): HeadedTable | undefined {
  let nearest: HeadedTable | undefined
  let first: Table | undefined
  let violation: UnreadableSheet | undefined
  for (const table of tables) {
    first ??= table
    try {
      for (const found of headersIn(table, test))
        if (!nearest || worth(found, test) > worth(nearest, test)) nearest = found
    } catch (error) {
      // With another separator the text may be readable.
      if (!(error instanceof UnreadableSheet)) throw error
      if (table === first) violation = error
    }
    if (nearest && isEnough(nearest, test)) break
  }
  if (nearest && nearest.count >= test.needed) return { ...nearest, header: wholeHeader(nearest, test) }
  if (violation) throw violation
  return nearest
}

/** A sheet whose name fits needs fewer columns: a workbook may have a sheet of risks and one of problems. */
const NAME_WORTH = 2

function worth({ table, count }: HeadedTable, { isNamed }: HeaderTest): number {
  return count > 0 && table.sheet !== undefined && isNamed?.(table.sheet) ? count + NAME_WORTH : count
}

function headersIn(table: Table, test: HeaderTest): HeadedTable[] {
  const all: HeadedTable[] = []
  let last: readonly string[] = []
  for (const { line, cells: raw } of table.rows()) {
    if (raw.every(isBlank)) continue
    const cells = headingsOf(raw)
    const joined = joinedHeader(last, cells, test)
    const grouped = joined ?? withGroups(cells, last)
    const count = Math.max(joined ? 0 : test.count(cells), test.count(grouped))
    const found = { table, header: { line, cells: grouped }, above: all.length - (joined ? 1 : 0), count }
    all.push(found)
    if (isEnough(found, test) || all.length === HEADER_ROWS_MAX) break
    last = cells
  }
  return all
}

/** Whether to look no further: enough columns are known, and no other row can be better. */
function isEnough({ count }: HeadedTable, { needed, isByMost }: HeaderTest): boolean {
  return !isByMost && count >= needed
}

function headingsOf(cells: readonly string[]): string[] {
  return cells.map((cell) => unguarded(cell).trim())
}

/** Headings of which each is there once: a further X is X (2). */
export function numberedHeadings(headings: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return headings.map((heading) => {
    const count = (counts.get(fold(heading)) ?? 0) + 1
    counts.set(fold(heading), count)
    return heading === '' || count === 1 ? heading : `${heading} (${count})`
  })
}

/** A header goes on as long as one of its headings is merged with the cell below. */
function wholeHeader({ table, header }: HeadedTable, { knows }: HeaderTest): TableRow {
  let whole = header
  let below = 0
  for (const { line, cells: raw, merged } of table.rows()) {
    if (line <= whole.line) continue
    if (++below > HEADER_ROWS_MAX) break
    const cells = headingsOf(raw)
    const upper = whole.cells
    // A note that is merged beside the table goes on beside its rows.
    const isHeading = (at: number) => cells[at] === upper[at] && knows(cells[at] ?? '')
    if (![...(merged ?? [])].some(isHeading)) break
    const width = Math.max(cells.length, upper.length)
    const lowest = Array.from({ length: width }, (_, at) => cells[at] || upper[at] || '')
    whole = { line, cells: withGroups(lowest, upper, knows) }
  }
  return { ...whole, cells: asWideAs(table, whole) }
}

/** In a workbook what is to the right of the header is a column without a name; in a text a separator may be wrong. */
function asWideAs(table: Table, { line, cells }: TableRow): string[] {
  if (table.unit === 'line') return cells
  let width = cells.length
  for (const row of table.rows()) if (row.line > line) width = Math.max(width, row.cells.length)
  return [...cells, ...Array<string>(width - cells.length).fill('')]
}

/** A row without blanks below the headings of the row above is one of its own, and a row of numbers is none. */
const BLANKS_BELOW_MIN = 2
export const NUMERIC = /^[\d.,%\s]+$/

/** Two rows as one header: the lower one names only the columns of groups, which have blanks to the right of them. */
function joinedHeader(upper: readonly string[], lower: readonly string[], test: HeaderTest): string[] | undefined {
  const below = lower.flatMap((cell, at) => (cell === '' || cell === upper[at] ? [] : [at]))
  const blanks = upper.filter((cell, at) => cell !== '' && (lower[at] ?? '') === '').length
  const isOwnRow = blanks < BLANKS_BELOW_MIN || !below.some((at) => (upper[at] ?? '') === '')
  if (isOwnRow || below.some((at) => NUMERIC.test(lower[at] ?? ''))) return undefined
  const grouped = withGroups(lower, upper, test.knows)
  const joined = Array.from({ length: Math.max(upper.length, lower.length) }, (_, at) => grouped[at] || upper[at] || '')
  const count = below.filter((at) => test.knows(joined[at] ?? '')).length
  const isBetter = test.count(joined) > Math.max(test.count(upper), test.count(lower))
  return isBetter && count > 1 && count * 2 >= below.length ? joined : undefined
}

/** What a group of columns is about if not about the entry, and the headings that then are of that thing. */
const OTHER_THINGS =
  /^(?:information )?(?:asset|system|process|supplier|vendor|component|application|service|location|control)s?$/i
const GENERAL = /^(?:name|title|description|id|type|owner|category)$/i

/** Puts the heading of a group before headings that are repeated, or that are known by it: `Residual` above `Impact`. */
function withGroups(
  cells: readonly string[],
  above: readonly string[],
  knows: (heading: string) => boolean = () => false,
): string[] {
  let last = ''
  const groups = cells.map((_, at) => {
    const heading = above[at] || last
    last = heading.length > HEADING_CHARACTERS_MAX ? '' : heading
    return last
  })
  // A single text above a table is its title.
  const hasGroups = above.filter((heading) => heading !== '').length > 1
  const groupsOf = new Map(cells.map((cell) => [cell, new Set<string>()]))
  for (const [at, cell] of cells.entries()) groupsOf.get(cell)?.add(groups[at] ?? '')
  return cells.map((cell, at) => {
    const group = groups[at]
    if (cell === '' || !group || group === cell) return cell
    const isRepeated = (groupsOf.get(cell)?.size ?? 0) > 1
    const isOther = hasGroups && OTHER_THINGS.test(group) && GENERAL.test(cell)
    return isRepeated || isOther || knows(`${group} ${cell}`) ? `${group} ${cell}` : cell
  })
}

/** The rows below the header that are not blank. */
export function* rowsBelow({ table, header }: HeadedTable): Generator<TableRow, void> {
  let last: TableRow | undefined
  const width = header.cells.filter((heading) => heading !== '').length
  let cellsLeft: number = CELLS_MAX
  for (const row of table.rows()) {
    if (row.line <= header.line) continue
    last = row
    // Columns are looked at row by row, however few cells a row has.
    cellsLeft -= width
    if (cellsLeft < 0) {
      const most = CELLS_MAX.toLocaleString('en')
      const sentence = `The table has more than ${most} cells, ${width} in each row. Split it, or leave columns out.`
      throw new UnreadableSheet(table.name, sentence, { line: row.line, unit: table.unit })
    }
    if (!row.cells.every(isBlank)) yield row
  }
  // A text that ends within its last row was truncated: the missing cells are lost, not blank.
  const [filled, all] = [last?.cells.length ?? 0, header.cells.length]
  if (!last || !table.isOpenEnded || filled >= all || last.cells.every(isBlank)) return
  const sentence = `The file is truncated: its last row has ${filled} of ${all} cells.`
  throw new UnreadableSheet(table.name, sentence, { line: last.line })
}

/** The fields that name a record: where the cell of one is merged over several rows, these are one record. */
const NAMING: ReadonlySet<string> = new Set(['reference', 'title', 'name', 'key', 'email', 'externalId'])

/** The rows of the records of a table; rows that are merged into one record are joined, and noted after the last. */
export function* recordRows(
  found: HeadedTable,
  columns: Iterable<readonly [field: string, at: readonly number[]]>,
  notes: string[],
): Generator<TableRow, void> {
  const naming = [...columns].flatMap(([field, at]) => (NAMING.has(field) ? at : []))
  let record: TableRow[] = []
  let joined = 0
  for (const row of rowsBelow(found)) {
    if (record.length > 0 && naming.some((at) => row.merged?.has(at))) joined++
    else {
      if (record.length > 0) yield joinedRow(record)
      record = []
    }
    record.push(row)
  }
  if (record.length > 0) yield joinedRow(record)
  if (joined > 0) notes.push(`Rows that are merged with the one above were joined with it: ${joined}.`)
}

/** The first of some rows with what those below have of their own, each on a new line. */
function joinedRow(rows: readonly TableRow[]): TableRow {
  const [first = { line: 0, cells: [] }] = rows
  if (rows.length === 1) return first
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  const own = (at: number) => rows.filter((row) => !isBlank(row.cells[at]) && (row === first || !row.merged?.has(at)))
  const cells = Array.from({ length: width }, (_, at) => own(at).map((row) => row.cells[at]))
  return { line: first.line, cells: cells.map((texts) => texts.join('\n')) }
}

/** The violation of a row that has more cells than the header. */
export function surplusOf(cells: readonly string[], width: number): readonly SheetViolation[] {
  if (cells.length <= width) return NO_FLAWS
  const at = cells.findIndex((cell, index) => index >= width && !isBlank(cell))
  if (at === -1) return NO_FLAWS
  const detail = `There are ${cells.length} cells, but the header has ${width}. Is a quote or a separator missing?`
  return [{ column: `column ${at + 1}`, value: excerpt(cells[at] ?? ''), detail }]
}
