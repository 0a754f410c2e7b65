/** One row of a table, its cells as texts. */
export interface TableRow {
  /** In a text the line on which it begins, in a workbook the number of the row; from 1. */
  readonly line: number
  readonly cells: string[]
  /** The columns whose cells are merged with those of the row above. */
  readonly merged?: ReadonlySet<number>
  /** Over how many columns the widest of its merged cells goes. */
  readonly across?: number
}

/** What the numbers of the rows count. */
export type RowUnit = 'line' | 'row'

/** A table as it is in a file, wherever in it the header may be. */
export interface Table {
  /** The file's name for messages, with the sheet of a workbook. */
  readonly name: string
  readonly unit: RowUnit
  /** Whether the last row may be truncated, because no line end follows it. */
  readonly isOpenEnded: boolean
  /** What its reader should know, such as rows that were hidden. */
  readonly notes: readonly string[]
  /** The name of a workbook's sheet. */
  readonly sheet?: string
  /** The sheets of a workbook among which none was chosen by name. */
  readonly sheets: readonly string[]
  /** The rows from the first one, at each call; some may be blank. */
  rows(): Iterable<TableRow>
}

export function isBlank(cell: string | undefined): boolean {
  if (cell === undefined) return true
  const first = cell.charCodeAt(0)
  // Most cells begin with a letter or a digit, and this is several times as fast as trimming each.
  return !(first > 0x20 && first < 0x7f) && cell.trim() === ''
}
