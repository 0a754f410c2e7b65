import { expect, test } from 'vitest'
import { type Desk, lines, openDesk } from '../ingest/importing.js'
import { chanceOf } from '../support/chance.js'

// A register in words and one in numbers up to ten, a log of issues and a roster, as their owners change them night after
// night. What is true is kept here in our own terms, and rendered as each source writes it.

const SEED = Number(process.env['TEST_SEED'] ?? 7)
const NIGHTS = Number(process.env['TEST_NIGHTS'] ?? 40)
const chance = chanceOf(SEED)
const below = (count: number) => Math.floor(chance() * count)
const isLucky = (share: number) => chance() < share

function pick<T>(all: readonly T[]): T {
  const one = all[below(all.length)]
  if (one === undefined) throw new Error('There is nothing to choose from.')
  return one
}

interface Person {
  externalId: string
  name: string
  email: string
  isThere: boolean
  /** Whether a list has had them. */
  isKnown: boolean
}

interface Entry {
  readonly reference: string
  title: string
  state: string
  likelihood: number
  impact: number
  owner: string
  due: string
}

/** How a source writes what is true, and what its words and numbers mean. */
interface Source {
  readonly file: string
  readonly noun: 'risks' | 'issues'
  readonly project: string
  readonly states: Readonly<Record<string, string>>
  /** The word or number for each step that the source has. */
  readonly steps: readonly string[]
  readonly stepOf: (at: number) => number
  readonly header: readonly string[]
  readonly day: (iso: string) => string
  readonly entries: Entry[]
  last: number
}

const WORDS = ['Sehr gering', 'Gering', 'Mittel', 'Hoch', 'Sehr hoch']
const dotted = (iso: string) => iso.split('-').toReversed().join('.')
const SOURCES: Source[] = [
  {
    ...{ file: 'brücke', noun: 'risks', project: 'BRIDGE', entries: [], last: 0, day: dotted },
    states: { offen: 'OPEN', eingetreten: 'OCCURRED', erledigt: 'CLOSED' },
    steps: WORDS,
    stepOf: (at) => at + 1,
    header: ['Nr.', 'Risiko', 'Status', 'Eintrittswahrscheinlichkeit', 'Auswirkung', 'Verantwortlich', 'Fällig am'],
  },
  {
    ...{ file: 'harbour', noun: 'risks', project: 'HARBOUR', entries: [], last: 0 },
    day: (iso) => `${iso.slice(5, 7)}/${iso.slice(8)}/${iso.slice(0, 4)}`,
    states: { Active: 'OPEN', Happened: 'OCCURRED', Done: 'CLOSED' },
    steps: Array.from({ length: 10 }, (_, at) => String(at + 1)),
    stepOf: (at) => Math.ceil((at + 1) / 2),
    header: ['Risk ID', 'Risk', 'Status', 'Likelihood (1-10)', 'Impact (1-10)', 'Owner', 'Due date'],
  },
  {
    ...{ file: 'quay', noun: 'issues', project: 'QUAY', entries: [], last: 0, day: (iso: string) => iso },
    states: { 'To do': 'OPEN', Doing: 'IN_PROGRESS', Done: 'RESOLVED' },
    steps: ['P4', 'P3', 'P2', 'P1'],
    stepOf: (at) => at,
    header: ['Key', 'Issue', 'State', 'Priority', 'Points', 'Assignee', 'Due date'],
  },
]
const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']

const people: Person[] = []
let hired = 0

function hire(): void {
  hired++
  people.push({
    externalId: `E-${hired}`,
    name: `Person ${hired}`,
    email: `p${hired}@x.org`,
    isThere: true,
    isKnown: false,
  })
}

const there = () => people.filter(({ isThere }) => isThere)
const someDay = () => `2027-${String(1 + below(12)).padStart(2, '0')}-${String(13 + below(15)).padStart(2, '0')}`

function add(source: Source): void {
  source.last++
  const [likelihood, impact] = [below(source.steps.length), below(source.steps.length)]
  source.entries.push({
    reference: `N-${source.last}`,
    title: `Thing ${source.last} of ${source.project}`,
    state: Object.keys(source.states)[0] ?? '',
    ...{ likelihood, impact, due: someDay() },
    owner: pick(there()).name,
  })
}

/** One day of work in a source; what nobody touches stays. */
function work(source: Source): void {
  for (const entry of source.entries) {
    if (isLucky(0.03)) entry.title = `${entry.title.replace(/ \(.*/, '')} (${below(1000)})`
    if (isLucky(0.05)) entry.state = pick(Object.keys(source.states))
    if (isLucky(0.05)) entry.likelihood = below(source.steps.length)
    if (isLucky(0.03)) entry.owner = pick(there()).name
    if (isLucky(0.03)) entry.due = isLucky(0.3) ? '' : someDay()
  }
  if (isLucky(0.4)) add(source)
}

function staff(): void {
  if (isLucky(0.3)) hire()
  const gone = people.filter(({ isThere }) => !isThere)
  if (isLucky(0.1) && gone.length > 0) {
    // Comes back, with another number of the HR system.
    hired++
    Object.assign(pick(gone), { isThere: true, externalId: `E-${hired}` })
  }
  const [one, other] = [pick(there()), pick(there())]
  if (isLucky(0.1) && one !== other) [one.email, other.email] = [other.email, one.email]
  // Whoever leaves on the day of a swap is not to be recognised when they come back: nothing of theirs was ever listed.
  const known = there().filter((person) => person.isKnown && person !== one && person !== other)
  if (isLucky(0.15) && known.length > 12) pick(known).isThere = false
}

const cellsOf = (source: Source, entry: Entry) => [
  ...[
    entry.reference,
    entry.title,
    entry.state,
    source.steps[entry.likelihood] ?? '',
    source.steps[entry.impact] ?? '',
  ],
  ...[entry.owner, entry.due && source.day(entry.due)],
]
const table = (header: readonly string[], rows: readonly (readonly string[])[]) =>
  lines(...[header, ...rows].map((cells) => cells.join(';')))

/** What goes wrong in a file: how its table is spoilt, and what the command then says. */
type Spoil = (header: string[], rows: string[][]) => string
const SURPRISES: readonly Spoil[] = [
  (_, rows) => {
    pick(rows)[2] = 'Parked'
    return '"Parked"'
  },
  (_, rows) => {
    pick(rows)[3] = '17'
    return '"17"'
  },
  (header) => {
    header[2] = 'Colour'
    return 'Gone: '
  },
  (header, rows) => {
    header.splice(3, 1)
    for (const row of rows) row.splice(3, 1)
    return 'Gone: '
  },
  (header, rows) => {
    header.push('Description')
    for (const row of rows) row.push('More')
    return 'Description is new, and looks like description'
  },
  (_, rows) => {
    const references = rows.map(([reference = '']) => reference)
    for (const [at, row] of rows.entries()) row[0] = references[(at + 1) % rows.length] ?? ''
    return 'The references seem to have moved'
  },
  (_, rows) => {
    for (const row of rows) if (row[6]) row[6] = 'soon'
    return '"soon"'
  },
]

async function nightly(desk: Desk, source: Source, night: number): Promise<string> {
  const rows = source.entries.map((entry) => cellsOf(source, entry))
  const name = `${source.file}-2026-${night}.csv`
  const flags = ['--project', source.project, '--create-projects']
  const run = async (header: readonly string[], given: readonly (readonly string[])[], ...more: string[]) => {
    desk.put(name, table(header, given))
    return desk.importSheet(source.noun, name, ...flags, ...more)
  }
  let met = ''
  if (night > 0 && isLucky(0.2) && rows.some((row) => row[6])) {
    const [header, spoilt] = [[...source.header], rows.map((row) => [...row])]
    const said = pick(SURPRISES)(header, spoilt)
    const before = desk.dump()
    const refused = await run(header, spoilt)
    expect([night, source.file, said, refused.code]).toEqual([night, source.file, said, 1])
    expect(refused.stderr).toContain(said)
    expect(desk.dump()).toEqual(before)
    met = said
  }
  const stored = await run(source.header, rows)
  expect([night, source.file, stored.code, stored.stderr]).toEqual([night, source.file, 0, expect.any(String)])
  return met
}

/** What is stored of a source, in our terms. */
function storedOf(desk: Desk, { noun, project }: Source) {
  const [assessed, owner] = noun === 'risks' ? ['likelihood, impact', 'owner_id'] : ['severity', 'assignee_id']
  const columns = `e.reference, e.title, e.status, ${assessed}, ${owner}, e.due_on`
  const from = `${noun === 'risks' ? 'risk' : 'issue'} e join project p on p.id = e.project_id`
  return desk.rows(
    `select ${columns} from ${from} where p.key = '${project}' order by length(e.reference), e.reference`,
  )
}

function trueOf(desk: Desk, source: Source) {
  const ids = new Map(desk.rows('select name, id from person').map(([name, id]) => [name, id]))
  return source.entries.map((entry) => [
    ...[entry.reference, entry.title, source.states[entry.state]],
    ...(source.noun === 'risks'
      ? [source.stepOf(entry.likelihood), source.stepOf(entry.impact)]
      : [SEVERITIES[source.stepOf(entry.likelihood)]]),
    ...[ids.get(entry.owner), entry.due || null],
  ])
}

test(`${NIGHTS} nights of sources that change: what the files say is stored, and every surprise stops with words (seed ${SEED})`, async () => {
  const desk = openDesk()
  for (let count = 0; count < 20; count++) hire()
  for (const source of SOURCES) for (let count = 0; count < 12; count++) add(source)
  // Every word and step is met on the first night, so that none is new later.
  for (const { entries, states, steps } of SOURCES)
    for (const [at, entry] of entries.entries()) {
      entry.state = Object.keys(states)[at % 3] ?? ''
      ;[entry.likelihood, entry.impact] = [at % steps.length, (at + 3) % steps.length]
    }
  const ids = new Map<string, unknown>()
  const met = new Map<string, number>()
  for (let night = 0; night < NIGHTS; night++) {
    if (night > 0) staff()
    if (night > 0) SOURCES.forEach(work)
    const roster = there().map(({ externalId, name, email }) => [externalId, name, email])
    desk.put(`staff-${night}.csv`, table(['Employee ID', 'Name', 'Work Email'], roster))
    const arrive = (...flags: string[]) =>
      desk.importSheet('people', `staff-${night}.csv`, '--missing', 'inactive', ...flags)
    let imported = await arrive()
    // Somebody got an address that another one had, who is not there any more.
    if (imported.stderr.includes('is somebody else')) imported = await arrive('--accept')
    // More left within seven nights than go without being told.
    if (imported.stderr.includes('of the last 7 imports')) imported = await arrive('--accept', '--close-limit', '1')
    expect([night, imported.code, imported.stderr]).toEqual([night, 0, expect.any(String)])
    for (const person of there()) person.isKnown = true
    const stored = desk.rows('select name, email, status, id from person')
    expect(stored.map(([name, , status]) => `${name} ${status}`).sort()).toEqual(
      people.map(({ name, isThere }) => `${name} ${isThere ? 'ACTIVE' : 'INACTIVE'}`).sort(),
    )
    for (const [name, email, , id] of stored) {
      expect(ids.get(String(name)) ?? id).toBe(id)
      ids.set(String(name), id)
      const person = people.find((one) => one.name === name)
      if (person?.isThere) expect([name, email]).toEqual([name, person.email])
    }
    for (const source of SOURCES) {
      const said = await nightly(desk, source, night)
      if (said) met.set(said, (met.get(said) ?? 0) + 1)
      expect([night, storedOf(desk, source)]).toEqual([night, trueOf(desk, source)])
    }
  }
  if (process.env['TEST_NIGHTS']) console.log(`${NIGHTS} nights, surprises: ${JSON.stringify(Object.fromEntries(met))}`)
}, 600_000)
