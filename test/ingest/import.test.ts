import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { addProject, project } from '../support/fixtures.js'
import { lines, openDesk } from './importing.js'

interface Case {
  readonly noun: string
  readonly entity: string
  readonly flags?: readonly string[]
  /** Imports a sheet, changes some rows, and removes a required one. */
  readonly sheets: readonly [created: string, changed: string, refused: string]
  readonly select: string
  readonly stored: readonly unknown[][]
  readonly fields: object
  readonly violation: string
}

const CASES: readonly Case[] = [
  {
    noun: 'people',
    entity: 'PERSON',
    sheets: [
      lines(
        'name,email,externalId,title,department,status',
        'Ada,ada@example.com,HR-1,Engineer,Bridges,inactive',
        'Grace,grace@example.com,,,,',
      ),
      lines('externalId,title,status', 'HR-1,,'),
      lines('externalId,name', 'HR-1, '),
    ],
    select: 'select name, email, external_id, title, department, status from person order by name',
    stored: [
      ['Ada', 'ada@example.com', 'HR-1', null, 'Bridges', 'INACTIVE'],
      ['Grace', 'grace@example.com', null, null, null, 'ACTIVE'],
    ],
    fields: { title: ['Engineer', null] },
    violation: 'line 2, name " ": Must not be empty.',
  },
  {
    noun: 'groups',
    entity: 'GROUP',
    sheets: [
      lines('name,externalId,description', 'Divers,DIR-1,Below', 'Welders,,'),
      lines('Name,Description', 'DIVERS,'),
      lines('externalId,name', 'DIR-1,'),
    ],
    select: 'select name, external_id, description from groups order by name',
    stored: [
      ['DIVERS', 'DIR-1', null],
      ['Welders', null, null],
    ],
    fields: { name: ['Divers', 'DIVERS'], description: ['Below', null] },
    violation: 'line 2, name: Must not be empty.',
  },
  {
    noun: 'projects',
    entity: 'PROJECT',
    sheets: [
      lines('key,name,description,url,status', 'apollo,Apollo,At length,https://x.org/a,on hold', 'HARBOR,Harbour,,,'),
      lines('key,description,status', 'APOLLO,,'),
      lines('key,name', 'APOLLO,'),
    ],
    select: 'select key, name, description, url, status from project order by key',
    stored: [
      ['APOLLO', 'Apollo', null, 'https://x.org/a', 'ON_HOLD'],
      ['HARBOR', 'Harbour', null, null, 'ACTIVE'],
    ],
    fields: { description: ['At length', null] },
    violation: 'line 2, name: Must not be empty.',
  },
  {
    noun: 'risks',
    entity: 'RISK',
    flags: ['--create-projects'],
    sheets: [
      lines(
        'project,reference,title,description,category,likelihood,impact,status,response,ownerName,url,raisedOn,reviewOn',
        'APOLLO,R-1,Steel,At length,Supply,4,5,occurred,MITIGATE,Ada,https://x.org/1,2026-03-01,2027-01-31',
        'APOLLO,R-2,Weather,,,,,,,,,,',
      ),
      lines('project,reference,description,status,raisedOn,ownerName', 'apollo,R-1,,,,'),
      lines('project,reference,title', 'APOLLO,R-1,'),
    ],
    select: `select reference, title, description, category, likelihood, impact, score, status, response, owner_name, url,
      raised_on, review_on from risk order by reference`,
    stored: [
      [
        ...['R-1', 'Steel', null, 'Supply', 4, 5, 20, 'OCCURRED', 'MITIGATE', null],
        ...['https://x.org/1', '2026-03-01', '2027-01-31'],
      ],
      ['R-2', 'Weather', null, null, null, null, 0, 'OPEN', null, null, null, today(), null],
    ],
    fields: { description: ['At length', null], ownerName: ['Ada', null] },
    violation: 'line 2, title: Must not be empty.',
  },
  {
    noun: 'issues',
    entity: 'ISSUE',
    flags: ['--project', 'apollo', '--create-projects'],
    sheets: [
      lines(
        'reference,title,description,severity,status,assigneeName,url,raisedOn,dueOn',
        'I-1,Permit,At length,high,in progress,Ada,https://x.org/1,2026-03-01,2027-01-31',
        'I-2,Fence,,LOW,,,,,',
      ),
      lines('reference,dueOn,status,raisedOn', 'I-1,,,'),
      lines('reference,severity', 'I-1,'),
    ],
    select: `select reference, title, description, severity, status, assignee_name, url, raised_on, due_on
      from issue order by reference`,
    stored: [
      ['I-1', 'Permit', 'At length', 'HIGH', 'IN_PROGRESS', 'Ada', 'https://x.org/1', '2026-03-01', null],
      ['I-2', 'Fence', null, 'LOW', 'OPEN', null, null, today(), null],
    ],
    fields: { dueOn: ['2027-01-31', null] },
    violation: 'line 2, severity: Must not be empty.',
  },
]

/** The day of an import, also around midnight. */
function today(): unknown {
  const day = () => new Date().toISOString().slice(0, 10)
  const began = day()
  return expect.toSatisfy((one: unknown) => one === began || one === day())
}

function later(than: unknown): unknown {
  return expect.toSatisfy((at: unknown) => String(at) > String(than), `later than ${than}`)
}

describe('a sheet', () => {
  test.each(CASES)(
    'of $noun changes what it names, keeps what has no column, clears what is blank, and does nothing when it comes again',
    async ({ noun, entity, flags = [], sheets: [created, changed, refused], select, stored, fields, violation }) => {
      const desk = openDesk()
      const files = [desk.put('a.csv', created), desk.put('b.csv', changed), desk.put('c.csv', refused)]
      expect(await desk.importSheet(noun, ...flags, ...files)).toEqual({
        code: 1,
        stdout: '',
        stderr: lines(
          ...(flags.includes('--create-projects') ? ['a.csv: Unknown, so created: project APOLLO.'] : []),
          'a.csv: 2 created, 0 unchanged.',
          'b.csv: 1 updated, 0 unchanged.',
          'c.csv: nothing was stored, because 1 of 1 rows cannot be used:',
          `  ${violation}`,
          '1 of 3 files could not be used.',
        ),
      })
      expect(desk.rows(select)).toEqual(stored)
      const made = desk.changes().filter((change) => change.entity !== entity)
      expect(made.map((change) => `${change.action} ${change.entity}`)).toEqual(flags.length ? ['CREATED PROJECT'] : [])
      expect(desk.changes().filter((change) => change.entity === entity)).toEqual([
        { entity, action: 'CREATED', by: 'cli', fields: expect.any(Object) },
        { entity, action: 'CREATED', by: 'cli', fields: expect.any(Object) },
        { entity, action: 'UPDATED', by: 'cli', fields },
      ])
      expect(desk.wronglyTimestamped()).toEqual([])

      const { revision: _, project: before = [], ...rest } = desk.dump()
      const again = await desk.importSheet(noun, ...flags, 'b.csv')
      expect(again).toEqual({ code: 0, stdout: '', stderr: 'b.csv: nothing has changed, 1 unchanged.\n' })
      expect(desk.dump()).toMatchObject(rest)
      // A project that the sheet names only gets a new confirmation time.
      const after = before.map((row) =>
        row['key'] === 'APOLLO' ? { ...row, synced_at: later(row['synced_at']) } : row,
      )
      expect(desk.dump()['project']).toEqual(after)
    },
  )

  test('records in the history what a row was created with, and its changes', async () => {
    const desk = openDesk()
    const created = desk.put('a.csv', lines('key,name,status', 'APOLLO,Apollo,'))
    const changed = desk.put('b.csv', lines('key,name,status', 'APOLLO,Apollo 2,closed'))
    await desk.importSheet('projects', created, changed)
    expect(desk.changes()).toEqual([
      {
        ...{ action: 'CREATED', entity: 'PROJECT', by: 'cli' },
        fields: { key: [null, 'APOLLO'], name: [null, 'Apollo'], status: [null, 'ACTIVE'] },
      },
      {
        ...{ action: 'UPDATED', entity: 'PROJECT', by: 'cli' },
        fields: { name: ['Apollo', 'Apollo 2'], status: ['ACTIVE', 'CLOSED'] },
      },
    ])
  })
})

describe('the project of risks and issues', () => {
  const sheet = lines('reference,title', 'R-1,Steel')

  test('is given with --project, in any case and with spaces around it, for rows that have none or the same', async () => {
    const desk = openDesk()
    const files = [
      desk.put('a.csv', sheet),
      desk.put('b.csv', lines('reference,title,project', 'R-2,x,', 'R-3,x, apollo ')),
    ]
    const { code } = await desk.importSheet('risks', '--project', ' apollo ', '--create-projects', ...files)
    const found = desk.rows('select key, name, reference from risk join project p on p.id = project_id order by 3')
    expect({ code, found }).toEqual({
      code: 0,
      found: ['R-1', 'R-2', 'R-3'].map((reference) => ['APOLLO', 'APOLLO', reference]),
    })
  })

  test('is refused when it is unknown, missing, or another than --project says', async () => {
    const desk = openDesk()
    await desk.write((write) => addProject(write, project()))
    const before = desk.dump()
    const files = [
      desk.put('a.csv', sheet),
      desk.put('b.csv', lines('project,reference,title', 'MERCURY,R-1,x', ',R-2,x')),
    ]
    expect(await desk.importSheet('risks', ...files)).toMatchObject({
      code: 1,
      stderr: lines(
        'a.csv: nothing was stored, because it cannot be used:',
        '  The file names no project. Give --project KEY for the whole file, with --create-projects if it is new; or a column project that has the key of each row.',
        'b.csv: nothing was stored, because 2 of 2 rows cannot be used:',
        '  line 2, project "MERCURY": There is no project MERCURY. Import it first, or create it with --create-projects.',
        '  line 3, project: Is needed: a column, or --project for the whole file.',
        '2 of 2 files could not be used.',
      ),
    })
    const { stderr } = await desk.importSheet('risks', '--project', 'APOLLO', '--create-projects', 'b.csv')
    expect(stderr).toContain('  line 2, project "MERCURY": Is not APOLLO, which was given for the whole file.\n')
    expect(desk.dump()).toEqual(before)
  })
})

describe('an export of another system', () => {
  const sample = (name: string) => fileURLToPath(new URL(`samples/${name}`, import.meta.url))
  const ISSUES = `select reference, title, severity, i.status, assignee_name, raised_on, due_on
    from issue i join project p on p.id = project_id and p.key = `

  test('comes in from Jira by a map, once', async () => {
    const desk = openDesk()
    const flags = ['--map', sample('jira-issues.map.json'), '--create-projects']
    const { code, report } = await desk.report('issues', ...flags, sample('jira.csv'), sample('jira.csv'))
    const [first, again] = report.files.map(({ created, unchanged, warnings }) => [created, unchanged, warnings.length])
    expect({ code, first, again }).toEqual({ code: 0, first: [8, 0, 1], again: [0, 8, 1] })
    expect(desk.rows(`${ISSUES} 'HARBOR' order by reference`)).toEqual([
      ['HARBOR-12', 'Crane permit refused', 'CRITICAL', 'BLOCKED', 'Tomás Prado', '2026-02-03', '2026-02-27'],
      ['HARBOR-13', 'Pile 7 is 5" out of line', 'HIGH', 'IN_PROGRESS', 'Wen Li', '2026-02-03', '2026-02-13'],
      [
        ...['HARBOR-14', '=SUM in the cost sheet counts the mooring rings twice', 'MEDIUM', 'OPEN'],
        ...[null, '2026-02-09', null],
      ],
      ['HARBOR-15', 'Diver availability in March, April', 'LOW', 'OPEN', 'Tomás Prado', '2026-02-10', '2026-03-31'],
      ['HARBOR-16', 'Repaint the bollards', 'LOW', 'RESOLVED', 'Wen Li', '2026-01-12', null],
      ['HARBOR-17', 'Tide gauge sends no readings', 'CRITICAL', 'IN_PROGRESS', null, '2026-02-16', '2026-02-18'],
      ['HARBOR-18', 'Fence the storage yard', 'MEDIUM', 'OPEN', 'Mara Ilves', '2026-02-17', null],
      [
        ...['HARBOR-19', 'Handover documents – übergabe, entrega', 'HIGH', 'RESOLVED'],
        ...['Mara Ilves', '2026-01-05', '2026-01-30'],
      ],
    ])
    expect(desk.list("select description from issue where reference = 'HARBOR-15'")).toEqual([
      'Ask three firms.\n\n"Deep Blue" first.',
    ])
    expect(desk.changes()).toHaveLength(9)
  })

  test('comes in from GitHub by a map, once, to people who are known by their login', async () => {
    const desk = openDesk()
    await desk.write((write) => addPerson(write, { name: 'Mara Ilves', externalId: 'mara-ilves' }))
    const flags = ['--map', sample('github-issues.map.json'), '--project', 'QUAY', '--create-projects']
    const { code, report } = await desk.report('issues', ...flags, sample('github.json'), sample('github.json'))
    const [first, again] = report.files.map(({ created, unchanged, warnings }) => [created, unchanged, warnings.length])
    expect({ code, first, again }).toEqual({ code: 0, first: [6, 0, 1], again: [0, 6, 1] })
    expect(desk.rows(`${ISSUES} 'QUAY' order by reference`)).toEqual([
      ['39', 'Order of the steel sheets', 'HIGH', 'CLOSED', null, '2026-01-22', '2026-03-31'],
      ['41', 'Noise limits at night 🌙', 'MEDIUM', 'OPEN', null, '2026-02-03', null],
      ['44', 'Typo in the safety notice', 'LOW', 'CLOSED', 'tprado', '2026-02-10', null],
      ['45', 'Where do the old bollards go?', 'MEDIUM', 'OPEN', null, '2026-02-11', null],
      ['47', 'Power to the site office fails when it rains', 'CRITICAL', 'OPEN', null, '2026-02-17', '2026-03-31'],
      ['48', 'Mooring plan overlaps the dredging', 'HIGH', 'OPEN', 'tprado', '2026-02-18', '2026-03-31'],
    ])
    const ofMara = "select reference from issue i join person p on p.id = assignee_id where p.name = 'Mara Ilves'"
    expect(desk.list(`${ofMara} order by 1`)).toEqual(['39', '47'])
    expect(desk.changes()).toHaveLength(8)
  })
})
