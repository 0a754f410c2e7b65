import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvLine } from '../../../src/csv.js'
import { readMapping } from '../../../src/ingest/files/mapping.js'
import { readSheet, type SheetOptions } from '../../../src/ingest/files/sheet.js'
import { workbookTables } from '../../../src/ingest/files/workbook/workbook.js'
import { runs } from '../../support/properties.js'
import { partsOf, workbookOf, zipOf } from '../../support/workbooks.js'

const sample = (name: string) => readFileSync(new URL(`../samples/workbooks/${name}`, import.meta.url))

const OPTIONS: SheetOptions = {
  name: 'a',
  format: 'csv',
  fields: ['id', 'title', 'status'],
  derived: ['score'],
  ignoreUnknown: true,
}

/** The rows of the first sheet of a workbook, and the notes about it. */
function tableIn(bytes: Uint8Array, sheet?: string) {
  const [table] = workbookTables(bytes, 'a.xlsx', sheet)
  return { rows: Array.from(table?.rows() ?? [], ({ line, cells }) => [line, ...cells]), notes: table?.notes }
}

const cellsOf = (rows: string, replaced: Record<string, string | null> = {}) =>
  tableIn(zipOf(partsOf(rows, replaced))).rows

describe('a workbook of another program', () => {
  test('is read as a person reads it', () => {
    const { rows, notes } = tableIn(sample('register.xlsx'), 'risks')
    expect(rows).toEqual([
      [1, 'Risk register'],
      [3, 'As of', '2026-02-03'],
      [
        5,
        'Category',
        'Reference',
        'Title',
        'Raised\non:',
        'Review on',
        ...'Likelihood,Impact,Score,Description,Owner name'.split(','),
      ],
      [6, 'Supply', 'R-007', 'Steel arrives late', '2026-01-31', '2026-03-01', '4', '5', '20', '40%', 'true'],
      [7, 'Supply', 'R-012', 'Crane permit, once more', '1999-12-31', '', '2', '4', '#REF!', '12.50%', 'false'],
      [8, 'Supply', 'R-99', 'Wind & <rain>', '', '', '1', '1'],
      [10, 'Weather', 'R-100', 'Ice_x000D_ and snow'],
    ])
    expect(notes).toEqual([
      'Hidden rows were read too: 1.',
      'Cells that show an error of a formula: 1, the first is H7.',
    ])
  })

  test('is the same as an OpenDocument spreadsheet', () => {
    const { rows, notes } = tableIn(sample('register.ods'), 'risks')
    const xlsx = tableIn(sample('register.xlsx'), 'risks')
    // Gnumeric shows fewer digits, and keeps the way in which Excel writes a carriage return.
    const same = JSON.stringify(xlsx.rows).replace('12.50%', '12.5%').replace('Ice_x000D_', 'Ice_x005F_x000D_')
    expect(rows).toEqual(JSON.parse(same))
    expect(notes).toEqual(xlsx.notes)
  })

  test('may count days from 1904, and have its texts in the cells', () => {
    expect(tableIn(sample('mac.xlsx')).rows).toEqual([
      [1, 'Reference', 'Title', 'Raised on'],
      [2, 'M-1', 'Größe 😀', '2026-02-03'],
      [3, 'M-2', 'Leap day', '2028-02-29'],
    ])
  })

  test('may have formulas without results, which are named and not evaluated', () => {
    const { rows, notes } = tableIn(sample('formulas.xlsx'))
    expect(rows.slice(1)).toEqual([
      [2, '1', 'Steel', '4', '5', '', '2026-02-03'],
      [3, '2', 'Wind', '1', '2', '', '1900-02-28'],
      [4, '3', 'Rain', '1', '2', '', '1900-03-01'],
    ])
    expect(notes).toEqual([expect.stringMatching(/^Formulas without a stored result .*: 3, the first is E2\./)])
  })
})

describe('a cell', () => {
  /** A cell with a number, in a number format. */
  const shown = (value: string, format: string, date1904 = '0') =>
    cellsOf(`<row><c s="1"><v>${value}</v></c></row>`, {
      'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${format}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="${/^[1-9]\d*$/.test(format) ? format : 164}"/></cellXfs></styleSheet>`,
      'xl/workbook.xml': `<x:workbook xmlns:x="m"><x:workbookPr date1904='${date1904}'/><x:sheets><x:sheet name="it's id='rId9'" sheetId="7" r:id="rId1"/></x:sheets></x:workbook>`,
    })[0]?.[1]

  test.each([
    ['1', '14', '1900-01-01'],
    ['59', '14', '1900-02-28'],
    ['60', '14', '1900-02-29'],
    ['61', '14', '1900-03-01'],
    ['46056.75', '22', '2026-02-03'],
    ['2958465', 'yyyy', '9999-12-31'],
    ['2958466', 'yyyy', '2958466'],
    ['0', 'd/m/yy', '0'],
    ['-5', 'd/m/yy', '-5'],
    ['46056', '[$-407]d\\. mmmm yyyy;@', '2026-02-03'],
    ['46056', 'mmm', '2026-02-03'],
    ['46056', '[Red]General', '46056'],
    ['0.75', 'h:mm AM/PM', '18:00'],
    ['0.7506', 'hh:mm:ss', '18:00:52'],
    ['1.5', '[h]:mm', '1.5'],
    ['0.4', '9', '40%'],
    ['0.145', '0%', '15%'],
    ['0.12345', '0.0#%', '12.35%'],
    ['0.30000000000000004', 'General', '0.3'],
    ['1234.5', '#,##0.00', '1234.5'],
    ['1E3', '0.00E+00', '1000'],
    ['5', '0 &quot;days&quot;', '5'],
    ['7', '000', '007'],
    ['7', '\\R\\-00', 'R-07'],
    ['7.5', '000', '7.5'],
    ['3', '0', '3'],
  ])('of %s in the format %s is %s', (value, format, expected) => {
    expect(shown(value, format)).toBe(expected)
  })

  test.each([
    ['0', '1904-01-01'],
    ['44594', '2026-02-03'],
  ])('of the day %s since 1904 is %s', (value, expected) => {
    expect(shown(value, '14', 'true')).toBe(expected)
  })

  test.each([
    [
      'a text with a hint how to say it',
      '<c t="inlineStr"><is><r><t>東</t></r><r><t>京</t></r><rPh><t>とう</t></rPh></is></c>',
      '東京',
    ],
    ['a text that is laid out in XML', '<c t="inlineStr">\n <is>\n  <t>a</t>\n </is>\n</c>', 'a'],
    ['entities and sections', '<c t="str"><v>a&#x26;&#66;&lt;<![CDATA[<&amp;>]]><!-- > --></v></c>', 'a&B<<&amp;>'],
    ['characters that XML cannot have', '<c t="str"><v>a_x000D_b_x005F_x000D_</v></c>', 'a\rb_x000D_'],
    ['line ends', '<c t="str"><v>a\r\nb\rc</v></c>', 'a\nb\nc'],
    ['a boolean', '<c t="b"><v>1</v></c>', 'true'],
    ['an error', '<c t="e"><v>#N/A</v></c>', '#N/A'],
    ['a day in ISO 8601', '<c t="d"><v>2026-02-03T10:00:00</v></c>', '2026-02-03'],
    ['a formula with a result', '<c t="str"><f a=">">WEBSERVICE("http://127.0.0.1/")</f><v>x</v></c>', 'x'],
    ['an unknown style', '<c s="99"><v>5</v></c>', '5'],
  ])('has %s', (_, cell, expected) => {
    expect(cellsOf(`<row>${cell}</row>`)).toEqual([[1, expected]])
  })

  test('is where it says, or after the last one', () => {
    const row =
      '<row r="3"><c><v>1</v></c><c r="C3"><v>2</v></c><c><v>3</v></c><c r="AA3"/></row><row/><row><c><v>4</v></c></row>'
    expect(cellsOf(row)).toEqual([
      [3, '1', '', '2', '3'],
      [5, '4'],
    ])
  })

  test('that is merged downwards is that of each row that has something else', () => {
    const text = (cell: string) => `<c r="${cell}"><v>${cell.slice(1)}</v></c>`
    const rows = `<row r="1">${text('A1')}${text('B1')}</row><row r="2">${text('B2')}</row><row r="4">${text('C4')}</row><row r="5">${text('B5')}</row>`
    const sheet = `<worksheet><sheetData>${rows}</sheetData><mergeCells><mergeCell ref="A1:A4"/><mergeCell ref="B2:C4"/><mergeCell ref="B5:D5"/><mergeCell ref="D1:D5"/></mergeCells></worksheet>`
    expect(cellsOf('', { 'xl/worksheets/sheet1.xml': sheet })).toEqual([
      [1, '1', '1'],
      [2, '1', '2'],
      [4, '1', '2', '4'],
      [5, '', '5'],
    ])
  })

  test('is whole wherever the text is split to be decoded', () => {
    for (let extra = 0; extra < 8; extra++) {
      const text = `${'x'.repeat(262_080 + extra)}&amp;€`
      expect(cellsOf(`<row><c t="str"><v>${text}</v></c></row>`)).toEqual([[1, text.replace('&amp;', '&')]])
    }
  })
})

test('a header of several rows has its merged headings, and those of the last row', () => {
  const text = (cell: string, value: string) => `<c r="${cell}" t="str"><v>${value}</v></c>`
  const rows = [
    `<row r="1">${text('A1', 'ID')}${text('B1', 'Title')}${text('C1', 'Before')}${text('E1', 'After')}</row>`,
    `<row r="2">${text('C2', 'Score')}${text('D2', 'Status')}${text('E2', 'Score')}</row>`,
    `<row r="3">${['R-1', 'Steel', '20', 'Open', '4'].map((value, at) => text(`${'ABCDE'[at]}3`, value)).join('')}</row>`,
  ]
  const merges = ['A1:A2', 'B1:B2', 'C1:D1', 'E1:F1'].map((ref) => `<mergeCell ref="${ref}"/>`).join('')
  const xml = `<worksheet><sheetData>${rows.join('')}</sheetData><mergeCells>${merges}</mergeCells></worksheet>`
  const bytes = zipOf(partsOf('', { 'xl/worksheets/sheet1.xml': xml }))
  const { records, ignored } = readSheet(bytes, { ...OPTIONS, format: 'xlsx' })
  expect(records).toMatchObject([{ line: 3, values: { id: 'R-1', title: 'Steel', status: 'Open' } }])
  expect(ignored).toEqual(['Before Score', 'After Score'])
})

test('rows over which a title is merged are one record, by its names and by a map', () => {
  const text = (cell: string, value: string) => `<c r="${cell}" t="str"><v>${value}</v></c>`
  const rows = [
    `<row r="1">${text('A1', 'ID')}${text('B1', 'Title')}${text('C1', 'Status')}</row>`,
    `<row r="2">${text('A2', '1')}${text('B2', 'Steel')}${text('C2', 'Call')}</row>`,
    `<row r="3">${text('C3', 'Write')}</row><row r="4">${text('C4', 'Write')}${text('D4', 'x')}</row>`,
    `<row r="5">${text('B5', 'Wind')}</row>`,
  ]
  const merges = '<mergeCells><mergeCell ref="A2:A5"/><mergeCell ref="B2:B4"/></mergeCells>'
  const bytes = zipOf(
    partsOf('', {
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows.join('')}</sheetData>${merges}</worksheet>`,
    }),
  )
  const joined = [
    [2, 'Steel', 'Call\nWrite\nWrite'],
    [5, 'Wind', ''],
  ]
  for (const mapping of [
    undefined,
    readMapping('{"columns":{"title":"Title","status":"Status"}}', 'a.map.json', OPTIONS.fields),
  ]) {
    const { records, notes } = readSheet(bytes, { ...OPTIONS, format: 'xlsx', mapping })
    expect(records.map(({ line, values }) => [line, values['title'], values['status']])).toEqual(joined)
    expect(notes).toEqual(['Rows that are merged with the one above were joined with it: 2.'])
  }
})

test('the same table is the same records, as CSV and as a workbook', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('_', 'x', '0', 'D', '&', '<', '>', "'", '"', '\r', '\n', '\0', '=', ' ') }),
  )
  const row = fc.tuple(text, text, text)
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), (body) => {
      const rows = [
        ['Register', '', ''],
        ['ID', 'Title', 'Score'],
        ...body.map((cells) => cells.map((one) => one.replaceAll('\0', ''))),
      ]
      const csv = readSheet(Buffer.from(rows.map((cells) => csvLine(cells)).join('')), OPTIONS)
      const workbook = readSheet(workbookOf(rows), { ...OPTIONS, format: 'xlsx' })
      const valuesOf = ({ records, ignored, derived }: typeof csv) => [
        records.map(({ values }) => values),
        ignored,
        derived,
      ]
      expect(valuesOf(workbook)).toEqual(valuesOf(csv))
    }),
    runs(60),
  )
})
