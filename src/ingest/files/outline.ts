import { unguarded } from './csv.js'
import { Headings } from './guess/headings.js'
import { type HeadedTable, headingKey, rowsBelow } from './header.js'
import type { Mapping, Rule } from './mapping.js'
import { excerpt, isBlank, type RowUnit, type SheetNoun, type TableRow } from './table.js'

/** The heading of the column that has the section of each entry. */
const SECTION = 'Section'

/** A table without the rows that are no entries, its rows as texts, and what was left out. */
interface Outline {
  readonly found: HeadedTable
  readonly rows: readonly TableRow[]
  readonly notes: readonly string[]
}

/** Leaves out the rows of a table that are no entries; what heads a section becomes a column of the rows below it. */
export function outlineOf(found: HeadedTable, noun: SheetNoun, fields: readonly string[]): Outline {
  const { table, header } = found
  const rows = Array.from(rowsBelow(found), (row) => ({ ...row, cells: row.cells.map(unguarded) }))
  const hasEntries = noun === 'risks' || noun === 'issues'
  const kinds = hasEntries ? kindsOf(new Shape(header.cells, rows, new Headings(noun, fields), table.unit)) : undefined
  if (!kinds || kinds.size === 0) return { found, rows, notes: [] }
  const left = new Map(
    Array.from(kinds, ([at, kind]) => [rows[at]?.line ?? 0, kind === 'section' ? sectionOf(rows[at]) : undefined]),
  )
  const isNamed = header.cells.some((heading) => headingKey(heading) === headingKey(SECTION))
  const hasSections = !isNamed && [...left.values()].some((section) => section !== undefined)
  const width = hasSections ? header.cells.length : undefined
  return {
    found: {
      ...found,
      header: width === undefined ? header : { ...header, cells: [...header.cells, SECTION] },
      table: { ...table, rows: () => entries(table.rows(), left, header.line, width) },
    },
    rows: [...entries(rows, left, header.line, width)],
    notes: notesOf(kinds, rows, table.unit),
  }
}

/** A map of the entries of an outline, so that it reads the same from the whole table. */
export function ofEntries({ rules, ...mapping }: Mapping): Mapping {
  const optional = (rule: Rule): Rule => (rule.from[0] === SECTION ? { ...rule, optional: true } : rule)
  return {
    ...mapping,
    rules: new Map(Array.from(rules, ([field, rule]) => [field, optional(rule)])),
    entriesOnly: true,
  }
}

/** The rows that are entries; with a width, each has its section after that many cells. */
function* entries(
  rows: Iterable<TableRow>,
  left: ReadonlyMap<number, string | undefined>,
  headerLine: number,
  width: number | undefined,
): Generator<TableRow, void> {
  let section = ''
  for (const row of rows) {
    if (left.has(row.line)) section = left.get(row.line) ?? section
    else if (width === undefined || row.line <= headerLine || row.cells.length > width) yield row
    else yield { ...row, cells: [...row.cells, ...Array(width - row.cells.length).fill(''), section] }
  }
}

/** The text of a heading; a number may be before it. */
function sectionOf(row: TableRow | undefined): string {
  const text = (row?.cells.findLast((cell) => !isBlank(cell)) ?? '').trim()
  return text.endsWith(':') ? text.slice(0, -1).trimEnd() : text
}

const WORDS: Readonly<Record<Kind, string>> = {
  section: 'headings of sections',
  header: 'the header once more',
  total: 'totals',
  rule: 'lines without a text',
  below: 'below the table',
}
const LISTED_MAX = 100

/** What is left out, and where. */
function notesOf(kinds: ReadonlyMap<number, Kind>, rows: readonly TableRow[], unit: string): string[] {
  return Object.entries(WORDS).flatMap(([kind, words]) => {
    const all = rows.filter((_, at) => kinds.get(at) === kind)
    const shown = all.slice(0, LISTED_MAX).map(({ line, cells }) => {
      const text = cells.filter((cell) => !isBlank(cell)).join(' ')
      return `${unit} ${line} ${JSON.stringify(excerpt(text))}`
    })
    const more = all.length > LISTED_MAX ? `; and ${all.length - LISTED_MAX} more` : ''
    return all.length === 0 ? [] : [`Left out, ${words}: ${shown.join('; ')}${more}.`]
  })
}

/** The rows that are no entries, by their index. */
function kindsOf(shape: Shape): Map<number, Kind> {
  const kinds = new Map<number, Kind>()
  if (shape.fullCount < 2 || shape.title === undefined) return kinds
  for (const [at, row] of shape.rows.entries()) {
    if (shape.repeatsHeader(row)) kinds.set(at, 'header')
    else if (isTotal(shape, row.cells)) kinds.set(at, 'total')
    else if (!row.cells.some((cell) => /[\p{L}\p{N}]/u.test(cell))) kinds.set(at, 'rule')
  }
  for (const [at, kind] of sections(shape, kinds)) kinds.set(at, kind)
  for (const at of belowTable(shape, kinds)) kinds.set(at, 'below')
  return kinds
}

const TOTAL =
  /^(?:(?:grand|sub|overall)[\s-]*)?(?:totals?|sum|average|mean|count|summe|gesamt|gesamtsumme|durchschnitt|somme|moyenne|suma|promedio|soma|média|razem|średnia|合计|总计|平均)(?:\s+(?:of|number|risks?|issues?|scores?|points|exposure|cost|costs|rating|général|open|:))*\s*:?$/iu

/** A row of sums: a word for it, otherwise numbers, and no reference. */
function isTotal({ reference, title }: Shape, cells: readonly string[]): boolean {
  const isNamed = reference !== undefined && !isBlank(cells[reference]) && !isBlank(cells[title ?? -1])
  if (isNamed) return false
  const label = cells.findIndex((cell) => /\p{L}/u.test(cell))
  const isAlone = [reference, title].every(
    (column) => column === undefined || column === label || isBlank(cells[column]),
  )
  if (!isAlone || !TOTAL.test(cells[label]?.trim() ?? '')) return false
  return cells.every((cell, at) => at === label || !/\p{L}/u.test(cell))
}

/** Over how many columns a merged cell must go to be a heading in any case. */
const WIDE_COLUMNS_MIN = 3
/** How many headings may be one below the other. */
const NESTED_MAX = 2

/**
 * The rows with one text that head the rows below them. Where nothing else tells them from an entry of which only the
 * title is known, the table must begin with one.
 */
function* sections(shape: Shape, kinds: ReadonlyMap<number, Kind>): Generator<[number, Kind]> {
  const { rows, reference, title = -1, fullCount } = shape
  const others = [...rows.keys()].filter((at) => !kinds.has(at))
  const lone = new Map(others.flatMap((at) => [shape.loneText(at) ?? []].flat().map((text) => [at, text] as const)))
  if (lone.size === 0) return
  const heads = headsOf(shape, others, lone)
  const isDivided = reference !== undefined || heads.has(others[0] ?? -1)
  const width = Math.max(WIDE_COLUMNS_MIN, shape.header.filter((heading) => heading !== '').length / 2)
  for (const [at, { text, column }] of lone) {
    const isWide = (rows[at]?.across ?? 1) >= width
    const isNamed = column === reference && shape.isReference(text)
    const isHeading = isDivided && lone.size <= fullCount && column <= title && !isNamed && heads.has(at)
    if (isWide || isHeading) yield [at, heads.has(at) ? 'section' : 'below']
  }
}

/** The rows with one text that a full row follows. */
function headsOf(shape: Shape, others: readonly number[], lone: ReadonlyMap<number, unknown>): Set<number> {
  const heads = new Set<number>()
  let nested = NESTED_MAX
  for (const at of others.toReversed()) {
    if (!lone.has(at)) nested = shape.isFull(at) ? 0 : NESTED_MAX
    else if (nested++ < NESTED_MAX) heads.add(at)
  }
  return heads
}

const FACTORS = ['likelihood', 'impact'] as const
const NUMBER = /^[\d.,%\s]+$/

/** The rows of legends and other tables that follow a table after a gap. */
function* belowTable(shape: Shape, kinds: ReadonlyMap<number, Kind>): Generator<number> {
  if (shape.blocks.length === 1) return
  const { rows, header, reference, title = -1 } = shape
  const blocks = shape.blocks.map((block) => block.filter((at) => !kinds.has(at)))
  const start = blocks.findIndex((block) => block.some((at) => shape.isFull(at)))
  const table = blocks[start]?.flatMap((at) => rows[at] ?? [])
  if (!table) return
  const columns = [...header.keys()].filter((at) => header[at] !== '')
  const core = columns.filter((column) => shape.share(column) >= 0.6)
  const numeric = columns.filter((column) => {
    const texts = table.map(({ cells }) => cells[column] ?? '').filter((text) => !isBlank(text))
    return texts.length > 1 && texts.every((text) => NUMBER.test(text))
  })
  // Words in columns of numbers are the header of another table.
  const isOtherHeader = ({ cells }: TableRow) => {
    const filled = numeric.filter((column) => !isBlank(cells[column]))
    return filled.length > 1 && filled.every((column) => /\p{L}{2}/u.test(cells[column] ?? ''))
  }
  const isEntry = ({ cells }: TableRow) => {
    if (reference !== undefined && shape.isReference(cells[reference] ?? '')) return true
    const filled = core.filter((column) => !isBlank(cells[column])).length
    return !isBlank(cells[title]) && filled >= core.length * (reference === undefined ? 0.5 : 0.75)
  }
  // A row that has the heading of a scale as a text explains it.
  const isLegend = ({ cells }: TableRow) => reference === undefined && cells.some((cell) => shape.names(cell, FACTORS))
  const isBelow = (block: readonly number[]) => {
    const all = block.flatMap((at) => rows[at] ?? [])
    return !all.some(isEntry) || all.some(isLegend)
  }
  const other = blocks.findIndex(([at = -1], index) => index > start && rows[at] && isOtherHeader(rows[at]))
  let end = other === -1 ? blocks.length : other
  while (end > start + 1 && isBelow(blocks[end - 1] ?? [])) end--
  for (const block of blocks.slice(end)) yield* block
}

/** A row with fewer cells says too little to be typical. */
const FULL_CELLS_MIN = 3
const LETTER = /\p{L}/u

/** Why a row is no entry: it heads a section, repeats the header, adds others up, only parts them, or is below them. */
type Kind = 'section' | 'header' | 'total' | 'rule' | 'below'

/** What the entries of a table look like, to distinguish other rows from them. */
class Shape {
  readonly header: readonly string[]
  readonly rows: readonly TableRow[]
  /** How many cells of each row are filled. */
  readonly counts: readonly number[]
  /** How many rows have at least half of what is usual. */
  readonly fullCount: number
  /** The rows, parted where blank rows are between them: the index of each. */
  readonly blocks: readonly (readonly number[])[]
  /** The column that says what an entry is, and the one that numbers the entries, if they are found. */
  readonly title: number | undefined
  readonly reference: number | undefined
  readonly #keys: readonly string[]
  /** The first heading of each key. */
  readonly #byKey: ReadonlyMap<string, string>
  readonly #lower: readonly string[]
  readonly #cellsMin: number
  /** The full rows of the first block that has several, else all of them. */
  readonly #sample: readonly TableRow[]
  readonly #headings: Headings
  readonly #shares = new Map<number, number>()
  #forms: ReadonlySet<string> | undefined

  constructor(header: readonly string[], rows: readonly TableRow[], headings: Headings, unit: RowUnit) {
    this.header = header
    this.rows = rows
    this.#headings = headings
    this.#keys = header.map(headingKey)
    this.#byKey = new Map(header.map((heading) => [headingKey(heading), heading] as const).toReversed())
    this.#lower = header.map((heading) => heading.toLowerCase())
    this.counts = rows.map(({ cells }) => cells.reduce((sum, cell) => (isBlank(cell) ? sum : sum + 1), 0))
    const usual = this.counts.filter((count) => count >= FULL_CELLS_MIN).toSorted((one, other) => one - other)
    this.#cellsMin = Math.max(FULL_CELLS_MIN, (usual[usual.length >> 1] ?? 0) / 2)
    this.blocks = blocksOf(rows, unit)
    const fullOf = (block: readonly number[]) => block.filter((at) => this.isFull(at))
    const full = fullOf([...rows.keys()])
    this.fullCount = full.length
    const sample = this.blocks.map(fullOf).find(({ length }) => length > 1) ?? full
    this.#sample = rows.filter((_, at) => at >= (sample[0] ?? 0) && at <= (sample.at(-1) ?? -1) && this.isFull(at))
    this.title = this.#columnOf(['title'], 0.5)
    const reference = this.#columnOf(['reference', 'id'], 0.8)
    this.reference = reference === this.title ? undefined : reference
  }

  isFull(at: number): boolean {
    return (this.counts[at] ?? 0) >= this.#cellsMin
  }

  /** The share of the typical rows in which a column is filled. */
  share(column: number): number {
    const before = this.#shares.get(column)
    if (before !== undefined) return before
    const share = this.#sample.filter(({ cells }) => !isBlank(cells[column])).length / Math.max(this.#sample.length, 1)
    this.#shares.set(column, share)
    return share
  }

  /** Whether a text has the form of the other references, such as R-14. */
  isReference(text: string): boolean {
    const column = this.reference ?? -1
    this.#forms ??= new Set(this.#sample.map(({ cells }) => formOf(cells[column] ?? '')))
    return !isBlank(text) && this.#forms.has(formOf(text))
  }

  /** Whether a text is the heading of a column that means one of these. */
  names(text: string, fields: readonly string[]): boolean {
    const heading = isBlank(text) ? '' : (this.#byKey.get(headingKey(text)) ?? '')
    return heading !== '' && this.#headings.meaningsOf(heading).some(({ field }) => fields.includes(field))
  }

  /** Whether a row is the header once more. */
  repeatsHeader({ cells }: TableRow): boolean {
    const first = cells.findIndex((cell) => !isBlank(cell))
    // Compared without folding, which would be slow for every row of a large file.
    const [cell = '', heading = ''] = [cells[first]?.trim(), this.#lower[first]]
    if (cell.length > heading.length || !heading.endsWith(cell.toLowerCase())) return false
    const filled = cells.flatMap((cell, at) => (isBlank(cell) ? [] : [[headingKey(cell), this.#keys[at] ?? '']]))
    // The heading of a group is before those of the header.
    const same = filled.filter(([own = '', key = '']) => key.endsWith(own)).length
    return same > 1 && same * 2 > filled.length
  }

  /** The text of a row that has nothing else, at most a number before it that the entries lack. */
  loneText(at: number): { text: string; column: number } | undefined {
    const { cells = [] } = this.rows[at] ?? {}
    const count = this.counts[at] ?? 0
    if (count === 0 || count > 2) return undefined
    const filled = cells.flatMap((cell, column) => (isBlank(cell) ? [] : [{ text: cell.trim(), column }]))
    const [first, last = first] = filled
    if (!first || !last || !LETTER.test(last.text)) return undefined
    if (count === 2 && !(NUMBERING.test(first.text) && this.share(first.column) < 0.2)) return undefined
    return last
  }

  #columnOf(fields: readonly string[], least: number): number | undefined {
    const ranked = this.header.flatMap((heading, column) => {
      const meanings = heading === '' ? [] : this.#headings.meaningsOf(heading)
      const ranks = meanings.filter(({ field }) => fields.includes(field)).map(({ rank }) => rank)
      return ranks.length > 0 && this.share(column) >= least ? [{ column, rank: Math.min(...ranks) }] : []
    })
    return ranked.toSorted((one, other) => one.rank - other.rank || one.column - other.column)[0]?.column
  }
}

const NUMBERING = /^(?:\d{1,3}|[IVX]{1,5}|\p{L})[.):]?$/iu

function formOf(text: string): string {
  return text
    .trim()
    .replaceAll(/\d+/g, '9')
    .replaceAll(/\p{L}+/gu, 'a')
}

function blocksOf(rows: readonly TableRow[], unit: RowUnit): number[][] {
  const blocks: number[][] = []
  for (const [at, row] of rows.entries()) {
    const last = rows[at - 1]
    if (!last || row.line > last.line + 1 + lineBreaks(last, row, unit)) blocks.push([at])
    else blocks.at(-1)?.push(at)
  }
  return blocks
}

/** In a text a row may have several lines. */
function lineBreaks({ line, cells }: TableRow, next: TableRow, unit: RowUnit): number {
  return unit === 'row' || next.line === line + 1 ? 0 : cells.join('').split('\n').length - 1
}
