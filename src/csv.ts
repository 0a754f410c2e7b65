import { DETAILS, type Detail } from './details.js'

export const SEPARATOR_NAMES = { comma: ',', semicolon: ';', tab: '\t' } as const
export type SeparatorName = keyof typeof SEPARATOR_NAMES
export type Separator = (typeof SEPARATOR_NAMES)[SeparatorName]

// White space at an end and a single blank cell are quoted too: other programs drop them.
const MUST_QUOTE = /["\r\n]|^\s|\s$/

/** One record as a line, quoted where needed, so that parsing it returns these cells. */
export function csvLine(cells: readonly string[], separator: Separator = ','): string {
  const line = cells.map((cell, index) => {
    const isComment = index === 0 && cell.startsWith('# ')
    const isBlankLine = cells.length === 1 && cell === ''
    const isQuoted = isComment || isBlankLine || cell.includes(separator) || MUST_QUOTE.test(cell)
    return isQuoted ? `"${cell.replaceAll('"', '""')}"` : cell
  })
  return `${line.join(separator)}\r\n`
}

// A spreadsheet that is set to another separator splits at that one and at line breaks, whatever the quotes are; one of
// an East Asian language takes the full-width signs as well.
const FORMULA = /(^|[,;\t\r\n])(?='*[=+\-@\t\r＝＋－＠])/
const FORMULAS = /(?<=^|[,;\t\r\n])(?='*[=+\-@\t\r＝＋－＠])/g
const GUARDS = /(?<=^|[,;\t\r\n])'(?='*[=+\-@\t\r＝＋－＠])/g

/** A text as a cell that no spreadsheet runs as a formula. */
export function guarded(text: string): string {
  // Most cells have none, and `test` is five times as fast as `replaceAll`.
  return FORMULA.test(text) ? text.replaceAll(FORMULAS, "'") : text
}

export function unguarded(text: string): string {
  return text.includes("'") ? text.replaceAll(GUARDS, '') : text
}

/** With more names of details, one column has them as JSON. */
export const DETAIL_COLUMNS_MAX = 200

type Entry = Readonly<Record<string, unknown>>

/** A group's name, or its id if the name would not be read back as one name. */
function nameOf({ id, name }: { id: string; name: string }): string {
  return /[;]|^grp_/.test(name) ? id : name
}

/** A response value as a sheet has it: a project by its key, people and groups by their names, details as they are. */
export function sheetValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => ('text' in item ? item : nameOf(item)))
  if (typeof value === 'object' && value !== null)
    return 'key' in value ? value.key : 'name' in value ? value.name : null
  return value ?? null
}

function sheetCell(value: unknown): string {
  const plain = sheetValue(value)
  if (plain === null) return ''
  return guarded(Array.isArray(plain) ? plain.join(';') : String(plain))
}

export type SheetLayout = ReturnType<typeof sheetLayout>

/** A column for each of these details; for too many, one that has them as JSON, so that rows stay short. */
export function sheetLayout(columns: readonly string[], names: readonly string[]) {
  const isJson = names.length > DETAIL_COLUMNS_MAX
  const headers = isJson ? [DETAILS] : names.map((name) => guarded(`${DETAILS}.${name}`))
  const detailCells = (details: readonly Detail[]) => {
    if (isJson) return [details.length === 0 ? '' : guarded(JSON.stringify(details))]
    if (details.length === 0) return names.map(() => '')
    const texts = new Map(details.map(({ name, text }) => [name, text]))
    return names.map((name) => guarded(texts.get(name) ?? ''))
  }
  return {
    header: columns.flatMap((column) => (column === DETAILS ? headers : [column])),
    cells: (entry: Entry) =>
      columns.flatMap((column) => (column === DETAILS ? detailCells(detailsOf(entry)) : [sheetCell(entry[column])])),
  }
}

/** The names of the details of all entries, in an order that agrees with as many entries as possible. */
export class DetailNames {
  readonly all: string[] = []
  readonly #seen = new Set<string>()

  /** Whether they become one column: their order no longer matters, and finding it takes longer with each. */
  get areTooMany(): boolean {
    return this.all.length > DETAIL_COLUMNS_MAX
  }

  add(entry: Entry): void {
    if (this.areTooMany) return
    const names = detailsOf(entry).map(({ name }) => name)
    if (names.every((name) => this.#seen.has(name))) return
    // After the name before it in its own entry; the first of an entry before the next one that was seen.
    const next = names.find((name) => this.#seen.has(name))
    let place = next === undefined ? this.all.length : this.all.indexOf(next)
    for (const name of names) {
      if (this.#seen.has(name)) place = this.all.indexOf(name)
      else this.all.splice(place, 0, name)
      this.#seen.add(name)
      place++
    }
  }
}

function detailsOf(entry: Entry): readonly Detail[] {
  // Entries of a noun with details have them as a list, here and in the API.
  return (entry[DETAILS] ?? []) as readonly Detail[]
}
