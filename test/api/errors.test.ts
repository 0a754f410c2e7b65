import { getIntrospectionQuery } from 'graphql'
import { expect, test } from 'vitest'
import { CATALOGUE, type Code } from '../../src/errors.js'
import { LIMITS } from '../../src/limits.js'
import { cursorAt } from '../../src/store/query/cursors.js'
import { ada, DEAR_PERSON } from '../support/fixtures.js'
import {
  type Caller,
  type Office,
  openGateway,
  openOffice,
  sharedByTests,
  type TestResponse,
} from '../support/harness.js'

/** A dropped table, which no query expects. */
function breakIssues(stage: Office): Office {
  stage.gateway.own.run('drop table issue')
  return stage
}

const JSON_TYPE = { 'content-type': 'application/json' }
const tooLarge = async ({ gateway }: Office, path: string, bytes: number = LIMITS.bodyBytesMax) =>
  post(await gateway.as('personnel.manage'), path, JSON.stringify({ name: 'x'.repeat(bytes) }))
const stale = async ({ caller }: Office) => {
  const [group] = (await caller.get('/v1/groups?limit=1')).body.data
  return caller.patch(`/v1/groups/${group.id}`, { name: 'Other' }, { 'if-match': '"old"' })
}
const post = (caller: Caller, path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  caller.request(path, { method: 'POST', headers, body })
const LOST = cursorAt({ name: 'feed' }, [1, 1])
const add = 'mutation ($input: AddPersonInput!) { addPerson(input: $input) { id } }'

// Errors of deadlines, rates, sockets, persisted queries and a locked store have their own tests.
type OfTime = 'RATE_LIMITED' | 'UNAVAILABLE' | 'DEADLINE_EXCEEDED' | 'REQUEST_TIMEOUT'
type Provoked = Exclude<Code, OfTime | 'HEADERS_TOO_LARGE' | 'PERSISTED_QUERY_NOT_FOUND'>

const BY_REST: Record<Provoked, [status: number, provoke: (stage: Office) => Promise<TestResponse>]> = {
  BAD_REQUEST: [400, ({ caller }) => post(caller, '/v1/personnel', '{"name": "Ada"')],
  UNAUTHENTICATED: [401, ({ gateway }) => gateway.with(undefined).get('/v1/personnel')],
  INSUFFICIENT_SCOPE: [403, async ({ gateway }) => (await gateway.as('projects.read')).get('/v1/personnel')],
  NOT_FOUND: [404, ({ caller }) => caller.get('/v1/personnel/usr_nobody')],
  METHOD_NOT_ALLOWED: [405, ({ caller }) => caller.request('/v1/risks', { method: 'DELETE' })],
  NOT_ACCEPTABLE: [406, ({ caller }) => caller.get('/v1/risks', { accept: 'text/html' })],
  CONFLICT: [409, ({ caller }) => caller.post('/v1/personnel', { name: 'Bea', email: 'p1@example.com' })],
  CURSOR_GONE: [410, ({ caller }) => caller.get(`/v1/changes?cursor=${LOST}`)],
  PRECONDITION_FAILED: [412, stale],
  PAYLOAD_TOO_LARGE: [413, (stage) => tooLarge(stage, '/v1/personnel')],
  UNSUPPORTED_MEDIA_TYPE: [415, ({ caller }) => post(caller, '/v1/personnel', '{}', {})],
  VALIDATION_FAILED: [422, ({ caller }) => caller.post('/v1/personnel', { ...ada, name: '' })],
  TOO_COMPLEX: [400, ({ caller }) => caller.get('/v1/personnel')],
  INTERNAL: [500, (stage) => breakIssues(stage).caller.get('/v1/issues')],
}

test.each(Object.entries(BY_REST))('REST reports %s as problem+json', async (code, [status, provoke]) => {
  const answer = await provoke(await openOffice({ wholeListRowsMax: 2 }))
  expect(answer).toMatchProblem(status, code as Code)
  const { type, title, detail } = answer.body
  expect([type, title]).toEqual([
    `urn:operations-gateway:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    CATALOGUE[code as Code],
  ])
  expect(detail).toMatch(/\w.*\.$/)
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

// GraphQL has no If-Match.
const BY_GRAPHQL: Record<
  Exclude<Provoked, 'PRECONDITION_FAILED'>,
  [number, (stage: Office) => Promise<TestResponse>]
> = {
  BAD_REQUEST: [400, ({ caller }) => post(caller, '/graphql', '{"query": "{')],
  UNAUTHENTICATED: [401, ({ gateway }) => gateway.with(undefined).graphql('{ __typename }')],
  INSUFFICIENT_SCOPE: [
    200,
    async ({ gateway }) => (await gateway.as('personnel.read')).graphql('{ risks { nodes { id } } }'),
  ],
  NOT_FOUND: [200, ({ caller }) => caller.graphql('mutation { changeGroup(id: "grp_x", input: {}) { id } }')],
  METHOD_NOT_ALLOWED: [405, ({ caller }) => caller.request('/graphql', { method: 'PUT' })],
  NOT_ACCEPTABLE: [406, ({ caller }) => caller.get('/graphql?query={__typename}', { accept: 'text/csv' })],
  CONFLICT: [200, ({ caller }) => caller.graphql(add, { input: { name: 'Bea', email: 'P1@example.com' } })],
  CURSOR_GONE: [200, ({ caller }) => caller.graphql(`{ changes(after: "${LOST}") { nodes { id } } }`)],
  PAYLOAD_TOO_LARGE: [413, (stage) => tooLarge(stage, '/graphql', LIMITS.syncBodyBytesMax)],
  UNSUPPORTED_MEDIA_TYPE: [415, ({ caller }) => post(caller, '/graphql', '{}', {})],
  VALIDATION_FAILED: [200, ({ caller }) => caller.graphql(add, { input: { ...ada, name: '' } })],
  TOO_COMPLEX: [200, ({ caller }) => caller.graphql('{ personnel { nodes { id } } }')],
  INTERNAL: [500, (stage) => breakIssues(stage).caller.graphql('{ issues { nodes { id } } }')],
}

test.each(Object.entries(BY_GRAPHQL))('GraphQL reports %s as extensions.code', async (code, [status, provoke]) => {
  const { body, ...answer } = await provoke(await openOffice({ wholeListRowsMax: 2 }))
  expect(answer.status).toBe(status)
  expect(body.errors).toHaveLength(1)
  expect(body.errors[0].extensions.code).toBe(code)
  expect(body.errors[0].message).toMatch(/\w.*\.$/)
  expect(Object.values(body.data ?? {}).filter((field) => field !== null)).toEqual([])
  expect(answer.text).not.toMatch(/sqlite|select |no such table|node_modules/i)
})

test('an invalid document is a BAD_REQUEST, with HTTP 400 for application/graphql-response+json', async () => {
  const { caller } = await openOffice()
  const accept = 'application/graphql-response+json'
  for (const query of [
    '{',
    '{ nothing }',
    '{ person(id: 1.5) { id } }',
    'query ($id: ID!) { person(id: $id) { id } }',
  ]) {
    const answer = await post(caller, '/graphql', JSON.stringify({ query }), { ...JSON_TYPE, accept })
    expect([query, answer.status, answer.body.errors[0].extensions.code]).toEqual([query, 400, 'BAD_REQUEST'])
    expect(answer.body).not.toHaveProperty('data')
  }
})

/** A text that has each of these words, in any order. */
const each = (...words: string[]) => new RegExp(words.map((word) => `(?=.*\\b${word}\\b)`).join(''))

const REFUSED_PARAMETERS: [string, Record<string, RegExp>][] = [
  [
    '/v1/personnel?page=2',
    { page: /no parameter "page" here. Pages follow each other: give `next` of the last one as `cursor`/ },
  ],
  ['/v1/key?x=1', { x: /no parameters/ }],
  ['/v1/personnel/usr_x?id=usr_y', { id: /no parameter "id"/ }],
  ['/v1/personnel?email=a@example.com&email=b@example.com', { email: /once/ }],
  ['/v1/risks?limit=1&limit=1', { limit: /once/ }],
  ['/v1/personnel?status=active&status=gone', { status: each('ACTIVE', 'INACTIVE') }],
  ['/v1/personnel?status=active&status=', { status: /empty/ }],
  ['/v1/personnel?status=gone', { status: each('ACTIVE', 'INACTIVE') }],
  ['/v1/personnel?status=active,,inactive', { status: /empty|one of/ }],
  ['/v1/personnel?search=', { search: /empty/ }],
  ['/v1/personnel?search=a%00', { search: /NUL/ }],
  [`/v1/risks?search=${'%E2%A8%8C'.repeat(101)}`, { search: /at most 400 .* this is 404\. .* NFKC/ }],
  ['/v1/personnel?total=yes', { total: /true or false/ }],
  ['/v1/personnel?updatedSince=2026-02-30', { updatedSince: /2027-01-31T09:30:00Z/ }],
  ['/v1/personnel?updatedSince=2026-02-30T00:00:00Z', { updatedSince: /2027-01-31T09:30:00Z/ }],
  ['/v1/groups?limit=0', { limit: /1 to 1000/ }],
  ['/v1/groups?limit=1001', { limit: /1 to 1000/ }],
  ['/v1/groups?limit=1e2', { limit: /from 1 to 1000/ }],
  ['/v1/groups?cursor=nonsense', { cursor: /not given out for this list/ }],
  ['/v1/projects?status=open', { status: each('ACTIVE', 'ON_HOLD', 'CLOSED') }],
  ['/v1/risks?level=severe', { level: each('UNASSESSED', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL') }],
  ['/v1/risks?minScore=26', { minScore: /0 to 25/ }],
  ['/v1/risks?likelihood=0', { likelihood: /1 to 5/ }],
  ['/v1/risks?impact=6', { impact: /1 to 5/ }],
  ['/v1/risks?reviewBefore=2026-02-30', { reviewBefore: /2027-01-31/ }],
  ['/v1/issues?status=closed', { status: each('OPEN', 'IN_PROGRESS', 'BLOCKED') }],
  ['/v1/issues?dueBefore=tomorrow', { dueBefore: /2027-01-31/ }],
  [
    '/v1/risks?level=severe&limit=ten&sort=title',
    { level: /one of/, limit: /1 to 1000/, sort: /one of DUE, RANK and UPDATED/ },
  ],
]

const sharedOffice = sharedByTests((atEnd) => openOffice({}, atEnd))

test.each(REFUSED_PARAMETERS)('%s is refused, and each bad parameter named', async (path, violations) => {
  const { caller } = await sharedOffice()
  const answer = await caller.get(path)
  expect(answer).toMatchProblem(400, 'BAD_REQUEST')
  expect(answer.body.errors).toEqual(
    Object.entries(violations).map(([parameter, detail]) => ({ parameter, detail: expect.stringMatching(detail) })),
  )
})

test.each(['{', '', 'Ada', '{"name":"Ada",}', '{"name":"A\nda"}'])('the body %j is malformed', async (body) => {
  const { caller } = await sharedOffice()
  expect(await post(caller, '/v1/personnel', body)).toMatchProblem(400, 'BAD_REQUEST')
})

test.each([
  ['DELETE', '/v1/personnel', 'GET, HEAD, OPTIONS, POST'],
  ['POST', '/v1/risks', 'GET, HEAD, OPTIONS'],
  ['PUT', '/v1/personnel/usr_x', 'GET, HEAD, OPTIONS, PATCH'],
  ['GET', '/v1/groups/grp_x/members/usr_x', 'DELETE, OPTIONS, PUT'],
  ['PUT', '/v1/key', 'GET, HEAD, OPTIONS'],
  ['POST', '/v1/openapi.json', 'GET, HEAD, OPTIONS'],
])('%s %s is not allowed, and Allow says what is', async (method, path, allow) => {
  const { caller } = await sharedOffice()
  const answer = await caller.request(path, { method })
  expect(answer).toMatchProblem(405, 'METHOD_NOT_ALLOWED')
  expect(answer.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allow)
})

/** A query of this depth: 1 is the risks themselves. */
function deep(depth: number): string {
  const steps = Array.from({ length: depth - 1 }, (_, i) => ['risks(first: 1)', 'nodes', 'project'][i % 3])
  return `{ ${steps.join(' { ')} { __typename }${' }'.repeat(depth - 1)}`
}

/** A query of this many tokens. */
function long(tokens: number): string {
  return `{ risks(filter: { category: [${'"x" '.repeat(tokens - 19)}] }) { nodes { id } } }`
}

test.each([
  ['as deep as may be', deep(LIMITS.queryDepthMax), undefined],
  ['deeper', deep(LIMITS.queryDepthMax + 1), /depth is at least 11; the most is 10/],
  ['as long as may be', long(LIMITS.queryTokensMax), undefined],
  ['longer', long(LIMITS.queryTokensMax + 1), /1001 tokens; the most is 1000/],
  ['dear', `{ personnel(first: 1000) { nodes { ${DEAR_PERSON} } } }`, /cost is \d+; the most is 100000/],
  [
    'the same root field over and over',
    `{ ${'__typename '.repeat(998)} }`,
    /998 root fields and aliases; the most is 50/,
  ],
  [
    'the same field over and over',
    `{ apiKey { ${'name '.repeat(995)} } }`,
    /995 repeated fields in the same place; the most is 200/,
  ],
  ['whole of introspection', getIntrospectionQuery(), undefined],
])('a query that is %s is refused only above the limit', async (_, query, refusal) => {
  const { caller } = await openOffice()
  const [error] = (await caller.graphql(query)).body.errors ?? []
  expect(error?.extensions.code).toBe(refusal && 'TOO_COMPLEX')
  if (refusal) expect(error.message).toMatch(refusal)
})

test('a list that is too long to be had whole names limit, and can be had in pages', async () => {
  const { caller } = await openOffice({ wholeListRowsMax: 2 })
  expect((await caller.get('/v1/personnel')).body.detail).toMatch(/more than 2 rows.*`limit`/)
  expect((await caller.get('/v1/personnel?limit=5')).body.data).toHaveLength(5)
  expect((await caller.get('/v1/risks?level=low&limit=1')).status).toBe(200)
})

test('an unexpected error has a fixed message, and its cause goes to the log under the request id', async () => {
  const { gateway, caller } = breakIssues(await openOffice())
  const answer = await caller.get('/v1/issues', { 'request-id': 'trace-1' })
  expect(answer.body.detail).toBe('Something went wrong on our side. The log has it under the request id.')
  const { status, body } = await caller.graphql('{ risks(first: 1) { nodes { score } } issues { nodes { id } } }')
  expect([status, body]).toEqual([500, { errors: [{ message: answer.body.detail, extensions: { code: 'INTERNAL' } }] }])
  const failures = gateway.log.map((line) => JSON.parse(line)).filter(({ err }) => err)
  const gone = expect.stringMatching(/no such table: issue|relation "issue" does not exist/)
  expect(failures.map(({ msg, err }) => [msg, err.message])).toEqual([
    ['request failed', gone],
    ['request failed', gone],
  ])
  expect(failures.filter(({ requestId }) => requestId === 'trace-1')).toEqual(failures.slice(0, 1))
})

test.each([
  ['/v1/risks/CORAL/R-1', '/v1/risks'],
  ['/v1/risk/R-1', '/v1/risks'],
  ['/v1/issue/rsk_01m7qh94fweqxbypgjrae6k4g0', '/v1/issues'],
  ['/v1/users/me', '/v1/key'],
  ['/v1/users/Ada', '/v1/personnel'],
  ['/v1/users/ada%40example.com', '/v1/personnel/ada%40example.com'],
  ['/v1/risk/rsk_01m7qh94fweqxbypgjrae6k4g0/log', '/v1/risks/rsk_01m7qh94fweqxbypgjrae6k4g0/history'],
  ['/v1/project/CORAL/risk/R-1', '/v1/projects/CORAL/risks/R-1'],
  ['/v1/team/Crisis%20Team/members', '/v1/groups/Crisis%20Team/members'],
])('%s is a 404 that offers %s, which can be there', async (path, offered) => {
  const answer = await (await openGateway().as('projects.read')).get(path)
  expect(answer).toMatchProblem(404, 'NOT_FOUND')
  expect(answer.body.detail).toContain(` Did you mean ${offered}? `)
})
