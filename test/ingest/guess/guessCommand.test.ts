import { expect, test } from 'vitest'
import { lines, openDesk } from '../importing.js'

const SHEET = lines(
  'Risk ID,Risk,Likelihood,Impact,Risk Score,Asset,Owner',
  'R-1,Steel,High,Low,8,Mill,Bob',
  'R-2,Wind,Low,Low,4,Site,Bob',
)
const GUESS = lines(
  'risks.csv: The columns were guessed. --map takes your own map, --suggest-map prints this one, --strict takes exact names only.',
  '  Risk ID → reference: "R-1", "R-2"',
  '  Likelihood → likelihood: "High", "Low" (Low = 2, High = 4)',
  '  Impact → impact: "Low" (Low = 2)',
  '  Owner → owner: "Bob"',
  '  Risk → title: "Steel", "Wind"',
  '  kept in details: Asset',
  '  ignored: Risk Score (it is computed from likelihood and impact)',
  '  There is no column for the status: what is new is OPEN.',
  '  There is no column for the day raised: for what is new it is the day of the import.',
)

test('a guess is printed before anything is stored, and by a dry run alone', async () => {
  const desk = openDesk()
  desk.put('risks.csv', SHEET)
  const flags = ['risks', 'risks.csv', '--project', 'APOLLO', '--create-projects']
  const before = desk.dump()
  const dry = await desk.importSheet(...flags, '--dry-run')
  expect(dry).toEqual({
    ...{ code: 0, stdout: '' },
    stderr:
      GUESS +
      lines(
        'risks.csv: Unknown, so it would be created: project APOLLO.',
        '  warning: 2 rows name 1 owner who is not on the roster: Bob. Kept as ownerName.',
        'risks.csv (dry run, nothing is stored): 2 created, 0 unchanged.',
      ),
  })
  expect(desk.dump()).toEqual(before)
  const { stderr, report } = await desk.report(...flags)
  expect([stderr, report.created, report.files[0]?.guess]).toEqual([
    '',
    2,
    {
      columns: expect.arrayContaining([
        { column: 'Impact', field: 'impact', samples: ['Low'], how: 'Low = 2' },
        { column: 'Risk', field: 'title', samples: ['Steel', 'Wind'] },
      ]),
      kept: ['Asset'],
      ignored: [{ column: 'Risk Score', why: 'it is computed from likelihood and impact' }],
      notes: [expect.stringContaining('the status'), expect.stringContaining('the day raised')],
    },
  ])
})

test('a file without a project is refused once, and so is what is left open', async () => {
  const desk = openDesk()
  const before = desk.dump()
  desk.put('risks.csv', lines('ID,Risk,Date raised', '1,a,03/04/2026', '2,b,05/04/2026'))
  const { code, report } = await desk.report('risks', 'risks.csv')
  expect([code, report.files[0]?.violations.map(({ detail }) => detail)]).toEqual([
    1,
    [
      expect.stringMatching(/^The file names no project\. Give --project KEY/),
      expect.stringMatching(/--date-order dmy/),
    ],
  ])
  expect(desk.dump()).toEqual(before)
})

test('a sheet of the keys of projects changes their status and not their names; a new one is called by its key', async () => {
  const desk = openDesk()
  desk.put('names.csv', lines('key,name', 'APOLLO,Apollo the Great'))
  desk.put('ended.csv', lines('Project,Status', 'APOLLO,Ended', 'ZEUS,Active'))
  expect(await desk.importSheet('projects', 'names.csv', 'ended.csv')).toMatchObject({ code: 0 })
  expect(desk.rows('select key, name, status from project order by key')).toEqual([
    ['APOLLO', 'Apollo the Great', 'CLOSED'],
    ['ZEUS', 'ZEUS', 'ACTIVE'],
  ])
})

test('an issue that comes from no risk may say so in words', async () => {
  const desk = openDesk()
  desk.put('issues.csv', lines('ID,Title,Priority,Related risk', '1,a,High,n/a', '2,b,Low,'))
  const flags = ['--project', 'A', '--create-projects']
  expect(await desk.importSheet('issues', 'issues.csv', ...flags)).toMatchObject({ code: 0 })
  expect(desk.rows('select reference, risk_id from issue order by 1')).toEqual([
    ['1', null],
    ['2', null],
  ])
})

test('a score is kept in the rows that have not both factors, and where it differs from them, that is said', async () => {
  const desk = openDesk()
  const rows = ['1,Flood,4,5,18', '2,Fire,,,12', '3,Theft,2,n/a,7', '4,Frost,2,2,4', '5,Nobody knows,,,0']
  desk.put('scores.csv', lines('Risk ID,Risk,Probability,Impact,Risk Score', ...rows))
  const { code, stderr } = await desk.importSheet('risks', 'scores.csv', '--project', 'A', '--create-projects')
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('their product is 20.') })
  expect(stderr.match(/is not stored/g)).toHaveLength(1)
  expect(desk.rows('select score, score_given from risk order by reference')).toEqual([
    ...[
      [20, null],
      [12, 12],
      [7, 7],
      [4, null],
    ],
    [0, 0],
  ])
})

test('--strict takes exact names alone, and a column that new records need is missed once', async () => {
  const desk = openDesk()
  desk.put('risks.csv', SHEET)
  desk.put('plain.csv', lines('reference,likelihood,impact', 'R-1,1,1', 'R-2,1,1'))
  const flags = ['--project', 'APOLLO', '--create-projects', '--strict']
  const { code, report } = await desk.report('risks', 'risks.csv', 'plain.csv', ...flags)
  expect([code, report.files.map(({ violations }) => violations.map(({ detail }) => detail))]).toEqual([
    1,
    [
      [expect.stringMatching(/^risks\.csv, line 1: Unknown columns: Risk ID; Risk; Risk Score; Asset\./)],
      [
        'There is no column title, which 2 new risks need. Name one title. Or say in a map which column it is: --suggest-map prints one to start with, --map takes it.',
      ],
    ],
  ])
})

test.each([
  [['--strict', '--suggest-map'], '--suggest-map is for guessing, which --strict rules out.\n'],
  [['--map', 'map.json', '--reference-from', 'ID'], '--reference-from is for guessing, which --map rules out.\n'],
  [['--strict', '--map', 'map.json'], '--strict takes exact names, and --map others.\n'],
  [['--suggest-map', 'other.csv'], '--suggest-map takes one file.\n'],
])('%j is wrong usage', async (flags, sentence) => {
  const desk = openDesk()
  desk.put('risks.csv', SHEET)
  expect(await desk.importSheet('risks', 'risks.csv', ...flags)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: sentence,
  })
})
