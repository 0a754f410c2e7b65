import { describe, expect, test } from 'vitest'
import { SHEETS } from '../../../src/nouns.js'
import { addIssue, addProject, addRisk, issue, project, risk } from '../../support/fixtures.js'
import { runHere } from '../../support/inProcess.js'
import { type Desk, lines, openDesk } from '../importing.js'

/** A violation of a cell as line, column and detail; a violation of the file as a sentence. */
type Violation = readonly [number, string, string] | string

const RISK_COLUMNS = Object.keys(SHEETS.risks.inputs).join(', ')
const ADVICE = 'Save the file as UTF-8, or give --encoding windows-1252, which is what Excel on Windows writes.'
const TOGETHER = 'Give both likelihood and impact, or neither.'
const NEW_ID = 'rsk_01h00000000000000000000000'
const sameAs = (line: number) => `This is the same as in line ${line}; it must be unique.`
const header = (...columns: string[]) => ['project', 'reference', 'title', ...columns].join(',')
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
const windows1252 = (text: string) => Buffer.from(text, 'latin1')

const BAD: readonly (readonly [file: string, content: string | Uint8Array, ...violations: Violation[]])[] = [
  ['empty.csv', '', 'empty.csv: The file is empty.'],
  ['blank.json', ' \n\n', 'blank.json: The file is empty.'],
  [
    'cut.csv',
    `${header()}\nAPOLLO,R-2,Weather\nAPOLLO,R-3`,
    'cut.csv, line 3: The file is truncated: its last row has 2 of 3 cells.',
  ],
  [
    'atOnce.csv',
    lines(header('likelihood', 'raisedOn'), 'APOLLO,R-2,x,,', 'APOLLO,R-2,,9,3.2.26'),
    [3, 'title', 'Must not be empty.'],
    [3, 'likelihood', 'Must be a whole number from 1 to 5.'],
    [3, 'raisedOn', 'Must be a day such as 2027-01-31.'],
    [3, 'reference', 'This is the same as in line 2; it must be unique.'],
  ],
  [
    'headerless.csv',
    '# Nothing but a comment\n',
    `headerless.csv: There is no header; the columns may be called ${RISK_COLUMNS}.`,
  ],
  [
    'unnamed.csv',
    lines('APOLLO,R-2,Weather'),
    `unnamed.csv, line 1: No column is known. The columns may be called ${RISK_COLUMNS}. If the file has columns of other names, say in a map what they mean: --suggest-map prints one to start with, --map takes it.`,
  ],
  [
    'unknown.csv',
    lines(header('colour', 'mood'), 'APOLLO,R-2,Weather,red,low'),
    `unknown.csv, line 1: Unknown columns: colour; mood. Ignore them with --ignore-unknown. Known columns: ${RISK_COLUMNS}.`,
  ],
  [
    'proto.ndjson',
    lines('{"project":"APOLLO","reference":"R-2","title":"x","__proto__":{"title":"y"}}'),
    `proto.ndjson: Unknown column: __proto__. Ignore them with --ignore-unknown. Known columns: ${RISK_COLUMNS}.`,
  ],
  [
    'excel.csv',
    Buffer.from('504b0304140006000800', 'hex'),
    'excel.csv: This is a workbook (.xlsx, .ods) or another zip file, not text. If it is a workbook, give --format xlsx.',
  ],
  [
    'windows.csv',
    windows1252(lines(header(), 'APOLLO,R-2,Weather', 'APOLLO,R-3,Größe')),
    `windows.csv, line 3: Here is a byte that is not UTF-8. ${ADVICE}`,
  ],
  [
    'nul.csv',
    lines(header(), 'APOLLO,R-2,Wea\0ther'),
    'nul.csv, line 2: Here is a NUL byte: this is not text, or it is UTF-16; then give --encoding utf-16le.',
  ],
  [
    'quote.csv',
    lines(header(), 'APOLLO,R-2,Weather', 'APOLLO,R-3,"Steel', 'APOLLO,R-4,Wind'),
    'quote.csv, line 3: A quote opens here and never closes.',
  ],
  [
    'object.json',
    '{"project":"APOLLO"}',
    'object.json: There must be one array of objects, alone or as the only array of an object.',
  ],
  [
    'broken.ndjson',
    lines('{"project":"APOLLO","reference":"R-2","title":"x"}', '{"project":', '7'),
    [2, '', 'This line is not JSON. Every line must be one JSON object.'],
    [3, '', 'This is a number, not a JSON object.'],
  ],
  [
    'nul.ndjson',
    lines(
      '{"project":"APOLLO","reference":"R-2","title":"a\\u0000b"}',
      '{"project":"APOLLO","reference":"R-3","title":["x"]}',
    ),
    [1, 'title', 'Must not contain the NUL character.'],
    [2, 'title', 'Must be a text.'],
  ],
  [
    'long.csv',
    lines(header(), `APOLLO,R-2,${'x'.repeat(501)}`, `APOLLO,R-3,${'x'.repeat(500)}`),
    [2, 'title', 'Must be at most 500 characters long; this is 501.'],
  ],
  [
    'duplicate.csv',
    lines(header(), 'APOLLO,R-1,x', 'apollo, R-2 ,x', 'APOLLO,R-1,x', 'APOLLO,R-2,x'),
    [4, 'reference', sameAs(2)],
    [5, 'reference', sameAs(3)],
  ],
  [
    'ids.csv',
    lines(header('id'), `APOLLO,R-2,x,${NEW_ID}`, `APOLLO,R-3,x,${NEW_ID}`, 'APOLLO,R-4,x,7'),
    [3, 'id', sameAs(2)],
    [4, 'id', 'Must be an id in the form of an export.'],
  ],
  [
    'projects.csv',
    lines(header(), 'MERCURY,R-2,x', 'Apollo bridge,R-2,x'),
    [2, 'project', 'There is no project MERCURY. Import it first, or create it with --create-projects.'],
    [3, 'project', 'Must be capitals, digits and hyphens, beginning with a letter, such as APOLLO-2.'],
  ],
  [
    'assessed.csv',
    lines(
      header('Likelihood', 'Impact'),
      'APOLLO,R-2,x,6,1',
      'APOLLO,R-3,x,1,2.5',
      'APOLLO,R-4,x,5,',
      'APOLLO,R-1,x,,3',
    ),
    [2, 'Likelihood', 'Must be a whole number from 1 to 5.'],
    [3, 'Impact', 'Must be a whole number from 1 to 5.'],
    [4, 'Impact', TOGETHER],
    [5, 'Likelihood', TOGETHER],
  ],
  [
    'values.csv',
    lines(header('raisedOn', 'url', 'status'), 'APOLLO,R-2,x,2027-02-30,javascript:alert(1),done'),
    [2, 'status', 'Must be one of OPEN, OCCURRED, CLOSED.'],
    [2, 'url', 'Must be an address such as https://example.com/page.'],
    [2, 'raisedOn', 'Must be a day such as 2027-01-31.'],
  ],
  [
    'owners.csv',
    lines(header('owner', 'ownerId'), 'APOLLO,R-2,x,,nobody', 'APOLLO,R-3,x,Ada,nobody'),
    [2, 'ownerId', 'There is no person with the user id "nobody".'],
    [3, 'ownerId', 'There is no person with the user id "nobody".'],
    [3, 'owner', 'Nobody on the roster has the e-mail, user id, externalId or name "Ada".'],
  ],
  [
    'surplus.csv',
    lines(header(), 'APOLLO,R-2,Steel, late', 'APOLLO,R-3,,'),
    [2, 'column 4', 'There are 4 cells, but the header has 3. Is a quote or a separator missing?'],
    [3, 'title', 'Must not be empty.'],
  ],
]

/** A desk with a risk in each of two projects. */
async function openRisks(): Promise<Desk> {
  const desk = openDesk()
  await desk.write(async (write) => {
    await addRisk(write, risk(await addProject(write, project())))
    await addRisk(write, risk(await addProject(write, project({ key: 'MARS' })), { reference: 'M-1' }))
  })
  return desk
}

describe('a bad sheet', () => {
  test('is reported with its violation and what would be right, and leaves the store unchanged', async () => {
    const desk = await openRisks()
    const before = desk.dump()
    for (const [file, content] of BAD) desk.put(file, content)
    const { code, stderr, report } = await desk.report(
      'risks',
      '--strict',
      '--strict-people',
      ...BAD.map(([file]) => file),
    )
    const found = report.files.map(({ file, violations }) => [
      file,
      ...violations.map(({ line, column, detail }) => (line === undefined ? detail : [line, column, detail])),
    ])
    expect(found).toEqual(BAD.map(([file, , ...violations]) => [file, ...violations]))
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${BAD.length} of ${BAD.length} files could not be used.\n` })
    expect(desk.dump()).toEqual(before)
  })

  test('of issues that an earlier release has linked to a risk of another project is taken in again as it is', async () => {
    const desk = await openRisks()
    const [projectId] = desk.list("select id from project where key = 'APOLLO'")
    const [riskId] = desk.list("select id from risk where reference = 'M-1'")
    await desk.write((write) => addIssue(write, issue(String(projectId), { riskId: String(riskId) })))
    const exported = await runHere(desk.folder, ['export', 'issues', '--database', desk.own.url])
    desk.put('issues.csv', exported.stdout)
    const { code, report } = await desk.report('issues', 'issues.csv')
    expect([code, report.unchanged, report.rejected]).toEqual([0, 1, 0])
    desk.put('new.csv', exported.stdout.replace(/iss_\w+/, '').replace(/,I-\d+,/, ',I-99,'))
    expect(await desk.report('issues', 'new.csv')).toMatchObject({ code: 1, report: { rejected: 1 } })
  })

  test('of issues names a risk that its project does not have', async () => {
    const desk = await openRisks()
    const before = desk.dump()
    const rows = [
      'APOLLO,I-1,x,LOW,M-1,',
      `APOLLO,I-2,x,LOW,,${NEW_ID}`,
      `APOLLO,I-3,x,LOW,R-1,${NEW_ID}`,
      'APOLLO,I-4,x,,,',
      `APOLLO,I-5,x,LOW,,${desk.list("select id from risk where reference = 'M-1'")}`,
    ]
    desk.put('issues.csv', lines(header('severity', 'risk', 'riskId'), ...rows))
    const { code, report } = await desk.report('issues', 'issues.csv', '--strict-references')
    expect({
      code,
      violations: report.files[0]?.violations.map(({ line, column, detail }) => [line, column, detail]),
    }).toEqual({
      code: 1,
      violations: [
        [2, 'risk', 'There is no risk "M-1" in APOLLO. Name one risk by its reference, and import the risks first.'],
        [3, 'riskId', 'There is no risk with this id.'],
        [4, 'risk', 'Give either risk or riskId, not both.'],
        [4, 'riskId', 'There is no risk with this id.'],
        [5, 'severity', 'Must not be empty.'],
        [6, 'riskId', 'This risk does not belong to APOLLO.'],
      ],
    })
    expect(desk.dump()).toEqual(before)
  })

  const TITLES = "select title from risk where reference > 'R-1' order by reference"

  test('may only be a rare one: emoji are text, and what is unknown is passed over with --ignore-unknown', async () => {
    const desk = await openRisks()
    desk.put('rare.csv', lines(header('colour'), `APOLLO,R-2,${'🌙'.repeat(500)},red`))
    desk.put('proto.ndjson', lines('{"project":"APOLLO","reference":"R-3","title":"x","__proto__":{"category":"y"}}'))
    const answer = await desk.importSheet('risks', '--strict', '--ignore-unknown', 'rare.csv', 'proto.ndjson')
    expect(answer).toMatchObject({
      code: 0,
      stderr: lines(
        'rare.csv: Unknown, so ignored: colour.',
        'rare.csv: 1 created, 0 unchanged.',
        'proto.ndjson: Unknown, so ignored: __proto__.',
        'proto.ndjson: 1 created, 0 unchanged.',
      ),
    })
    expect(desk.list(TITLES)).toEqual(['🌙'.repeat(500), 'x'])
    expect(desk.list("select category from risk where reference = 'R-3'")).toEqual([null])
  })

  test.each([
    [['--encoding', 'windows-1252'], windows1252(lines(header(), 'APOLLO,R-2,Größe \x80 5')), 'Größe € 5'],
    [['--encoding', 'utf-16le'], utf16(lines(header(), 'APOLLO,R-2,Größe')), 'Größe'],
    [[], utf16(lines(header(), 'APOLLO,R-2,Größe')), 'Größe'],
    [[], utf16(lines(header(), 'APOLLO,R-2,Größe')).swap16(), 'Größe'],
  ])('is read when its encoding is given or marked, %j', async (flags, content, title) => {
    const desk = await openRisks()
    desk.put('coded.csv', content)
    expect(await desk.importSheet('risks', ...flags, 'coded.csv')).toMatchObject({ code: 0 })
    expect(desk.list(TITLES)).toEqual([title])
  })
})
