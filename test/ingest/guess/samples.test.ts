import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { printMapping, readMapping } from '../../../src/ingest/files/mapping.js'
import { formatOf, readSheet } from '../../../src/ingest/files/sheet.js'
import { derivedColumns, SHEETS } from '../../../src/nouns.js'
import { type NounPlural, nounOfPlural, pluralNamed } from '../../../src/vocabulary.js'
import { type Desk, openDesk } from '../importing.js'

const SAMPLES = fileURLToPath(new URL('../../samples/', import.meta.url))

/** A file, how many records it has, and one of them: columns of the store and their values. */
type Sample = readonly [file: string, count: number, at: string, row: Readonly<Record<string, unknown>>]

const RISKS: readonly Sample[] = [
  [
    'risks-steps.csv',
    3,
    'R-002',
    {
      title: 'Crane permit is refused',
      likelihood: 2,
      impact: 4,
      status: 'OPEN',
      owner_name: 'Ilse Brandt',
      raised_on: '2026-03-09',
      review_on: '2027-01-31',
      category: 'Permits',
      mitigation: 'Hand in the plan early, twice',
    },
  ],
  ['risks-words.csv', 4, 'Data centre burns', { likelihood: 1, impact: 5, score: 5, response: 'TRANSFER' }],
  [
    'risks-german.csv',
    3,
    '1',
    {
      title: 'Stahl kommt zu spät',
      likelihood: 4,
      impact: 5,
      owner_name: 'Voss, Mara',
      raised_on: '2026-02-03',
      due_on: '2027-01-31',
      mitigation: 'Zweites Werk beauftragen',
    },
  ],
  [
    'risks-french.csv',
    3,
    'R2',
    { likelihood: 2, impact: 3, raised_on: '2026-04-12', due_on: '2027-02-01', status: 'OPEN' },
  ],
  [
    'risks-spanish.csv',
    2,
    'R1',
    { likelihood: 4, impact: 5, residual_likelihood: 2, residual_impact: 4, owner_name: 'Inés Vidal' },
  ],
  [
    'risks-portuguese.csv',
    3,
    'Licença negada',
    { likelihood: 2, impact: 5, status: 'OPEN', mitigation: 'Entregar cedo' },
  ],
  ['risks-polish.csv', 2, '1', { title: 'Opóźniona stal', likelihood: 4, impact: 5, due_on: '2027-01-03' }],
  [
    'risks-chinese.csv',
    2,
    'R-2',
    { title: '许可证被拒', likelihood: 2, impact: 3, status: 'CLOSED', raised_on: '2026-04-12' },
  ],
  [
    'risks-percent.csv',
    4,
    'A3',
    { likelihood: 4, impact: 2, details: '[{"name":"Probability","text":"75%"},{"name":"Exposure","text":"1.5"}]' },
  ],
  ['risks-fractions.csv', 3, '2', { likelihood: 3, impact: 4 }],
  ['risks-ten.csv', 3, '1', { likelihood: 4, impact: 5 }],
  ['risks-three.csv', 3, 'H2', { likelihood: 5, impact: 1, title: 'Noise', mitigation: 'Ear protection' }],
  ['risks-labelled.csv', 3, '9', { likelihood: 5, impact: 2, response: 'TRANSFER' }],
  [
    'risks-score-only.csv',
    3,
    'K-1',
    { likelihood: null, impact: null, score_given: 18, score: 18, due_on: '2027-02-01' },
  ],
  ['risks-level-only.csv', 3, 'R-001', { likelihood: null, score_given: 12, title: 'Legacy steps are not documented' }],
  ['risks-title-rows.csv', 2, '2', { title: 'Nesting birds', likelihood: 2, impact: 5 }],
  ['risks-tab.tsv', 2, 'T-2', { likelihood: 2, impact: 3, due_on: '2027-02-01' }],
  ['risks-utf16.txt', 2, 'U1', { title: 'Gefäß undicht', likelihood: 3, impact: 4, owner_name: 'Jörg Maß' }],
  ['risks-raid.csv', 2, 'RAID-4', { title: 'The licence may end', likelihood: 4, impact: 2, due_on: '2027-06-15' }],
  [
    'risks-residual.csv',
    2,
    'C-2',
    {
      likelihood: 3,
      impact: 5,
      residual_likelihood: 1,
      residual_impact: 4,
      cause: 'Never tested',
      response: 'MITIGATE',
    },
  ],
  ['risks-threats.csv', 3, 'Phishing (2)', { title: 'Phishing', cause: 'No limit on tries', likelihood: 2, impact: 5 }],
  [
    'risks-american-dates.csv',
    2,
    '1',
    { title: 'Roof leaks in spring', raised_on: '2026-03-04', due_on: '2026-12-31' },
  ],
  ['risks-half.csv', 3, '2', { likelihood: null, impact: null, score: 0 }],
  ['risks-lettered.csv', 3, '2', { likelihood: 1, impact: 5 }],
  ['risks-two-owners.csv', 2, '10', { title: 'Late drawings', owner_name: 'Nora Beck' }],
  [
    'risks-long.csv',
    4,
    'There is a risk that the temporary bridge, which was planned for one season, must~cac6d039',
    { likelihood: 3 },
  ],
  [
    'risks-register.xlsx',
    2,
    '1',
    { title: 'Dredger is late', raised_on: '2026-03-01', review_on: '2027-01-01', likelihood: 4 },
  ],
  ['risks-percent.xlsx', 2, '2', { title: 'Theft of copper', likelihood: 4, impact: 3, response: 'TRANSFER' }],
  ['risks-register.ods', 2, '1', { title: 'Dredger is late', raised_on: '2026-03-01', review_on: '2027-01-01' }],
  [
    'risks-slips.csv',
    4,
    'S-1',
    {
      title: 'Scaffold is hired too late',
      likelihood: 4,
      impact: 3,
      residual_likelihood: 2,
      residual_impact: 3,
      mitigation: 'Book it in May',
      owner_name: 'Tom Hale',
      raised_on: '2026-03-01',
    },
  ],
  ['risks-severity.csv', 3, 'V-1', { score_given: 23, likelihood: null }],
  ['risks-ranked.csv', 3, 'A-1', { score_given: 20, mitigation: 'Cover it' }],
  [
    'risks-sections.csv',
    4,
    'Barge breaks down',
    { category: 'During the works', likelihood: 3, impact: 3, owner_name: 'Tom Hale' },
  ],
  ['risks-two-rows.csv', 3, 'K1', { likelihood: 4, impact: 5, residual_likelihood: 2, residual_impact: 4 }],
  ['risks-two-rows.xlsx', 3, 'D3', { category: 'Cellar', likelihood: 5, residual_likelihood: 3, residual_impact: 2 }],
  ['risks-two-rows.ods', 3, 'D3', { category: 'Cellar', likelihood: 5, residual_likelihood: 3, residual_impact: 2 }],
  ['risks-legend.csv', 3, '3', { title: 'Gulls nest on the roof', likelihood: 4, impact: 1 }],
  [
    'risks-records.json',
    2,
    'R-1',
    {
      title: 'Steel arrives late',
      likelihood: 4,
      owner_name: 'Mara Voss',
      raised_on: '2026-02-03',
      details: '[{"name":"tags","text":"supply; steel"}]',
    },
  ],
]

const ISSUES: readonly Sample[] = [
  [
    'issues-log.csv',
    3,
    'I-1',
    { severity: 'HIGH', status: 'OPEN', raised_on: '2026-03-14', due_on: '2026-04-30', assignee_name: 'Ilse Brandt' },
  ],
  ['issues-priorities.csv', 4, '104', { severity: 'HIGH', status: 'BLOCKED', raised_on: '2026-05-09' }],
  ['issues-german.csv', 3, '4711', { title: 'Anmeldung schlägt fehl', severity: 'CRITICAL', status: 'IN_PROGRESS' }],
  ['issues-plain.csv', 2, '1', { title: 'Door does not close', severity: 'MEDIUM', raised_on: '2026-02-03' }],
  ['issues-raid.csv', 2, '3', { severity: 'LOW', status: 'OPEN', due_on: '2026-06-20' }],
  ['issues-log.xlsx', 2, '2', { severity: 'LOW', status: 'RESOLVED', raised_on: '2026-03-19' }],
  ['issues-records.json', 2, '7', { severity: 'HIGH', assignee_name: 'Tom Hale', raised_on: '2026-03-14' }],
]

const PEOPLE: readonly Sample[] = [
  [
    'people-names.csv',
    3,
    'Nora Beck',
    {
      email: 'nora.beck@example.com',
      department: 'Construction',
      title: 'Site manager',
      details: '[{"name":"Office","text":"Harbour"}]',
    },
  ],
  ['people-hr.csv', 3, 'Hugo Rey', { external_id: '1003', email: null, status: 'INACTIVE' }],
  ['people-german.csv', 2, 'Änne Öhler', { external_id: '8', status: 'INACTIVE', department: 'Einkauf' }],
  ['people-french.csv', 2, 'Chloé Marin', { external_id: 'F1', title: 'Cheffe de chantier' }],
  ['people-teams.csv', 2, 'Rui Prado', { department: 'South', title: 'Buyer' }],
  ['people-list.xlsx', 2, 'Jan Bór', { external_id: '502', title: 'Driver' }],
  ['people-accounts.csv', 2, 'wlind', { external_id: 'K-1', email: 'wanda.l@example.com', details: null }],
  ['people-records.json', 2, 'Wanda Lind', { external_id: 'E-1', title: 'Site manager', department: 'Construction' }],
]

const OTHERS: readonly Sample[] = [
  ['projects.csv', 3, 'Old town bridge', { key: 'OTB', status: 'ON_HOLD' }],
  ['groups.csv', 2, 'First aid', { description: 'Whoever is trained' }],
]

function nounOf(file: string): NounPlural {
  return pluralNamed(file.split(/[-.]/)[0] ?? '') ?? 'risks'
}

/** The record of a file in the store: an entry by its project and reference, another by its name. */
function stored(desk: Desk, noun: NounPlural, at: string, columns: readonly string[], project?: string): unknown {
  const where = project
    ? `reference = '${at}' and project_id = (select id from project where key = '${project}')`
    : `name = '${at}'`
  const [row = []] = desk.rows(
    `select ${columns.join(', ')} from ${noun === 'groups' ? noun : nounOfPlural(noun)} where ${where}`,
  )
  return Object.fromEntries(columns.map((column, index) => [column, row[index]]))
}

/** Loads a sample twice with the plain command: what it says, what it creates, one record, and what changes then. */
async function loaded(desk: Desk, [file, , at, row]: Sample) {
  const noun = nounOf(file)
  const isEntries = noun === 'risks' || noun === 'issues'
  const project = isEntries ? file.replace(/\W/g, '-').toUpperCase() : undefined
  const flags = [...(project ? ['--project', project, '--create-projects'] : []), '--source', file]
  copyFileSync(join(SAMPLES, file), join(desk.folder, file))
  const { stderr, report: first } = await desk.report(noun, file, ...flags)
  const record = stored(desk, noun, at, Object.keys(row), project)
  const { report: again } = await desk.report(noun, file, ...flags)
  return { file, stderr, created: first.created, record, again: [again.created, again.updated, again.unchanged] }
}

test.each([
  ['risks', RISKS],
  ['issues', ISSUES],
  ['people', PEOPLE],
  ['projects and groups', OTHERS],
] as const)(
  '%s load as they are with the plain command, and again without a change',
  async (_, samples) => {
    const desk = openDesk()
    const results = []
    for (const sample of samples) results.push(await loaded(desk, sample))
    expect(results).toEqual(
      samples.map(([file, count, , record]) => ({ file, stderr: '', created: count, record, again: [0, 0, count] })),
    )
  },
  120_000,
)

test('projects that a sheet only names get keys, and keep their names', async () => {
  const desk = openDesk()
  copyFileSync(join(SAMPLES, 'risks-projects.csv'), join(desk.folder, 'risks.csv'))
  const { report } = await desk.report('risks', 'risks.csv', '--create-projects')
  expect([report.created, report.files[0]?.made]).toEqual([3, ['project HARBOUR-EXTENSION', 'project OLD-TOWN-BRIDGE']])
  expect(stored(desk, 'risks', '1', ['title', 'details'], 'OLD-TOWN-BRIDGE')).toEqual({
    title: 'Stones are loose',
    details: '[{"name":"Project Name","text":"Old Town Bridge"}]',
  })
})

test.each([...RISKS, ...ISSUES, ...PEOPLE, ...OTHERS])('the suggested map of %s gives the same records', (file) => {
  const noun = nounOf(file)
  const plan = SHEETS[noun]
  const fields = Object.keys(plan.inputs)
  const options = {
    name: file,
    format: formatOf(file) ?? 'csv',
    fields,
    derived: derivedColumns(plan),
    ignoreUnknown: false,
    guess: { noun, hasProject: true },
  }
  const bytes = readFileSync(join(SAMPLES, file))
  const guessed = readSheet(bytes, options)
  if (!guessed.guess) throw new Error('Nothing was guessed.')
  const mapping = readMapping(printMapping(guessed.guess.mapping), 'a map', fields)
  expect(readSheet(bytes, { ...options, mapping }).records).toEqual(guessed.records)
})
