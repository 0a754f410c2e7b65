import { DETAILS } from '../../../details.js'
import type { NounPlural } from '../../../vocabulary.js'
import { type Occurrence, occurrencesInWords } from '../guess/column.js'
import { formOf, isOwnValue } from '../guess/statuses.js'
import { headingKey } from '../header.js'
import { folded, lackingIn, type Mapping, type Rule, type Scalar } from '../mapping.js'
import { isBlank, type TableRow } from '../table.js'
import { recordMapper } from './recordMapper.js'

/** A map with which an import from a source was accepted, and all headings that its file had. */
export interface AcceptedMap {
  readonly mapping: Mapping
  readonly headings: readonly string[]
}

/** A table as it is in a file. */
export interface Cells {
  readonly header: readonly string[]
  readonly rows: readonly TableRow[]
  /** Headings whose texts are lists: what their values are together says nothing. */
  readonly lists?: ReadonlySet<string>
}

/** The headings that have something below them. */
export function filledHeadings(header: readonly string[], rows: Iterable<TableRow>): string[] {
  const open = new Set(header.keys())
  for (const { cells } of rows) {
    for (const at of open) if (!isBlank(cells[at])) open.delete(at)
    if (open.size === 0) break
  }
  return header.filter((heading, at) => heading !== '' && !open.has(at))
}

const keysOf = (headings: readonly string[]) => new Set(headings.map(headingKey))

/** What a map needs, and a header lacks. */
function goneFrom(mapping: Mapping, header: readonly string[]): string[] {
  const present = keysOf(header)
  const gone = lackingIn(mapping, (name) => present.has(headingKey(name)))
  return gone.map(([use, { from }]) => `${from.join(' or ')} (${use})`)
}

/** Whether headings of our own names have another meaning that was accepted, as a scale that is turned. */
export function isFor(accepted: AcceptedMap | undefined, headings: readonly string[]): boolean {
  return accepted !== undefined && goneFrom(accepted.mapping, headings).length === 0
}

/** Fewer rows may all be blank by chance. */
const BLANK_ROWS_MIN = 5

/** Columns that had something when the map was accepted, and have nothing in any row now: that would clear every entry. */
function blankNow({ mapping, headings }: AcceptedMap, { header, rows }: Cells): string[] {
  if (rows.length < BLANK_ROWS_MIN) return []
  const [had, has, present] = [keysOf(headings), keysOf(filledHeadings(header, rows)), keysOf(header)]
  const blank = [...mapping.rules].filter(([field, { from }]) => {
    const names = from.map(headingKey)
    const known = names.filter((name) => had.has(name))
    const isBlankNow = known.length > 0 && !known.some((name) => has.has(name))
    return isBlankNow && names.some((name) => present.has(name)) && !field.startsWith(`${DETAILS}.`)
  })
  const shown = blank.map(([field, { from }]) => `${from[0]} (${field})`).join(', ')
  return shown === '' ? [] : [`Blank in every row: ${shown}.`]
}

/** The columns that the source did not have when its map was accepted. */
export function addedColumns({ headings, mapping }: AcceptedMap, { header, rows }: Cells): string[] {
  const known = keysOf([...headings, ...Array.from(mapping.rules.values(), ({ from }) => from).flat()])
  return filledHeadings(header, rows).filter((heading) => !known.has(headingKey(heading)))
}

/** What is imported, and the words of --value by their folded text. */
type Given = Readonly<{ noun: NounPlural; values?: ReadonlyMap<string, string> | undefined }>

/** What a guess takes a text for, if anything. */
type Meaning = (field: string, text: string) => Scalar | undefined

/** A map in which the given words stand for their values, and what of a sheet does not fit it, in words. */
export function fittedTo(map: AcceptedMap, cells: Cells, given: Given, looks: string[] = [], meaning?: Meaning) {
  const cellAt = cellsBy(cells.header)
  const mapper = recordMapper(map.mapping)
  const rows = cells.rows.filter((row) => mapper.takes((name) => [cellAt(row, name)]))
  const { mapping, misfits: unused } = withValues(map.mapping, { ...cells, rows }, given)
  const missing = goneFrom(mapping, cells.header)
  const strange = Array.from(mapping.rules, ([field, rule]) => {
    const isList = rule.from.some((name) => cells.lists?.has(name))
    const unread = isList ? [] : unreadBy(given.noun, field, rule, rows, cellAt)
    const [first] = unread
    if (!first) return []
    const form = formOf(given.noun, field)
    const choices = form === undefined || form instanceof RegExp ? [] : form
    // A guess has a ? for a word that it does not know.
    const [means] = [meaning?.(field, first.text), ...choices, '...'].filter((one) => one !== undefined && one !== '?')
    const value = JSON.stringify(`${first.text}=${means}`)
    const which = choices.length > 0 ? `, which is ${choices.join(', ')}` : ''
    const unknown = `${rule.from[0]}: ${occurrencesInWords(unread)} is not known for ${field}${which}.`
    return `${unknown} Say what it means with --value ${value}.`
  })
  const gone = missing.length > 0 ? [`Gone: ${missing.join(', ')}.`] : []
  return { mapping, misfits: [...gone, ...strange.flat(), ...blankNow(map, cells), ...looks, ...unused] }
}

/** The texts of which a rule makes no value of the field. */
function unreadBy(noun: NounPlural, field: string, rule: Rule, rows: readonly TableRow[], cellAt: CellAt) {
  if (isOwnValue(noun, field, '') === undefined) return []
  const { with: _, unique: __, ...alone } = rule
  const mapper = recordMapper({ name: '', rules: new Map([[field, alone]]), where: [] })
  const isRead = (row: TableRow, text: string) => {
    const { values, violations } = mapper.read((name) => [cellAt(row, name)], 0)
    return violations.length === 0 && isInBands(rule, text) && isOwnValue(noun, field, String(values[field])) === true
  }
  const seen = new Map<string, boolean>()
  const unread = new Map<string, Occurrence>()
  for (const row of rows) {
    const texts = rule.from.map((name) => cellAt(row, name).trim())
    const text = texts.find((one) => one !== '') ?? ''
    const key = texts.join('\n')
    const isKnown = seen.get(key) ?? isRead(row, text)
    seen.set(key, isKnown)
    if (isKnown) continue
    const occurrence = unread.get(text) ?? { text, count: 0, lines: [] }
    unread.set(text, occurrence)
    occurrence.count++
    occurrence.lines.push(row.line)
  }
  return [...unread.values()]
}

function isInBands({ bands }: Rule, text: string): boolean {
  if (!bands) return true
  const [[least = 0] = [], [next = 0] = []] = bands
  const number = Number.parseFloat(text)
  // Among percentages, a fraction has lost its sign.
  const isFraction = bands.at(-1)?.[0] === 100 && number > 0 && number < 1 && !text.includes('%')
  // Bands of whole numbers begin with the lowest of their scale.
  return !isFraction && !(number < (next - least === 1 ? least : 0))
}

/** A map in which the given words stand for their values, in each column that has them and can have the value. */
export function withValues(mapping: Mapping, { header, rows }: Cells, { noun, values = new Map() }: Given) {
  if (values.size === 0) return { mapping, misfits: [] }
  const cellAt = cellsBy(header)
  const unused = new Map(values)
  const rules = new Map(mapping.rules)
  for (const [field, rule] of mapping.rules) {
    const texts = new Set(rule.from.flatMap((name) => rows.map((row) => folded(cellAt(row, name)))))
    const words = [...values].filter(
      ([text, becomes]) => text !== '' && texts.has(text) && isOwnValue(noun, field, becomes),
    )
    for (const [text] of words) unused.delete(text)
    if (words.length > 0) rules.set(field, { ...rule, values: new Map([...(rule.values ?? []), ...words]) })
  }
  const misfits = Array.from(unused, ([text, becomes]) => {
    const word = JSON.stringify(`${text}=${becomes}`)
    return `--value ${word}: no column has that word where this value is possible.`
  })
  return { mapping: { ...mapping, rules }, misfits }
}

type CellAt = ReturnType<typeof cellsBy>

function cellsBy(header: readonly string[]) {
  const places = new Map(header.map((heading, at) => [headingKey(heading), at] as const).toReversed())
  return ({ cells }: TableRow, heading: string) => {
    const at = places.get(heading) ?? places.get(headingKey(heading)) ?? -1
    // Kept under the name itself: folding it for every row takes most of the time of a large file.
    places.set(heading, at)
    return cells[at] ?? ''
  }
}
