import { COLUMNS_MAX } from '../table.js'
import { Budget, SheetRows } from './cells.js'
import { plain } from './numberFormats.js'
import { XmlReader } from './xml.js'
import { BadZip, damaged, type Zip } from './zip.js'

const SPREADSHEET = 'application/vnd.oasis.opendocument.spreadsheet'
const CONTENT = 'content.xml'
/** A number that is shown as a name, such as R-007. */
const NUMBERING = /^\p{L}\D*\d+$|^0\d+$/u
const SPACES_MAX = 1_000

export function isOpenDocument(zip: Zip): boolean {
  return zip.read('mimetype')?.toString('latin1').trim() === SPREADSHEET
}

/** The sheets of an OpenDocument spreadsheet, all at once, because they are in one part. */
export function openDocumentSheets(zip: Zip) {
  if (zip.read('META-INF/manifest.xml')?.includes('encryption-data'))
    throw new BadZip('The workbook is encrypted. Save it without a password.')
  const content = zip.read(CONTENT)
  if (!content) throw damaged(`${CONTENT} is missing`)
  const xml = new XmlReader(content, CONTENT)
  const budget = new Budget()
  const hiddenStyles = new Set<string>()
  const sheets: ReturnType<SheetReader['read']> = []
  let style = ''
  for (const name of xml.elements()) {
    if (name === 'style') style = xml.attribute('name') ?? ''
    else if (name === 'table-properties' && xml.attribute('display') === 'false') hiddenStyles.add(style)
    else if (name === 'table') sheets.push(...new SheetReader(xml, budget, hiddenStyles).read())
  }
  return sheets
}

class SheetReader {
  readonly #xml: XmlReader
  readonly #budget: Budget
  readonly #name: string
  readonly #isHidden: boolean
  readonly #sheet: SheetRows
  #line = 0

  /** Reads the sheet whose element was just opened. */
  constructor(xml: XmlReader, budget: Budget, hiddenStyles: ReadonlySet<string>) {
    this.#xml = xml
    this.#budget = budget
    this.#sheet = new SheetRows(budget)
    this.#name = xml.attribute('name') ?? ''
    this.#isHidden = hiddenStyles.has(xml.attribute('style-name') ?? '')
  }

  read() {
    let isLinked = false
    while (!this.#xml.isEnd('table')) {
      if (this.#xml.name === 'table-row') this.#row()
      else if (this.#xml.name === 'shapes') this.#xml.content()
      // What was last read from another file is no sheet of this one.
      else if (this.#xml.name === 'table-source') isLinked = true
    }
    return isLinked ? [] : [{ name: this.#name, isHidden: this.#isHidden, ...this.#sheet.finish() }]
  }

  #row(): void {
    const times = this.#times('number-rows-repeated')
    const isHidden = ['collapse', 'filter'].includes(this.#xml.attribute('visibility') ?? '')
    const first = this.#line + 1
    this.#line += times
    const cells: string[] = []
    for (let at = 0; !this.#xml.isEnd('table-row'); ) {
      const isCovered = this.#xml.name === 'covered-table-cell'
      if (!isCovered && this.#xml.name !== 'table-cell') continue
      const columns = this.#times('number-columns-repeated')
      const last = this.#line + this.#times('number-rows-spanned') - 1
      const across = this.#times('number-columns-spanned')
      const text = this.#cell(at, first)
      // What is under a merged cell is not shown.
      if (text !== '' && !isCovered) {
        if (at + columns > COLUMNS_MAX) throw damaged('it has more columns than a spreadsheet has')
        this.#sheet.put(cells, at, first, text, columns)
        if (last > this.#line || across > 1) this.#sheet.merges.push({ column: at, first, last, across })
      }
      at += columns
    }
    if (cells.length > 0) this.#sheet.add(cells, isHidden, first, this.#line)
  }

  /** The text that a person sees, up to the end of the cell; days, numbers and booleans in their own form. */
  #cell(column: number, line: number): string {
    const xml = this.#xml
    const type = xml.attribute('value-type')
    const value = xml.attribute('value') ?? xml.attribute('date-value') ?? xml.attribute('boolean-value') ?? ''
    const isFormula = xml.attribute('formula') !== undefined
    const shown = this.#paragraphs(xml.name)
    if (isFormula && (type === undefined || (type !== 'string' && value === '')))
      this.#sheet.note('uncomputed', column, line)
    if (isFormula && /^(?:#[A-Z/0!?]+|Err:\d+)$/.test(shown)) this.#sheet.note('error', column, line)
    if (type === 'date') return value.slice(0, 10)
    if (type === 'boolean') return value
    const number =
      type === 'float' || type === 'currency' || type === 'percentage' ? Number(value || 'NaN') : Number.NaN
    if (Number.isNaN(number) || NUMBERING.test(shown)) return shown
    // Gnumeric writes percentages as numbers.
    const isPercentage = type === 'percentage' || shown.endsWith('%')
    return isPercentage ? `${plain(Number((number * 100).toFixed(2)))}%` : plain(number)
  }

  /** The paragraphs of a cell, each on a line, without its comments and drawings. */
  #paragraphs(cell: string): string {
    const lines: string[] = []
    while (!this.#xml.isEnd(cell)) {
      if (this.#xml.name === 'p') lines.push(this.#paragraph())
      else this.#xml.content()
    }
    return lines.join('\n')
  }

  #paragraph(): string {
    const xml = this.#xml
    let text = ''
    for (let event = xml.next(); event && !(event === 'close' && xml.name === 'p'); event = xml.next()) {
      if (event === 'text') text += xml.text.replaceAll(/\s+/g, ' ')
      if (event !== 'open') continue
      if (xml.name === 's') text += this.#spaces()
      else if (xml.name === 'tab') text += '\t'
      else if (xml.name === 'line-break') text += '\n'
      else if (xml.name === 'annotation' || xml.name === 'ruby-text') xml.content()
    }
    return text
  }

  #spaces(): string {
    const count = Math.min(this.#times('c'), SPACES_MAX)
    this.#budget.take(0, count)
    return ' '.repeat(count)
  }

  #times(attribute: string): number {
    const times = Number(this.#xml.attribute(attribute) ?? 1)
    return Number.isSafeInteger(times) && times > 0 ? times : 1
  }
}
