import { fold } from '../../../text.js'
import { excerpt, listed, type Table, UnreadableSheet } from '../table.js'
import { isOpenDocument, openDocumentSheets } from './openDocument.js'
import { type SheetRows, WORKBOOK_BYTES_MAX } from './sheetRows.js'
import { worksheetsOf } from './xlsx.js'
import { BadZip, type Zip, zipOf } from './zip.js'

type Sheet = Readonly<{ name: string; isHidden: boolean; read: () => ReturnType<SheetRows['finish']> }>

/** The sheets of a workbook as tables, in their order: those that are shown, or the one that is named. */
export function* workbookTables(bytes: Uint8Array, name: string, wanted?: string): Generator<Table, void> {
  refuseOthers(bytes, name)
  try {
    const all = sheetsOf(zipOf(bytes, WORKBOOK_BYTES_MAX))
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

/** Each is looked at for a header, and named in messages. */
const SHEETS_MAX = 1_000

function sheetsOf(zip: Zip): readonly Sheet[] {
  const sheets = isOpenDocument(zip)
    ? openDocumentSheets(zip).map((sheet) => ({ ...sheet, read: () => sheet }))
    : worksheetsOf(zip)
  if (sheets.length === 0) {
    const advice = 'Open it in a spreadsheet program and save it as .xlsx.'
    throw new BadZip(`This is a zip file, but no workbook of the kind .xlsx or .ods. ${advice}`)
  }
  if (sheets.length > SHEETS_MAX) {
    const most = SHEETS_MAX.toLocaleString('en')
    throw new BadZip(`The workbook has more than ${most} sheets. Split it, or save the table as "CSV UTF-8".`)
  }
  return sheets
}
