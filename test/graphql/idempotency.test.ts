import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import { schema } from '../../src/schema.js'
import { dumpOf } from '../access/matrix/stage.js'
import { ADA, openCompany, replayed, STILL_RUNNING, sendWithToken, TOKEN } from '../api/idempotent.js'
import { ada, type Company, DEAR_PERSON } from '../support/fixtures.js'
import { type Caller, type Gateway, openGateway, type TestResponse } from '../support/harness.js'

interface Request {
  readonly query: string
  readonly variables?: object
  readonly operationName?: string
}

function send(caller: Caller, body: Request, token = TOKEN): Promise<TestResponse> {
  return sendWithToken(caller, { path: '/graphql', body, token })
}

const ADD = 'mutation Add($input: AddPersonInput!) { addPerson(input: $input) { id name } }'
const ADD_ADA: Request = { query: ADD, variables: { input: ada } }
const add = (key: string, email: string) => `${key}: addPerson(input: { name: "${key}", email: "${email}" }) { id }`
const USED = 'This Idempotency-Key was used for another request. Take a new one for a new request.'

const CASES: Readonly<Record<string, (company: Company) => string>> = {
  addPerson: () => 'addPerson(input: { name: "Ada", email: "ada@example.com" }) { id name createdAt }',
  changePerson: ({ personIds: [id] }) => `changePerson(id: "${id}", input: { title: "Lead" }) { title updatedAt }`,
  addGroup: () => 'addGroup(input: { name: "Divers" }) { id memberCount }',
  changeGroup: ({ groupIds: [id] }) => `changeGroup(id: "${id}", input: { name: "Climbers" }) { name }`,
  removeGroup: ({ groupIds: [id] }) => `removeGroup(id: "${id}") { id name }`,
  addMember: ({ groupIds: [group], personIds: [, person] }) =>
    `addMember(groupId: "${group}", personId: "${person}") { memberCount members { nodes { id } } }`,
  removeMember: ({ groupIds: [group], personIds: [person] }) =>
    `removeMember(groupId: "${group}", personId: "${person}") { memberCount }`,
  syncPersonnel: () =>
    'syncPersonnel(input: { people: [{ name: "Ada", email: "ada@example.com" }] }) { people { created } }',
  syncProject: () => 'syncProject(input: { key: "NEW", name: "New" }) { project { id key syncedAt } }',
}

describe('the same mutation again', () => {
  test('is tried of every mutation', () => {
    expect(Object.keys(CASES).sort()).toEqual(Object.keys(schema.getMutationType()?.getFields() ?? {}).sort())
  })

  test.each(Object.keys(CASES))('%s replays the response, and nothing is written', async (name) => {
    const { gateway, company, caller } = await openCompany()
    const request = { query: `mutation { ${CASES[name]?.(company)} }` }
    let first: TestResponse | undefined
    const lines = await gateway.historyOf(async () => {
      first = await send(caller, request)
    })
    expect(first?.body).toEqual({ data: { [name]: expect.any(Object) } })
    // The members of a group leave before it is removed.
    const written = name === 'removeGroup' ? 5 : 1
    expect([first?.status, first && replayed(first), lines.length]).toEqual([200, null, written])
    const before = dumpOf(gateway)
    for (let i = 0; i < 3; i++) {
      const again = await send(caller, request)
      expect([again.status, again.text, replayed(again)]).toEqual([200, first?.text, 'true'])
    }
    expect(dumpOf(gateway)).toBe(before)
  })

  test('may have the members of its variables in another order', async () => {
    const { caller } = await openCompany()
    const first = await send(caller, ADD_ADA)
    const input = { title: ada.title, email: ada.email, name: ada.name }
    const again = await send(caller, { query: ADD, variables: { input } })
    expect([again.text, replayed(again)]).toEqual([first.text, 'true'])
  })

  test('200 times at once makes one person, and everyone gets the same one', async () => {
    const { gateway, caller } = await openCompany()
    let answers: TestResponse[] = []
    const lines = await gateway.historyOf(async () => {
      answers = await Promise.all(Array.from({ length: 200 }, () => send(caller, ADD_ADA)))
    })
    expect(lines).toMatchObject([{ action: 'CREATED' }])
    const made = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.filter(({ status, body }) => status !== 409 || body.errors[0].message !== STILL_RUNNING)).toEqual([])
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    expect(made.filter((one) => replayed(one) === null)).toHaveLength(1)
    const all = await Promise.all(Array.from({ length: 50 }, () => send(caller, ADD_ADA)))
    expect(all.map((one) => [one.status, replayed(one)])).toEqual(all.map(() => [200, 'true']))
  })
})

describe('the same key', () => {
  const TWO = `${ADD} mutation Other($input: AddPersonInput!) { addPerson(input: $input) { id } }`

  test.each<[string, Request, Request]>([
    ['other variables', ADD_ADA, { query: ADD, variables: { input: { ...ada, title: 'Countess' } } }],
    ['another text', ADD_ADA, { ...ADD_ADA, query: ADD.replace('id name', 'id') }],
    [
      'another operation of its text',
      { ...ADD_ADA, query: TWO, operationName: 'Add' },
      { ...ADD_ADA, query: TWO, operationName: 'Other' },
    ],
  ])('with %s is refused, and nothing is done', async (_, request, other) => {
    const { gateway, caller } = await openCompany()
    expect((await send(caller, request)).body.data).toMatchObject({ addPerson: { name: ada.name } })
    const before = dumpOf(gateway)
    const answer = await send(caller, other)
    expect([answer.status, replayed(answer)]).toEqual([422, null])
    expect(answer.body).toEqual({ errors: [{ message: USED, extensions: { code: 'VALIDATION_FAILED' } }] })
    expect(dumpOf(gateway)).toBe(before)
  })

  test('serves one request, of REST or of GraphQL, and refuses the other', async () => {
    const { gateway, caller } = await openCompany()
    const addGrace: Request = { query: `mutation { ${add('grace', 'grace@example.com')} }` }
    expect((await sendWithToken(caller, { ...ADA, token: 'rest' })).status).toBe(201)
    expect((await send(caller, addGrace, 'graphql')).body.errors).toBeUndefined()
    const before = dumpOf(gateway)
    expect(await send(caller, addGrace, 'rest')).toMatchObject({ status: 422, body: { errors: [{ message: USED }] } })
    expect(await sendWithToken(caller, { ...ADA, token: 'graphql' })).toMatchProblem(422, 'VALIDATION_FAILED')
    expect(dumpOf(gateway)).toBe(before)
  })

  test.each(['', 'two words', 'x'.repeat(LIMITS.idempotencyKeyCharactersMax + 1)])(
    'is refused when it is malformed, and nothing is done: %s',
    async (token) => {
      const { gateway, caller } = await openCompany()
      const before = dumpOf(gateway)
      const answer = await send(caller, ADD_ADA, token)
      expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST'])
      expect(dumpOf(gateway)).toBe(before)
    },
  )

  test.each([TOKEN, '', 'two words'])('is nothing to a query: %s', async (token) => {
    const { gateway, caller } = await openCompany()
    await send(caller, ADD_ADA)
    const before = dumpOf(gateway)
    const answer = await send(caller, { query: '{ groups { nodes { name } } }' }, token)
    expect([answer.status, answer.body.errors, replayed(answer)]).toEqual([200, undefined, null])
    expect(dumpOf(gateway)).toBe(before)
  })
})

describe('what is refused is not kept', () => {
  test('and may be mended under the same key', async () => {
    const { caller } = await openCompany()
    const taken = { query: ADD, variables: { input: { name: 'Ada', email: 'p0@example.com' } } }
    for (let i = 0; i < 2; i++) {
      const refused = await send(caller, taken)
      expect(refused.body).toMatchObject({
        data: { addPerson: null },
        errors: [{ path: ['addPerson'], locations: [{ line: 1, column: 41 }], extensions: { code: 'CONFLICT' } }],
      })
      expect(replayed(refused)).toBeNull()
    }
    const made = await send(caller, ADD_ADA)
    expect([made.body.data.addPerson.name, replayed(made)]).toEqual(['Ada Lovelace', null])
  })

  test('a key without the scope gets nothing done and nothing stored, and nothing of what another key has done', async () => {
    const { gateway, caller } = await openCompany()
    await send(caller, ADD_ADA)
    const reader = await gateway.as('personnel.read')
    const before = dumpOf(gateway)
    const answer = await send(reader, ADD_ADA)
    expect(answer.body).toMatchObject({
      data: { addPerson: null },
      errors: [{ path: ['addPerson'], extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope: 'personnel.manage' } }],
    })
    expect((await send(reader, { query: 'mutation { __typename }' })).body).toEqual({
      data: { __typename: 'Mutation' },
    })
    expect(dumpOf(gateway)).toBe(before)
  })

  test('an operation beyond the limits, all of whose fields are within them, is refused with a key as without', async () => {
    const { gateway, caller } = await openCompany()
    await gateway.write(async (write) => {
      for (let i = 0; i < 60; i++) await addPerson(write, { name: `P ${i}`, externalId: `P-${i}` })
    })
    const members = `members(first: 1000) { nodes { ${DEAR_PERSON} } }`
    const field = (index: number) => `g${index}: addGroup(input: { name: "g${index}" }) { ${members} }`
    const query = `mutation { ${Array.from({ length: 20 }, (_, index) => field(index)).join(' ')} }`
    const before = dumpOf(gateway)
    const answers = [await caller.graphql(query), await send(caller, { query })]
    expect(answers[1]?.body).toEqual(answers[0]?.body)
    expect(answers[1]?.body.errors[0].extensions.code).toBe('TOO_COMPLEX')
    expect(dumpOf(gateway)).toBe(before)
  })
})

describe('several fields', () => {
  const THREE: Request = {
    query: `mutation { a: addPerson(input: { name: "a", email: "a@example.com" }) { id }
      ...More @include(if: true) no: addGroup(input: { name: "no" }) @skip(if: true) { id } }
      fragment More on Mutation { ${add('constructor', 'b@example.com')} ...Last ...Last }
      fragment Last on Mutation { ${add('__proto__', 'c@example.com')} __typename }`,
  }

  test('are each kept by their own name, in the order of the request', async () => {
    const { gateway, caller } = await openCompany()
    let first: TestResponse | undefined
    const lines = await gateway.historyOf(async () => {
      first = await send(caller, THREE)
    })
    expect(lines).toHaveLength(3)
    expect(Object.keys(first?.body.data)).toEqual(['a', 'constructor', '__proto__', '__typename'])
    const again = await send(caller, THREE)
    expect([again.text, replayed(again)]).toEqual([first?.text, 'true'])
  })

  test('that were done are replayed, and the one that was refused is done once it can be', async () => {
    const { gateway, caller } = await openCompany()
    const blocker = (await caller.post('/v1/personnel', { name: 'B', email: 'b@example.com' })).body
    const first = (await send(caller, THREE)).body
    expect(first.errors).toMatchObject([{ path: ['constructor'], extensions: { code: 'CONFLICT' } }])
    await caller.patch(`/v1/personnel/${blocker.id}`, { email: 'other@example.com' })
    let second: TestResponse | undefined
    const lines = await gateway.historyOf(async () => {
      second = await send(caller, THREE)
    })
    expect(lines).toMatchObject([{ action: 'CREATED', entityId: second?.body.data.constructor.id }])
    expect([second?.body.errors, second && replayed(second)]).toEqual([undefined, null])
    expect({ ...second?.body.data, constructor: null }).toEqual(first.data)
    const third = await send(caller, THREE)
    expect([third.text, replayed(third)]).toEqual([second?.text, 'true'])
  })

  test('of which one is refused again are no replay, and the errors are in the order of the request', async () => {
    const { gateway } = await openCompany()
    const caller = await gateway.as('personnel.manage')
    const taken = 'addPerson(input: { name: "B", email: "a@example.com" }) { id }'
    const query = `mutation { a: addPerson(input: { name: "A", email: "a@example.com" }) { id risks { totalCount } } b: ${taken} }`
    const first = await send(caller, { query })
    expect(first.body.errors).toMatchObject([{ path: ['a', 'risks'] }, { path: ['b'] }])
    const again = await send(caller, { query })
    expect([again.body, replayed(again)]).toEqual([first.body, null])
  })

  test('of which a failure of the store left some undone are finished by the same request', async () => {
    const { gateway } = await openCompany()
    let writes = 0
    const store: Gateway['store'] = {
      ...gateway.store,
      write(as, work) {
        // The last use of a key is written in the background, at any time.
        if (!as.unseen) writes += 1
        return writes === 2 && !as.unseen ? Promise.reject(new Error('gone')) : gateway.store.write(as, work)
      },
    }
    const failing = openGateway({ store }, () => undefined, gateway.own)
    const { authorization } = await gateway.as('personnel.manage')
    const first = (await send(failing.with(authorization), THREE)).body
    expect(first.errors).toMatchObject([{ path: ['constructor'], extensions: { code: 'INTERNAL' } }])
    const second = (await send(gateway.with(authorization), THREE)).body
    expect([second.errors, { ...second.data, constructor: null }]).toEqual([undefined, first.data])
    const { body } = await gateway.with(authorization).get('/v1/personnel?search=example&total=true')
    expect(body.data.filter(({ email }: { email: string }) => /^[abc]@/.test(email))).toHaveLength(3)
  })
})

describe('what the caller may see', () => {
  const SYNC: Request = {
    query: `mutation { syncProject(input: { key: "NEW", name: "New", risks: [{ reference: "R", title: "Fog", owner: "p0@example.com" }] }) {
      project { key risks { nodes { owner { name } } } } } }`,
  }

  test('a field that lacks only that is kept with its errors', async () => {
    const { gateway } = await openCompany()
    const caller = await gateway.as('projects.manage')
    const first = await send(caller, SYNC)
    expect(first.body).toMatchObject({
      data: { syncProject: { project: { key: 'NEW', risks: { nodes: [{ owner: null }] } } } },
      errors: [{ locations: [{ line: 2, column: 37 }], extensions: { requiredScope: 'personnel.read' } }],
    })
    const again = await send(caller, SYNC)
    expect([again.text, replayed(again)]).toEqual([first.text, 'true'])
  })

  test('a key that has lost a scope since is not shown what it was shown then, and nothing is done', async () => {
    const { gateway } = await openCompany()
    const caller = await gateway.as('projects.manage', 'personnel.read')
    const first = await send(caller, SYNC)
    expect(first.body.data.syncProject.project.risks.nodes).toEqual([{ owner: { name: 'Ärzte Ünal' } }])
    const { name } = (await caller.get('/v1/key')).body
    const holding = (scopes: string) =>
      gateway.write(({ db, t }) => db.update(t.apiKey).set({ scopes }).where(eq(t.apiKey.name, name)))
    await holding('projects.manage')
    const before = dumpOf(gateway)
    const less = await send(caller, SYNC)
    expect([less.status, replayed(less), less.text.includes('Ünal')]).toEqual([200, null, false])
    expect(less.body).toMatchObject({
      data: { syncProject: null },
      errors: [{ path: ['syncProject'], extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope: 'personnel.read' } }],
    })
    expect(dumpOf(gateway)).toBe(before)
    await holding('projects.manage personnel.manage')
    const more = await send(caller, SYNC)
    expect([more.text, replayed(more)]).toEqual([first.text, 'true'])
  })
})
