import { unguarded } from '../csv.js'
import { excerpt } from '../flaws.js'
import { Headings } from '../guess/headings.js'
import { type HeadedTable, headingKey, rowsBelow } from '../header.js'
import type { Mapping, Rule } from '../mapping.js'
import type { SheetNoun } from '../nouns.js'
import { isBlank, type TableRow } from '../table.js'
import { kindsOf } from './kinds.js'
import { type Kind, Shape } from './shape.js'

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
  const left = new Map<number, string | undefined>()
  for (const [at, kind] of kinds) {
    const { line = 0, cells = [] } = rows[at] ?? {}
    left.set(line, kind === 'section' ? sectionOf(cells) : undefined)
  }
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
function sectionOf(cells: readonly string[]): string {
  const text = (cells.findLast((cell) => !isBlank(cell)) ?? '').trim()
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
