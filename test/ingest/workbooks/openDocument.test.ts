import { expect, test } from 'vitest'
import { workbookTables } from '../../../src/ingest/files/workbook/workbook.js'
import { zipOf } from '../../support/workbooks.js'
import { openDesk } from '../importing.js'

const MIME = 'application/vnd.oasis.opendocument.spreadsheet'
const SAVE = ' Open it in a spreadsheet program and save it again, or copy it again.'

/** A spreadsheet with this XML, and other parts. */
const book = (xml: string, ...others: [string, string][]) =>
  zipOf([['mimetype', MIME], ['content.xml', `<office:document-content>${xml}</office:document-content>`], ...others])
const sheet = (rows: string, name = 'Risks') => `<table:table table:name="${name}">${rows}</table:table>`
const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`
const text = (value: string, attributes = '') =>
  `<table:table-cell office:value-type="string" ${attributes}><text:p>${value}</text:p></table:table-cell>`
const rowsIn = (bytes: Uint8Array, name?: string) =>
  Array.from(workbookTables(bytes, 'a.ods', name), ({ rows }) =>
    Array.from(rows(), ({ line, cells }) => [line, ...cells]),
  )

test('repeated cells and rows, spaces and line breaks are read, comments and drawings are not', () => {
  const comment = '<office:annotation><text:p>Why?</text:p></office:annotation>'
  const drawing = '<draw:frame><text:p>Logo</text:p></draw:frame>'
  const cells = [
    text('a', 'table:number-columns-repeated="2"'),
    '<table:table-cell table:number-columns-repeated="3"/>',
    `<table:table-cell>${comment}<text:p>one<text:s text:c="2"/>two<text:line-break/>three</text:p>${drawing}<text:p>four</text:p></table:table-cell>`,
  ]
  const repeated =
    '<table:table-row table:number-rows-repeated="2"><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row>'
  const blank = '<table:table-row table:number-rows-repeated="10000000"><table:table-cell/></table:table-row>'
  expect(rowsIn(book(sheet(row(...cells) + repeated + blank)))).toEqual([
    [
      [1, 'a', 'a', '', '', '', 'one  two\nthree\nfour'],
      [2, 'b'],
      [3, 'b'],
    ],
  ])
})

test('a hidden sheet is read only by its name, and one that is linked to another file is not', () => {
  const style = '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'
  const hidden = '<table:table table:name="Lists" table:style-name="ta2">'
  const linked = `<table:table table:name="Far"><table:table-source xlink:href="http://127.0.0.1/x"/>${row(text('x'))}</table:table>`
  const bytes = book(`${style}${sheet(row(text('a')))}${hidden}${row(text('b'))}</table:table>${linked}`)
  expect(rowsIn(bytes)).toEqual([[[1, 'a']]])
  expect(rowsIn(bytes, 'lists')).toEqual([[[1, 'b']]])
  expect(() => rowsIn(bytes, 'Far')).toThrow('The sheets are: Risks; Lists (hidden).')
})

const MANY = (attribute: string) => `table:number-${attribute}-repeated="1000000000"`
const HOSTILE: readonly (readonly [name: string, bytes: Uint8Array, sentence: string])[] = [
  [
    'wide',
    book(sheet(row(text('x', MANY('columns'))))),
    `The workbook is damaged: it has more columns than a spreadsheet has.${SAVE}`,
  ],
  [
    'long',
    book(sheet(`<table:table-row ${MANY('rows')}>${text('x')}</table:table-row>`)),
    `The workbook is damaged: it has a row 1000000000, and no spreadsheet has that many.${SAVE}`,
  ],
  [
    'many',
    book(
      sheet(
        `<table:table-row table:number-rows-repeated="1000">${text('x', 'table:number-columns-repeated="16000"')}</table:table-row>`,
      ),
    ),
    'The sheet has more than 10,000,000 cells. Split it, or delete what is far away from the table.',
  ],
  [
    'spaces',
    book(sheet(row(text('<text:s text:c="1000000000"/>'.repeat(250_000))))),
    'The texts of the sheet are too long together. Split it.',
  ],
  [
    'laughs',
    zipOf([
      ['mimetype', MIME],
      ['content.xml', '<!DOCTYPE x [<!ENTITY a "ha">]><office:document-content>&a;</office:document-content>'],
    ]),
    `The workbook is damaged: content.xml is not XML: it has a document type, which workbooks do not have.${SAVE}`,
  ],
  [
    'bomb',
    zipOf(
      [
        ['mimetype', MIME],
        ['content.xml', ''],
      ],
      { 'content.xml': { bytes: 4_000_000_000 } },
    ),
    'The workbook is too large when unpacked. Split it, or save the table as "CSV UTF-8".',
  ],
  [
    'locked',
    book('noise', ['META-INF/manifest.xml', '<manifest:encryption-data/>']),
    'The workbook is encrypted. Save it without a password.',
  ],
  ['hollow', zipOf([['mimetype', MIME]]), `The workbook is damaged: content.xml is missing.${SAVE}`],
]

test('a hostile or damaged spreadsheet is refused with a sentence, and the store is as it was', async () => {
  const desk = openDesk()
  const before = desk.dump()
  for (const [name, bytes] of HOSTILE) desk.put(`${name}.ods`, bytes)
  const { code, report } = await desk.report('risks', ...HOSTILE.map(([name]) => `${name}.ods`))
  const found = report.files.map(({ file, violations }) => [file, ...violations.map(({ detail }) => detail)])
  expect(found).toEqual(HOSTILE.map(([name, , sentence]) => [`${name}.ods`, `${name}.ods: ${sentence}`]))
  expect([code, desk.dump()]).toEqual([1, before])
})
