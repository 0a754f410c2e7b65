import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import { addPerson } from '../../src/personnel/people.js'
import type { Write } from '../../src/store/store.js'
import {
  addGroup,
  addIssue,
  addProject,
  addRisk,
  deactivatePerson,
  details,
  issue,
  project,
  risk,
} from '../support/fixtures.js'
import { type Caller, type Gateway, NOW, openGateway, type TestResponse } from '../support/harness.js'

const EARLIER = '2026-01-05T08:00:00.000Z'
const LATER = NOW.toISOString()

interface ContractStage {
  readonly gateway: Gateway
  readonly caller: Caller
  /** The ids of stored rows, by the names that the tests use. */
  readonly ids: Readonly<Record<string, string>>
  /** Fills the `{word}`s of a path with ids. */
  get(path: string): Promise<TestResponse>
}

/** All rows were stored at `EARLIER`, except for Åsa, Zulu team, HARBOR-2, R-4 and I-4, at `LATER`. */
async function openContract(): Promise<ContractStage> {
  const gateway = openGateway()
  const ids: Record<string, string> = {}
  const at = <T>(instant: string, work: (write: Write) => Promise<T>) =>
    gateway.store.write({ by: 'cli', at: () => new Date(instant) }, work)
  await at(EARLIER, async (write) => {
    ids['alpha'] = await addGroup(write, { name: 'alpha Team', description: 'Whoever comes first.' })
    ids['empty'] = await addGroup(write, { name: 'Empty', description: null })
    const inAlpha = { groupIds: [ids['alpha']] }
    for (const person of [
      { name: 'Zoë', email: 'zoe@example.com' },
      { name: 'bea', email: 'Bea@Example.com', title: 'Engineer', department: 'Bridges', ...inAlpha },
      { name: 'Ada', externalId: 'HR-7', ...inAlpha },
      // Full-width letters: folded, it is "cleo".
      { name: 'Ｃleo', email: 'c_leo@example.com' },
      { name: 'Gone', email: 'gone@example.com', ...inAlpha },
    ]) {
      ids[person.name] = (await addPerson(write, person)).id
    }
    await deactivatePerson(write, ids['Gone'] ?? '')
    ids['apollo'] = await addProject(write, project())
    ids['harbor'] = await addProject(write, project({ key: 'HARBOR-2', name: 'Harbour', status: 'ON_HOLD' }))
    await addProject(write, project({ key: 'OLD', name: 'Old works', status: 'CLOSED' }))
  })
  const { apollo = '', harbor = '', Ada: ownerId = '', Zoë: assigneeId = '' } = ids
  await at(EARLIER, async (write) => {
    for (const draft of [
      risk(harbor, { reference: 'R-8', title: 'Unjudged 100% loss', likelihood: null, impact: null }),
      risk(apollo, { reference: 'R-7', title: 'Rust', likelihood: 1, impact: 2, category: 'Weather' }),
      risk(harbor, {
        reference: 'R-6',
        title: 'Noise',
        scoreGiven: 6,
        likelihood: null,
        impact: null,
        reviewOn: '2026-05-02',
      }),
      risk(apollo, { reference: 'R-5', title: 'Frost', likelihood: 3, impact: 4, raisedOn: '2026-02-01' }),
      risk(apollo, { reference: 'R-3', title: 'Ship sinks', likelihood: 5, impact: 4, category: 'supply', ownerId }),
      risk(harbor, { reference: 'R-2', title: 'Storm', likelihood: 4, impact: 5, ownerName: 'A stranger' }),
      risk(apollo, {
        ...{ reference: 'R-1', likelihood: 5, impact: 5, category: 'Supply', reviewOn: '2026-05-01', ownerId },
        ...{
          mitigation: 'Second mill',
          cause: 'One mill',
          dueOn: '2026-06-01',
          residualLikelihood: 2,
          residualImpact: 4,
        },
        details: details({ Cost: '12,000 EUR', Affected: 'Schedule' }),
      }),
      risk(apollo, { reference: 'R-9', likelihood: 5, impact: 5, status: 'CLOSED', raisedOn: '2026-03-02' }),
    ]) {
      ids[draft.reference] = await addRisk(write, draft)
    }
    const riskId = ids['R-1'] ?? null
    for (const draft of [
      issue(apollo, {
        reference: 'I-3',
        title: 'Dock shut',
        severity: 'HIGH',
        status: 'BLOCKED',
        raisedOn: '2026-01-31',
      }),
      issue(harbor, { reference: 'I-2', title: 'Strike', severity: 'HIGH', status: 'IN_PROGRESS', assigneeId }),
      issue(apollo, { reference: 'I-1', severity: 'CRITICAL', dueOn: '2026-11-30', assigneeId, riskId }),
      issue(apollo, { reference: 'I-5', title: 'Crane fixed', severity: 'CRITICAL', status: 'RESOLVED' }),
      issue(harbor, { reference: 'I-6', title: 'Crane sold', severity: 'CRITICAL', status: 'CLOSED' }),
    ]) {
      ids[draft.reference] = await addIssue(write, draft)
    }
  })
  const r4 = risk(harbor, { reference: 'R-4', title: 'Flood', likelihood: 3, impact: 4, status: 'OCCURRED' })
  const i4 = issue(harbor, { reference: 'I-4', title: 'Lamp broken', severity: 'LOW', dueOn: '2026-12-01' })
  await at(LATER, async (write) => {
    ids['zulu'] = await addGroup(write, { name: 'Zulu team', description: null })
    ids['Åsa'] = (await addPerson(write, { name: 'Åsa', email: 'asa@example.com', groupIds: [ids['zulu']] })).id
    const { project } = write.t
    await write.db.update(project).set({ updatedAt: write.at }).where(eq(project.key, 'HARBOR-2'))
    ids['R-4'] = await addRisk(write, r4)
    ids['I-4'] = await addIssue(write, i4)
  })
  const caller = await gateway.as('personnel.manage', 'projects.read')
  const get = (path: string) => caller.get(path.replace(/\{(.+?)\}/g, (_, word) => ids[word] ?? word))
  return { gateway, caller, ids, get }
}

/** The entries of a response, each by its distinguishing member. */
function entries({ body }: TestResponse): string[] {
  return body.data.map(({ reference, key, name }: TestResponse['body']) => reference ?? key ?? name)
}

test.each<[string, string[]]>([
  ['/v1/personnel', ['Ada', 'bea', 'Ｃleo', 'Zoë', 'Åsa']],
  ['/v1/personnel?status=inactive', ['Gone']],
  ['/v1/personnel?status=Active,INACTIVE', ['Ada', 'bea', 'Ｃleo', 'Gone', 'Zoë', 'Åsa']],
  ['/v1/personnel?group={alpha}', ['Ada', 'bea']],
  ['/v1/personnel?group={alpha},{zulu}', ['Ada', 'bea', 'Åsa']],
  ['/v1/personnel?group={alpha}&status=inactive', ['Gone']],
  ['/v1/personnel?group={empty}', []],
  ['/v1/personnel?group=grp_00000000000000000000000000', []],
  ['/v1/personnel?search=EA', ['bea']],
  ['/v1/personnel?search=cleo', ['Ｃleo']],
  ['/v1/personnel?search=ÅS', ['Åsa']],
  ['/v1/personnel?search=@example', ['bea', 'Ｃleo', 'Zoë', 'Åsa']],
  ['/v1/personnel?search=_', ['Ｃleo']],
  ['/v1/personnel?search=%25', []],
  ['/v1/personnel?email=BEA@example.COM', ['bea']],
  ['/v1/personnel?email=bea@example', []],
  ['/v1/personnel?email=gone@example.com', []],
  ['/v1/personnel?externalId=HR-7', ['Ada']],
  ['/v1/personnel?externalId=HR', []],
  [`/v1/personnel?updatedSince=${LATER}`, ['Åsa']],
  ['/v1/personnel?updatedSince=2026-11-02T10:30:00%2B01:00', ['Åsa']],
  ['/v1/personnel?updatedSince=2026-11-02T09:30:00.001Z', []],
  ['/v1/groups', ['alpha Team', 'Empty', 'Zulu team']],
  ['/v1/groups?search=TEAM', ['alpha Team', 'Zulu team']],
  [`/v1/groups?updatedSince=${LATER}`, ['Zulu team']],
  ['/v1/projects', ['APOLLO', 'HARBOR-2', 'OLD']],
  ['/v1/projects?status=on_hold,Closed', ['HARBOR-2', 'OLD']],
  ['/v1/projects?search=harBOUR', ['HARBOR-2']],
  ['/v1/projects?search=apo', ['APOLLO']],
  [`/v1/projects?updatedSince=${LATER}`, ['HARBOR-2']],
  ['/v1/risks', ['R-1', 'R-2', 'R-3', 'R-5', 'R-4', 'R-6', 'R-7', 'R-8']],
  ['/v1/risks?project=apollo', ['R-1', 'R-3', 'R-5', 'R-7']],
  ['/v1/risks?project={harbor}', ['R-2', 'R-4', 'R-6', 'R-8']],
  ['/v1/risks?project=OLD,{harbor}', ['R-2', 'R-4', 'R-6', 'R-8']],
  ['/v1/risks?project=prj_00000000000000000000000000', []],
  ['/v1/risks?status=closed', ['R-9']],
  ['/v1/risks?status=occurred,Closed', ['R-9', 'R-4']],
  ['/v1/risks?status=OPEN&level=high', ['R-5']],
  ['/v1/risks?level=Critical', ['R-1', 'R-2', 'R-3']],
  ['/v1/risks?level=low,unassessed', ['R-7', 'R-8']],
  ['/v1/risks?level=low&level=unassessed', ['R-7', 'R-8']],
  ['/v1/risks?level=low&minScore=0&level=unassessed,low', ['R-7', 'R-8']],
  ['/v1/risks?level=medium&project=apollo', []],
  ['/v1/risks?minScore=12', ['R-1', 'R-2', 'R-3', 'R-5', 'R-4']],
  ['/v1/risks?minScore=13', ['R-1', 'R-2', 'R-3']],
  ['/v1/risks?likelihood=5', ['R-1', 'R-3']],
  ['/v1/risks?impact=4', ['R-3', 'R-5', 'R-4']],
  ['/v1/risks?likelihood=5&impact=4', ['R-3']],
  ['/v1/risks?owner={Ada}', ['R-1', 'R-3']],
  ['/v1/risks?owner=none', ['R-2', 'R-5', 'R-4', 'R-6', 'R-7', 'R-8']],
  ['/v1/risks?owner={Ada},none&minScore=20', ['R-1', 'R-2', 'R-3']],
  ['/v1/risks?owner={Zoë}', []],
  ['/v1/risks?category=SUPPLY', ['R-1', 'R-3']],
  ['/v1/risks?category=supply,%20weather', ['R-1', 'R-3', 'R-7']],
  ['/v1/risks?reviewBefore=2026-05-02', ['R-1']],
  ['/v1/risks?reviewBefore=2026-05-03', ['R-1', 'R-6']],
  ['/v1/risks?dueBefore=2026-06-02', ['R-1']],
  ['/v1/risks?dueBefore=2026-06-01', []],
  ['/v1/risks?minResidualScore=8', ['R-1']],
  ['/v1/risks?minResidualScore=9', []],
  ['/v1/risks?search=STEEL', ['R-1']],
  ['/v1/risks?search=r-4', ['R-4']],
  ['/v1/risks?search=100%25', ['R-8']],
  [`/v1/risks?updatedSince=${LATER}`, ['R-4']],
  ['/v1/issues', ['I-1', 'I-3', 'I-2', 'I-4']],
  ['/v1/issues?project=HARBOR-2', ['I-2', 'I-4']],
  ['/v1/issues?project={apollo},harbor-2', ['I-1', 'I-3', 'I-2', 'I-4']],
  ['/v1/issues?severity=high', ['I-3', 'I-2']],
  ['/v1/issues?severity=Low,CRITICAL', ['I-1', 'I-4']],
  ['/v1/issues?status=open', ['I-1', 'I-4']],
  ['/v1/issues?status=in_progress,Blocked', ['I-3', 'I-2']],
  ['/v1/issues?assignee={Zoë}', ['I-1', 'I-2']],
  ['/v1/issues?assignee=none', ['I-3', 'I-4']],
  ['/v1/issues?assignee=none,{Zoë}&severity=HIGH', ['I-3', 'I-2']],
  ['/v1/issues?dueBefore=2026-12-01', ['I-1']],
  ['/v1/issues?search=CRANE', ['I-1']],
  ['/v1/issues?search=i-5', []],
  [`/v1/issues?updatedSince=${LATER}`, ['I-4']],
])('GET %s lists %j', async (path, expected) => {
  const { get } = await openContract()
  const answer = await get(path)
  expect([answer.status, answer.body.page]).toEqual([200, { next: null, total: null }])
  expect(entries(answer)).toEqual(expected)
})

test('a risk or an issue is found by a reference with letters beyond ASCII, in any case', async () => {
  const { gateway, ids, caller } = await openContract()
  await gateway.write((write) => addRisk(write, risk(ids['apollo'] ?? '', { reference: 'BRÜCKE-1' })))
  await gateway.write((write) => addIssue(write, issue(ids['apollo'] ?? '', { reference: 'BRÜCKE-2' })))
  for (const [path, reference] of Object.entries({ risks: 'BRÜCKE-1', issues: 'BRÜCKE-2' })) {
    const answer = await caller.get(`/v1/${path}?search=brücke`)
    expect(entries(answer)).toEqual([reference])
  }
})

test('the rank of a risk is its place by score among all live risks, whatever the filter', async () => {
  const { get } = await openContract()
  const ranks = ({ body }: TestResponse) =>
    body.data.map(({ reference, score, rank }: TestResponse['body']) => `${reference}: ${score}, ${rank}`).join('; ')
  expect(ranks(await get('/v1/risks'))).toBe(
    'R-1: 25, 1; R-2: 20, 2; R-3: 20, 2; R-5: 12, 4; R-4: 12, 4; R-6: 6, 6; R-7: 2, 7; R-8: 0, 8',
  )
  expect(ranks(await get('/v1/risks?minScore=12&project=harbor-2'))).toBe('R-2: 20, 2; R-4: 12, 4')
})

const timestamps = { createdAt: EARLIER, updatedAt: EARLIER }
const apollo = { key: 'APOLLO', name: 'Apollo bridge' }
const WHOLE: Record<string, (ids: ContractStage['ids']) => object> = {
  '/v1/personnel/{bea}': ({ bea, alpha }) => ({
    ...{ id: bea, name: 'bea', email: 'Bea@Example.com', externalId: null, title: 'Engineer', department: 'Bridges' },
    ...{ status: 'ACTIVE', groups: [{ id: alpha, name: 'alpha Team' }], details: [], ...timestamps },
  }),
  '/v1/groups/{alpha}': ({ alpha }) => ({
    ...{ id: alpha, name: 'alpha Team', externalId: null, description: 'Whoever comes first.', memberCount: 2 },
    ...timestamps,
  }),
  '/v1/projects/{apollo}': (ids) => ({
    ...{ id: ids['apollo'], ...apollo, description: null, url: null, status: 'ACTIVE' },
    ...{ openRiskCount: 4, openIssueCount: 2, topRiskScore: 25, syncedAt: EARLIER, details: [], ...timestamps },
  }),
  '/v1/risks/{R-1}': (ids) => ({
    ...{ id: ids['R-1'], reference: 'R-1', project: { id: ids['apollo'], ...apollo }, title: 'Steel arrives late' },
    ...{ description: null, category: 'Supply', likelihood: 5, impact: 5, score: 25, level: 'CRITICAL', rank: 1 },
    ...{ status: 'OPEN', response: null, owner: { id: ids['Ada'], name: 'Ada' }, ownerId: ids['Ada'] },
    ...{ ownerName: null, url: null },
    ...{ raisedOn: '2026-03-01', reviewOn: '2026-05-01', dueOn: '2026-06-01', mitigation: 'Second mill' },
    ...{ cause: 'One mill', residualLikelihood: 2, residualImpact: 4, residualScore: 8, residualLevel: 'MEDIUM' },
    ...{ scoreGiven: null, ...timestamps },
    details: [
      { name: 'Cost', text: '12,000 EUR' },
      { name: 'Affected', text: 'Schedule' },
    ],
  }),
  '/v1/issues/{I-1}': (ids) => ({
    ...{ id: ids['I-1'], reference: 'I-1', project: { id: ids['apollo'], ...apollo }, title: 'Crane permit refused' },
    ...{ description: null, severity: 'CRITICAL', status: 'OPEN', assignee: { id: ids['Zoë'], name: 'Zoë' } },
    ...{ assigneeId: ids['Zoë'], assigneeName: null },
    ...{ riskId: ids['R-1'], url: null, raisedOn: '2026-03-01', dueOn: '2026-11-30', details: [], ...timestamps },
  }),
}

test.each(Object.entries(WHOLE))('GET %s returns the whole resource, as its list does', async (path, expected) => {
  const { get, ids } = await openContract()
  const whole = expected(ids)
  expect((await get(path)).body).toEqual(whole)
  expect((await get(path.replace(/\/\{.*/, ''))).body.data).toContainEqual(whole)
})

test('what no list shows can still be read by its id', async () => {
  const { get } = await openContract()
  expect((await get('/v1/personnel/{Gone}')).body).toMatchObject({ name: 'Gone', status: 'INACTIVE' })
  expect((await get('/v1/risks/{R-9}')).body).toMatchObject({ reference: 'R-9', status: 'CLOSED', rank: null })
  expect((await get('/v1/issues/{I-5}')).body).toMatchObject({ reference: 'I-5', status: 'RESOLVED' })
  expect((await get('/v1/issues/{I-6}')).body).toMatchObject({ reference: 'I-6', status: 'CLOSED' })
})

test('a project is read by its key in any case as by its id', async () => {
  const { get } = await openContract()
  expect((await get('/v1/projects/harbor-2')).body).toEqual((await get('/v1/projects/{harbor}')).body)
})

test('any valid key reads what it is, and never its secret', async () => {
  const gateway = openGateway()
  const expiresAt = new Date('2027-01-01T00:00:00Z')
  const scopes = ['projects.read', 'personnel.manage'] as const
  const { secret } = await gateway.write((write) => mintKey(write, { name: 'Nightly report', scopes, expiresAt }))
  const { body } = await gateway.with(`Bearer ${secret}`).get('/v1/key')
  expect(body).toEqual({
    name: 'Nightly report',
    scopes: [...scopes],
    projects: null,
    expiresAt: '2027-01-01T00:00:00.000Z',
  })
  expect((await (await gateway.as('projects.read')).get('/v1/key')).body.expiresAt).toBeNull()
})

test.each([
  ['/v1/personnel?status=active,inactive', 2],
  ['/v1/groups', 1],
  ['/v1/projects?search=o', 1],
  ['/v1/risks?project=apollo,harbor-2&total=true', 3],
  ['/v1/issues?severity=high,low', 1],
])('the pages of %s by %i, one Link after the other, are the whole list', async (path, limit) => {
  const { get } = await openContract()
  const whole = (await get(path)).body
  const data: unknown[] = []
  let link: string | undefined = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`
  while (link) {
    const { headers, body }: TestResponse = await get(link)
    data.push(...body.data)
    expect(body.data).toHaveLength(Math.min(limit, whole.data.length - data.length + body.data.length))
    expect(body.page.total).toBe(path.endsWith('total=true') ? whole.data.length : null)
    link = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    expect(new URL(link ?? '/', 'http://localhost').searchParams.get('cursor')).toBe(body.page.next)
  }
  expect(data).toEqual(whole.data)
})

test('a list without a limit is whole, however many rows a page may have', async () => {
  const { gateway, get } = await openContract()
  await gateway.write(async (write) => {
    for (let n = 0; n < 1_100; n++) await addPerson(write, { name: `Worker ${n}`, externalId: `W-${n}` })
  })
  const { body } = await get('/v1/personnel?total=true')
  expect([body.data.length, body.page]).toEqual([1_105, { next: null, total: 1_105 }])
})

test('a page continues where the last one ended, despite rows added meanwhile', async () => {
  const { caller, get } = await openContract()
  const { body } = await get('/v1/personnel?limit=2')
  await caller.post('/v1/personnel', { name: 'Aaron', externalId: 'HR-8' })
  expect(entries(await get(`/v1/personnel?limit=2&cursor=${body.page.next}`))).toEqual(['Ｃleo', 'Zoë'])
})
