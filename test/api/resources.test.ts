import { expect, test } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import { addPerson } from '../../src/personnel/people.js'
import { openGateway, type TestResponse } from '../support/harness.js'
import { type ContractStage, EARLIER, openContract } from './contractStage.js'

/** The entries of a response, each by its distinguishing member. */
function entries({ body }: TestResponse): string[] {
  return body.data.map(({ reference, key, name }: TestResponse['body']) => reference ?? key ?? name)
}

const timestamps = { createdAt: EARLIER, updatedAt: EARLIER }
const apollo = { key: 'APOLLO', name: 'Apollo bridge' }
const WHOLE: Record<string, (ids: ContractStage['ids']) => object> = {
  '/v1/personnel/{bea}': ({ bea, alpha }) => ({
    ...{ id: bea, name: 'bea', email: 'Bea@Example.com', externalId: null, title: 'Engineer', department: 'Bridges' },
    ...{ status: 'ACTIVE', groups: [{ id: alpha, name: 'alpha Team' }], details: [], mergedInto: null, ...timestamps },
  }),
  '/v1/groups/{alpha}': ({ alpha }) => ({
    ...{ id: alpha, name: 'alpha Team', externalId: null, description: 'Whoever comes first.', memberCount: 2 },
    ...timestamps,
  }),
  '/v1/projects/{apollo}': (ids) => ({
    ...{ id: ids['apollo'], ...apollo, description: null, url: null, status: 'ACTIVE' },
    ...{ openRiskCount: 4, criticalRiskCount: 2, openIssueCount: 2, overdueIssueCount: null, topRiskScore: 25 },
    ...{ syncedAt: EARLIER, details: [], ...timestamps },
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
