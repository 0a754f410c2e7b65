import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UnreadableSheet } from '../../src/ingest/files/table.js'
import { workbookTables } from '../../src/ingest/files/workbook/workbook.js'
import { openDesk } from '../ingest/importing.js'
import { addProject, addRisk, project, risk } from '../support/fixtures.js'
import { partsOf, workbookOf, zipOf } from '../support/workbooks.js'

const SHEET = 'xl/worksheets/sheet1.xml'
const STYLES = 'xl/styles.xml'
const RELATIONS = 'xl/_rels/workbook.xml.rels'
const GOOD = workbookOf([
  ['project', 'reference', 'title'],
  ['APOLLO', 'R-2', 'Steel'],
])
const DAMAGED = 'The workbook is damaged: '
const SAVE = ' Open it in a spreadsheet program and save it again, or copy it again.'

/** A workbook whose sheet is this XML. */
const sheet = (xml: string) => zipOf(partsOf('', { [SHEET]: xml }))
const styles = (code: string) =>
  `<styleSheet><numFmts><numFmt numFmtId="200" formatCode='${code}'/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`
const cell = (reference: string) => `<c r="${reference}"><v>1</v></c>`
/** The same with a few bytes overwritten, from an offset or from the end. */
function changed(bytes: Buffer, at: number, hex: string): Buffer {
  const copy = Buffer.from(bytes)
  copy.write(hex, at < 0 ? bytes.length + at : at, 'hex')
  return copy
}

const LAUGHS = `<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(10)}"><!ENTITY c "${'&b;'.repeat(10)}">]>`
const OUTSIDE = '<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/passwd">]><worksheet>&secret;</worksheet>'
const LARGE = 'The workbook is too large when unpacked. Split it, or save the table as "CSV UTF-8".'
const NO_WORKBOOK =
  'This is a zip file, but no workbook of the kind .xlsx or .ods. Open it in a spreadsheet program and save it as .xlsx.'
const noType = `${DAMAGED}${SHEET} is not XML: it has a document type, which workbooks do not have.${SAVE}`
const notXml = (reason: string) => `${DAMAGED}${SHEET} is not XML: ${reason}.${SAVE}`

const HOSTILE: readonly (readonly [name: string, bytes: Uint8Array, sentence: string])[] = [
  ['bomb', zipOf(partsOf(''), { [SHEET]: { bytes: 4_000_000_000 } }), LARGE],
  [
    'liar',
    zipOf(partsOf(' '.repeat(100_000)), { [SHEET]: { bytes: 1_000 } }),
    `${DAMAGED}a part is larger than its directory says.${SAVE}`,
  ],
  [
    'small',
    zipOf(partsOf(''), { [SHEET]: { bytes: 1_000_000 } }),
    `${DAMAGED}${SHEET} does not have the size that it should have.${SAVE}`,
  ],
  ['checksum', zipOf(partsOf(''), { [SHEET]: { crc: 7 } }), `${DAMAGED}${SHEET} does not have its checksum.${SAVE}`],
  ['laughs', sheet(`${LAUGHS}<worksheet>&c;</worksheet>`), noType],
  ['outside', sheet(OUTSIDE), noType],
  ['entity', sheet('<worksheet>&secret;</worksheet>'), notXml('1:19: undefined entity')],
  ['deep', sheet('<a>'.repeat(200)), notXml('its elements are not those of a workbook')],
  ['crossed', sheet('<a><b></a></b>'), notXml('1:10: unexpected close tag')],
  ['cut', sheet('<worksheet><sheetData><row'), notXml('1:26: unclosed tag: sheetData')],
  ['open', sheet('<worksheet><sheetData>'), notXml('1:22: unclosed tag: sheetData')],
  ['endless', sheet(`<worksheet a="${'x'.repeat(1_100_000)}`), notXml('1:1100014: unexpected end')],
  ['comment', sheet(`<worksheet><!--${'x'.repeat(2_100_000)}`), notXml('1:2100015: unclosed tag: worksheet')],
  [
    'wide',
    zipOf(partsOf(Array.from({ length: 700 }, (_, n) => `<row>${cell(`XFD${n + 1}`)}</row>`).join(''))),
    'The sheet has more than 10,000,000 cells. Split it, or delete what is far away from the table.',
  ],
  [
    'echo',
    zipOf(
      partsOf('<row><c t="s"><v>0</v></c></row>'.repeat(300), {
        'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(1_000_000)}</t></si></sst>`,
      }),
    ),
    'The texts of the sheet are too long together. Split it.',
  ],
  [
    'cell',
    zipOf(partsOf(`<row/><row><c r="B2" t="str"><v>${'x'.repeat(1_000_001)}</v></c></row>`)),
    'The cell B2 has more than 1,000,000 characters. Shorten it.',
  ],
  [
    'format',
    zipOf(partsOf('', { [STYLES]: styles('['.repeat(1_001)) })),
    `The number format "${'['.repeat(40)}" has more than 1,000 characters. Shorten it.`,
  ],
  [
    'sheets',
    zipOf(
      partsOf('', {
        'xl/workbook.xml': `<workbook><sheets>${'<sheet name="Risks" r:id="rId1"/>'.repeat(1_001)}</sheets></workbook>`,
      }),
    ),
    'The workbook has more than 1,000 sheets. Split it, or save the table as "CSV UTF-8".',
  ],
  ['outOfSheet', zipOf(partsOf(`<row>${cell('ZZZ1')}</row>`)), `${DAMAGED}there is no cell "ZZZ1".${SAVE}`],
  ['disorder', zipOf(partsOf('<row r="2"/><row r="1"/>')), `${DAMAGED}its rows are not in order.${SAVE}`],
  [
    'long',
    zipOf(partsOf('<row r="1048577"/>')),
    `${DAMAGED}it has a row 1048577, and no spreadsheet has that many.${SAVE}`,
  ],
  [
    'textless',
    zipOf(partsOf('<row><c t="s"><v>5</v></c></row>')),
    `${DAMAGED}a cell refers to a text that is missing.${SAVE}`,
  ],
  ['missing', zipOf(partsOf('', { [SHEET]: null })), `${DAMAGED}${SHEET} is missing.${SAVE}`],
  [
    'unrelated',
    zipOf(partsOf('', { [RELATIONS]: '<Relationships/>' })),
    `${DAMAGED}the sheet "Risks" is missing.${SAVE}`,
  ],
  [
    'path',
    zipOf(
      partsOf('', {
        [RELATIONS]:
          '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="../../../../etc/passwd"/></Relationships>',
      }),
    ),
    `${DAMAGED}etc/passwd is missing.${SAVE}`,
  ],
  [
    'link',
    zipOf(
      partsOf('', {
        [RELATIONS]:
          '<Relationships><Relationship Id="rId1" Type="x/worksheet" TargetMode="External" Target="http://127.0.0.1/sheet1.xml"/></Relationships>',
      }),
    ),
    `${DAMAGED}the sheet "Risks" is missing.${SAVE}`,
  ],
  [
    'twice',
    zipOf([...partsOf(''), ['XL/workbook.xml', '<workbook/>']]),
    `${DAMAGED}"xl/workbook.xml" is in it twice.${SAVE}`,
  ],
  ['letter', zipOf([['word/document.xml', '<document/>']]), NO_WORKBOOK],
  ['locked', zipOf(partsOf(''), { [SHEET]: { flags: 1 } }), 'The workbook is encrypted. Save it without a password.'],
  [
    'odd',
    zipOf(partsOf(''), { [SHEET]: { method: 12 } }),
    'The workbook is packed in an unknown way. Open it in a spreadsheet program and save it again.',
  ],
  [
    'binary',
    zipOf(partsOf('\xff').map(([name, text]) => [name, Buffer.from(text, 'latin1')])),
    `${DAMAGED}${SHEET} is not UTF-8.${SAVE}`,
  ],
  ['truncated', GOOD.subarray(0, -40), `${DAMAGED}its end is missing.${SAVE}`],
  ['headless', Buffer.concat([Buffer.from('PK'), GOOD.subarray(700)]), `${DAMAGED}its directory is cut.${SAVE}`],
  ['noise', changed(GOOD, 60, 'ffffffffffff'), `${DAMAGED}a part cannot be unpacked.${SAVE}`],
  [
    'zip64',
    changed(GOOD, -6, 'ffffffff'),
    'The workbook is packed for more than 4 GB (zip64). Save the table as "CSV UTF-8".',
  ],
  ['old', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'This is an old workbook (.xls). Save it as .xlsx.'],
  [
    'password',
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
    'This is a workbook that is protected by a password. Save it without one.',
  ],
  ['text', Buffer.from('project,title\n'), 'This is not a workbook (.xlsx or .ods). If it is text, give --format csv.'],
  ['empty', Buffer.alloc(0), 'The file is empty.'],
]

test('a hostile or damaged workbook is refused with a sentence, and the store is as it was', async () => {
  const desk = openDesk()
  await desk.write(async (write) => addRisk(write, risk(await addProject(write, project()))))
  const before = desk.dump()
  for (const [name, bytes] of HOSTILE) desk.put(`${name}.xlsx`, bytes)
  const { code, report } = await desk.report('risks', ...HOSTILE.map(([name]) => `${name}.xlsx`))
  const found = report.files.map(({ file, violations }) => [file, ...violations.map(({ detail }) => detail)])
  expect(found).toEqual(HOSTILE.map(([name, , sentence]) => [`${name}.xlsx`, `${name}.xlsx: ${sentence}`]))
  expect([code, desk.dump()]).toEqual([1, before])
})

test('what is only large or strange is read: empty rows, dimensions, links, macros', async () => {
  const desk = openDesk()
  const text = (value: string) => `<c t="str"><f>[1]Other!A1</f><v>${value}</v></c>`
  const rows = [
    `<row r="1">${['project', 'reference', 'title'].map(text).join('')}</row>`,
    '<row/>'.repeat(100_000),
    `<row r="1048576">${['APOLLO', 'R-1', 'Far below'].map(text).join('')}</row>`,
  ]
  const parts = partsOf('', {
    [SHEET]: `<worksheet><dimension ref="A1:XFD1048576"/><sheetData>${rows.join('')}</sheetData><mergeCells>${'<mergeCell ref="A1:A1048576"/>'.repeat(1_000)}</mergeCells></worksheet>`,
    'xl/externalLinks/externalLink1.xml': '<!DOCTYPE x><not xml',
    'xl/vbaProject.bin': 'Sub Auto_Open()',
    '../../evil.sh': 'rm',
  })
  desk.put('large.xlsm', zipOf(parts))
  const answer = await desk.importSheet('risks', '--create-projects', 'large.xlsm')
  expect(answer).toMatchObject({ code: 0 })
  expect(desk.rows('select reference, title from risk')).toEqual([['R-1', 'Far below']])
})

const text = (value: string) => `<c t="str"><v>${value}</v></c>`
const row = (...values: string[]) => `<row>${values.map(text).join('')}</row>`
const TABLE = row('project', 'reference', 'title', 'Notes') + row('APOLLO', 'R-1', 'Steel', 'Late')

/** A record whose reference is merged with that of all the rows below. */
function mergedRecord(count: number): string {
  const rows = Array.from({ length: count }, (_, at) => `<row><c r="D${at + 3}" t="str"><v>${at}</v></c></row>`)
  return `<worksheet><sheetData>${TABLE}${rows.join('')}</sheetData><mergeCell ref="B2:B${count + 2}"/></worksheet>`
}

/** What takes minutes if it is looked at again from each of its characters, or for each of its rows. */
const LONG: readonly (readonly [what: string, parts: Record<string, string>, violations: readonly string[]])[] = [
  ['tag', { [STYLES]: `<styleSheet><numFmt ${'a'.repeat(900_000)}='' q='1'/></styleSheet>` }, []],
  ['record', { [SHEET]: mergedRecord(100_000) }, ['Must be at most 2,000 characters long; this is more than 2,000.']],
]

test.each(LONG)('a long %s is read once', async (_, parts, said) => {
  const desk = openDesk()
  desk.put('long.xlsx', zipOf(partsOf(TABLE, parts)))
  const { report } = await desk.report('risks', '--create-projects', 'long.xlsx')
  expect(report.files[0]?.violations.map(({ detail }) => detail)).toEqual(said)
  expect(report.created).toBe(said.length === 0 ? 1 : 0)
})

test('what looks like an attribute inside of another is none', async () => {
  const desk = openDesk()
  const sheets = '<sheet name="x id=" r:id="rId1"/>'
  desk.put('named.xlsx', zipOf(partsOf('', { 'xl/workbook.xml': `<workbook><sheets>${sheets}</sheets></workbook>` })))
  const { report } = await desk.report('risks', 'named.xlsx', '--sheet', 'y')
  expect(report.files[0]?.violations[0]?.detail).toBe('named.xlsx: There is no sheet "y". The sheets are: x id=.')
})

test('whatever bytes of a workbook are changed, it is read or refused with a sentence', () => {
  const original = readFileSync(new URL('../ingest/samples/workbooks/register.xlsx', import.meta.url))
  const change = fc.tuple(fc.nat(original.length - 1), fc.nat(255))
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const bytes = Buffer.from(original)
      for (const [at, byte] of changes) bytes[at] = byte
      try {
        for (const table of workbookTables(bytes, 'a.xlsx')) expect(table.unit).toBe('row')
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableSheet)
      }
    }),
    { numRuns: 100 },
  )
})
