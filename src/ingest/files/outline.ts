import { unguarded } from '../../csv.js'
import { isEntryPlural, type NounPlural } from '../../vocabulary.js'
import { type Headings, headingsOf } from './guess/headings.js'
import { type HeadedTable, headingKey, NUMERIC, rowsBelow } from './header.js'
import type { Mapping, Rule } from './mapping.js'
import { excerpt, firstOf, isBlank, type RowUnit, type TableRow } from './table.js'

/** The heading of the column that has the section of each entry. */
const SECTION = 'Section'

/** Leaves out the rows of a table that are no entries; what heads a section becomes a column of the rows below it. */
export function outlineOf(found: HeadedTable, noun: NounPlural, fields: readonly string[]) {
  const { table, header } = found
  const all = [...rowsBelow(found)]
  const rows = all.map(withoutGuards)
  const kinds = isEntryPlural(noun)
    ? kindsOf(shapeOf(header.cells, rows, headingsOf(noun, fields), table.unit))
    : undefined
  if (!kinds || kinds.size === 0) return { found, rows, notes: [] }
  const isNamed = header.cells.some((heading) => headingKey(heading) === headingKey(SECTION))
  const hasSections = !isNamed && [...kinds.values()].includes('section')
  const entries = entriesOf(all, kinds, hasSections ? header.cells.length : undefined)
  const cells = hasSections ? [...header.cells, SECTION] : header.cells
  return {
    found: { ...found, header: { ...header, cells }, table: { ...table, isOpenEnded: false, rows: () => entries } },
    rows: entries.map(withoutGuards),
    notes: notesOf(kinds, rows, table.unit),
  }
}

function withoutGuards(row: TableRow): TableRow {
  return { ...row, cells: row.cells.map(unguarded) }
}

/** A map of the entries of an outline, so that it reads the same from the whole table. */
export function ofEntries({ rules, ...mapping }: Mapping): Mapping {
  const optional = (rule: Rule): Rule => (rule.from[0] === SECTION ? { ...rule, optional: true } : rule)
  const kept = new Map(Array.from(rules, ([field, rule]) => [field, optional(rule)]))
  return { ...mapping, rules: kept, entriesOnly: true }
}

/** The rows that are entries; with a width, each has its section after that many cells. */
function entriesOf(rows: readonly TableRow[], kinds: Kinds, width: number | undefined): TableRow[] {
  let section = ''
  return rows.flatMap((row, at) => {
    const kind = kinds.get(at)
    if (kind === 'section') section = sectionOf(row)
    if (kind) return []
    if (width === undefined || row.cells.length > width) return [row]
    return [{ ...row, cells: [...row.cells, ...Array(width - row.cells.length).fill(''), section] }]
  })
}

/** The text of a heading; a number may be before it. */
function sectionOf({ cells }: TableRow): string {
  const text = (cells.findLast((cell) => !isBlank(cell)) ?? '').trim()
  return text.endsWith(':') ? text.slice(0, -1).trimEnd() : text
}

/** Why a row is no entry. */
const KINDS = {
  section: 'headings of sections',
  header: 'the header once more',
  instructions: 'instructions of a template',
  total: 'totals',
  rule: 'lines without a text',
  below: 'below the table',
}
type Kind = keyof typeof KINDS
/** The rows that are no entries, by their index. */
type Kinds = ReadonlyMap<number, Kind>

function notesOf(kinds: Kinds, rows: readonly TableRow[], unit: string): string[] {
  return Object.entries(KINDS).flatMap(([kind, words]) => {
    const all = rows.filter((_, at) => kinds.get(at) === kind)
    const shown = all.map(({ line, cells }) => {
      const text = cells.filter((cell) => !isBlank(cell)).join(' ')
      return `${unit} ${line} ${JSON.stringify(excerpt(text))}`
    })
    return all.length === 0 ? [] : [`Left out, ${words}: ${firstOf(shown)}.`]
  })
}

function kindsOf(shape: Shape): Map<number, Kind> {
  const kinds = new Map<number, Kind>()
  if (shape.fullCount < 2 || shape.title === undefined) return kinds
  for (const [at, row] of shape.rows.entries()) {
    if (shape.repeatsHeader(row)) kinds.set(at, 'header')
    else if (at === 0 && isInstruction(row.cells)) kinds.set(at, 'instructions')
    else if (isTotal(shape, row.cells)) kinds.set(at, 'total')
    else if (!row.cells.some((cell) => /[\p{L}\p{N}]/u.test(cell))) kinds.set(at, 'rule')
  }
  for (const [at, kind] of sections(shape, kinds)) kinds.set(at, kind)
  for (const at of belowTable(shape, kinds)) kinds.set(at, 'below')
  return kinds
}

const INSTRUCTION =
  /^(?:(?:enter|describe|select|choose|provide|insert|specify|indicate|give|state|list|pick|fill|assign|write|use|explain|clearly|please|brief|short|unique|name of|who|what|when|how|which|rate|date (?:of|when|the)) |who['’]s |\(impact x |e\.g\.|dd[./-]|mm[./-]|h\/m\/l|auto|calculated|formula|[01] ?(?:[-–]|to) ?\d|(?:low|high|open) ?[/|,])/i

/** A row below the header in which most cells say what to fill in. */
function isInstruction(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => !isBlank(cell))
  const saying = filled.filter((cell) => INSTRUCTION.test(cell.trim()))
  return saying.length > 1 && saying.length * 2 > filled.length
}

const TOTAL =
  /^(?:(?:grand|sub|overall)[\s-]*)?(?:totals?|sum|average|mean|count|summe|gesamt|gesamtsumme|durchschnitt|somme|moyenne|suma|promedio|soma|média|razem|średnia|合计|总计|平均)(?:\s+(?:of|number|risks?|issues?|scores?|points|exposure|cost|costs|rating|général|open|:))*\s*:?$/iu

/** A row of sums: a word for it, otherwise numbers, and no reference. */
function isTotal({ reference, title }: Shape, cells: readonly string[]): boolean {
  const isNamed = reference !== undefined && !isBlank(cells[reference]) && !isBlank(cells[title ?? -1])
  if (isNamed) return false
  const label = cells.findIndex((cell) => /\p{L}/u.test(cell))
  const isAlone = [reference, title].every((column) => column === label || isBlank(cells[column ?? -1]))
  if (!isAlone || !TOTAL.test(cells[label]?.trim() ?? '')) return false
  return cells.every((cell, at) => at === label || !/\p{L}/u.test(cell))
}

/** Over how many columns a merged cell must go to be a heading in any case. */
const WIDE_COLUMNS_MIN = 3
/** How many headings may be one below the other. */
const NESTED_MAX = 2

/** The rows with one text that head the rows below them; without references, the table must begin with one. */
function* sections(shape: Shape, kinds: Kinds): Generator<[number, Kind]> {
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

function headsOf(shape: Shape, others: readonly number[], lone: ReadonlyMap<number, unknown>): Set<number> {
  const heads = new Set<number>()
  let nested = NESTED_MAX
  for (const at of others.toReversed()) {
    if (!lone.has(at)) nested = shape.isFull(at) ? 0 : NESTED_MAX
    else if (nested++ < NESTED_MAX) heads.add(at)
  }
  return heads
}

/** The rows of legends and other tables that follow a table after a gap. */
function* belowTable(shape: Shape, kinds: Kinds): Generator<number> {
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
    return texts.length > 1 && texts.every((text) => NUMERIC.test(text))
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
  const isLegend = ({ cells }: TableRow) => reference === undefined && cells.some(shape.isFactor)
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

/** What the entries of a table look like, to distinguish other rows from them. */
type Shape = ReturnType<typeof shapeOf>

function shapeOf(header: readonly string[], rows: readonly TableRow[], headings: Headings, unit: RowUnit) {
  const keys = header.map(headingKey)
  const lower = header.map((heading) => heading.toLowerCase())
  const counts = rows.map(({ cells }) => cells.reduce((sum, cell) => (isBlank(cell) ? sum : sum + 1), 0))
  const usual = counts.filter((count) => count >= FULL_CELLS_MIN).toSorted((one, other) => one - other)
  const cellsMin = Math.max(FULL_CELLS_MIN, (usual[usual.length >> 1] ?? 0) / 2)
  const isFull = (at: number) => (counts[at] ?? 0) >= cellsMin
  const blocks = blocksOf(rows, unit)
  const full = [...rows.keys()].filter(isFull)
  // The full rows of the first block that has several, else all of them.
  const typical = blocks.map((block) => block.filter(isFull)).find(({ length }) => length > 1) ?? full
  const sample = typical.flatMap((at) => rows[at] ?? [])
  const shares = header.map((_, at) => sample.filter(({ cells }) => !isBlank(cells[at])).length / (sample.length || 1))
  const share = (column: number) => shares[column] ?? 0
  const columnOf = (fields: readonly string[], least: number) =>
    headings.ranked(header, ...fields).find((column) => share(column) >= least)
  const title = columnOf(['title'], 0.5)
  const numbered = columnOf(['reference', 'id'], 0.8)
  const reference = numbered === title ? undefined : numbered
  const factors = new Set(headings.ranked(header, 'likelihood', 'impact').map((column) => keys[column]))
  const forms = new Set(reference === undefined ? [] : sample.map(({ cells }) => formOf(cells[reference] ?? '')))
  return {
    header,
    rows,
    /** The rows, parted where blank rows are between them: the index of each. */
    blocks,
    /** How many rows have at least half of what is usual. */
    fullCount: full.length,
    isFull,
    /** The share of the typical rows in which a column is filled. */
    share,
    /** The column that says what an entry is, and the one that numbers the entries, if they are found. */
    title,
    reference,

    /** Whether a text has the form of the other references, such as R-14. */
    isReference: (text: string) => !isBlank(text) && forms.has(formOf(text)),

    isFactor: (text: string) => factors.has(headingKey(text)),

    repeatsHeader({ cells }: TableRow): boolean {
      const first = cells.findIndex((cell) => !isBlank(cell))
      // Compared without folding, which would be slow for every row of a large file.
      const [cell = '', heading = ''] = [cells[first]?.trim(), lower[first]]
      if (cell.length > heading.length || !heading.endsWith(cell.toLowerCase())) return false
      const filled = cells.flatMap((cell, at) => (isBlank(cell) ? [] : [[headingKey(cell), keys[at] ?? '']]))
      // The heading of a group is before those of the header.
      const same = filled.filter(([cellKey = '', key = '']) => key.endsWith(cellKey)).length
      return same > 1 && same * 2 > filled.length
    },

    /** The text of a row that has nothing else, at most a number before it that the entries lack. */
    loneText(at: number): { text: string; column: number } | undefined {
      const count = counts[at] ?? 0
      if (count === 0 || count > 2) return undefined
      const cells = rows[at]?.cells ?? []
      const filled = cells.flatMap((cell, column) => (isBlank(cell) ? [] : [{ text: cell.trim(), column }]))
      const [first, last = first] = filled
      if (!first || !last || !/\p{L}/u.test(last.text)) return undefined
      const isNumbered = NUMBERING.test(first.text) && share(first.column) < 0.2
      return count === 1 || isNumbered ? last : undefined
    },
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
  for (const [at, { line }] of rows.entries()) {
    const last = rows[at - 1]
    const gap = last ? line - last.line : Number.POSITIVE_INFINITY
    // In a text a row may have several lines.
    const height = last && gap > 1 && unit === 'line' ? last.cells.join('').split('\n').length : 1
    if (gap > height) blocks.push([at])
    else blocks.at(-1)?.push(at)
  }
  return blocks
}
