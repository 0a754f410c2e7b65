import type { TableRow } from '../table.js'
import { Budget, columnOf, fillMerged, type Merge, mergesIn, type OpenRow, Remarks, ROWS_MAX } from './cells.js'
import { type NumberFormat, plain } from './numberFormats.js'
import type { XmlReader } from './xml.js'
import { damaged } from './zip.js'

/** What the cells of all sheets refer to. */
interface CellContext {
  readonly strings: readonly string[]
  /** The number formats, by the style of a cell. */
  readonly formats: readonly NumberFormat[]
}

/** The rows of a worksheet that are not blank, and notes about what was read. */
export function readWorksheet(xml: XmlReader, context: CellContext): { rows: TableRow[]; notes: string[] } {
  const reader = new WorksheetReader(xml, context)
  reader.read()
  return { rows: reader.rows, notes: reader.remarks.notes() }
}

class WorksheetReader {
  readonly rows: OpenRow[] = []
  readonly remarks = new Remarks()
  readonly #xml: XmlReader
  readonly #context: CellContext
  readonly #merges: Merge[] = []
  readonly #budget = new Budget()
  #line = 0

  constructor(xml: XmlReader, context: CellContext) {
    this.#xml = xml
    this.#context = context
  }

  read(): void {
    for (const name of this.#xml.elements()) {
      if (name === 'row') this.#row()
      else if (name === 'mergeCell') this.#merges.push(...mergesIn(this.#xml.attribute('ref') ?? ''))
    }
    fillMerged(this.rows, this.#merges, this.#budget)
  }

  #row(): void {
    const line = Number(this.#xml.attribute('r') ?? this.#line + 1)
    if (!Number.isSafeInteger(line) || line <= this.#line) throw damaged('its rows are not in order')
    if (line > ROWS_MAX) throw damaged(`it has a row ${line}, and no spreadsheet has that many`)
    this.#line = line
    const isHidden = isTrue(this.#xml.attribute('hidden'))
    const cells: string[] = []
    for (let next = 0; !this.#xml.isEnd('row'); ) {
      if (this.#xml.name !== 'c') continue
      const reference = this.#xml.attribute('r')
      const at = reference === undefined ? next : columnOf(reference)
      next = at + 1
      const text = this.#cell(at)
      if (text === '') continue
      this.#budget.check(text, at, line)
      this.#budget.take(next - cells.length, text.length)
      while (cells.length < at) cells.push('')
      cells[at] = text
    }
    if (cells.length === 0) return
    this.rows.push({ line, cells })
    if (isHidden) this.remarks.hiddenRow()
  }

  #cell(at: number): string {
    const xml = this.#xml
    const type = xml.attribute('t') ?? 'n'
    const style = Number(xml.attribute('s') ?? 0)
    let value: string | undefined
    let isFormula = false
    while (!xml.isEnd('c')) {
      if (xml.name === 'v') value = xml.content()
      else if (xml.name === 'is') value = itemText(xml, 'is')
      else if (xml.name === 'f') isFormula = true
    }
    if (type === 'e') this.remarks.error(at, this.#line)
    if (value === undefined || value === '') {
      // A formula may have an empty text as its result, but no empty number.
      if (isFormula && (value === undefined || type === 'n')) this.remarks.uncomputed(at, this.#line)
      return ''
    }
    return this.#text(type, value, style)
  }

  #text(type: string, value: string, style: number): string {
    if (type === 's') {
      const text = this.#context.strings[Number(value)]
      if (text === undefined) throw damaged('a cell refers to a text that is missing')
      return text
    }
    if (type === 'b') return isTrue(value.trim()) ? 'true' : 'false'
    // Days in ISO 8601, maybe with a time.
    if (type === 'd') return value.trim().replace(/^(\d{4}-\d\d-\d\d)T.*$/, '$1')
    const number = type === 'n' ? Number(value) : Number.NaN
    if (Number.isNaN(number)) return unescapedText(value)
    return (this.#context.formats[style] ?? plain)(number)
  }
}

export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

/** The text of a string item: of all its runs, without hints how to pronounce it. */
export function itemText(xml: XmlReader, element: string): string {
  let text = ''
  let isHint = false
  for (let event = xml.next(); event; event = xml.next()) {
    if (event === 'text') continue
    if (event === 'close' && xml.name === element) break
    if (xml.name === 'rPh') isHint = event === 'open'
    else if (event === 'open' && xml.name === 't' && !isHint) text += xml.content()
  }
  return unescapedText(text)
}

/** Characters that XML cannot have are written as _x000D_, and a _x that is meant as _x005F_x. */
function unescapedText(text: string): string {
  if (!text.includes('_x')) return text
  return text.replaceAll(/_x([0-9a-f]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}
