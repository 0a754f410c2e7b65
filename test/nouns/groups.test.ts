import { describe, expect, test } from 'vitest'
import { SCOPE_NAMES, type Scope } from '../../src/auth/scopes.js'
import { TEXT_MAX } from '../../src/vocabulary.js'
import { addGroup } from '../support/fixtures.js'
import { type Caller, type Gateway, NOW, openGateway, type TestResponse } from '../support/harness.js'

const LATER = new Date('2026-11-03T10:00:00.000Z')
const NOBODY = 'usr_00000000000000000000000000'
const NOWHERE = 'grp_00000000000000000000000000'

interface GroupsStage {
  readonly gateway: Gateway
  readonly caller: Caller
  /** With the member Ada, added at NOW; the clock is at LATER. */
  readonly divers: TestResponse['body']
  readonly adaId: string
  readonly graceId: string
}

async function openGroups(): Promise<GroupsStage> {
  const gateway = openGateway()
  const caller = await gateway.as('personnel.manage')
  const texts = { externalId: 'DIR-1', description: 'Whoever dives.' }
  const id = await gateway.write((write) => addGroup(write, { name: 'Divers', ...texts }))
  await gateway.write((write) => addGroup(write, { name: 'Climbers', externalId: 'DIR-2' }))
  const { body } = await caller.post('/v1/personnel', { name: 'Ada', externalId: 'HR-1', groupIds: [id] })
  const graceId = (await caller.post('/v1/personnel', { name: 'Grace', externalId: 'HR-2' })).body.id
  const divers = (await caller.get(`/v1/groups/${id}`)).body
  gateway.clock.now = LATER
  return { gateway, caller, divers, adaId: body.id, graceId }
}

const pathOf = ({ id }: { id: string }) => `/v1/groups/${id}`
const violation = (pointer: string, detail: RegExp) => ({ pointer, detail: expect.stringMatching(detail) })

/** Everything that a change could store. */
async function traces({ gateway }: GroupsStage): Promise<unknown> {
  const { db, t } = gateway.store.read
  const tables = [t.person, t.group, t.membership, t.change]
  const rows = await Promise.all(tables.map((table) => db.select().from(table)))
  return { rows, version: await gateway.store.version() }
}

async function refused(stage: GroupsStage, work: (caller: Caller) => Promise<TestResponse>): Promise<TestResponse> {
  const before = await traces(stage)
  const answer = await work(stage.caller)
  expect(await traces(stage)).toEqual(before)
  return answer
}

/** A response, and the history rows that its request added. */
async function outcomeOf({ gateway }: GroupsStage, work: () => Promise<TestResponse>) {
  let answer: TestResponse | undefined
  const history = await gateway.historyOf(async () => {
    answer = await work()
  })
  return { status: answer?.status, body: answer?.body, headers: answer?.headers, history }
}

const by = expect.stringMatching(/^key_/)
const timestamps = { createdAt: LATER.toISOString(), updatedAt: LATER.toISOString() }

describe('a group', () => {
  test('is added, trimmed, without members, and is then where Location says', async () => {
    const stage = await openGroups()
    const input = { name: ' Riggers ', externalId: null, description: '' }
    const { status, body, headers, history } = await outcomeOf(stage, () => stage.caller.post('/v1/groups', input))
    const texts = { name: 'Riggers', externalId: null, description: null }
    const id = expect.stringMatching(/^grp_[0-9a-hjkmnp-tv-z]{26}$/)
    expect([status, body]).toEqual([201, { id, ...texts, memberCount: 0, ...timestamps }])
    expect(headers?.get('location')).toBe(pathOf(body))
    expect((await stage.caller.get(pathOf(body))).body).toEqual(body)
    expect(history).toEqual([{ by, action: 'CREATED', entityId: body.id, fields: { name: [null, 'Riggers'] } }])
  })

  test.each<[string, object, object]>([
    ['a name', { name: ' Deep divers ' }, { name: 'Deep divers' }],
    ['its own name in another case', { name: 'DIVERS' }, { name: 'DIVERS' }],
    ['null, which clears', { externalId: null, description: null }, { externalId: null, description: null }],
    ['an empty text, which clears too', { description: '' }, { description: null }],
    ['nothing', {}, {}],
    ['what is so already', { name: 'Divers', externalId: ' DIR-1' }, {}],
  ])('is changed in what a PATCH names, and nothing else: %s', async (_, input, changed) => {
    const stage = await openGroups()
    const { divers, caller } = stage
    const { status, body, headers, history } = await outcomeOf(stage, () => caller.patch(pathOf(divers), input))
    const fields = Object.fromEntries(Object.entries(changed).map(([name, to]) => [name, [divers[name], to]]))
    const isChanged = Object.keys(changed).length > 0
    const updatedAt = (isChanged ? LATER : NOW).toISOString()
    expect([status, body]).toEqual([200, { ...divers, ...changed, updatedAt }])
    expect(history).toEqual(isChanged ? [{ by, action: 'UPDATED', entityId: divers.id, fields }] : [])
    const read = await caller.get(pathOf(divers))
    expect([read.body, read.headers.get('etag')]).toEqual([body, headers?.get('etag')])
  })

  test.each<[string, unknown, ReturnType<typeof violation>[]]>([
    ['no name', { name: null }, [violation('/name', /needed|empty/)]],
    ['a blank name', { name: ' ' }, [violation('/name', /empty/)]],
    ['a name that is too long', { name: 'x'.repeat(TEXT_MAX.name + 1) }, [violation('/name', /at most 200/)]],
    ['NUL in its description', { name: 'X', description: '\0' }, [violation('/description', /NUL/)]],
    ['members', { name: 'X', members: [] }, [violation('/members', /Unknown member.*description/)]],
    ['a list for it all', [], [violation('', /object/)]],
  ])('with %s is neither added nor changed', async (_, input, errors) => {
    const stage = await openGroups()
    const posted = await refused(stage, (caller) => caller.post('/v1/groups', input))
    const patched = await refused(stage, (caller) => caller.patch(pathOf(stage.divers), input))
    for (const answer of [posted, patched]) {
      expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
      expect(answer.body.errors).toEqual(errors)
    }
  })

  test.each([
    ['name', { name: 'CLIMBERS' }],
    ['externalId', { externalId: 'DIR-2' }],
  ])('does not get the %s of another', async (field, texts) => {
    const stage = await openGroups()
    const [climbers] = (await stage.caller.get('/v1/groups?search=climbers')).body.data
    const posted = await refused(stage, (caller) => caller.post('/v1/groups', { name: 'New', ...texts }))
    const patched = await refused(stage, (caller) => caller.patch(pathOf(stage.divers), texts))
    for (const answer of [posted, patched]) {
      expect(answer).toMatchProblem(409, 'CONFLICT')
      const detail = `The ${field} belongs to Climbers (${climbers.id}).`
      expect([answer.body.existingId, answer.body.errors]).toEqual([climbers.id, [{ pointer: `/${field}`, detail }]])
    }
  })

  test('is added and changed through GraphQL just so', async () => {
    const { caller, divers } = await openGroups()
    const { body } = await caller.graphql(`mutation {
      addGroup(input: { name: "Riggers", description: "Ropes." }) { name externalId description memberCount }
      changeGroup(id: "${divers.id}", input: { externalId: null }) { name externalId description members { totalCount } }
    }`)
    expect(body).toEqual({
      data: {
        addGroup: { name: 'Riggers', externalId: null, description: 'Ropes.', memberCount: 0 },
        changeGroup: { name: 'Divers', externalId: null, description: 'Whoever dives.', members: { totalCount: 1 } },
      },
    })
  })
})

describe('a membership', () => {
  const path = ({ divers }: GroupsStage, personId: string) => `${pathOf(divers)}/members/${personId}`
  const groupsOf = async ({ caller }: GroupsStage, id: string) => (await caller.get(`/v1/personnel/${id}`)).body.groups

  test('is added once and removed once, however often it is requested', async () => {
    const stage = await openGroups()
    const { caller, divers, graceId } = stage
    const group = { id: divers.id, name: 'Divers' }
    const line = (from: string[], to: string[]) => [
      { by, action: 'UPDATED', entityId: graceId, fields: { groups: [from, to] } },
    ]
    const steps = [
      { work: () => caller.put(path(stage, graceId)), groups: [group], count: 2, lines: line([], ['Divers']) },
      { work: () => caller.put(path(stage, graceId)), groups: [group], count: 2, lines: [] },
      { work: () => caller.delete(path(stage, graceId)), groups: [], count: 1, lines: line(['Divers'], []) },
      { work: () => caller.delete(path(stage, graceId)), groups: [], count: 1, lines: [] },
    ]
    for (const { work, groups, count, lines } of steps) {
      const { status, body, headers, history } = await outcomeOf(stage, work)
      expect([status, body, headers?.get('content-type'), history]).toEqual([204, undefined, null, lines])
      expect(await groupsOf(stage, graceId)).toEqual(groups)
      expect((await caller.get(pathOf(divers))).body).toEqual({ ...divers, memberCount: count })
    }
    expect((await caller.get(`/v1/personnel/${graceId}`)).body.updatedAt).toBe(LATER.toISOString())
  })

  test('of two mutations in one request is counted after each', async () => {
    const { caller, divers, adaId, graceId } = await openGroups()
    const step = (name: string, field: string, personId: string) =>
      `${name}: ${field}(groupId: "${divers.id}", personId: "${personId}") { memberCount members { nodes { name } } }`
    const steps = [step('one', 'addMember', graceId), step('two', 'removeMember', adaId)]
    const { body } = await caller.graphql(`mutation { ${steps.join(' ')} }`)
    expect(body).toEqual({
      data: {
        one: { memberCount: 2, members: { nodes: [{ name: 'Ada' }, { name: 'Grace' }] } },
        two: { memberCount: 1, members: { nodes: [{ name: 'Grace' }] } },
      },
    })
  })

  test.each([
    ['an unknown group', (_: GroupsStage) => [NOWHERE, _.adaId], `There is no group with the id "${NOWHERE}".`],
    ['an unknown person', (_: GroupsStage) => [_.divers.id, NOBODY], `There is no person with the id "${NOBODY}".`],
    ['nonsense', (_: GroupsStage) => ['x', 'y'], "There is no group 'x'. Name it by its name or its id."],
  ])('with %s is not found, by either API', async (_, idsOf, detail) => {
    const stage = await openGroups()
    const [groupId, personId] = idsOf(stage)
    for (const method of ['PUT', 'DELETE']) {
      const at = `/v1/groups/${groupId}/members/${personId}`
      const answer = await refused(stage, (caller) => caller.request(at, { method }))
      expect(answer).toMatchProblem(404, 'NOT_FOUND')
      expect(answer.body.detail).toBe(detail)
    }
    for (const field of ['addMember', 'removeMember']) {
      const document = `mutation ($g: ID!, $p: ID!) { ${field}(groupId: $g, personId: $p) { id } }`
      const { body } = await refused(stage, (caller) => caller.graphql(document, { g: groupId, p: personId }))
      expect(body.data).toEqual({ [field]: null })
      expect(body.errors).toMatchObject([{ message: detail, path: [field], extensions: { code: 'NOT_FOUND' } }])
    }
  })
})

describe('a key without personnel.manage', () => {
  const LESS: Scope[][] = [[], ['personnel.read'], SCOPE_NAMES.filter((scope) => scope !== 'personnel.manage')]

  /** Each mutation and its route, for existing and missing rows; all would succeed with the scope. */
  const attempts = (groupId: string, personId: string): [string, (caller: Caller) => Promise<TestResponse>][] => [
    [
      `changePerson(id: "${personId}", input: { title: "X" }) { id }`,
      (caller) => caller.patch(`/v1/personnel/${personId}`, { title: 'X' }),
    ],
    [
      `changeGroup(id: "${groupId}", input: { name: "X" }) { id }`,
      (caller) => caller.patch(`/v1/groups/${groupId}`, { name: 'X' }),
    ],
    [
      `addMember(groupId: "${groupId}", personId: "${personId}") { id }`,
      (caller) => caller.put(`/v1/groups/${groupId}/members/${personId}`),
    ],
    [
      `removeMember(groupId: "${groupId}", personId: "${personId}") { id }`,
      (caller) => caller.delete(`/v1/groups/${groupId}/members/${personId}`),
    ],
  ]

  test.each(LESS.map((scopes) => ({ scopes })))(
    'changes nothing, and does not learn what exists: $scopes',
    async ({ scopes }) => {
      const stage = await openGroups()
      const caller = await stage.gateway.as(...scopes)
      const before = await traces(stage)
      const kinds = new Set<string>()
      for (const [selection, request] of [...attempts(stage.divers.id, stage.graceId), ...attempts(NOWHERE, NOBODY)]) {
        const { body } = await caller.graphql(`mutation { result: ${selection} }`)
        const answer = await request(caller)
        expect(answer).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
        expect(body.data).toEqual({ result: null })
        kinds.add(JSON.stringify([body.errors, { ...answer.body, requestId: '' }]))
      }
      expect(kinds.size).toBe(1)
      expect(await traces(stage)).toEqual(before)
    },
  )
})
