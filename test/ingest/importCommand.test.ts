import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runHere } from '../support/inProcess.js'
import { newFolder, storeOf } from '../support/process.js'
import { lines, openDesk, startImport } from './importing.js'

const ADA = lines('name,email', 'Ada,ada@example.com')
const NAMES = 'select name from person order by name'

describe('a call that cannot be meant', () => {
  const WRONG: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['no file', ['people'], /^Name a file, or - for standard input\. `--template` prints/],
    ['an unknown noun', ['keys', 'ada.csv'], /^Cannot import keys\. Use one of people, groups, projects, risks, /],
    [
      'standard input of unknown format',
      ['people', '-'],
      /^Give --format for standard input: csv, xlsx, ods, ndjson or /,
    ],
    ['standard input twice', ['people', '--format', 'csv', '-', '-'], /^Standard input can be read only once\./],
    [
      'a file of unknown format',
      ['people', 'ada.csv', 'notes'],
      /^notes: Give --format csv, xlsx, ods, ndjson or json: the file name /,
    ],
    ['an old workbook', ['people', 'a.xls'], /^a\.xls: A workbook of this kind cannot be read\. Save it as \.xlsx, /],
    ['a template in a workbook', ['people', '--template', '--format', 'xlsx'], /^--template is text: csv, /],
    ['a sheet of a text', ['people', '--sheet', 'A', 'ada.csv'], /^--sheet is for workbooks \(.xlsx, .ods\)\./],
    ['a project of people', ['people', '--project', 'A', 'ada.csv'], /^--project is for risks and issues\./],
    ['groups of risks', ['risks', '--create-groups', 'ada.csv'], /^--create-groups is for people\./],
    [
      'a limit alone',
      ['risks', '--close-limit', '1', 'ada.csv'],
      /^--close-limit goes with --close-missing or --missing\./,
    ],
    [
      'a limit without end',
      ['risks', '--close-missing', '--close-limit', 'all', 'ada.csv'],
      /"all"; it must be a whole/,
    ],
    ['a project that is none', ['risks', '--project', '7 up', 'ada.csv'], /^--project is "7 up"\. Must be capitals, /],
    [
      'a bad map',
      ['people', '--map', 'map.json', 'ada.csv'],
      /^map\.json: "colour" is not a field; the fields are id, name, /,
    ],
  ]

  test.each(WRONG)(
    'has %s, and ends with a sentence and exit code 2 before anything is opened',
    async (_, args, sentence) => {
      const folder = newFolder()
      writeFileSync(join(folder, 'ada.csv'), ADA)
      writeFileSync(join(folder, 'notes'), ADA)
      writeFileSync(join(folder, 'map.json'), '{"columns":{"colour":"Colour"}}')
      const before = readdirSync(folder)
      const { code, stdout, stderr } = await runHere(folder, ['import', ...args])
      expect(stderr).toMatch(sentence)
      expect({ code, stdout, files: readdirSync(folder) }).toEqual({ code: 2, stdout: '', files: before })
    },
  )
})

describe('the files of one call', () => {
  test('are each stored whole or not at all, and whatever cannot be used keeps none of the others out', async () => {
    const desk = openDesk()
    mkdirSync(join(desk.folder, 'folder.csv'))
    desk.put('ada.csv', ADA)
    desk.put('bad.csv', lines('name,email', 'Bea,bea@example.com', 'Cleo,cleo'))
    desk.put('empty.csv', '')
    desk.put('dora.csv', lines('name,email', 'Dora,dora@example.com'))
    const files = ['ada.csv', 'bad.csv', 'nowhere.csv', 'folder.csv', 'empty.csv', 'dora.csv']
    expect(await desk.importSheet('people', ...files)).toEqual({
      code: 1,
      stdout: '',
      stderr: lines(
        'ada.csv: 1 created, 0 unchanged.',
        'bad.csv: nothing was stored, because 1 of 2 rows cannot be used:',
        '  line 3, email "cleo": Must be an e-mail address, such as ada@example.com.',
        'nowhere.csv: nothing was stored, because it cannot be used:',
        '  nowhere.csv: File not found.',
        'folder.csv: nothing was stored, because it cannot be used:',
        '  folder.csv: This is a folder. Name the files in it.',
        'empty.csv: nothing was stored, because it cannot be used:',
        '  empty.csv: The file is empty.',
        'dora.csv: 1 created, 0 unchanged.',
        '4 of 6 files could not be used.',
      ),
    })
    expect(desk.list(NAMES)).toEqual(['Ada', 'Dora'])
  })

  test('may be CSV, NDJSON or JSON, as their names say', async () => {
    const desk = openDesk()
    const files = [
      desk.put('a.CSV', lines('name;email', 'A;a@example.com')),
      desk.put('b.tsv', lines('name\temail', 'B\tb@example.com')),
      desk.put('c.jsonl', lines('{"name":"C","email":"c@example.com"}')),
      desk.put('d.json', JSON.stringify({ people: [{ name: 'D', email: 'd@example.com', groups: [] }] })),
    ]
    expect(await desk.importSheet('people', ...files)).toMatchObject({ code: 0 })
    expect(desk.list(NAMES)).toEqual(['A', 'B', 'C', 'D'])
  })

  test('may be standard input, and a store that is not there is created', async () => {
    const folder = newFolder()
    const { child, ended } = startImport(folder, 'people', '-', '--format', 'ndjson')
    child.stdin.end(lines('{"name":"Ada","email":"ada@example.com"}', '{"name":"Grace","external_id":7}'))
    expect(await ended).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^-: 2 created, 0 unchanged\.\n/),
    })
    const stored = storeOf(folder).rows('select external_id from person order by id')
    expect(stored).toEqual([{ external_id: null }, { external_id: '7' }])
  })
})

describe('the report', () => {
  const MIXED = lines(
    'External ID,E-Mail,Name,Status',
    'HR-1,ada@example.com,"Ada Lovelace',
    '",',
    'HR-2,grace at example.com,Grace,asleep',
    '# Those below have left.',
    '',
    '"HR-3",c@example.com,"',
    '",',
    'HR-1,d@example.com,Dora,',
  )
  const FLAWS = [
    {
      ...{ line: 4, column: 'E-Mail', value: 'grace at example.com' },
      detail: 'Must be an e-mail address, such as ada@example.com.',
    },
    { line: 4, column: 'Status', value: 'asleep', detail: 'Must be one of ACTIVE, INACTIVE.' },
    { line: 7, column: 'Name', value: '\n', detail: 'Must not be empty.' },
    {
      ...{ line: 9, column: 'External ID', value: 'HR-1' },
      detail: 'This is the same as in line 2; it must be unique.',
    },
  ]
  const none = { created: 0, updated: 0, unchanged: 0, closed: 0 }

  test('lists every violation with its line, column, value and what would be right: 50 in words, and all in its file', async () => {
    const desk = openDesk()
    const before = desk.dump()
    desk.put('mixed.csv', MIXED)
    const many = Array.from({ length: 2_500 }, (_, index) => (index < 2_440 ? `P,p${index}@example.com` : 'P,p'))
    desk.put('many.csv', lines('name,email', ...many))
    const inWords = await desk.importSheet('people', 'mixed.csv', 'many.csv', '--report', 'report.json')
    const violation = (line: number) => `  line ${line}, email "p": Must be an e-mail address, such as ada@example.com.`
    expect(inWords).toEqual({
      code: 1,
      stdout: '',
      stderr: lines(
        'mixed.csv: nothing was stored, because 3 of 4 rows cannot be used:',
        '  line 4, E-Mail "grace at example.com": Must be an e-mail address, such as ada@example.com.',
        '  line 4, Status "asleep": Must be one of ACTIVE, INACTIVE.',
        '  line 7, Name "\\n": Must not be empty.',
        '  line 9, External ID "HR-1": This is the same as in line 2; it must be unique.',
        'many.csv: nothing was stored, because 60 of 2,500 rows cannot be used:',
        ...Array.from({ length: 50 }, (_, index) => violation(2_442 + index)),
        '  ... and 10 more, in report.json',
        '2 of 2 files could not be used.',
      ),
    })
    const { code, stderr, report } = await desk.report('people', 'mixed.csv', 'many.csv')
    expect({ code, stderr }).toEqual({ code: 1, stderr: '2 of 2 files could not be used.\n' })
    expect(report).toEqual({
      ...{ noun: 'people', dryRun: false, ...none, rejected: 63 },
      files: [
        {
          ...{ file: 'mixed.csv', stored: false, importId: null, records: 4, ...none, rejected: 3, violations: FLAWS },
          ...{ warnings: [], notClosed: [], notes: [], ignored: [], derived: [], made: [] },
        },
        {
          ...{ file: 'many.csv', stored: false, importId: null, records: 2_500, ...none, rejected: 60 },
          ...{
            violations: expect.any(Array),
            warnings: [],
            notClosed: [],
            notes: [],
            ignored: [],
            derived: [],
            made: [],
          },
        },
      ],
    })
    expect(report.files[1]?.violations).toHaveLength(60)
    expect(JSON.parse(readFileSync(join(desk.folder, 'report.json'), 'utf8'))).toEqual(report)
    expect(desk.dump()).toEqual(before)
  })

  test('of a dry run says what would happen, with its warnings, and nothing is stored', async () => {
    const desk = openDesk()
    desk.put(
      'a.csv',
      lines('project,reference,title,owner', ...Array.from({ length: 51 }, (_, i) => `A,R-${i},x,Bob ${i}`)),
    )
    const before = desk.dump()
    const { code, stdout, stderr } = await desk.importSheet('risks', '--create-projects', '--dry-run', 'a.csv')
    const messages = stderr.trimEnd().split('\n')
    expect({ code, stdout, first: messages[0], second: messages[1], last: messages.slice(-2) }).toEqual({
      ...{ code: 0, stdout: '' },
      first: 'a.csv: Unknown, so it would be created: project A.',
      second: expect.stringMatching(/^ {2}warning: 51 rows name 51 owners who are not on the roster: Bob 0; Bob 1; /),
      last: [
        expect.stringMatching(/; Bob 9 and 41 more\. Kept as ownerName\.$/),
        'a.csv (dry run, nothing is stored): 51 created, 0 unchanged.',
      ],
    })
    expect(desk.dump()).toEqual(before)
  })

  test('that cannot be written is reported before anything is stored', async () => {
    const desk = openDesk()
    desk.put('ada.csv', ADA)
    const { code, stdout, stderr } = await desk.importSheet('people', '--report', 'nowhere/report.json', 'ada.csv')
    expect({ code, stdout, people: desk.list(NAMES) }).toEqual({ code: 1, stdout: '', people: [] })
    expect(stderr).toMatch(/no such file or directory.*nowhere\/report\.json'\n$/)
  })
})

test('a template can be imported as it is, which brings nothing in, and without its comment mark', async () => {
  const desk = openDesk()
  desk.put('grace.csv', lines('name,email', 'Grace,grace@example.com'))
  const brought = []
  for (const [noun, ...flags] of [
    ['people', '--create-groups', 'grace.csv'],
    ['groups'],
    ['risks', '--create-projects'],
    ['issues'],
    ['projects'],
  ] as const) {
    const { code, stdout } = await runHere(desk.folder, ['import', noun, '--template'])
    expect(code).toBe(0)
    const asItIs = desk.put('asItIs.csv', stdout)
    const unmarked = desk.put('unmarked.csv', stdout.replace(/^# /m, ''))
    const { report } = await desk.report(noun, ...flags, asItIs, unmarked)
    brought.push(report.files.slice(-2).map(({ records, created, updated }) => [noun, records, created, updated]))
  }
  expect(brought).toEqual([
    [
      ['people', 0, 0, 0],
      ['people', 1, 1, 0],
    ],
    // The group and the project exist already, because other rows name them.
    [
      ['groups', 0, 0, 0],
      ['groups', 1, 0, 1],
    ],
    [
      ['risks', 0, 0, 0],
      ['risks', 1, 1, 0],
    ],
    [
      ['issues', 0, 0, 0],
      ['issues', 1, 1, 0],
    ],
    [
      ['projects', 0, 0, 0],
      ['projects', 1, 0, 1],
    ],
  ])
})
