import { LIMITS } from '../../../limits.js'
import { cellName } from './references.js'
import { BadZip } from './zip.js'

/** What the cells of a sheet may take together, so that a small file cannot become a large table. */
export class Budget {
  #cellsLeft: number = LIMITS.workbookCellsMax
  #charactersLeft: number = LIMITS.workbookBytesMax

  /** Refuses a text that is too long for a cell. */
  check(text: string, column: number, line: number): void {
    const most = LIMITS.cellCharactersMax
    if (text.length <= most) return
    const cell = cellName(column, line)
    throw new BadZip(`The cell ${cell} has more than ${most.toLocaleString('en')} characters. Shorten it.`)
  }

  /** Charges for a text, and for the cells by which a row becomes longer: one text can be that of many cells. */
  take(cells: number, characters: number): void {
    this.#cellsLeft -= Math.max(0, cells)
    this.#charactersLeft -= characters
    if (this.#charactersLeft < 0) throw new BadZip('The texts of the sheet are too long together. Split it.')
    if (this.#cellsLeft < 0) {
      const most = LIMITS.workbookCellsMax.toLocaleString('en')
      throw new BadZip(`The sheet has more than ${most} cells. Split it, or delete what is far away from the table.`)
    }
  }
}
