import { fold } from '../../../text.js'
import { excerpt, listed, type Table, type TableRow, UnreadableSheet } from '../table.js'
import { WORKBOOK_BYTES_MAX, WORKBOOK_CELLS_MAX } from './cells.js'
import { EPOCH_1900, EPOCH_1904, FORMAT_CHARACTERS_MAX, type NumberFormat, numberFormat } from './numberFormats.js'
import { isOpenDocument, openDocumentSheets } from './openDocument.js'
import { isTrue, itemText, readWorksheet } from './worksheet.js'
import { XmlReader } from './xml.js'
import { BadZip, damaged, Zip } from './zip.js'

interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  read(): { readonly rows: readonly TableRow[]; readonly notes: readonly string[] }
}

/** The sheets of a workbook as tables, in their order: those that are shown, or the one that is named. */
export function* workbookTables(bytes: Uint8Array, name: string, wanted?: string): Generator<Table, void> {
  refuseOthers(bytes, name)
  try {
    const all = sheetsOf(new Zip(bytes, WORKBOOK_BYTES_MAX))
    const sheets = wanted === undefined ? all.map((sheet) => sheet.name) : []
    for (const sheet of chosen(all, name, wanted)) {
      const { rows, notes } = sheet.read()
      const shown = JSON.stringify(excerpt(sheet.name))
      const others = sheets.filter((one) => one !== sheet.name)
      const choice = others.length > 0 ? [`The sheet ${shown} was read, and not: ${listed(others)}.`] : []
      yield {
        name: `${name}, sheet ${shown}`,
        unit: 'row',
        isOpenEnded: false,
        notes: [...choice, ...notes],
        sheet: sheet.name,
        sheets,
        rows: () => rows,
      }
    }
  } catch (error) {
    throw error instanceof BadZip ? new UnreadableSheet(name, error.message) : error
  }
}

const ZIP = [0x50, 0x4b]
const OLE = [0xd0, 0xcf, 0x11, 0xe0]
/** The name of the stream in which a workbook with a password is. */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le')

function refuseOthers(bytes: Uint8Array, name: string): void {
  const begins = (beginning: readonly number[]) => beginning.every((byte, index) => bytes[index] === byte)
  if (begins(ZIP)) return
  if (bytes.length === 0) throw new UnreadableSheet(name, 'The file is empty.')
  const kind = begins(OLE)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(ENCRYPTED)
      ? 'a workbook that is protected by a password. Save it without one.'
      : 'an old workbook (.xls). Save it as .xlsx.'
    : 'not a workbook (.xlsx or .ods). If it is text, give --format csv.'
  throw new UnreadableSheet(name, `This is ${kind}`)
}

/** The sheets to look at; a hidden one only if it is named. */
function chosen(all: readonly Sheet[], file: string, name: string | undefined): readonly Sheet[] {
  if (name === undefined) return all.filter(({ isHidden }) => !isHidden)
  const same = (form: (text: string) => string) => all.find((sheet) => form(sheet.name) === form(name))
  const sheet = same((text) => text) ?? same((text) => fold(text.trim()))
  if (sheet) return [sheet]
  const sheets = listed(all.map((one) => (one.isHidden ? `${one.name} (hidden)` : one.name)))
  throw new UnreadableSheet(file, `There is no sheet ${JSON.stringify(excerpt(name))}. The sheets are: ${sheets}.`)
}

function sheetsOf(zip: Zip): readonly Sheet[] {
  const sheets = isOpenDocument(zip)
    ? openDocumentSheets(zip).map((sheet) => ({ ...sheet, read: () => sheet }))
    : worksheetsOf(zip)
  if (sheets.length === 0) throw new BadZip(NO_WORKBOOK)
  if (sheets.length > SHEETS_MAX) throw new BadZip(TOO_MANY_SHEETS)
  return sheets
}

/** Each is looked at for a header, and named in messages. */
const SHEETS_MAX = 1_000
const TOO_MANY_SHEETS = `The workbook has more than ${SHEETS_MAX.toLocaleString('en')} sheets. Split it, or save the table as "CSV UTF-8".`

/** The worksheets of an .xlsx, each of which is a part of its own. */
function worksheetsOf(zip: Zip): Sheet[] {
  const main = relationsOf(zip, '').find(({ type }) => type === 'officeDocument')?.target
  if (main === undefined || !main.endsWith('.xml')) throw new BadZip(NO_WORKBOOK)
  const relations = relationsOf(zip, main)
  const { sheets, is1904 } = contentsOf(partOf(zip, main))
  const part = (type: string) => relations.find((one) => one.type === type)?.target
  const strings = part('sharedStrings')
  const styles = part('styles')
  const context = {
    strings: strings === undefined ? [] : stringsOf(partOf(zip, strings)),
    formats: styles === undefined ? [] : formatsOf(partOf(zip, styles), is1904),
  }
  const byId = new Map(relations.toReversed().map((one) => [one.id, one]))
  return sheets.flatMap(({ id, ...sheet }) => {
    const { type, target } = byId.get(id) ?? {}
    if (target === undefined) throw damaged(`the sheet ${JSON.stringify(sheet.name)} is missing`)
    // A sheet may also be a chart.
    return type === 'worksheet' ? [{ ...sheet, read: () => readWorksheet(partOf(zip, target), context) }] : []
  })
}

function partOf(zip: Zip, name: string): XmlReader {
  const bytes = zip.read(name)
  if (!bytes) throw damaged(`${name} is missing`)
  return new XmlReader(bytes, name)
}

const NO_WORKBOOK =
  'This is a zip file, but no workbook of the kind .xlsx or .ods. Open it in a spreadsheet program and save it as .xlsx.'

interface Relation {
  readonly id: string
  /** The last word of its type, the same in both editions of the standard. */
  readonly type: string
  readonly target: string
}

/** What a part refers to inside of the workbook; links that leave it are never followed. */
function relationsOf(zip: Zip, part: string): Relation[] {
  const slash = part.lastIndexOf('/') + 1
  const name = `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`
  const bytes = zip.read(name)
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

/** The name of a part that is relative to another one. */
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

/** The number formats of the styles of cells. */
function formatsOf(xml: XmlReader, is1904: boolean): NumberFormat[] {
  const codes = new Map<number, string>()
  const styles: number[] = []
  let isCells = false
  for (let event = xml.next(); event; event = xml.next()) {
    if (xml.name === 'cellXfs' && event !== 'text') isCells = event === 'open'
    if (event !== 'open') continue
    const id = Number(xml.attribute('numFmtId') ?? 0)
    if (xml.name === 'numFmt') codes.set(id, formatCode(xml))
    if (xml.name === 'xf' && isCells) styles.push(id)
  }
  const formats = new Map<number, NumberFormat>()
  for (const id of new Set(styles)) formats.set(id, numberFormat(id, codes, is1904 ? EPOCH_1904 : EPOCH_1900))
  return styles.flatMap((id) => formats.get(id) ?? [])
}

function formatCode(xml: XmlReader): string {
  const code = xml.attribute('formatCode') ?? ''
  if (code.length <= FORMAT_CHARACTERS_MAX) return code
  const most = FORMAT_CHARACTERS_MAX.toLocaleString('en')
  throw new BadZip(`The number format ${JSON.stringify(excerpt(code))} has more than ${most} characters. Shorten it.`)
}
