import { formatsOf, type NumberFormat, plain } from './numberFormats.js'
import { columnOf, mergesIn, requireLine, type SheetRows, sheetRows, WORKBOOK_CELLS_MAX } from './sheetRows.js'
import { XmlReader, xmlIn } from './xml.js'
import { BadZip, damaged, type Zip } from './zip.js'

/** The worksheets of an .xlsx, each of which is a part of its own. */
export function worksheetsOf(zip: Zip) {
  const main = relationsOf(zip, '').find(({ type }) => type === 'officeDocument')?.target
  // No workbook of this kind.
  if (main === undefined || !main.endsWith('.xml')) return []
  const relations = relationsOf(zip, main)
  const { sheets, is1904 } = contentsOf(xmlIn(zip, main))
  const partOf = (type: string) => {
    const found = relations.find((one) => one.type === type)
    return found && xmlIn(zip, found.target)
  }
  const [strings, styles] = [partOf('sharedStrings'), partOf('styles')]
  const context = { strings: strings ? stringsOf(strings) : [], formats: styles ? formatsOf(styles, is1904) : [] }
  const byId = new Map(relations.toReversed().map((one) => [one.id, one]))
  return sheets.flatMap(({ id, ...sheet }) => {
    const { type, target } = byId.get(id) ?? {}
    if (target === undefined) throw damaged(`the sheet ${JSON.stringify(sheet.name)} is missing`)
    // A sheet may also be a chart.
    return type === 'worksheet' ? [{ ...sheet, read: () => readWorksheet(xmlIn(zip, target), context) }] : []
  })
}

/** Its type is the last word of what the file says, the same in both editions of the standard. */
type Relation = Readonly<Record<'id' | 'type' | 'target', string>>

/** What a part refers to inside of the workbook; links that leave it are never followed. */
function relationsOf(zip: Zip, part: string): Relation[] {
  const slash = part.lastIndexOf('/') + 1
  const name = `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`
  const bytes = zip(name)
  if (!bytes) return []
  const xml = new XmlReader(bytes, name)
  const relations: Relation[] = []
  for (const element of xml.elements()) {
    if (element !== 'Relationship' || xml.attribute('TargetMode') === 'External') continue
    const [id = '', type = '', target = ''] = ['Id', 'Type', 'Target'].map((attribute) => xml.attribute(attribute))
    relations.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: resolved(target, part) })
  }
  return relations
}

function resolved(target: string, part: string): string {
  const steps = target.startsWith('/') ? [] : part.split('/').slice(0, -1)
  for (const step of target.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}

function contentsOf(xml: XmlReader) {
  const sheets: { id: string; name: string; isHidden: boolean }[] = []
  let is1904 = false
  for (const element of xml.elements()) {
    if (element === 'workbookPr') is1904 = isTrue(xml.attribute('date1904'))
    if (element !== 'sheet') continue
    const isHidden = (xml.attribute('state') ?? 'visible') !== 'visible'
    sheets.push({ id: xml.attribute('id') ?? '', name: xml.attribute('name') ?? '', isHidden })
  }
  return { sheets, is1904 }
}

function stringsOf(xml: XmlReader): string[] {
  const strings: string[] = []
  for (const element of xml.elements()) {
    if (element !== 'si') continue
    if (strings.push(itemText(xml, 'si')) > WORKBOOK_CELLS_MAX)
      throw new BadZip('The workbook has too many texts. Split it, or save the table as "CSV UTF-8".')
  }
  return strings
}

type CellContext = Readonly<{ strings: readonly string[]; formats: readonly NumberFormat[] }>

function readWorksheet(xml: XmlReader, context: CellContext) {
  const sheet = sheetRows()
  let line = 0
  for (const name of xml.elements()) {
    if (name === 'row') line = readRow(xml, context, sheet, line)
    else if (name === 'mergeCell') sheet.merges.push(...mergesIn(xml.attribute('ref') ?? ''))
  }
  return sheet.finish()
}

function readRow(xml: XmlReader, context: CellContext, sheet: SheetRows, last: number): number {
  const line = Number(xml.attribute('r') ?? last + 1)
  if (!Number.isSafeInteger(line) || line <= last) throw damaged('its rows are not in order')
  requireLine(line)
  const isHidden = isTrue(xml.attribute('hidden'))
  const cells: string[] = []
  for (let next = 0; !xml.isEnd('row'); ) {
    if (xml.name !== 'c') continue
    const reference = xml.attribute('r')
    const at = reference === undefined ? next : columnOf(reference)
    next = at + 1
    const text = readCell(xml, context, (what) => sheet.report(what, at, line))
    if (text !== '') sheet.put(cells, at, line, text)
  }
  if (cells.length > 0) sheet.add(cells, isHidden, line)
  return line
}

function readCell(xml: XmlReader, context: CellContext, report: (what: 'error' | 'uncomputed') => void): string {
  const type = xml.attribute('t') ?? 'n'
  const style = Number(xml.attribute('s') ?? 0)
  let value: string | undefined
  let isFormula = false
  while (!xml.isEnd('c')) {
    if (xml.name === 'v') value = xml.content()
    else if (xml.name === 'is') value = itemText(xml, 'is')
    else if (xml.name === 'f') isFormula = true
  }
  if (type === 'e') report('error')
  if (value) return textOf(type, value, style, context)
  // A formula may have an empty text as its result, but no empty number.
  if (isFormula && (value === undefined || type === 'n')) report('uncomputed')
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

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

/** The text of a string item: of all its runs, without hints how to pronounce it. */
function itemText(xml: XmlReader, element: string): string {
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
