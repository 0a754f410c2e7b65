import { describe, expect, test } from 'vitest'
import { mintKey } from '../../../src/auth/keys.js'
import { type Caller, type Gateway, NOW, openFilled, openGateway, type TestResponse } from '../../support/harness.js'

const PEOPLE = '/v1/personnel?limit=2'
const BY_GET = `/graphql?query=${encodeURIComponent('{ personnel(first: 2) { nodes { name } } }')}`
const JSON_BODY = { 'content-type': 'application/json' }
const GRAPHQL_TYPE = 'application/graphql-response+json'

async function open(options: Parameters<typeof openFilled>[0] = {}) {
  const { gateway } = await openFilled(options)
  return { gateway, caller: await gateway.as('personnel.read', 'projects.read') }
}

/** Whether tables were read for a response. */
async function isRead(gateway: Gateway, work: () => Promise<unknown>): Promise<boolean> {
  gateway.statements()
  await work()
  // The last use of a key is stored later, during any request.
  return gateway.statements().some((sql) => /^(select|with)\b/.test(sql) && !/revision|from change|api_key/.test(sql))
}

const typeOf = ({ status, headers }: TestResponse) => [status, headers.get('content-type')]

describe('GraphQL by GET', () => {
  test('is served from the cache with its ETag, and HEAD is still refused', async () => {
    const { gateway, caller } = await open()
    const first = await caller.get(BY_GET)
    expect(first.status).toBe(200)
    let again: TestResponse | undefined
    expect(await isRead(gateway, async () => (again = await caller.get(BY_GET)))).toBe(false)
    expect([again?.text, again?.headers.get('etag')]).toEqual([first.text, first.headers.get('etag')])
    expect((await caller.get(BY_GET, { 'if-none-match': first.headers.get('etag') ?? '' })).status).toBe(304)
    expect((await caller.request(BY_GET, { method: 'HEAD' })).status).toBe(405)
  })

  test('is not shared with the same query by POST', async () => {
    const { gateway, caller } = await open()
    await caller.get(BY_GET)
    expect(await isRead(gateway, () => caller.graphql('{ personnel(first: 2) { nodes { name } } }'))).toBe(true)
  })
})

test('a response is shared by all that negotiate the same type, however their Accept is written', async () => {
  const { gateway, caller } = await open()
  const accepts = ['application/json', 'APPLICATION/JSON', 'application/json;q=0.5, text/csv;q=0.1', '*/*']
  await caller.get(PEOPLE)
  for (const accept of accepts) {
    expect(await isRead(gateway, () => caller.get(PEOPLE, { accept, 'accept-encoding': 'deflate' }))).toBe(false)
  }
})

test('a response is not given to those who negotiate another type', async () => {
  const { caller } = await open()
  for (const accept of ['application/json', 'text/csv', 'application/json', 'text/csv']) {
    expect((await caller.get(PEOPLE, { accept })).headers.get('content-type')).toContain(accept)
  }
  for (const accept of ['application/json', GRAPHQL_TYPE, 'application/json', GRAPHQL_TYPE]) {
    expect(typeOf(await caller.get(BY_GET, { accept }))).toEqual([200, `${accept}; charset=utf-8`])
  }
  expect((await caller.get(PEOPLE, { accept: 'image/png' })).status).toBe(406)
  expect((await caller.get(BY_GET, { accept: 'image/png' })).status).toBe(406)
})

test.each([PEOPLE, BY_GET])('%s is read anew for a key with other scopes', async (path) => {
  const { gateway, caller } = await open()
  await caller.get(path)
  const [same, fewer, none] = [
    await gateway.as('projects.read', 'personnel.read'),
    await gateway.as('personnel.read'),
    await gateway.as('projects.read'),
  ]
  expect(await isRead(gateway, () => same.get(path))).toBe(false)
  expect(await isRead(gateway, () => fewer.get(path))).toBe(true)
  expect((await none.get(path)).text).toContain('INSUFFICIENT_SCOPE')
})

test.each([PEOPLE, BY_GET])('%s is refused to a key that has expired since', async (path) => {
  const { gateway } = await open()
  const expiresAt = new Date(NOW.getTime() + 60_000)
  const { secret } = await gateway.write((write) =>
    mintKey(write, { name: 'brief', scopes: ['personnel.read'], expiresAt }),
  )
  const caller = gateway.with(`Bearer ${secret}`)
  expect([(await caller.get(path)).status, (await caller.get(path)).status]).toEqual([200, 200])
  gateway.clock.now = expiresAt
  expect((await caller.get(path)).status).toBe(401)
})

test.each([PEOPLE, BY_GET])('%s allows the requesting origin, whichever origin came before', async (path) => {
  const [one, other] = ['https://one.example.com', 'https://other.example.com']
  const { caller } = await open({ corsOrigins: `${one}, ${other}` })
  const letIn = async (headers: Record<string, string>) => {
    const answer = await caller.get(path, headers)
    return [answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')?.includes('Origin')]
  }
  const origins = [one, other, undefined, 'https://foreign.example.com']
  for (const round of [1, 2]) {
    for (const origin of origins) {
      const expected = origin === one || origin === other ? origin : null
      expect([round, ...(await letIn(origin ? { origin } : {}))]).toEqual([round, expected, true])
    }
  }
})

test('a partial result is worked out every time', async () => {
  const { gateway } = await open()
  const caller = await gateway.as('projects.read')
  const query = '{ risks(first: 3) { nodes { title owner { name } } } }'
  expect((await caller.graphql(query)).body.errors).not.toBe(undefined)
  expect(await isRead(gateway, () => caller.graphql(query))).toBe(true)
})

test('a response comes only in the negotiated type', async () => {
  const { caller } = await open()
  const call = (type: string) => {
    const body = JSON.stringify({ query: '{ personnel(first: 2) { nodes { name } } }' })
    return caller.request('/graphql', { method: 'POST', headers: { 'content-type': type }, body })
  }
  for (const type of ['application/json', 'text/plain', 'application/json', 'application/json;charset=latin1']) {
    expect((await call(type)).status).toBe(type === 'application/json' ? 200 : 415)
  }
})

test('each base path has its own addresses in what is cached', async () => {
  const { gateway, caller } = await open()
  const mounted = openGateway({ store: gateway.store, basePath: '/ops' })
  const link = async (one: Caller, path: string) => (await one.get(path)).headers.get('link')
  const below = mounted.with(caller.authorization)
  for (const round of [1, 2]) {
    expect([round, await link(caller, PEOPLE)]).toEqual([round, expect.stringMatching(/^<\/v1\/personnel\?/)])
    expect([round, await link(below, PEOPLE)]).toEqual([round, expect.stringMatching(/^<\/ops\/v1\/personnel\?/)])
  }
})

describe('with names and separators', () => {
  test('a response by an e-mail is cached until the roster changes', async () => {
    const { gateway, caller } = await open()
    const [person] = (await caller.get('/v1/personnel?email=p0@example.com')).body.data
    const path = '/v1/risks?owner=p0@example.com'
    const first = await caller.get(path)
    expect(first.status).toBe(200)
    expect(await isRead(gateway, () => caller.get(path))).toBe(false)
    const admin = await gateway.as('personnel.manage')
    const change = { method: 'PATCH', headers: JSON_BODY, body: JSON.stringify({ email: 'new@example.com' }) }
    expect((await admin.request(`/v1/personnel/${person.id}`, change)).status).toBe(200)
    expect(await caller.get(path)).toMatchProblem(400, 'BAD_REQUEST')
    expect((await caller.get('/v1/risks?owner=new@example.com')).text).toBe(first.text)
  })

  test('a refused name is not cached', async () => {
    const { gateway, caller } = await open()
    const path = '/v1/personnel?group=Newcomers'
    expect(await caller.get(path)).toMatchProblem(400, 'BAD_REQUEST')
    const admin = await gateway.as('personnel.manage')
    const group = { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ name: 'Newcomers' }) }
    expect((await admin.request('/v1/groups', group)).status).toBe(201)
    expect((await caller.get(path)).body.data).toEqual([])
  })

  test('each separator has a response of its own, and a redirect is none of a list', async () => {
    const { caller } = await open()
    for (const [end, separator] of [
      ['', ','],
      ['?separator=semicolon', ';'],
      ['', ','],
      ['?separator=semicolon', ';'],
    ]) {
      const { text } = await caller.get(`/v1/groups.csv${end}`)
      expect(text.split('\r\n')[0]).toContain(`id${separator}`)
    }
    for (const path of ['/v1/groups', '/v1/groups/', '/v1/groups', '/v1/groups/']) {
      expect((await caller.get(path)).status).toBe(path.endsWith('/') ? 308 : 200)
    }
  })
})
