import { COLUMNS_MAX } from '../table.js'
import { plain } from './numberFormats.js'
import { cellBudget, type SheetRows, sheetRows } from './sheetRows.js'
import { type XmlReader, xmlIn } from './xml.js'
import { BadZip, damaged, type Zip } from './zip.js'

const SPREADSHEET = 'application/vnd.oasis.opendocument.spreadsheet'
/** A number that is shown as a name, such as R-007. */
const NUMBERING = /^\p{L}\D*\d+$|^0\d+$/u
const SPACES_MAX = 1_000

export function isOpenDocument(zip: Zip): boolean {
  return zip('mimetype')?.toString('latin1').trim() === SPREADSHEET
}

/** The sheets of an OpenDocument spreadsheet, all at once, because they are in one part. */
export function openDocumentSheets(zip: Zip) {
  if (zip('META-INF/manifest.xml')?.includes('encryption-data'))
    throw new BadZip('The workbook is encrypted. Save it without a password.')
  const xml = xmlIn(zip, 'content.xml')
  const budget = cellBudget()
  const hiddenStyles = new Set<string>()
  const sheets: ReturnType<typeof readTable>[] = []
  let style = ''
  for (const name of xml.elements()) {
    if (name === 'style') style = xml.attribute('name') ?? ''
    else if (name === 'table-properties' && xml.attribute('display') === 'false') hiddenStyles.add(style)
    else if (name === 'table') sheets.push(readTable(xml, budget, hiddenStyles))
  }
  // What was last read from another file is no sheet of this one.
  return sheets.filter(({ isLinked }) => !isLinked)
}

function readTable(xml: XmlReader, budget: ReturnType<typeof cellBudget>, hiddenStyles: ReadonlySet<string>) {
  const name = xml.attribute('name') ?? ''
  const isHidden = hiddenStyles.has(xml.attribute('style-name') ?? '')
  const sheet = sheetRows(budget)
  let line = 0
  let isLinked = false
  while (!xml.isEnd('table')) {
    if (xml.name === 'table-row') line = readRow(xml, sheet, line)
    else if (xml.name === 'shapes') xml.content()
    else if (xml.name === 'table-source') isLinked = true
  }
  return { name, isHidden, isLinked, ...sheet.finish() }
}

/** Reads a row, and returns the number of the last one that it stands for. */
function readRow(xml: XmlReader, sheet: SheetRows, above: number): number {
  const first = above + 1
  const last = above + times(xml, 'number-rows-repeated')
  const isHidden = ['collapse', 'filter'].includes(xml.attribute('visibility') ?? '')
  const cells: string[] = []
  for (let at = 0; !xml.isEnd('table-row'); ) {
    const isCovered = xml.name === 'covered-table-cell'
    if (!isCovered && xml.name !== 'table-cell') continue
    const columns = times(xml, 'number-columns-repeated')
    const end = last + times(xml, 'number-rows-spanned') - 1
    const across = times(xml, 'number-columns-spanned')
    const text = readCell(xml, sheet, at, first)
    // What is under a merged cell is not shown.
    if (text !== '' && !isCovered) {
      if (at + columns > COLUMNS_MAX) throw damaged('it has more columns than a spreadsheet has')
      sheet.put(cells, at, first, text, columns)
      if (end > last || across > 1) sheet.merges.push({ column: at, first, last: end, across })
    }
    at += columns
  }
  if (cells.length > 0) sheet.add(cells, isHidden, first, last)
  return last
}

/** The text that a person sees, up to the end of the cell; days, numbers and booleans in their own form. */
function readCell(xml: XmlReader, sheet: SheetRows, column: number, line: number): string {
  const type = xml.attribute('value-type')
  const value = xml.attribute('value') ?? xml.attribute('date-value') ?? xml.attribute('boolean-value') ?? ''
  const isFormula = xml.attribute('formula') !== undefined
  const shown = paragraphs(xml, sheet)
  if (isFormula && (type === undefined || (type !== 'string' && value === ''))) sheet.report('uncomputed', column, line)
  if (isFormula && /^(?:#[A-Z/0!?]+|Err:\d+)$/.test(shown)) sheet.report('error', column, line)
  if (type === 'date') return value.slice(0, 10)
  if (type === 'boolean') return value
  const number = type === 'float' || type === 'currency' || type === 'percentage' ? Number(value || 'NaN') : Number.NaN
  if (Number.isNaN(number) || NUMBERING.test(shown)) return shown
  // Gnumeric writes percentages as numbers.
  const isPercentage = type === 'percentage' || shown.endsWith('%')
  return isPercentage ? `${plain(Number((number * 100).toFixed(2)))}%` : plain(number)
}

/** The paragraphs of the cell that was opened, each on a line, without its comments and drawings. */
function paragraphs(xml: XmlReader, sheet: SheetRows): string {
  const cell = xml.name
  const lines: string[] = []
  while (!xml.isEnd(cell)) {
    if (xml.name === 'p') lines.push(paragraph(xml, sheet))
    else xml.content()
  }
  return lines.join('\n')
}

function paragraph(xml: XmlReader, sheet: SheetRows): string {
  let text = ''
  for (let event = xml.next(); event && !(event === 'close' && xml.name === 'p'); event = xml.next()) {
    if (event === 'text') text += xml.text.replaceAll(/\s+/g, ' ')
    if (event !== 'open') continue
    if (xml.name === 's') text += sheet.spaces(Math.min(times(xml, 'c'), SPACES_MAX))
    else if (xml.name === 'tab') text += '\t'
    else if (xml.name === 'line-break') text += '\n'
    else if (xml.name === 'annotation' || xml.name === 'ruby-text') xml.content()
  }
  return text
}

function times(xml: XmlReader, attribute: string): number {
  const count = Number(xml.attribute(attribute) ?? 1)
  return Number.isSafeInteger(count) && count > 0 ? count : 1
}
