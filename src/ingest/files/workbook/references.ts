import { LIMITS } from '../../../limits.js'
import { damaged } from './zip.js'

/** The columns that a sheet has in every program. */
export const COLUMNS_MAX = LIMITS.tableColumnsMax
/** The rows that a sheet has in every program. */
export const ROWS_MAX = 1_048_576

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

/** The name of a cell. */
export function cellName(column: number, line: number): string {
  return `${lettersOf(column)}${line}`
}

function lettersOf(column: number): string {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : lettersOf(Math.floor(column / 26) - 1) + last
}
