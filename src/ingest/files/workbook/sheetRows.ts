import { CELL_CHARACTERS_MAX, COLUMNS_MAX, isBlank, type TableRow } from '../table.js'
import { BadZip, damaged } from './zip.js'

/** The parts of a workbook that are read, unpacked, and the characters of the cells of one sheet. */
export const WORKBOOK_BYTES_MAX = 200_000_000
/** Cells of one sheet, in each row up to the last with a value. */
export const WORKBOOK_CELLS_MAX = 10_000_000

/** The rows that a sheet has in every program. */
const ROWS_MAX = 1_048_576

/** The column of a cell such as AB12, from 0. */
export function columnOf(reference: string): number {
  let column = 0
  let code = reference.charCodeAt(0)
  for (let at = 1; code >= 65 && code <= 90 && column <= COLUMNS_MAX; at++) {
    column = column * 26 + code - 64
    code = reference.charCodeAt(at)
  }
  if (column < 1 || column > COLUMNS_MAX) throw damaged(`there is no cell ${JSON.stringify(reference.slice(0, 20))}`)
  return column - 1
}

export function requireLine(line: number): void {
  if (line > ROWS_MAX) throw damaged(`it has a row ${line}, and no spreadsheet has that many`)
}

function lettersOf(column: number): string {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : lettersOf(Math.floor(column / 26) - 1) + last
}

/** What the cells of a workbook may take together, so that a small file cannot become a large table. */
export function cellBudget() {
  let [cellsLeft, charactersLeft]: [number, number] = [WORKBOOK_CELLS_MAX, WORKBOOK_BYTES_MAX]
  /** Charges for a text, and for the cells by which a row becomes longer: one text can be that of many cells. */
  return (cells: number, characters: number): void => {
    cellsLeft -= Math.max(0, cells)
    charactersLeft -= characters
    if (charactersLeft < 0) throw new BadZip('The texts of the sheet are too long together. Split it.')
    if (cellsLeft < 0) {
      const most = WORKBOOK_CELLS_MAX.toLocaleString('en')
      throw new BadZip(`The sheet has more than ${most} cells. Split it, or delete what is far away from the table.`)
    }
  }
}

/** The first column of merged cells, from its first row to its last, and how many columns they have. */
export type Merge = Readonly<Record<'column' | 'first' | 'last' | 'across', number>>

/** The merged cells of a reference such as A4:C7. */
export function mergesIn(reference: string): Merge[] {
  const [, top, first, end, last] = /^([A-Z]+(\d+)):([A-Z]+(\d+))$/.exec(reference) ?? []
  if (top === undefined || end === undefined) return []
  const column = columnOf(top)
  return [{ column, first: Number(first), last: Number(last), across: columnOf(end) - column + 1 }]
}

type OpenRow = TableRow & { merged?: Set<number>; across?: number }

export type SheetRows = ReturnType<typeof sheetRows>

/** Collects the rows of a sheet that are not blank, and what its reader should know about them. */
export function sheetRows(charge = cellBudget()) {
  const merges: Merge[] = []
  const rows: OpenRow[] = []
  const noted = { error: { count: 0, first: '' }, uncomputed: { count: 0, first: '' } }
  let hidden = 0

  /** Puts a text into a cell of a row, or into several beside each other. */
  const put = (cells: string[], column: number, line: number, text: string, times = 1): void => {
    const most = CELL_CHARACTERS_MAX
    if (text.length > most) {
      const cell = `${lettersOf(column)}${line}`
      throw new BadZip(`The cell ${cell} has more than ${most.toLocaleString('en')} characters. Shorten it.`)
    }
    charge(column + times - cells.length, text.length * times)
    while (cells.length < column) cells.push('')
    for (let at = column; at < column + times; at++) cells[at] = text
  }

  /** Fills merged cells downwards, as people read them: a value beside several rows is the value of each. */
  const fillMerged = (): void => {
    const waiting = merges.toSorted((one, other) => other.first - one.first)
    const open = new Map<number, { last: number; text: string }>()
    for (const row of rows) {
      const { line, cells } = row
      for (let next = waiting.at(-1); next && next.first <= line; next = waiting.at(-1)) {
        waiting.pop()
        const text = cells[next.column]
        if (next.first === line && next.across > (row.across ?? 1)) row.across = next.across
        if (next.first === line && next.last > line && text !== undefined && !isBlank(text))
          open.set(next.column, { last: next.last, text })
      }
      for (const [column, { last, text }] of open) {
        if (line > last) open.delete(column)
        else if (isBlank(cells[column])) {
          put(cells, column, line, text)
          row.merged ??= new Set()
          row.merged.add(column)
        }
      }
    }
  }

  return {
    merges,
    put,

    /** So many blanks of a text, which one short element can stand for. */
    spaces(count: number): string {
      charge(0, count)
      return ' '.repeat(count)
    },

    /** Adds a row as often as it is repeated, up to the last line. */
    add(cells: string[], isHidden: boolean, first: number, last = first): void {
      requireLine(last)
      const characters = cells.reduce((sum, { length }) => sum + length, 0)
      for (let line = first; line <= last; line++) {
        if (line > first) charge(cells.length, characters)
        rows.push({ line, cells: line > first ? [...cells] : cells })
        if (isHidden) hidden++
      }
    },

    report(what: keyof typeof noted, column: number, line: number): void {
      if (noted[what].count++ === 0) noted[what].first = `${lettersOf(column)}${line}`
    },

    finish(): { rows: readonly TableRow[]; notes: readonly string[] } {
      fillMerged()
      const { error, uncomputed } = noted
      const notes: string[] = []
      if (hidden > 0) notes.push(`Hidden rows were read too: ${hidden}.`)
      if (error.count > 0)
        notes.push(`Cells that show an error of a formula: ${error.count}, the first is ${error.first}.`)
      if (uncomputed.count > 0) {
        const where = `${uncomputed.count}, the first is ${uncomputed.first}.`
        const advice = 'Open the workbook in a spreadsheet program and save it, to store them.'
        notes.push(`Formulas without a stored result were read as blank: ${where} ${advice}`)
      }
      return { rows, notes }
    },
  }
}
