import { print } from 'graphql'
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../src/http/rest/operations.js'
import { type Caller, type Gateway, openGateway } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { newStore, type TestStore } from '../support/stores.js'
import { numbered, synced } from '../support/syncing.js'

type Entries = readonly Readonly<Record<string, unknown>>[]
/** The entries of a project after a sync at noon of each day; null for a day without one. */
type Days = readonly ({ risks?: Entries; issues?: Entries } | null)[]

async function live(gateway: Gateway, projects: Readonly<Record<string, Days>>): Promise<Caller> {
  const manager = await gateway.as('projects.manage')
  for (const day of [0, 1, 2, 3]) {
    gateway.clock.now = new Date(`2026-11-0${day + 1}T12:00:00.000Z`)
    for (const [key, days] of Object.entries(projects)) {
      const entries = days[day]
      if (entries) await synced(manager, { key, name: `Project ${key}`, closeLimit: 100, ...entries })
    }
  }
  return gateway.as('projects.read')
}

const risk = (likelihood: number, impact: number, status = 'OPEN') => ({
  risks: [{ reference: 'R-1', title: 'Flood', likelihood, impact, status }],
})
const issue = (severity: string, dueOn: string | null, status = 'OPEN') => ({
  issues: [{ reference: 'I-1', title: 'No crane', severity, dueOn, status }],
})

const CASES: Readonly<Record<string, readonly [days: Days, moved: string]>> = {
  'went up': [[risk(3, 4), risk(4, 5)], 'UP 12 20'],
  'went down': [[risk(3, 4), risk(1, 1)], 'DOWN 12 1'],
  'went up and came back': [[risk(3, 4), risk(4, 5), risk(3, 4)], ''],
  'was only renamed': [[risk(3, 4), { risks: [{ reference: 'R-1', title: 'High water' }] }], ''],
  'came in before, and was changed several times': [[risk(1, 1), risk(2, 2), risk(5, 5)], 'UP 1 25'],
  'was created': [[null, risk(3, 4)], 'NEW null 12'],
  'was created and closed inside': [[null, risk(3, 4), risk(3, 4, 'CLOSED')], ''],
  'was closed': [[risk(3, 4), risk(3, 4, 'CLOSED')], 'CLOSED 12 null'],
  'was closed as missing': [[risk(3, 4), { risks: [] }], 'CLOSED 12 null'],
  'was closed and reopened inside': [[risk(3, 4), risk(3, 4, 'CLOSED'), risk(3, 4)], ''],
  'was closed and reopened inside, higher': [[risk(3, 4), risk(3, 4, 'CLOSED'), risk(4, 4)], 'UP 12 16'],
  'was reopened': [[risk(3, 4, 'CLOSED'), risk(3, 4)], 'NEW null 12'],
  'occurred, which is live too': [[risk(3, 4), risk(3, 4, 'OCCURRED')], ''],
  'changed while it was closed': [[risk(3, 4, 'CLOSED'), risk(4, 5, 'CLOSED')], ''],
  'moved after the window': [[risk(3, 4), null, null, risk(5, 5)], ''],
  'was opened': [[null, issue('LOW', null)], 'OPENED null LOW'],
  'was resolved': [[issue('LOW', null), issue('LOW', null, 'RESOLVED')], 'RESOLVED LOW null'],
  'was opened and resolved inside': [[null, issue('LOW', null), issue('LOW', null, 'CLOSED')], ''],
  'was worse and due later': [
    [issue('LOW', '2026-12-31'), issue('HIGH', '2027-01-01')],
    'WORSE LOW HIGH, SLIPPED LOW HIGH',
  ],
  'was less severe and due earlier': [[issue('HIGH', '2027-01-01'), issue('LOW', '2026-12-31')], ''],
  'got a due day': [[issue('LOW', null), issue('LOW', '2026-12-31')], ''],
}

test('the net movement of one risk or issue, from the beginning of its second day to that of its fourth', async () => {
  const gateway = openGateway()
  const named = Object.entries(CASES).map(([what, [days, moved]], index) => ({ key: `P-${index}`, what, days, moved }))
  const caller = await live(gateway, Object.fromEntries(named.map(({ key, days }) => [key, days])))
  const { body } = await caller.get('/v1/movements?since=2026-11-02&until=2026-11-04')
  const lines = [
    ...body.risks.map((one: Moved) => ({ ...one, line: `${one.movement} ${one.scoreFrom} ${one.scoreTo}` })),
    ...body.issues.map((one: Moved) => ({ ...one, line: `${one.movement} ${one.severityFrom} ${one.severityTo}` })),
  ]
  const movedIn = (key: string) => lines.filter(({ project }) => project.key === key).map(({ line }) => line)
  expect(Object.fromEntries(named.map(({ key, what }) => [what, movedIn(key).join(', ')]))).toEqual(
    Object.fromEntries(named.map(({ what, moved }) => [what, moved])),
  )
})

type Moved = Readonly<Record<string, string>>

/** A store with one of each movement. */
async function board(own = newStore()): Promise<{ gateway: Gateway; caller: Caller; own: TestStore }> {
  const entry = (number: number, rest: object) => ({ reference: `R-${number}`, title: `Risk | ${number}`, ...rest })
  const day = (scores: readonly number[], severity: string, dueOn: string, status: string) => ({
    risks: scores.map((score, number) => entry(number, { likelihood: 1, impact: score })),
    issues: [
      { reference: 'I-1', title: 'No crane', severity, dueOn },
      { reference: 'I-2', title: 'No\npermit', severity: 'HIGH', status },
    ],
  })
  const days = [day([1, 5, 3, 2], 'LOW', '2026-12-01', 'OPEN'), day([4, 3, 3], 'HIGH', '2026-12-24', 'RESOLVED')]
  const gateway = openGateway({}, undefined, own)
  return { gateway, own, caller: await live(gateway, { APOLLO: days }) }
}

test('`first` bounds each kind of movement, the counts stay those of all, and included risks are listed too', async () => {
  const days = (scores: readonly number[]) => ({
    risks: scores.map((impact, index) => ({ reference: `R-${index}`, title: 'Flood', likelihood: 1, impact })),
    issues: scores.map((_, index) => ({ reference: `I-${index}`, title: 'No crane', severity: 'LOW' })),
  })
  const gateway = openGateway({ wholeListRowsMax: 4 })
  const reader = await live(gateway, { APOLLO: [days([1, 1, 1, 5]), days([2, 4, 3, 1, 5, 4])] })
  const query = `query ($first: Int, $including: [ID!]) {
    movements(since: "2026-11-02", first: $first, including: $including) {
      counts { up down new opened } risks { id reference movement rankTo } issues { movement } projects { counts { up } }
    }
  }`
  const asked = async (variables: Record<string, unknown>) => (await reader.graphql(query, variables)).body
  const counts = { up: 3, down: 1, new: 2, opened: 2 }
  const rest = { counts, issues: [{ movement: 'OPENED' }], projects: [{ counts: { up: 3 } }] }
  const listed = [
    { reference: 'R-4', movement: 'NEW', rankTo: 1 },
    { reference: 'R-3', movement: 'DOWN', rankTo: 6 },
    { reference: 'R-1', movement: 'UP', rankTo: 2 },
  ].map((one) => ({ id: expect.any(String), ...one }))
  expect(await asked({ first: 1 })).toEqual({ data: { movements: { ...rest, risks: listed } } })
  expect((await reader.get('/v1/movements?since=2026-11-02&limit=1')).body).toMatchObject({ ...rest, risks: listed })
  const { data } = (await reader.graphql('{ risk(project: "APOLLO", reference: "R-0") { id } }')).body
  const including = [data.risk.id]
  const more = (await asked({ first: 1, including })).data.movements.risks
  expect(more).toEqual([...listed, { id: including[0], reference: 'R-0', movement: 'UP', rankTo: 5 }])
  // More than a whole list may have, which `first` bounds by itself.
  expect((await asked({ first: 3 })).data.movements.risks).toHaveLength(6)
  const ids = Array.from({ length: 1_001 }, (_, index) => `rsk_${index}`)
  expect((await asked({ first: 1, including: ids })).errors[0].message).toBe(
    'including: There are 1001 different values; the most is 1000.',
  )
  expect((await asked({})).errors[0].extensions.code).toBe('TOO_COMPLEX')
  expect((await asked({ first: 0 })).errors[0].message).toBe('first: Must be from 1 to 1000.')
  expect((await reader.get('/v1/movements?since=2026-11-02&limit=1001')).body.errors).toEqual([
    { parameter: 'limit', detail: 'Must be from 1 to 1000.' },
  ])
})

test('the ranks at both ends are among all live risks then', async () => {
  const { caller } = await board()
  const { body } = await caller.get('/v1/movements?since=2026-11-02&level=UNASSESSED,MEDIUM')
  expect(body.risks).toEqual([
    expect.objectContaining({ reference: 'R-1', movement: 'DOWN', scoreFrom: 5, scoreTo: 3, rankFrom: 1, rankTo: 2 }),
  ])
  expect(body.counts).toMatchObject({ down: 1, up: 0, unchanged: 0, resolved: 1 })
})

test('GraphQL, REST and operations diff give the same', async () => {
  const { caller, own } = await board()
  const { body } = await caller.get('/v1/movements?since=2026-11-02&project=APOLLO')
  const graphql = await caller.graphql(print(OPERATIONS.getMovements.document), {
    since: '2026-11-02',
    project: ['APOLLO'],
  })
  expect(graphql.body).toEqual({ data: { movements: body } })
  const diff = (...args: string[]) => runHere('.', ['diff', '--database', own.url, '--since', '2026-11-02', ...args])
  const json = await diff('--project', 'APOLLO', '--format', 'json')
  expect([json.code, JSON.parse(json.stdout)]).toEqual([0, body])
  expect((await diff('--format', 'markdown')).stdout).toBe(
    [
      '## What moved since 2026-11-02: risks 0 new, 1 closed, 1 up, 1 down, 1 unchanged; issues 0 opened, 1 resolved, 1 worse, 1 slipped',
      '',
      '| Movement | Project | Reference | Title | From | To | Rank |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      '| up | APOLLO | R-0 | Risk \\| 0 | 1 low | 4 low | 4 → 1 |',
      '| down | APOLLO | R-1 | Risk \\| 1 | 5 medium | 3 low | 1 → 2 |',
      '| closed | APOLLO | R-3 | Risk \\| 3 | 2 low | - | 3 → - |',
      '| resolved | APOLLO | I-2 | No permit | high | - |  |',
      '| worse | APOLLO | I-1 | No crane | low | high |  |',
      '| slipped | APOLLO | I-1 | No crane | due 2026-12-01 | due 2026-12-24 |  |',
      '',
    ].join('\n'),
  )
  const text = await diff('--until', '2026-11-03')
  expect(text.stdout).toContain('What moved from 2026-11-02 to 2026-11-03: risks 0 new, 1 closed, 1 up')
  expect(text.stdout).toContain('down      APOLLO   R-1        5 medium        3 low           1 → 2  Risk | 1\n')
})

test('nothing moved is said in words, and what cannot be asked is refused', async () => {
  const { caller, own } = await board()
  const diff = (...args: string[]) => runHere('.', ['diff', '--database', own.url, ...args])
  const late = await diff('--since', '2026-11-20', '--format', 'markdown')
  expect(late.stdout).toContain('risks 0 new, 0 closed, 0 up, 0 down, 3 unchanged; issues 0 opened')
  expect(late.stdout).toContain('\n\nNothing moved.\n')
  expect(await diff('--since', 'soon')).toMatchObject({ code: 2, stderr: expect.stringContaining('--since is "soon"') })
  expect(await diff('--since', '2d', '--until', '3d')).toMatchObject({ code: 2 })
  expect(await diff('--since', '2026-11-01', '--project', 'APOLO')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no project 'APOLO'. Did you mean APOLLO?"),
  })
  expect(await caller.get('/v1/movements')).toMatchProblem(400, 'BAD_REQUEST')
  expect((await caller.get('/v1/movements')).body.errors).toEqual([{ parameter: 'since', detail: 'Must be given.' }])
  expect((await caller.get('/v1/movements?since=2026-11-02&until=2026-11-01')).body.errors).toEqual([
    { parameter: 'until', detail: 'Must not be before `since`.' },
  ])
  expect((await caller.get('/v1/movements?since=2026-11-02&project=APOLO')).body.detail).toContain(
    'Did you mean APOLLO?',
  )
})

test('more movements than a whole list may have are refused', async () => {
  const own = newStore()
  await board(Object.create(own, { remove: { value: () => undefined } }))
  const gateway = openGateway({ wholeListRowsMax: 3 }, undefined, own)
  const caller = await gateway.as('projects.read')
  const answer = await caller.get('/v1/movements?since=2026-11-01')
  expect(answer).toMatchProblem(400, 'TOO_COMPLEX')
  expect(answer.body.detail).toBe(
    'More than 3 risks and issues moved. Name a `project` or a later `since`, or set `limit`.',
  )
})

test('a query about movements that costs too much is told what can be done: they have no pages', async () => {
  const gateway = openGateway()
  const caller = await live(gateway, { APOLLO: [{ risks: numbered(400) }] })
  const fields = 'id reference title description category score level status likelihood impact response url raisedOn'
  const risks = Array.from({ length: 20 }, (_, index) => `r${index}: risk { ${fields} }`).join(' ')
  const asked = (inner: string) => caller.graphql(`{ movements(since: "2026-11-01") { risks { ${inner} } } }`)
  const { errors } = (await asked(risks)).body
  expect(errors[0].message).toMatch(/^The query's cost is \d+; the most is 100000\. Ask for fewer fields, or for fewer/)
  const nested = (await asked(`risk { history(first: 500) { nodes { id } } }`)).body
  expect(nested.errors[0].message).toContain('`history(first: ')
})

test('a risk that is older than the history has a past', async () => {
  const gateway = openGateway()
  const caller = await live(gateway, { APOLLO: [{ ...risk(1, 2), ...issue('LOW', null) }, risk(3, 4), risk(5, 5)] })
  gateway.own.run("delete from change where action = 'CREATED' and entity in ('RISK', 'ISSUE')")
  const { body } = await caller.get('/v1/movements?since=2026-11-02&until=2026-11-03')
  expect(body.risks).toMatchObject([{ movement: 'UP', scoreFrom: 2, scoreTo: 12 }])
  const { points } = (await caller.get('/v1/risks/trend?from=2026-10-31&to=2026-11-03')).body
  expect(points.map(({ score }: { score: number }) => score)).toEqual([0, 2, 12, 25])
})
