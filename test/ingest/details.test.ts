import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DETAIL_COLUMNS_MAX, DetailNames } from '../../src/csv.js'
import { DETAILS_MAX, TEXT_MAX } from '../../src/vocabulary.js'
import { openGateway } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { type Desk, lines, openDesk } from './importing.js'

const SHEET = lines(
  'project,reference,title,details.Cost,"details.Größe, ""x""",details.Notes',
  'A,R-1,x,=1+1,"a, b; c","Zeile\nzwei"',
  'A,R-2,x,,,-7',
  'A,R-3,x,,,',
)

test.each(['csv', 'ndjson'])('details come back from %s as they went out, and change nothing', async (format) => {
  const desk = openDesk()
  desk.put('risks.csv', SHEET)
  expect(await desk.importSheet('risks', '--create-projects', 'risks.csv')).toMatchObject({ code: 0 })
  const name = `again.${format}`
  const exported = async () => {
    const args = ['export', 'risks', '--format', format, '--output', name, '--database', desk.own.url]
    expect(await runHere(desk.folder, args)).toMatchObject({ code: 0 })
    return readFileSync(join(desk.folder, name), 'utf8')
  }
  const first = await exported()
  const { code, stderr } = await desk.importSheet('risks', name)
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('nothing has changed, 3 unchanged.') })
  expect(await exported()).toBe(first)
  const details = () => JSON.parse(String(desk.list("select details from risk where reference = 'R-1'")[0]))
  expect(details()).toEqual([
    { name: 'Cost', text: '=1+1' },
    { name: 'Größe, "x"', text: 'a, b; c' },
    { name: 'Notes', text: 'Zeile\nzwei' },
  ])
  // A blank cell removes one, and the others stay.
  desk.put('patch.csv', lines('project,reference,title,details.Cost', 'A,R-1,x,'))
  expect(await desk.importSheet('risks', 'patch.csv')).toMatchObject({ code: 0 })
  expect(details().map(({ name: one }: { name: string }) => one)).toEqual(['Größe, "x"', 'Notes'])
})

/** Names that a header must not be mistaken for, and texts that a cell must not. */
const NAMES = [
  ...[
    '"quoted"',
    "it's",
    'a,b;c\td',
    'x.y.z',
    '.',
    '#',
    'two\nlines',
    'two\r\nlines',
    ' padded ',
    '=1+1',
    '+x',
    '-x',
    '@x',
  ],
  ...[
    'Cost',
    'cost',
    'COST',
    'details',
    'details.details',
    'title',
    '__proto__',
    'é',
    'e\u0301',
    '😀',
    "'=x",
    '1',
    'null',
  ],
  'n'.repeat(TEXT_MAX.detailName),
]
const TEXTS = [
  ...[
    '=1+1',
    "'=1+1",
    '-7',
    '@x',
    '"',
    '""',
    'a,b;c\td',
    'two\nlines',
    'two\r\nlines',
    ' padded ',
    'true',
    '007',
    'null',
  ],
  ...['[{"name":"x"}]', 'details.Cost', '# x', 'a\u2028b', '\u0001', 't'.repeat(TEXT_MAX.detailText), '2026-01-31'],
]
const HARD = Array.from({ length: DETAILS_MAX }, (_, n) => ({
  name: NAMES[n] ?? `Name ${n}`,
  text: TEXTS[n % TEXTS.length] ?? '',
}))

/** Each noun with its table, its path and a record that has every field of a register. */
const NOUNS: [noun: string, table: string, path: string, record: object][] = [
  ['people', 'person', 'personnel', { name: 'Ada', email: 'ada@example.com' }],
  ['projects', 'project', 'projects', { key: 'A', name: 'Apollo' }],
  [
    'risks',
    'risk',
    'risks',
    {
      ...{ project: 'A', reference: 'R', title: 'x', owner: 'Ada', raisedOn: '2026-01-31', dueOn: '2027-01-31' },
      ...{ mitigation: '=a\n"b"', cause: '-c; d', residualLikelihood: 2, residualImpact: 3, scoreGiven: 17 },
    },
  ],
  ['issues', 'issue', 'issues', { project: 'A', reference: 'I', title: 'x', severity: 'LOW', dueOn: '2027-01-31' }],
]

/** An export of a noun by the command, or by the list of the API. */
async function exported({ folder, own, put }: Desk, noun: string, format: string): Promise<string> {
  const name = `${noun}.${format.split(' ').at(-1)}`
  if (format === 'API csv') {
    const gateway = openGateway({}, undefined, Object.create(own, { remove: { value: () => undefined } }))
    const caller = await gateway.as('personnel.read', 'projects.read')
    return put(name, (await caller.get(`/v1/${NOUNS.find(([one]) => one === noun)?.[2]}.csv`)).text)
  }
  const args = ['export', noun, '--format', format, '--output', name, '--database', own.url]
  expect(await runHere(folder, args)).toMatchObject({ code: 0 })
  return name
}

test('whatever the names and the texts are, every export changes nothing', async () => {
  const desk = openDesk()
  for (const [noun, , , record] of NOUNS) {
    const name = desk.put(`${noun}.ndjson`, `${JSON.stringify({ ...record, details: HARD })}\n`)
    expect(await desk.importSheet(noun, name)).toMatchObject({ code: 0 })
  }
  const stored = HARD.map(({ name, text }) => ({ name: name.trim(), text: text.trim() }))
  for (const [noun, table] of NOUNS) {
    expect(JSON.parse(String(desk.list(`select details from ${table}`)[0]))).toEqual(stored)
    for (const format of ['csv', 'ndjson', 'API csv']) {
      const { code, stderr } = await desk.importSheet(noun, await exported(desk, noun, format))
      const expected = { noun, format, code: 0, stderr: expect.stringContaining('nothing has changed, 1 unchanged.') }
      expect({ noun, format, code, stderr }).toEqual(expected)
    }
  }
})

test('more names than columns are one column of JSON, which is imported again', async () => {
  const desk = openDesk()
  const risk = (number: number, names: number) => ({
    ...{ project: 'A', reference: `R-${number}`, title: 'x' },
    details: Array.from({ length: names }, (_, n) => ({ name: `Name, "${number}" ${n}`, text: '=1; "x"\ny' })),
  })
  const headerOf = async (format: string) => {
    const name = await exported(desk, 'risks', format)
    const { code, stderr } = await desk.importSheet('risks', name)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('nothing has changed') })
    return readFileSync(join(desk.folder, name), 'utf8')
      .split('\n')[0]
      ?.match(/\bdetails\b\.?/g)
  }
  const risks = Array.from({ length: DETAIL_COLUMNS_MAX / 40 }, (_, number) => risk(number, 40))
  for (const [added, header] of [
    [risks, Array(DETAIL_COLUMNS_MAX).fill('details.')],
    [[risk(99, 1)], ['details']],
  ] as const) {
    const name = desk.put('risks.ndjson', added.map((one) => `${JSON.stringify(one)}\n`).join(''))
    expect(await desk.importSheet('risks', '--create-projects', name)).toMatchObject({ code: 0 })
    expect(await headerOf('csv')).toEqual(header)
    expect(await headerOf('API csv')).toEqual(header)
  }
})

test('names of details are put in order only as far as they can be columns', () => {
  const names = new DetailNames()
  for (let entry = 0; entry < 1_000; entry++)
    names.add({ details: Array.from({ length: 50 }, (_, at) => ({ name: `${entry} ${at}`, text: 'x' })) })
  expect(names.all).toHaveLength(DETAIL_COLUMNS_MAX + 50)
})
