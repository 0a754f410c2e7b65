import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { printMapping, readMapping } from '../../../src/ingest/files/mapping.js'
import { SHIPPED_MAPS } from '../../../src/ingest/shippedMaps.js'
import { SHEETS } from '../../../src/nouns.js'
import { ISSUE_SEVERITIES, ISSUE_STATUSES, PERSON_STATUSES } from '../../../src/vocabulary.js'
import { runHere } from '../../support/inProcess.js'
import { newFolder } from '../../support/process.js'
import { openDesk } from '../importing.js'

const SAMPLES = fileURLToPath(new URL('../../samples/', import.meta.url))

const sample = (name: string) => `${SAMPLES}${name}`

interface Loaded {
  readonly file: string
  readonly map: string
  readonly flags?: string
  /** Reference, severity, status, assignee, raised on and due on; or name, e-mail, externalId, title, department, status. */
  readonly rows: readonly string[]
}

const PROJECT = '--project PIER --create-projects'

const ISSUES: readonly Loaded[] = [
  {
    file: 'issues-jira-en.csv',
    map: 'jira-csv',
    flags: '--create-projects',
    rows: [
      'HARBOR-12|CRITICAL|BLOCKED|Tomás Prado|2026-02-03|2026-02-27',
      'HARBOR-13|HIGH|IN_PROGRESS||2026-03-05|',
      'HARBOR-16|LOW|RESOLVED||2026-01-12|',
    ],
  },
  {
    file: 'issues-jira-de.csv',
    map: 'jira-csv',
    flags: '--create-projects',
    rows: ['KAI-4|HIGH|IN_PROGRESS|Jonas Beck|2026-03-03|2026-05-15', 'KAI-5|LOW|OPEN||2025-12-10|'],
  },
  {
    file: 'issues-jira-fr.csv',
    map: 'jira-csv',
    flags: '--create-projects',
    rows: ['QUAI-7|HIGH|IN_PROGRESS|Léa Morel|2026-02-02|2026-08-31', 'QUAI-8|MEDIUM|RESOLVED||2025-07-14|'],
  },
  {
    file: 'issues-jira-es.csv',
    map: 'jira-csv',
    flags: '--create-projects',
    rows: ['PUERTO-3|HIGH|OPEN|Inés Vidal|2026-01-03|', 'PUERTO-4|LOW|RESOLVED||2025-12-10|'],
  },
  {
    file: 'issues-jira-rest.json',
    map: 'jira-json',
    flags: '--create-projects',
    rows: [
      'HARBOR-21|CRITICAL|IN_PROGRESS|Wen Li|2026-02-16|2026-03-20',
      'HARBOR-22|MEDIUM|OPEN||2026-02-17|',
      'HARBOR-23|LOW|CLOSED|Mara Ilves|2026-01-05|',
    ],
  },
  {
    file: 'issues-github-rest.json',
    map: 'github-json',
    rows: ['GH-48|HIGH|OPEN|tprado|2026-02-18|2026-03-31', 'GH-50|MEDIUM|OPEN||2026-02-18|'],
  },
  {
    file: 'issues-github-cli.json',
    map: 'github-cli',
    rows: ['GH-44|MEDIUM|CLOSED||2026-02-20|', 'GH-48|CRITICAL|OPEN|tprado|2026-02-18|2026-03-31'],
  },
  {
    file: 'issues-github-few.json',
    map: 'github-cli',
    rows: ['GH-44|MEDIUM|CLOSED||TODAY|', 'GH-48|MEDIUM|OPEN||TODAY|'],
  },
  {
    file: 'issues-asana.csv',
    map: 'asana-csv',
    rows: ['1207001|HIGH|CLOSED|Mara Ilves|2026-01-05|2026-01-31', '1207002|MEDIUM|OPEN||2026-01-19|2026-03-15'],
  },
  {
    file: 'issues-linear.csv',
    map: 'linear-csv',
    rows: ['QUAY-3|MEDIUM|IN_PROGRESS|wen@example.com|2026-01-02|2026-03-01', 'QUAY-4|CRITICAL|CLOSED||2026-01-12|'],
  },
  {
    file: 'issues-trello.csv',
    map: 'trello-csv',
    rows: ['65a1|MEDIUM|IN_PROGRESS|Tomás Prado (tprado)|TODAY|2026-04-30', '65a2|MEDIUM|CLOSED||TODAY|'],
  },
  {
    file: 'issues-gitlab-rest.json',
    map: 'gitlab-json',
    rows: ['5|MEDIUM|CLOSED||2026-01-04|', '6|CRITICAL|OPEN|Wen Li|2026-01-04|2026-02-28'],
  },
  {
    file: 'issues-redmine.json',
    map: 'redmine-json',
    rows: ['1001|CRITICAL|IN_PROGRESS|Wen Li|2026-02-01|2026-03-15', '1002|MEDIUM|IN_PROGRESS||2026-02-01|'],
  },
  {
    file: 'issues-redmine.csv',
    map: 'redmine-csv',
    rows: ['1001|CRITICAL|IN_PROGRESS|Wen Li|2026-02-01|2026-03-15', '1003|LOW|CLOSED||2026-01-28|'],
  },
  {
    file: 'issues-openproject.json',
    map: 'openproject-json',
    rows: ['31|HIGH|OPEN|Wen Li|2026-02-02|2026-04-01', '32|MEDIUM|BLOCKED||2026-02-02|'],
  },
  {
    file: 'issues-azure-devops.csv',
    map: 'azure-devops-csv',
    rows: [
      '18540|HIGH|IN_PROGRESS|Wen Li|2026-02-13|2026-03-06',
      '18541|MEDIUM|OPEN||2026-02-02|',
      '18542|LOW|OPEN|Mara Ilves|2026-01-30|',
    ],
  },
]

const MARA = 'Harbor master|Operations|ACTIVE'

const PEOPLE: readonly Loaded[] = [
  {
    file: 'people-entra-graph.json',
    map: 'entra-json',
    rows: [
      `Mara Ilves|mara@example.com|7cc0c81b-0000-4000-8000-000000000001|${MARA}`,
      'Tide Gauge|gauge@example.onmicrosoft.com|7cc0c81b-0000-4000-8000-000000000002|||ACTIVE',
      'Tomás Prado|tomas@example.com|7cc0c81b-0000-4000-8000-000000000003|Engineer|Construction|INACTIVE',
    ],
  },
  {
    file: 'people-entra-portal.csv',
    map: 'entra-csv',
    rows: [
      `Mara Ilves|mara@example.com|7cc0c81b-0000-4000-8000-000000000001|${MARA}`,
      'Wen Li|wen_example.org#EXT#@example.onmicrosoft.com|7cc0c81b-0000-4000-8000-000000000004|||INACTIVE',
    ],
  },
  {
    file: 'people-google-workspace.csv',
    map: 'google-csv',
    rows: [`Mara Ilves|mara@example.com|E-11|${MARA}`, 'Tomás Prado|tomas@example.com||||INACTIVE'],
  },
  {
    file: 'people-ad.csv',
    map: 'ad-csv',
    rows: [
      'Guest||11111111-0000-4000-8000-000000000002|||INACTIVE',
      `Mara Ilves|mara@example.com|11111111-0000-4000-8000-000000000001|${MARA}`,
    ],
  },
  {
    file: 'people-bamboohr.csv',
    map: 'bamboohr-csv',
    rows: [
      `Mara Ilves|mara@example.com|8753|${MARA}`,
      'Tomás Prado|tomas@example.com|6419|Engineer|Construction|INACTIVE',
    ],
  },
  {
    file: 'people-entra-bulk.csv',
    map: 'entra-bulk-csv',
    rows: [
      'Mara Ilves|mara@example.com||Harbor master|Port Operations|ACTIVE',
      'Wen Li|wen@example.com||Surveyor|Port Operations|INACTIVE',
    ],
  },
  {
    file: 'people-okta.json',
    map: 'okta-json',
    rows: [
      'Mara Ilves|mara@example.com|00u1|Harbor master|Port Operations|ACTIVE',
      'Wen Li|wen@example.com|00u2|||INACTIVE',
      'Yara Sol|yara@example.com|00u3|||INACTIVE',
    ],
  },
  {
    file: 'people-workday-left.csv',
    map: 'workday-csv',
    rows: [
      'Mara Ilves|mara@example.com|21001|Harbor master|Port Operations (Anu Tamm)|ACTIVE',
      'Otto Kask|otto@example.com|21003|Pilot|Port Operations (Anu Tamm)|INACTIVE',
    ],
  },
  {
    file: 'people-workday.csv',
    map: 'workday-csv',
    rows: [
      'Mara Ilves|mara@example.com|21001|Harbor master|Port Operations (Anu Tamm)|ACTIVE',
      'Wen Li|wen@example.com|21002|Surveyor|Port Operations (Anu Tamm)|INACTIVE',
    ],
  },
]

const LISTS = {
  issues: 'select reference, severity, status, assignee_name, raised_on, due_on from issue order by reference',
  people: 'select name, email, external_id, title, department, status from person order by name',
}

/** A state of its own, as every board has some. */
const READY = ['--value', 'Ready for test=OPEN']

test.each([
  ...ISSUES.map((one) => ({ ...one, noun: 'issues' as const, flags: one.flags ?? PROJECT })),
  ...PEOPLE.map((one) => ({ ...one, noun: 'people' as const, flags: '' })),
])('$file is recognised and loaded, and changes nothing the second time', async ({ file, map, noun, flags, rows }) => {
  const desk = openDesk()
  const words = map === 'azure-devops-csv' ? READY : []
  const args = [noun, ...flags.split(' ').filter(Boolean), ...words, sample(file), sample(file)]
  const { code, report } = await desk.report(...args)
  const [first, again] = report.files
  expect({ code, violations: first?.violations, notes: first?.notes }).toEqual({
    code: 0,
    violations: [],
    notes: expect.arrayContaining([expect.stringMatching(new RegExp(`^This looks like .+: using the map ${map}\\.$`))]),
  })
  expect([first?.created, again?.created, again?.unchanged]).toEqual([rows.length, 0, rows.length])
  const today = String(desk.list('select substr(created_at, 1, 10) from issue')[0])
  expect(desk.rows(LISTS[noun]).map((row) => row.map((cell) => cell ?? '').join('|'))).toEqual(
    rows.map((row) => row.replace('TODAY', today)),
  )
})

test('every map has a sample', () => {
  const loaded = [...ISSUES, ...PEOPLE]
  expect(new Set(loaded.map(({ map }) => map))).toEqual(new Set(SHIPPED_MAPS.map(({ name }) => name)))
})

test.each(SHIPPED_MAPS.map((map) => [map.name, map] as const))('%s makes values that there are', (_, map) => {
  const mapping = map.mapping()
  const made = (field: string) => {
    const { values, default: fallback, otherwise } = mapping.rules.get(field) ?? {}
    return [...(values?.values() ?? []), fallback, otherwise].filter((value) => value !== undefined)
  }
  expect(map.noun === 'people' ? PERSON_STATUSES : ISSUE_STATUSES).toEqual(expect.arrayContaining(made('status')))
  expect(ISSUE_SEVERITIES).toEqual(expect.arrayContaining(made('severity')))
  expect(readMapping(printMapping(mapping), map.name, Object.keys(SHEETS[map.noun].inputs))).toEqual(mapping)
})

describe('a shipped map', () => {
  const jira = readFileSync(sample('issues-jira-en.csv'), 'utf8')
  const CREATE = ['--create-projects']

  test('cuts a text of 40,000 characters and goes on, with one warning', async () => {
    const desk = openDesk()
    const file = desk.put('jira.csv', jira.replace('The city', 'x'.repeat(40_000)))
    const { report } = await desk.report('issues', ...CREATE, file)
    expect(report.created).toBe(3)
    expect(report.files[0]?.warnings).toContainEqual({
      detail: '1 text was cut to 10,000 characters in description (the first in line 2).',
    })
    expect(desk.list('select length(description) from issue where description is not null')).toEqual([10_000])
  })

  test('stops at a word that it does not know, with the way on', async () => {
    const desk = openDesk()
    const { report } = await desk.report('issues', ...PROJECT.split(' '), sample('issues-azure-devops.csv'))
    const detail =
      'State: "Ready for test" (row 4) is not known for status, which is OPEN, IN_PROGRESS, BLOCKED, RESOLVED, CLOSED. Say what it means with --value "Ready for test=OPEN".'
    expect(report.files[0]?.violations).toEqual([{ detail }])
  })

  test('turns rich text into plain text', async () => {
    const desk = openDesk()
    await desk.importSheet('issues', ...CREATE, sample('issues-jira-rest.json'))
    expect(desk.list("select description from issue where reference = 'HARBOR-21'")).toEqual([
      'Ask first.\n\n- @Wen Li measures pile 7',
    ])
  })

  test('links a person who is written with a name and an e-mail', async () => {
    const desk = openDesk()
    await desk.importSheet('people', desk.put('people.csv', 'name,email\nLi Wen,wen@example.com\n'))
    await desk.importSheet('issues', ...PROJECT.split(' '), ...READY, sample('issues-azure-devops.csv'))
    expect(desk.rows('select p.name, assignee_name from issue join person p on p.id = assignee_id')).toEqual([
      ['Li Wen', 'Wen Li'],
    ])
  })

  test('gives way to a map that is named, and can be named itself', async () => {
    const desk = openDesk()
    const map = desk.put(
      'own.json',
      '{"columns":{"project":"Project key","reference":"Issue id","title":"Summary","severity":{"constant":"LOW"}}}',
    )
    const own = await desk.report('issues', ...CREATE, '--map', map, sample('issues-jira-en.csv'))
    const kept = ['Kept for the source issues-jira-en: the next import from it is read the same way.']
    expect([own.report.created, own.report.files[0]?.notes]).toEqual([3, kept])
    expect(desk.list('select reference from issue order by 1')).toEqual(['20412', '20413', '20416'])
    const named = await desk.report('issues', ...CREATE, '--map', 'jira-csv', sample('issues-jira-en.csv'))
    expect([named.report.created, named.report.files[0]?.notes]).toEqual([
      3,
      [expect.stringContaining('in the place of the map of ')],
    ])
  })

  test('asks for the order of day and month if no row shows it', async () => {
    const desk = openDesk()
    const file = desk.put(
      'azure.csv',
      'ID,Work Item Type,Title,State,Created Date\n1,Bug,Gate,New,2/3/2026 7:00:00 AM\n',
    )
    const asked = await desk.report('issues', ...PROJECT.split(' '), file)
    expect([asked.code, asked.report.files[0]?.violations[0]?.detail]).toEqual([
      1,
      expect.stringMatching(/2\/3\/2026.*--date-order dmy/),
    ])
    await desk.importSheet('issues', ...PROJECT.split(' '), '--date-order', 'mdy', file)
    expect(desk.list('select raised_on from issue')).toEqual(['2026-02-03'])
  })

  test('of gh is not used for objects that have more than gh gives', async () => {
    const desk = openDesk()
    const file = desk.put(
      'issues.json',
      '[{"number":7,"title":"Gate","team":"Quay"},{"number":8,"title":"Lamp","team":"Pier"}]',
    )
    await desk.importSheet('issues', ...PROJECT.split(' '), file)
    expect(desk.list('select reference from issue order by 1')).toEqual(['7', '8'])
  })

  test('is not used for a file that lacks what it needs', async () => {
    const desk = openDesk()
    const file = desk.put(
      'people.csv',
      'Employee ID,Business Title,Worker Status,name,email\n7,Surveyor,Active,Wen,wen@example.com\n',
    )
    const { report } = await desk.report('people', '--ignore-unknown', file)
    expect([report.created, report.files[0]?.notes]).toEqual([
      1,
      [expect.stringMatching(/^Kept for the source people/)],
    ])
  })

  test.each([
    [['people', '--map', 'jira-csv', 'x.csv'], /The map jira-csv is for issues, not for people/],
    [['issues', '--map', 'jira-cvs', 'x.csv'], /neither a file nor a map "jira-cvs"/],
    [['--maps', 'jira-cvs'], /There is no map "jira-cvs"/],
    [[], /Say what to import: people, groups/],
  ])('is refused as %j', async (args, sentence) => {
    const { code, stderr } = await runHere(newFolder(), ['import', ...args])
    expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)])
  })

  test('is listed, and printed as a file to edit', async () => {
    const list = await runHere(newFolder(), ['import', '--maps'])
    expect(list.stdout.trimEnd().split('\n')).toEqual(
      SHIPPED_MAPS.map(({ name, noun, reads }) => `${name.padEnd(16)}  ${noun}  ${reads}`),
    )
    const printed = await runHere(newFolder(), ['import', '--maps', 'github-json'])
    expect(JSON.parse(printed.stdout)).toMatchObject({
      where: { column: 'pull_request', blank: true },
      columns: { reference: { from: 'number', prefix: 'GH-' }, url: 'html_url' },
    })
  })
})
