import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ROUTES } from '../../src/http/rest/routes.js'
import { ada, grace } from '../support/fixtures.js'
import { type Office, openGateway, openOffice, sharedByTests } from '../support/harness.js'

/** Without the harness, which reads every response as plain text below the base path. */
async function raw({ gateway, caller }: Office, path: string, init: RequestInit = {}) {
  const headers = { authorization: caller.authorization ?? '', ...(init.headers as Record<string, string>) }
  const response = await gateway.app.fetch(new Request(`http://localhost${path}`, { ...init, headers }))
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

const sharedOffice = sharedByTests((atEnd) => openOffice({}, atEnd))
const officeBelowPath = sharedByTests((atEnd) => openOffice({ basePath: '/ops' }, atEnd))
const withoutKey = async () => (await sharedOffice()).gateway.with(undefined)

const CACHED = { 'cache-control': 'private, no-cache', vary: 'Authorization, Accept, Accept-Encoding' }
const LARGE = '/v1/risks'
const SMALL = '/v1/key'

/** The headers of a response without its Request-Id. */
function stableHeaders(headers: Headers): Record<string, string> {
  const { 'request-id': _, ...rest } = Object.fromEntries(headers)
  return rest
}

test.each(['/v1/personnel', '/v1/nowhere', '/nowhere', '/healthz', '/v1/openapi.json', '/graphql?query={__typename}'])(
  'each answer of %s has an id of its own, unless the caller brings one',
  async (path) => {
    const { caller } = await openOffice()
    const ids = [await caller.get(path), await caller.get(path)].map(({ headers }) => headers.get('request-id'))
    expect(ids).toEqual([expect.stringMatching(/^[\w-]{36}$/), expect.stringMatching(/^[\w-]{36}$/)])
    expect(ids[0]).not.toBe(ids[1])
    for (const id of ['trace-1', 'a.b:c_D-9', 'x'.repeat(100)]) {
      expect((await caller.get(path, { 'request-id': id })).headers.get('request-id')).toBe(id)
    }
    for (const id of ['x'.repeat(101), 'two words', '<script>', '"quoted"', 'é']) {
      expect((await caller.get(path, { 'request-id': id })).headers.get('request-id')).toMatch(/^[\w-]{36}$/)
    }
  },
)

test.each([LARGE, SMALL, '/v1/projects/APOLLO', '/v1/openapi.json', '/'])(
  'GET %s is tagged, and not sent again while nothing has changed',
  async (path) => {
    const { caller } = await openOffice()
    const { status, headers } = await caller.get(path)
    const tag = headers.get('etag') ?? ''
    expect([status, tag]).toEqual([200, expect.stringMatching(/^"[\w-]+"$/)])
    expect(stableHeaders(headers)).toMatchObject(CACHED)
    expect((await caller.get(path)).headers.get('etag')).toBe(tag)
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, `W/"other" ,W/${tag}`, '*']) {
      const answer = await caller.get(path, { 'if-none-match': known })
      expect([answer.status, answer.text]).toEqual([304, ''])
      expect(stableHeaders(answer.headers)).toMatchObject({ ...CACHED, etag: tag })
    }
    for (const known of ['"other"', tag.slice(1, -1), tag.toUpperCase(), '']) {
      expect((await caller.get(path, { 'if-none-match': known })).status).toBe(200)
    }
  },
)

test('a tag changes with the content, and only then', async () => {
  const { caller } = await openOffice()
  const [group] = (await caller.get('/v1/groups')).body.data
  const tagsOf = async () => {
    const paths = ['/v1/personnel', `/v1/groups/${group.id}`, '/v1/risks', '/v1/personnel?search=bea']
    return (await Promise.all(paths.map((path) => caller.get(path)))).map(({ headers }) => headers.get('etag'))
  }
  const before = await tagsOf()
  await caller.post('/v1/personnel', { ...ada, groupIds: [group.id] })
  const after = await tagsOf()
  expect(after.map((tag, index) => tag === before[index])).toEqual([false, false, true, true])
})

test('a write, a refusal and a check of health are not to be kept', async () => {
  const { caller } = await openOffice()
  const answers = [
    await caller.post('/v1/personnel', ada),
    await caller.get('/v1/nowhere'),
    await caller.get('/readyz'),
  ]
  expect(answers.map(({ status, headers }) => [status, headers.get('cache-control')])).toEqual([
    [201, 'no-store'],
    [404, 'no-store'],
    [200, 'no-store'],
  ])
  expect(answers[0]?.headers.get('etag')).toBeNull()
})

test.each([
  LARGE,
  SMALL,
  '/v1/risks?limit=2',
  '/v1/openapi.json',
  '/',
  '/healthz',
  '/v1/personnel/usr_nobody',
  '/nowhere',
])('HEAD %s is like GET, without a body', async (path) => {
  const stage = await openOffice()
  for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
    const got = await raw(stage, path, { headers })
    const head = await raw(stage, path, { headers, method: 'HEAD' })
    expect([head.status, stableHeaders(head.headers)]).toEqual([got.status, stableHeaders(got.headers)])
    expect(head.bytes).toHaveLength(0)
  }
})

test.each([
  ['/v1/personnel', 'GET, HEAD, OPTIONS, POST'],
  ['/v1/personnel/usr_x', 'GET, HEAD, OPTIONS, PATCH'],
  ['/v1/groups/grp_x/members/usr_x', 'DELETE, OPTIONS, PUT'],
  ['/v1/risks', 'GET, HEAD, OPTIONS'],
  ['/v1/key', 'GET, HEAD, OPTIONS'],
  ['/v1/openapi.json', 'GET, HEAD, OPTIONS'],
  ['/graphql', 'GET, OPTIONS, POST'],
])('OPTIONS %s needs no key and says %s', async (path, allow) => {
  const { status, headers, text } = await (await withoutKey()).request(path, { method: 'OPTIONS' })
  expect([status, text, headers.get('allow')?.split(', ').sort().join(', ')]).toEqual([204, '', allow])
})

test.each<[string, string | null, (bytes: Buffer) => Buffer]>([
  ['gzip', 'gzip', gunzipSync],
  ['br', 'br', brotliDecompressSync],
  ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
  ['BR;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ['br; q=0.000, gzip;q=0', null, Buffer.from],
  ['deflate', null, Buffer.from],
  ['identity', null, Buffer.from],
  ['', null, Buffer.from],
])('a large response to Accept-Encoding: %s comes as %s', async (accepted, encoding, decode) => {
  const stage = await openOffice()
  const plain = await raw(stage, LARGE)
  const headers = { 'accept-encoding': accepted }
  const answer = await raw(stage, LARGE, { headers })
  expect(answer.headers.get('content-encoding')).toBe(encoding)
  expect(decode(answer.bytes).toString()).toBe(plain.bytes.toString())
  expect(Number(answer.headers.get('content-length'))).toBe(answer.bytes.length)
  expect(stableHeaders(answer.headers)).toMatchObject(CACHED)

  const tag = answer.headers.get('etag') ?? ''
  expect(tag).toBe(plain.headers.get('etag')?.replace(/"$/, encoding ? `-${encoding}"` : '"'))
  for (const known of [tag, `"other", W/${tag}`]) {
    const again = await raw(stage, LARGE, { headers: { ...headers, 'if-none-match': known } })
    expect([again.status, again.headers.get('etag'), again.bytes.length]).toEqual([304, tag, 0])
  }
})

test('a small response is not compressed', async () => {
  const stage = await openOffice()
  const { headers } = await raw(stage, SMALL, { headers: { 'accept-encoding': 'gzip, br' } })
  expect([headers.get('content-encoding'), headers.get('etag')]).toEqual([
    null,
    (await raw(stage, SMALL)).headers.get('etag'),
  ])
})

test('a large GraphQL response is compressed too', async () => {
  const stage = await openOffice()
  const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip, br' }
  const body = JSON.stringify({ query: '{ risks { nodes { id title raisedOn } } }' })
  const answer = await raw(stage, '/graphql', { method: 'POST', headers, body })
  expect(answer.headers.get('content-encoding')).toBe('br')
  expect(JSON.parse(brotliDecompressSync(answer.bytes).toString()).data.risks.nodes).toHaveLength(32)
})

test.each([
  ['text/html', 406],
  ['application/xml, text/*;q=0.5', 406],
  ['application/json;q=0', 406],
  ['application/json;q=0, */*', 406],
  ['application/json', 200],
  ['text/html, Application/*;q=0.1', 200],
  ['text/html, */*;q=0.1', 200],
  ['application/json; charset=utf-8', 200],
])('Accept: %s gets %i', async (accept, status) => {
  const { caller } = await sharedOffice()
  const answer = await caller.get('/v1/projects/APOLLO', { accept })
  expect([answer.status, answer.body.code]).toEqual([status, status === 406 ? 'NOT_ACCEPTABLE' : undefined])
})

test('below a base path everything works, and every address that is given out has it', async () => {
  const stage = await openOffice({ basePath: '/ops' })
  const { caller } = stage
  const added = await caller.post('/v1/personnel', grace)
  expect(added.headers.get('location')).toBe(`/ops/v1/personnel/${added.body.id}`)
  expect(JSON.parse((await raw(stage, `/ops/v1/personnel/${added.body.id}`)).bytes.toString())).toEqual(added.body)
  const page = await caller.get('/v1/personnel?limit=1')
  const [, next = ''] =
    /^<(\/ops\/v1\/personnel\?limit=1&cursor=[\w-]+)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? []
  expect((await raw(stage, next)).status).toBe(200)
  expect((await caller.get('/v1/openapi.json')).body.servers).toEqual([{ url: '/ops' }])
  expect((await caller.get('/healthz')).body).toEqual({ status: 'ok' })
  expect((await caller.graphql('{ apiKey { scopes } }')).status).toBe(200)
  for (const path of ['', '/', '/v1']) expect((await caller.get(path)).text).toContain('href="/ops/v1/openapi.json"')
  const { text: graphiql } = await caller.get('/graphql', { accept: 'text/html' })
  expect(graphiql).toContain('data-base-path="/ops"')
  const assets = [...graphiql.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = '']) => path)
  for (const path of assets) expect((await raw(stage, path)).status, path).toBe(200)
  expect((await caller.get('/v1/nowhere')).body.detail).toContain('/ops/v1/openapi.json')
})

const OUTSIDE = '/ /v1/personnel /graphql /healthz /v1/openapi.json /opsx/v1/personnel /OPS/v1/personnel /op'

test.each(OUTSIDE.split(' '))('outside the base path there is nothing at %s', async (path) => {
  const { status, headers, bytes } = await raw(await officeBelowPath(), path)
  expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  expect(JSON.parse(bytes.toString()).code).toBe('NOT_FOUND')
})

test.each([
  ['/', 'text/html; charset=utf-8'],
  ['/v1', 'text/html; charset=utf-8'],
  ['/graphql', 'text/html; charset=utf-8'],
  ['/v1/openapi.json', 'application/json'],
  ['/healthz', 'application/json'],
  ['/readyz', 'application/json'],
])('%s needs no key', async (path, type) => {
  const answer = await (await withoutKey()).get(path, { accept: 'text/html, */*;q=0.8' })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
})

test('GraphiQL can be switched off, and the key is needed as before', async () => {
  const caller = openGateway({ graphiql: false }).with(undefined)
  const answer = await caller.get('/graphql', { accept: 'text/html, */*;q=0.8' })
  expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED'])
  expect((await caller.get('/')).text).not.toContain('GraphiQL')
})

test.each([...ROUTES.map(({ method, path }) => [method, path]), ['GET', '/v1/nowhere'], ['DELETE', '/v1/risks']])(
  '%s %s needs a key',
  async (method, path) => {
    const answer = await (await withoutKey()).request(path, { method })
    expect(answer).toMatchProblem(401, 'UNAUTHENTICATED')
  },
)

const NOWHERE = `/nowhere /v1/nowhere /v1//risks /v1/risks// /v1/risks/x/y /V1/risks /v1/projects/%20
  /v1/personnel/%zz /v1/personnel/%00 /v1/personnel/a%2Fb /graphql/ /GraphQL /healthz/ // //v1/risks`

test.each(NOWHERE.split(/\s+/))('there is nothing at %s', async (path) => {
  const { caller } = await sharedOffice()
  expect(await caller.get(path)).toMatchProblem(404, 'NOT_FOUND')
})

test('a slash at the end is redirected, and whoever has no key learns nothing', async () => {
  const { gateway, caller } = await openOffice()
  const { status, headers } = await caller.get('/v1/risks/?limit=1')
  expect([status, headers.get('location')]).toEqual([308, '/v1/risks?limit=1'])
  expect(await gateway.with(undefined).get('/v1/risks/')).toMatchProblem(401, 'UNAUTHENTICATED')
})

test.each(['application/json', 'application/graphql-response+json'])(
  'GraphQL answers in %s, and says so once',
  async (type) => {
    const { caller } = await sharedOffice()
    for (const query of ['{ __typename }', '{ nonsense }', '{ bad']) {
      const { headers } = await caller.get(`/graphql?query=${encodeURIComponent(query)}`, { accept: type })
      expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    }
  },
)

test('GraphQL runs queries by GET, with variables and operationName', async () => {
  const { caller } = await openOffice()
  const query = 'query a { __typename } query b($key: String) { project(key: $key) { key } }'
  const params = new URLSearchParams({ query, operationName: 'b', variables: '{"key":"APOLLO"}' })
  expect((await caller.get(`/graphql?${params}`)).body).toEqual({ data: { project: { key: 'APOLLO' } } })
})

const ADD = 'mutation { addPerson(input: { name: "Ada", externalId: "HR-99" }) { id } }'
const FORM_TYPES = ['text/plain', 'application/graphql', 'application/x-www-form-urlencoded', 'multipart/form-data']

test.each([...FORM_TYPES, 'application/json-patch+json'])('no mutation comes in as %s', async (type) => {
  const { caller } = await sharedOffice()
  const init = { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify({ query: ADD }) }
  expect((await caller.request('/graphql', init)).status).toBe(415)
  expect((await caller.get('/v1/personnel?externalId=HR-99')).body.data).toEqual([])
})

test('no mutation comes in by GET or in a batch', async () => {
  const { caller } = await openOffice()
  const got = await caller.get(`/graphql?${new URLSearchParams({ query: ADD })}`)
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
  expect((await caller.post('/graphql', [{ query: ADD }])).status).toBe(400)
  expect((await caller.get('/v1/personnel?externalId=HR-99')).body.data).toEqual([])
})

test.each(['variables={bad', 'query={__typename}&variables={bad', 'query={__typename}&extensions=[', 'query=', ''])(
  'GET /graphql?%s is a bad request',
  async (query) => {
    const { status, body } = await (await sharedOffice()).caller.get(`/graphql?${query}`)
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST'])
  },
)
