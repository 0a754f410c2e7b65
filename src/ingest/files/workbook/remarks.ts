import { cellName } from './references.js'

/** How many cells of a kind there are, and the first. */
interface Tally {
  count: number
  first: string
}

/** What the reader of a sheet should know about its rows and cells. */
export class Remarks {
  readonly #errors: Tally = { count: 0, first: '' }
  readonly #uncomputed: Tally = { count: 0, first: '' }
  #hidden = 0

  hiddenRow(): void {
    this.#hidden++
  }

  error(column: number, line: number): void {
    add(this.#errors, column, line)
  }

  uncomputed(column: number, line: number): void {
    add(this.#uncomputed, column, line)
  }

  notes(): string[] {
    const { count, first } = this.#errors
    const uncomputed = this.#uncomputed
    return [
      ...(this.#hidden > 0 ? [`Hidden rows were read too: ${this.#hidden}.`] : []),
      ...(count > 0 ? [`Cells that show an error of a formula: ${count}, the first is ${first}.`] : []),
      ...(uncomputed.count > 0
        ? [
            `Formulas without a stored result were read as blank: ${uncomputed.count}, the first is ${uncomputed.first}. Open the workbook in a spreadsheet program and save it, to store them.`,
          ]
        : []),
    ]
  }
}

function add(tally: Tally, column: number, line: number): void {
  tally.count++
  if (tally.count === 1) tally.first = cellName(column, line)
}
