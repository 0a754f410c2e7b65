import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { TEXT_MAX } from '../../src/vocabulary.js'
import { addGroup } from '../support/fixtures.js'
import { type Caller, type Gateway, openGateway, type TestResponse } from '../support/harness.js'

const LATER = new Date('2026-11-03T10:00:00.000Z')

interface RosterStage {
  readonly gateway: Gateway
  readonly caller: Caller
  /** Ada, in one group, added at NOW; the clock is at LATER. */
  readonly ada: TestResponse['body']
  readonly grace: TestResponse['body']
  readonly groupId: string
}

async function openRoster(): Promise<RosterStage> {
  const gateway = openGateway()
  const caller = await gateway.as('personnel.manage')
  const groupId = await gateway.write((write) => addGroup(write, { name: 'Bridge inspectors' }))
  const texts = { email: 'ada@example.com', externalId: 'HR-1', title: 'Engineer', department: 'Bridges' }
  const ada = (await caller.post('/v1/personnel', { name: 'Ada', ...texts, groupIds: [groupId] })).body
  const grace = (await caller.post('/v1/personnel', { name: 'Grace', email: 'grace@example.com' })).body
  gateway.clock.now = LATER
  return { gateway, caller, ada, grace, groupId }
}

const pathOf = ({ id }: { id: string }) => `/v1/personnel/${id}`
const violation = (pointer: string, detail: RegExp) => ({ pointer, detail: expect.stringMatching(detail) })

/** Everything that a change could store. */
async function traces({ gateway, caller }: RosterStage): Promise<unknown> {
  const { db, t } = gateway.store.read
  const [people, history] = [await db.select().from(t.person), await db.select().from(t.change)]
  return { people, history, groups: (await caller.get('/v1/groups')).body, version: await gateway.store.version() }
}

/** Patches Ada with an invalid body, and checks that nothing was stored. */
async function refused(stage: RosterStage, body: unknown): Promise<TestResponse> {
  const before = await traces(stage)
  const answer = await stage.caller.patch(pathOf(stage.ada), body)
  expect(await traces(stage)).toEqual(before)
  return answer
}

const CHANGES: [string, object, object][] = [
  ['a title', { title: 'Lead engineer' }, { title: 'Lead engineer' }],
  ['a text with spaces around it', { name: ' Ada Lovelace\n' }, { name: 'Ada Lovelace' }],
  ['null, which clears', { title: null, department: null }, { title: null, department: null }],
  ['an empty text, which clears too', { department: ' ' }, { department: null }],
  ['null for the e-mail beside an externalId', { email: null }, { email: null }],
  ['null for the externalId beside an e-mail', { externalId: null }, { externalId: null }],
  [
    'an externalId moved to the e-mail',
    { externalId: null, email: 'al@x.org' },
    { externalId: null, email: 'al@x.org' },
  ],
  ['her own e-mail in another case', { email: 'ADA@example.com' }, { email: 'ADA@example.com' }],
  ['a status in small letters', { status: 'inactive' }, { status: 'INACTIVE' }],
  [
    'everything at once',
    { name: 'A', email: 'a@x.org', externalId: 'X', title: 'T', department: 'D', status: 'Inactive' },
    { name: 'A', email: 'a@x.org', externalId: 'X', title: 'T', department: 'D', status: 'INACTIVE' },
  ],
]

test.each(CHANGES)('a PATCH changes what it names, and nothing else: %s', async (_, body, changed) => {
  const { gateway, caller, ada, grace } = await openRoster()
  let answer: TestResponse | undefined
  const history = await gateway.historyOf(async () => {
    answer = await caller.patch(pathOf(ada), body)
  })
  expect([answer?.status, answer?.body]).toEqual([200, { ...ada, ...changed, updatedAt: LATER.toISOString() }])
  const fields = Object.entries(changed).map(([name, to]) => [name, [ada[name], to]])
  const by = expect.stringMatching(/^key_/)
  expect(history).toEqual([{ by, action: 'UPDATED', entityId: ada.id, fields: Object.fromEntries(fields) }])
  const read = await caller.get(pathOf(ada))
  expect([read.body, read.headers.get('etag')]).toEqual([answer?.body, answer?.headers.get('etag')])
  expect((await caller.get(pathOf(grace))).body).toEqual(grace)
})

test.each<[string, object]>([
  ['nothing', {}],
  ['what is so already', { name: 'Ada', title: 'Engineer', status: 'Active' }],
  ['the same with spaces around it', { department: '  Bridges ' }],
])('a PATCH of %s changes nothing, and leaves no line in the history', async (_, body) => {
  const { gateway, caller, ada } = await openRoster()
  let answer: TestResponse | undefined
  const history = await gateway.historyOf(async () => {
    answer = await caller.patch(pathOf(ada), body)
  })
  expect([answer?.status, answer?.body, history]).toEqual([200, ada, []])
})

test.each<[string, unknown, ReturnType<typeof violation>[]]>([
  ['no name', { name: null }, [violation('/name', /empty/)]],
  ['a blank name', { name: '\t', title: 'Lead' }, [violation('/name', /empty/)]],
  [
    'neither an e-mail nor an externalId',
    { email: null, externalId: '' },
    [violation('/email', /e-mail or an externalId/)],
  ],
  ['no e-mail address', { email: 'ada' }, [violation('/email', /e-mail address/)]],
  ['no status', { status: null }, [violation('/status', /empty/)]],
  ['a status that is none', { status: 'GONE' }, [violation('/status', /^Must be one of ACTIVE, INACTIVE\.$/)]],
  ['a status that is no text', { status: 1 }, [violation('/status', /^Must be one of ACTIVE, INACTIVE\.$/)]],
  ['a title that is too long', { title: 'x'.repeat(TEXT_MAX.title + 1) }, [violation('/title', /at most 200/)]],
  ['a title that is an object', { title: {} }, [violation('/title', /must be a text/i)]],
  ['groups, which have a path of their own', { groupIds: [] }, [violation('/groupIds', /Unknown member.*status/)]],
  ['an id', { id: 'usr_other' }, [violation('/id', /Unknown member/)]],
  ['two violations', { name: '', email: 'x' }, [violation('/name', /empty/), violation('/email', /e-mail address/)]],
  ['a list', [{ op: 'replace', path: '/title', value: 'Lead' }], [violation('', /object/)]],
  ['a text', 'title', [violation('', /object/)]],
  ['null', null, [violation('', /needed/)]],
])('a PATCH that would leave %s is refused as a whole, each violation with its place', async (_, body, errors) => {
  const answer = await refused(await openRoster(), body)
  expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
  expect(answer.body.errors).toEqual(errors)
})

test.each([
  ['e-mail', { email: 'GRACE@example.com' }, '/email'],
  ['externalId', { externalId: ' HR-2 ' }, '/externalId'],
])('a taken %s is a conflict that names its holder', async (words, body, pointer) => {
  const stage = await openRoster()
  await stage.caller.patch(pathOf(stage.grace), { externalId: 'HR-2' })
  const answer = await refused(stage, { ...body, title: 'Lead' })
  const detail = `The ${words} belongs to Grace (${stage.grace.id}).`
  expect(answer).toMatchProblem(409, 'CONFLICT')
  expect([answer.body.existingId, answer.body.errors]).toEqual([stage.grace.id, [{ pointer, detail }]])
})

test('a person who leaves is off the roster and the count, keeps the id, and comes back unchanged', async () => {
  const { caller, ada, groupId } = await openRoster()
  const seen = async () => [
    (await caller.get('/v1/personnel')).body.data.map(({ name }: TestResponse['body']) => name),
    (await caller.get(`/v1/groups/${groupId}`)).body.memberCount,
  ]
  expect(await seen()).toEqual([['Ada', 'Grace'], 1])
  expect((await caller.patch(pathOf(ada), { status: 'INACTIVE' })).body.status).toBe('INACTIVE')
  expect(await seen()).toEqual([['Grace'], 0])
  expect((await caller.get(pathOf(ada))).body).toMatchObject({ status: 'INACTIVE', groups: ada.groups })
  const { body } = await caller.patch(pathOf(ada), { status: 'ACTIVE' })
  expect(body).toEqual({ ...ada, updatedAt: LATER.toISOString() })
  expect(await seen()).toEqual([['Ada', 'Grace'], 1])
})

test('an erased person stays erased', async () => {
  const stage = await openRoster()
  await stage.gateway.write(async ({ db, t, at }) => {
    await db.update(t.person).set({ erasedAt: at }).where(eq(t.person.id, stage.ada.id))
  })
  expect(await refused(stage, { title: 'Lead' })).toMatchProblem(409, 'CONFLICT')
})

const CHANGE = `mutation ($id: ID!, $input: ChangePersonInput!) {
  changePerson(id: $id, input: $input) { name email externalId title department status groups { name } updatedAt }
}`

test('changePerson does the same through GraphQL: absent keeps, null clears', async () => {
  const { gateway, caller, ada } = await openRoster()
  let answer: TestResponse | undefined
  const history = await gateway.historyOf(async () => {
    answer = await caller.graphql(CHANGE, { id: ada.id, input: { title: null, status: 'INACTIVE' } })
  })
  const { name, email, externalId, department, groups } = ada
  expect(answer?.body).toEqual({
    data: {
      changePerson: {
        ...{ name, email, externalId, title: null, department, status: 'INACTIVE' },
        ...{ groups: [{ name: groups[0].name }], updatedAt: LATER.toISOString() },
      },
    },
  })
  const fields = { title: ['Engineer', null], status: ['ACTIVE', 'INACTIVE'] }
  expect(history).toMatchObject([{ action: 'UPDATED', entityId: ada.id, fields }])
})

test.each<[object, object]>([
  [{ name: null }, { code: 'VALIDATION_FAILED', errors: [violation('/name', /empty/)] }],
  [
    { email: null, externalId: null },
    { code: 'VALIDATION_FAILED', errors: [violation('/email', /e-mail or an ext/)] },
  ],
  [
    { email: 'grace@example.com' },
    { code: 'CONFLICT', existingId: expect.any(String), errors: [violation('/email', /Gr/)] },
  ],
])('changePerson refuses %j', async (input, extensions) => {
  const stage = await openRoster()
  const before = await traces(stage)
  const { body } = await stage.caller.graphql(CHANGE, { id: stage.ada.id, input })
  expect(body).toMatchObject({ data: { changePerson: null }, errors: [{ path: ['changePerson'], extensions }] })
  expect(await traces(stage)).toEqual(before)
})

test.each([
  ['usr_00000000000000000000000000', 'with the id "usr_00000000000000000000000000".'],
  ['nonsense', "'nonsense'. Name it by e-mail or user id."],
  ['grp_x', "'grp_x'. Name it by e-mail or user id."],
])('nobody is changed at %s', async (id, sentence) => {
  const stage = await openRoster()
  const before = await traces(stage)
  const answer = await stage.caller.patch(`/v1/personnel/${id}`, { title: 'Lead' })
  const detail = `There is no person ${sentence}`
  expect(answer).toMatchProblem(404, 'NOT_FOUND')
  expect(answer.body.detail).toBe(detail)
  const { status, body } = await stage.caller.graphql(CHANGE, { id, input: { title: 'Lead' } })
  expect([status, body.data]).toEqual([200, { changePerson: null }])
  expect(body.errors).toMatchObject([{ message: detail, path: ['changePerson'], extensions: { code: 'NOT_FOUND' } }])
  expect(await traces(stage)).toEqual(before)
})

test('of two who claim one e-mail at the same time, one gets it', async () => {
  const { caller, ada, grace } = await openRoster()
  const email = 'new@example.com'
  const answers = await Promise.all([ada, grace].map((person) => caller.patch(pathOf(person), { email })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
})
