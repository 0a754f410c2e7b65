import { afterAll, expect, test } from 'vitest'
import { openGateway, type TestResponse } from '../support/harness.js'

/** What is wrong, by pointer. */
type Violations = readonly { readonly pointer: string; readonly detail: string }[]

const pointersOf = (errors: Violations) => errors.map(({ pointer }) => pointer).sort()

const long = 'x'.repeat(10_000)
const risk = (reference: string, more: object = {}) => ({ reference, title: 'A title', ...more })

interface Mix {
  readonly words: string
  /** The REST request; `<id>` is that of a person. */
  readonly rest: string
  /** The mutation that gets the same body as a variable. */
  readonly mutation: string
  readonly body: object
  readonly pointers: readonly string[]
}

const PERSON = 'mutation ($input: AddPersonInput!) { addPerson(input: $input) { id } }'
const PATCH = 'mutation ($input: ChangePersonInput!) { changePerson(id: "<id>", input: $input) { id } }'
const GROUP = 'mutation ($input: AddGroupInput!) { addGroup(input: $input) { id } }'
const PROJECT = 'mutation ($input: SyncProjectInput!) { syncProject(input: $input) { warnings { detail } } }'
const PERSONNEL = 'mutation ($input: SyncPersonnelInput!) { syncPersonnel(input: $input) { warnings { detail } } }'

/** Each mixes violations that different layers find. */
const MIXES: readonly Mix[] = [
  {
    words: 'a wrong type, a bad value, an unknown member and one that is missing',
    rest: 'POST /v1/personnel',
    mutation: PERSON,
    body: {
      email: 'not an address',
      title: 5.5,
      department: long,
      nickname: 'Ada',
      details: [{ name: '', text: 'x' }, { text: 'x' }],
    },
    pointers: ['/department', '/details/0/name', '/details/1/name', '/email', '/name', '/nickname', '/title'],
  },
  {
    words: 'a missing e-mail beside a wrong type',
    rest: 'POST /v1/personnel',
    mutation: PERSON,
    body: { name: 'Ada', title: true },
    pointers: ['/email', '/title'],
  },
  {
    words: 'a PATCH with a bad enum, a bad value, a null and an unknown member',
    rest: 'PATCH /v1/personnel/<id>',
    mutation: PATCH,
    body: { status: 'gone', email: 'not an address', name: null, role: 'x' },
    pointers: ['/email', '/name', '/role', '/status'],
  },
  {
    words: 'a group with a wrong type and a name that is too long',
    rest: 'POST /v1/groups',
    mutation: GROUP,
    body: { name: long, description: 1.5 },
    pointers: ['/description', '/name'],
  },
  {
    words: 'a project and its entries, where types and values are wrong',
    rest: 'POST /v1/projects',
    mutation: PROJECT,
    body: {
      key: 'no key!',
      url: 'ftp://example.com',
      closeLimit: -1,
      risks: [risk('R-1', { likelihood: 9 }), risk('R-2', { status: 'BOGUS' }), { title: 'x' }, risk('R-1')],
      issues: [risk('I-1', { severity: 'HIGH', dueOn: 'soon', url: 'nowhere' }), risk('I-2', { colour: 'red' })],
    },
    pointers: [
      '/closeLimit',
      '/issues/0/dueOn',
      '/issues/0/url',
      '/issues/1/colour',
      '/key',
      '/risks/0/likelihood',
      '/risks/1/status',
      '/risks/2/reference',
      '/risks/3/reference',
      '/url',
    ],
  },
  {
    words: 'a project with a violation of its own, whose entries have violations',
    rest: 'POST /v1/projects',
    mutation: PROJECT,
    body: { key: 'NEW', name: 'New', url: 'nowhere', risks: [risk('R-1', { impact: 6 }), risk('R-1')] },
    pointers: ['/risks/0/impact', '/risks/1/reference', '/url'],
  },
  {
    words: 'people and groups, where types, values and limits are wrong',
    rest: 'POST /v1/personnel/batch',
    mutation: PERSONNEL,
    body: {
      leaverLimit: -1,
      people: [
        { name: 'Ada', email: 'bad' },
        { name: 'Bea', email: 'bea@example.com', status: 'AWAY' },
        { name: 'Bo', email: 'BEA@example.com' },
      ],
      groups: [{ name: long }, { name: 'A', size: 3 }],
    },
    pointers: [
      '/groups/0/name',
      '/groups/1/size',
      '/leaverLimit',
      '/people/0/email',
      '/people/1/status',
      '/people/2/email',
    ],
  },
]

async function openStage() {
  const caller = await openGateway({}, afterAll).as('personnel.manage', 'projects.manage')
  const { id } = (await caller.post('/v1/personnel', { name: 'Ada', email: 'ada@example.com' })).body
  return { caller, filled: (text: string) => text.replaceAll('<id>', id) }
}
const stage = openStage()

test.each(MIXES)('REST reports at once: $words', async ({ rest, body, pointers }) => {
  const { caller, filled } = await stage
  const [method = '', path = ''] = filled(rest).split(' ')
  const answer: TestResponse = await (method === 'PATCH' ? caller.patch(path, body) : caller.post(path, body))
  expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
  expect(pointersOf(answer.body.errors)).toEqual(pointers)
  const [{ pointer, detail }] = answer.body.errors
  expect(answer.body.detail).toContain(`${pointer.slice(1)}: ${detail}`)
})

test.each(MIXES)('GraphQL reports at once: $words', async ({ mutation, body, pointers }) => {
  const { caller, filled } = await stage
  const { errors } = (await caller.graphql(filled(mutation), { input: body })).body
  const { message, extensions } = errors.at(-1)
  expect([extensions.code, pointersOf(extensions.errors)]).toEqual(['VALIDATION_FAILED', pointers])
  const [{ pointer, detail }] = extensions.errors
  expect(message).toContain(`${pointer.slice(1)}: ${detail}`)
})

const FLAWED = 'addPerson(input: { nickname: "x", email: "not an address", title: 5 }) { id }'
test.each([
  `mutation { ${FLAWED} }`,
  `mutation { ... { ... on Mutation { ${FLAWED} } } }`,
  `mutation { ...Adding } fragment Adding on Mutation { ...More } fragment More on Mutation { ${FLAWED} }`,
])('an input in the text of a query is checked like one in its variables: %s', async (query) => {
  const { caller } = await stage
  const { errors } = (await caller.graphql(query)).body
  expect(pointersOf(errors.at(-1).extensions.errors)).toEqual(['/email', '/name', '/nickname', '/title'])
})

test('one violation of a type is reported once', async () => {
  const { caller } = await stage
  const input = { name: 5, email: 'ada@example.com' }
  expect((await caller.graphql(PERSON, { input })).body.errors).toHaveLength(1)
})

test('unknown groups are reported with the violations of the person, and both duplicates together', async () => {
  const { caller } = await stage
  const bad = await caller.post('/v1/personnel', { name: 'Ada', email: 'bad', groupIds: ['grp_x', 'grp_y'] })
  expect(pointersOf(bad.body.errors)).toEqual(['/email', '/groupIds/0', '/groupIds/1'])
  const first = { name: 'One', email: 'one@example.com', externalId: 'X-1' }
  const second = { name: 'Two', email: 'two@example.com', externalId: 'X-2' }
  for (const person of [first, second]) expect((await caller.post('/v1/personnel', person)).status).toBe(201)
  const taken = await caller.post('/v1/personnel', { ...first, externalId: 'X-2' })
  expect(taken).toMatchProblem(409, 'CONFLICT')
  expect(pointersOf(taken.body.errors)).toEqual(['/email', '/externalId'])
})

test('a variable that is not given has its default', async () => {
  const { caller } = await stage
  const query = `mutation ($name: String = "Ada") { ${FLAWED.replace('nickname: "x"', 'name: $name')} }`
  const { errors } = (await caller.graphql(query)).body
  expect(pointersOf(errors.at(-1).extensions.errors)).toEqual(['/email', '/title'])
})
