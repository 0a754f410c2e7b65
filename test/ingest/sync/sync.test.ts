import { expect, test } from 'vitest'
import type { Scope } from '../../../src/auth/scopes.js'
import { importRecords } from '../../../src/ingest/importers.js'
import type { ImportResult } from '../../../src/ingest/run.js'
import { TEXT_MAX } from '../../../src/vocabulary.js'
import { ada, grace } from '../../support/fixtures.js'
import { NOW, type Office, openGateway, openOffice, type TestResponse } from '../../support/harness.js'
import { BRIDGE, counts, numbered, type State, sync, synced } from '../../support/syncing.js'

const LATER = new Date('2026-11-03T10:00:00.000Z')
async function open(...more: Scope[]): Promise<Office> {
  const gateway = openGateway()
  return { gateway, caller: await gateway.as('projects.manage', ...more) }
}

/** Everything that a sync could store. */
async function traces({ gateway: { store } }: Office): Promise<unknown> {
  const { db, t } = store.read
  const tables = [t.project, t.risk, t.issue, t.riskTally, t.change]
  return [await store.version(), ...(await Promise.all(tables.map((table) => db.select().from(table))))]
}

/** The violations of a refused sync, after checking that nothing was stored. */
async function violationsOf(stage: Office, input: State): Promise<unknown> {
  const before = await traces(stage)
  const { status, body } = await sync(stage.caller, input)
  expect(await traces(stage)).toEqual(before)
  expect([status, body.data]).toEqual([200, { syncProject: null }])
  expect(body.errors).toMatchObject([{ path: ['syncProject'], extensions: { code: 'VALIDATION_FAILED' } }])
  expect(body.errors[0].message).toMatch(/nothing was changed/)
  return body.errors[0].extensions.errors
}

test('a project comes in with its risks and issues, each issue linked to the risk that it came from', async () => {
  const { gateway, caller } = await open()
  let answer: unknown
  const history = await gateway.historyOf(async () => {
    answer = await synced(caller, { ...BRIDGE, key: ' bridge' })
  })
  const { key, name, description, url, status } = BRIDGE
  const at = NOW.toISOString()
  const timestamps = { syncedAt: at, createdAt: at, updatedAt: at }
  const health = { openRiskCount: 2, openIssueCount: 2, topRiskScore: 20 }
  expect(answer).toEqual({
    project: { key, name, description, url, status, ...timestamps, ...health },
    risks: counts(2),
    issues: counts(2),
    warnings: [],
  })
  const [flood, strike] = (await caller.get('/v1/risks?project=BRIDGE')).body.data
  expect([flood, strike]).toMatchObject([
    { ...BRIDGE.risks[0], score: 20, status: 'OPEN', raisedOn: '2026-11-02', rank: 1 },
    { ...BRIDGE.risks[1], score: 0, response: null, rank: 2 },
  ])
  const { risk: _, ...cellar } = BRIDGE.issues[0] ?? {}
  expect((await caller.get('/v1/issues?project=BRIDGE')).body.data).toMatchObject([
    { ...cellar, riskId: flood.id, status: 'OPEN' },
    { ...BRIDGE.issues[1], riskId: null },
  ])
  expect(history.map(({ action, by }) => [action, by.slice(0, 4)])).toEqual(Array(5).fill(['CREATED', 'key_']))
  expect(new Set(history.map(({ entityId }) => entityId)).size).toBe(5)
})

test('doing it again changes nothing: no history, no new timestamps except syncedAt', async () => {
  const { gateway, caller } = await open()
  const { project } = await synced(caller, BRIDGE)
  const entries = async () => [(await caller.get('/v1/risks')).body, (await caller.get('/v1/issues')).body]
  const before = await entries()
  gateway.clock.now = LATER
  const history = await gateway.historyOf(async () => {
    expect(await synced(caller, BRIDGE)).toEqual({
      project: { ...project, syncedAt: LATER.toISOString() },
      risks: counts(0, 0, 2),
      issues: counts(0, 0, 2),
      warnings: [],
    })
  })
  expect([history, await entries()]).toEqual([[], before])
})

test('what differs is changed, what is missing is closed, and what comes back without a status is open', async () => {
  const { gateway, caller } = await open()
  await synced(caller, { ...BRIDGE, risks: numbered(10), issues: undefined })
  gateway.clock.now = LATER
  const nine = numbered(9).map((risk, index) => (index === 0 ? { ...risk, likelihood: 2, impact: 3 } : risk))
  const history = await gateway.historyOf(async () => {
    expect(await synced(caller, { key: 'BRIDGE', risks: nine })).toMatchObject({ risks: counts(0, 1, 8, 1) })
  })
  const rows = (await caller.get('/v1/risks?status=open,closed')).body.data
  const of = (reference: string) => rows.find((risk: TestResponse['body']) => risk.reference === reference)
  const by = expect.stringMatching(/^key_/)
  expect(history).toEqual([
    {
      by,
      action: 'UPDATED',
      entityId: of('R-0').id,
      fields: { likelihood: [null, 2], impact: [null, 3], score: [0, 6] },
    },
    { by, action: 'CLOSED', entityId: of('R-9').id, fields: { status: ['OPEN', 'CLOSED'] } },
  ])
  expect([of('R-9'), of('R-1')]).toMatchObject([
    { status: 'CLOSED', rank: null, updatedAt: LATER.toISOString() },
    { status: 'OPEN', updatedAt: NOW.toISOString() },
  ])
  const back = await gateway.historyOf(() => synced(caller, { key: 'BRIDGE', risks: numbered(10) }))
  expect(back).toEqual([{ by, action: 'UPDATED', entityId: of('R-9').id, fields: { status: ['CLOSED', 'OPEN'] } }])
  const closed = [...numbered(9), { reference: 'R-9', status: 'CLOSED' }]
  expect(await synced(caller, { key: 'BRIDGE', risks: closed })).toMatchObject({ risks: counts(0, 1, 9) })
  expect(await synced(caller, { key: 'BRIDGE', risks: closed })).toMatchObject({ risks: counts(0, 0, 10) })
})

test('a resolved issue that is named again without a status is open, and one with the status resolved stays resolved', async () => {
  const { caller } = await open()
  const resolved = { ...BRIDGE, risks: null, issues: [{ ...BRIDGE.issues[1], status: 'RESOLVED' }] }
  await synced(caller, resolved)
  expect(await synced(caller, resolved)).toMatchObject({ issues: counts(0, 0, 1), project: { openIssueCount: 0 } })
  const named = { key: 'BRIDGE', issues: [{ reference: 'I-2' }] }
  expect(await synced(caller, named)).toMatchObject({ issues: counts(0, 1), project: { openIssueCount: 1 } })
})

const LIVE = { ...BRIDGE, risks: numbered(25), issues: numbered(5, { severity: 'LOW' }) }

test('a list that is absent or null is left alone, and up to a fifth, or what is allowed, is closed as missing', async () => {
  const { caller } = await open()
  const cases: [lists: object, risks: object, issues: object, openRiskCount: number, openIssueCount: number][] = [
    [{}, counts(0), counts(0), 25, 5],
    [{ risks: null, issues: null }, counts(0), counts(0), 25, 5],
    [{ risks: numbered(20) }, counts(0, 0, 20, 5), counts(0), 20, 5],
    [{ risks: numbered(7), closeLimit: 18 }, counts(0, 0, 7, 18), counts(0), 7, 5],
    [{ risks: [], issues: [], closeLimit: 25 }, counts(0, 0, 0, 25), counts(0, 0, 0, 5), 0, 0],
  ]
  for (const [index, [lists, risks, issues, openRiskCount, openIssueCount]] of cases.entries()) {
    const key = `BRIDGE-${index}`
    await synced(caller, { ...LIVE, key })
    const expected = { risks, issues, project: { openRiskCount, openIssueCount } }
    expect({ lists, ...(await synced(caller, { key, ...lists })) }).toMatchObject({ lists, ...expected })
  }
})

test('when more is missing, nothing is closed, nor anything else done', async () => {
  const stage = await open()
  await synced(stage.caller, LIVE)
  const tooMany = (noun: string, missing: number, live: number, most: number) => ({
    pointer: `/${noun}`,
    detail:
      `BRIDGE: ${missing} of its ${live} live ${noun} are missing; at most ${most} are closed at once. ` +
      `Is the list complete? If so, allow it with closeLimit: ${missing}.`,
  })
  const cases: [lists: object, violations: object[]][] = [
    [{ risks: numbered(19) }, [tooMany('risks', 6, 25, 5)]],
    [{ risks: [], issues: [] }, [tooMany('risks', 25, 25, 5), tooMany('issues', 5, 5, 3)]],
    [{ risks: numbered(21), closeLimit: 3 }, [tooMany('risks', 4, 25, 3)]],
    [{ risks: numbered(24), closeLimit: 0 }, [tooMany('risks', 1, 25, 0)]],
  ]
  for (const [lists, violations] of cases) {
    const outcome = await violationsOf(stage, { key: 'BRIDGE', name: 'Another', ...lists })
    expect({ lists, outcome }).toEqual({ lists, outcome: violations })
  }
})

const long = (kind: keyof typeof TEXT_MAX) => 'x'.repeat(TEXT_MAX[kind] + 1)
const issue = (more: object) => ({ reference: 'N', title: 'New', severity: 'LOW', ...more })
const risk = (more: object) => ({ reference: 'N', title: 'New', ...more })

/** Invalid syncs beside R-0 (not assessed), R-1 (assessed) and I-0, and the pointers to their violations. */
const BAD: [state: Record<string, unknown>, pointers: string][] = [
  [{ name: '' }, '/name'],
  [{ name: long('name'), url: 'ftp://x' }, '/name /url'],
  [{ description: 'a\0b', url: 'javascript:alert(1)' }, '/description /url'],
  [{ risks: [{ reference: 'N' }] }, '/risks/0/title'],
  [{ risks: [risk({ reference: ' ' })] }, '/risks/0/reference'],
  [{ risks: [risk({ reference: long('reference'), title: long('headline') })] }, '/risks/0/reference /risks/0/title'],
  [{ risks: [{ reference: 'R-0', title: null }] }, '/risks/0/title'],
  [{ risks: [{ reference: 'R-0', likelihood: 6, impact: 0 }] }, '/risks/0/likelihood /risks/0/impact'],
  [{ risks: [{ reference: 'R-0', impact: 5 }] }, '/risks/0/likelihood'],
  [{ risks: [risk({}), { reference: 'R-1', likelihood: null }] }, '/risks/1/likelihood'],
  [{ risks: [risk({ url: 'www.example.com', category: '\ud800' })] }, '/risks/0/category /risks/0/url'],
  [{ risks: [risk({ description: long('description') })] }, '/risks/0/description'],
  [{ risks: [risk({ owner: long('name') })] }, '/risks/0/owner'],
  [{ risks: [risk({}), risk({ title: 'Again' })] }, '/risks/1/reference'],
  [{ risks: [{ reference: ' R-0' }, { reference: 'R-0' }] }, '/risks/1/reference'],
  [{ risks: [...numbered(700), { reference: 'R-3' }] }, '/risks/700/reference'],
  [{ issues: [{ reference: 'N' }] }, '/issues/0/title /issues/0/severity'],
  [{ issues: [{ reference: 'I-0', severity: null, title: '\t' }] }, '/issues/0/title /issues/0/severity'],
  [{ issues: [issue({ assignee: long('name') })] }, '/issues/0/assignee'],
  [{ issues: [issue({ risk: 'R-0' }), issue({ reference: 'M', risk: 'R-99' })] }, '/issues/1/risk'],
  [{ issues: [issue({}), issue({}), issue({})] }, '/issues/1/reference /issues/2/reference'],
]

/** The violations of an import of the same records, with pointers as in a sync. */
async function violationsOfImport({ gateway }: Office, state: Record<string, unknown>): Promise<unknown> {
  const noun = (['risks', 'issues'] as const).find((one) => state[one]) ?? 'projects'
  const records = (state[noun] ?? [{ key: 'BRIDGE', ...state }]) as Record<string, unknown>[]
  const place = (index: number) => (noun === 'projects' ? '' : `/${noun}/${index}`)
  const wording = { place, createProjects: '', createGroups: '', closeLimit: '' }
  const sourceRecords = records.map((values, index) => ({ index, values }))
  const { violations } = await gateway
    .write(async (write) => {
      const project = noun === 'projects' ? undefined : 'BRIDGE'
      throw Object.assign(
        new Error('rehearsed'),
        await importRecords(write, noun, sourceRecords, { wording, project, strictReferences: true }),
      )
    })
    .catch((rehearsed: ImportResult) => rehearsed)
  return violations.map(({ index = 0, field, detail }) => ({ pointer: `${place(index)}/${field}`, detail }))
}

test('a sync refuses what an import would, at the same places and in the same words', async () => {
  const stage = await open()
  const risks = [...numbered(1), { ...numbered(2)[1], likelihood: 1, impact: 1 }]
  await synced(stage.caller, { ...BRIDGE, risks, issues: [issue({ reference: 'I-0' })] })
  for (const [state, pointers] of BAD) {
    const outcome = await violationsOf(stage, { key: 'BRIDGE', closeLimit: 9, ...state })
    expect({ state, outcome }).toEqual({ state, outcome: await violationsOfImport(stage, state) })
    expect(outcome).toMatchObject(pointers.split(' ').map((pointer) => ({ pointer })))
  }
})

test('a bad record far down in the list leaves nothing of those before it, nor of a new project', async () => {
  const stage = await open()
  const risks = [...numbered(1_200), risk({ likelihood: 9, impact: 1 })]
  const detail = 'Must be a whole number from 1 to 5.'
  expect(await violationsOf(stage, { ...BRIDGE, risks })).toEqual([{ pointer: '/risks/1200/likelihood', detail }])
  expect(await synced(stage.caller, { ...BRIDGE, risks: risks.slice(0, -1) })).toMatchObject({ risks: counts(1_200) })
})

test('only the original violation is reported, not what follows from it', async () => {
  const stage = await open()
  const bad = [...BRIDGE.risks, risk({ likelihood: 9, impact: 1 })]
  const cases: [state: State, pointers: string[]][] = [
    [{ key: 'BRIDGE' }, ['/name']],
    [{ ...BRIDGE, name: undefined }, ['/name']],
    [{ ...BRIDGE, key: 'NO KEY' }, ['/key']],
    [{ ...BRIDGE, risks: bad }, ['/risks/2/likelihood']],
    [{ ...BRIDGE, closeLimit: -1 }, ['/closeLimit']],
  ]
  const outcome = []
  for (const [state] of cases) outcome.push([state, await violationsOf(stage, state)])
  expect(outcome).toEqual(
    cases.map(([state, all]) => [state, all.map((pointer) => ({ pointer, detail: expect.any(String) }))]),
  )
})

test('owners and assignees are found by e-mail, externalId, user id, or a name that one person has, in any case', async () => {
  const { caller } = await open('personnel.manage')
  const { id } = (await caller.post('/v1/personnel', grace)).body
  await caller.post('/v1/personnel', ada)
  for (const who of ['GRACE@example.com', 'HR-7', id, 'grace hopper']) {
    const input = { ...BRIDGE, risks: [risk({ owner: who })], issues: [issue({ assignee: who })] }
    expect((await synced(caller, input)).warnings).toEqual([])
    const name = who === 'grace hopper' ? who : null
    expect((await caller.get('/v1/risks')).body.data).toMatchObject([{ ownerId: id, ownerName: name }])
    expect((await caller.get('/v1/issues')).body.data).toMatchObject([{ assigneeId: id, assigneeName: name }])
    expect(await synced(caller, input)).toMatchObject({ risks: counts(0, 0, 1), issues: counts(0, 0, 1) })
  }
})

test('a person unknown to the roster, or ambiguous, is kept as a name and reported as a warning with its place', async () => {
  const { caller } = await open('personnel.manage')
  for (const person of [ada, { ...ada, email: 'ada2@example.com' }]) await caller.post('/v1/personnel', person)
  const risks = [risk({}), risk({ reference: 'M', owner: 'Nemo' })]
  const { warnings } = await synced(caller, { ...BRIDGE, risks, issues: [issue({ assignee: 'Ada Lovelace' })] })
  const nobody = 'Nobody on the roster has the e-mail, user id, externalId or name "Nemo".'
  const two = '2 people on the roster are called Ada Lovelace; name this one by e-mail or user id.'
  expect(warnings).toEqual([
    { pointer: '/risks/1/owner', detail: `${nobody} It is kept as ownerName.` },
    { pointer: '/issues/0/assignee', detail: `${two} It is kept as assigneeName.` },
  ])
  expect((await caller.get('/v1/risks?owner=none&search=M')).body.data).toMatchObject([{ ownerName: 'Nemo' }])
})

test('ranks are right whatever came, changed, went and came back', async () => {
  const { caller } = await openOffice()
  const assessed = (amount: number, step: number) =>
    numbered(amount).map((one, index) => ({ ...one, likelihood: 1 + ((index * step) % 5), impact: 1 + (index % 5) }))
  const lists = [assessed(30, 1), assessed(25, 2), numbered(25, { likelihood: null, impact: null }), assessed(30, 3)]
  for (const risks of lists) {
    await synced(caller, { ...BRIDGE, risks })
    const { data } = (await caller.get('/v1/risks?status=open,occurred,closed')).body
    const live = data.filter(({ status }: TestResponse['body']) => status !== 'CLOSED')
    const rankOf = ({ score, status }: TestResponse['body']) =>
      status === 'CLOSED' ? null : 1 + live.filter((other: TestResponse['body']) => other.score > score).length
    expect(data.map(({ rank }: TestResponse['body']) => rank)).toEqual(data.map(rankOf))
  }
})

test('of two syncs at once both succeed, and the project is as one of them says, as is its history', async () => {
  const { caller } = await open()
  await synced(caller, { ...BRIDGE, risks: numbered(600) })
  const states = ['Left', 'Right'].map((name) => ({ key: 'BRIDGE', name, risks: numbered(600, { category: name }) }))
  const answers = await Promise.all(states.map((state) => synced(caller, state)))
  expect(answers.map(({ risks }) => risks)).toEqual([counts(0, 600), counts(0, 600)])
  const { name } = (await caller.get('/v1/projects/BRIDGE')).body
  const risks = (await caller.get('/v1/risks')).body.data
  expect(new Set(risks.map(({ category }: TestResponse['body']) => category))).toEqual(new Set([name]))
  const history = 'history(first: 3) { nodes { fields { field from to } } }'
  const { nodes } = (await caller.graphql(`{ risk(id: "${risks[0].id}") { ${history} } }`)).body.data.risk.history
  const first = name === 'Left' ? 'Right' : 'Left'
  const change = (from: string | null, to: string) => ({ fields: [{ field: 'category', from, to }] })
  expect(nodes.slice(1)).toEqual([change(null, first), change(first, name)])
})
