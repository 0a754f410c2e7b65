import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { partsOf, workbookOf, zipOf } from '../../support/workbooks.js'
import { lines, openDesk, startImport } from '../importing.js'

const sample = (name: string) => readFileSync(new URL(`../samples/workbooks/${name}`, import.meta.url))

describe('an import of a workbook', () => {
  const RISKS = 'select reference, category, title, review_on, likelihood from risk order by reference'

  test('takes the first sheet with a header, says what it did, and changes nothing the second time', async () => {
    const desk = openDesk()
    desk.put('register.xlsx', sample('register.xlsx'))
    const first = await desk.importSheet('risks', '--project', 'APOLLO', '--create-projects', 'register.xlsx')
    expect(first).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        lines(
          'register.xlsx: The sheet "Risks" was read, and not: Cover; Lists.',
          'register.xlsx: Hidden rows were read too: 1.',
          'register.xlsx: Cells that show an error of a formula: 1, the first is H7.',
          'register.xlsx: The header is in row 5; the 2 rows above it were passed over.',
        ),
      ),
    })
    expect(desk.rows(RISKS)).toEqual([
      ['R-007', 'Supply', 'Steel arrives late', '2026-03-01', 4],
      ['R-012', 'Supply', 'Crane permit, once more', null, 2],
      ['R-100', 'Weather', 'Ice_x000D_ and snow', null, null],
      ['R-99', 'Supply', 'Wind & <rain>', null, 1],
    ])
    const { report } = await desk.report('risks', '--project', 'APOLLO', 'register.xlsx')
    expect(report).toMatchObject({ created: 0, updated: 0, unchanged: 4, rejected: 0 })
  })

  const rowOf = (row: number, ...cells: string[]) =>
    `<row r="${row}">${cells.map((cell, at) => `<c r="${'ABCDE'[at]}${row}" t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`
  const REGISTER = rowOf(1, 'ID', 'Risk', 'Owner', 'Status') + rowOf(2, 'R-1', 'Steel', 'Ann', 'Open')

  test('is the same the second time, with a note that is merged beside the table', async () => {
    const desk = openDesk()
    const note = REGISTER.replace('</row>', '<c r="E1" t="inlineStr"><is><t>How to fill this in</t></is></c></row>')
    const merged = `<worksheet><sheetData>${note}</sheetData><mergeCells><mergeCell ref="E1:E2"/></mergeCells></worksheet>`
    desk.put('noted.xlsx', zipOf(partsOf('', { 'xl/worksheets/sheet1.xml': merged })))
    const sent = ['risks', '--project', 'APOLLO', '--create-projects', 'noted.xlsx']
    expect(await desk.importSheet(...sent)).toMatchObject({ code: 0 })
    expect(await desk.importSheet(...sent)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing has changed'),
    })
    expect(desk.rows('select reference, title from risk')).toEqual([['R-1', 'Steel']])
  })

  test('is refused if the best header has no rows, with the names of the sheets', async () => {
    const desk = openDesk()
    const parts = partsOf(REGISTER).map(([name, text]): [string, string] => [
      name,
      text
        .replace('name="Risks"', 'name="Filled"')
        .replace('</sheets>', '<sheet name="Empty" sheetId="2" r:id="rId9"/></sheets>')
        .replace('</Relationships>', (end) =>
          name.includes('workbook.xml.rels')
            ? `<Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet2.xml"/>${end}`
            : end,
        ),
    ])
    const empty = `<worksheet><sheetData>${rowOf(1, 'ID', 'Risk', 'Owner', 'Status', 'Mitigation')}</sheetData></worksheet>`
    desk.put('two.xlsx', zipOf([...parts, ['xl/worksheets/sheet2.xml', empty]]))
    const sent = ['risks', '--project', 'APOLLO', '--create-projects', 'two.xlsx']
    const { code, stderr } = await desk.importSheet(...sent)
    expect(code).toBe(1)
    expect(stderr).toContain(
      'The sheet "Empty" has the header, and no row below it. --sheet takes another one: Filled; Empty.',
    )
    expect(await desk.importSheet(...sent, '--sheet', 'Filled')).toMatchObject({ code: 0 })
    expect(desk.rows('select reference from risk')).toEqual([['R-1']])
  })

  test('is refused as a whole, with the row, if a row is bad', async () => {
    const desk = openDesk()
    desk.put(
      'bad.xlsx',
      workbookOf([['Risks'], ['Reference', 'Title', 'Impact'], ['R-1', 'Steel', ''], [], ['R-1', 'Wind', '9']]),
    )
    const before = desk.dump()
    const answer = await desk.importSheet('risks', '--project', 'APOLLO', '--create-projects', 'bad.xlsx')
    expect(answer).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('  row 5, Reference "R-1": This is the same as in row 3; it must be unique.'),
    })
    expect(desk.dump()).toEqual(before)
  })

  test('takes the sheet that is named, a hidden one too, and lists them if there is none of that name', async () => {
    const desk = openDesk()
    desk.put('register.xlsx', sample('register.xlsx'))
    const from = (...flags: string[]) => desk.importSheet('risks', '--project', 'A', '--create-projects', ...flags)
    expect(await from('--sheet', 'lists', 'register.xlsx')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('0 unchanged'),
    })
    expect(await from('--sheet', 'Risk', 'register.xlsx')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'register.xlsx: There is no sheet "Risk". The sheets are: Cover; Risks; Lists (hidden).',
      ),
    })
    expect(await desk.importSheet('people', 'register.xlsx')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /register\.xlsx: No sheet has a header.*The sheets are: Cover; Risks; Lists\..*--map/,
      ),
    })
  })

  test('reads standard input as --format xlsx', async () => {
    const { folder, list } = openDesk()
    const { child, ended } = startImport(
      folder,
      'risks',
      '-',
      '--format',
      'xlsx',
      '--project',
      'APOLLO',
      '--create-projects',
    )
    child.stdin.end(sample('mac.xlsx'))
    expect(await ended).toMatchObject({ code: 0 })
    expect(list('select title from risk order by 1')).toEqual(['Größe 😀', 'Leap day'])
  })
})
