import { Budget, columnOf, mergesIn, SheetRows } from './cells.js'
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
export function readWorksheet(xml: XmlReader, context: CellContext) {
  const sheet = new SheetRows(new Budget())
  let line = 0
  for (const name of xml.elements()) {
    if (name === 'row') line = readRow(xml, context, sheet, line)
    else if (name === 'mergeCell') sheet.merges.push(...mergesIn(xml.attribute('ref') ?? ''))
  }
  return sheet.finish()
}

/** Reads a row, and returns its number. */
function readRow(xml: XmlReader, context: CellContext, sheet: SheetRows, last: number): number {
  const line = Number(xml.attribute('r') ?? last + 1)
  if (!Number.isSafeInteger(line) || line <= last) throw damaged('its rows are not in order')
  const isHidden = isTrue(xml.attribute('hidden'))
  const cells: string[] = []
  for (let next = 0; !xml.isEnd('row'); ) {
    if (xml.name !== 'c') continue
    const reference = xml.attribute('r')
    const at = reference === undefined ? next : columnOf(reference)
    next = at + 1
    const text = readCell(xml, context, (what) => sheet.note(what, at, line))
    if (text !== '') sheet.put(cells, at, line, text)
  }
  if (cells.length > 0) sheet.add(cells, isHidden, line)
  return line
}

function readCell(xml: XmlReader, context: CellContext, note: (what: 'error' | 'uncomputed') => void): string {
  const type = xml.attribute('t') ?? 'n'
  const style = Number(xml.attribute('s') ?? 0)
  let value: string | undefined
  let isFormula = false
  while (!xml.isEnd('c')) {
    if (xml.name === 'v') value = xml.content()
    else if (xml.name === 'is') value = itemText(xml, 'is')
    else if (xml.name === 'f') isFormula = true
  }
  if (type === 'e') note('error')
  if (value) return textOf(type, value, style, context)
  // A formula may have an empty text as its result, but no empty number.
  if (isFormula && (value === undefined || type === 'n')) note('uncomputed')
  return ''
}

function textOf(type: string, value: string, style: number, { strings, formats }: CellContext): string {
  if (type === 's') {
    const text = strings[Number(value)]
    if (text === undefined) throw damaged('a cell refers to a text that is missing')
    return text
  }
  if (type === 'b') return isTrue(value.trim()) ? 'true' : 'false'
  // Days in ISO 8601, maybe with a time.
  if (type === 'd') return value.trim().replace(/^(\d{4}-\d\d-\d\d)T.*$/, '$1')
  const number = type === 'n' ? Number(value) : Number.NaN
  return Number.isNaN(number) ? unescapedText(value) : (formats[style] ?? plain)(number)
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
