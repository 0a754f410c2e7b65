import { describe, expect, test } from 'vitest'
import { ada, grace } from '../support/fixtures.js'
import { type Caller, openOffice, type TestResponse } from '../support/harness.js'

/** A manual clock for the rate limiter. */
function stoppedClock() {
  let now = 0
  return {
    monotonicMs: () => now,
    pass(seconds: number) {
      now += Math.round(seconds * 1000)
    },
  }
}

/** A key with 60 units a minute and a burst of 10, at a service with a stopped clock. */
async function openLimited() {
  const time = stoppedClock()
  return { time, ...(await openOffice({ ratePerMinute: 60, monotonicMs: time.monotonicMs })) }
}

/** A structured field (RFC 9651) of one string with whole numbers as its parameters. */
function structured(field: string | null) {
  const [, name, parameters = ''] = /^"([ !#-[\]-~]*)"((?:;[a-z*][\w.*-]*=-?\d{1,15})*)$/.exec(field ?? '') ?? []
  if (name === undefined) throw new Error(`${field} is no structured field.`)
  const pairs = parameters.split(';').slice(1)
  return { name, ...Object.fromEntries(pairs.map((pair) => pair.split('='))) }
}

/** The rate limit headers of a response. */
function limitOf({ headers }: TestResponse) {
  return {
    policy: structured(headers.get('ratelimit-policy')),
    level: structured(headers.get('ratelimit')),
  }
}

const left = (r: number, t = 10 - r) => ({
  policy: { name: 'key', q: '60', w: '60' },
  level: { name: 'key', r: String(r), t: String(t) },
})

async function spend(caller: Caller, times: number): Promise<void> {
  for (let i = 0; i < times; i++) expect((await caller.get('/v1/key')).status).toBe(200)
}

describe('through both APIs', () => {
  test('a key may send ten requests at once; the eleventh gets Retry-After, and may then', async () => {
    const { caller, time } = await openLimited()
    await spend(caller, 10)
    const answer = await caller.get('/v1/key')
    expect(answer).toMatchProblem(429, 'RATE_LIMITED')
    expect(answer.body).toEqual({
      type: 'urn:operations-gateway:problem:rate-limited',
      title: 'Too many requests',
      status: 429,
      detail: 'This key has exceeded its rate limit. Try again in 1 s.',
      code: 'RATE_LIMITED',
      requestId: answer.headers.get('request-id'),
    })
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(limitOf(answer)).toEqual(left(0))
    time.pass(0.999)
    expect(await caller.get('/v1/key')).toMatchProblem(429, 'RATE_LIMITED')
    time.pass(0.001)
    await spend(caller, 1)
    expect(await caller.get('/v1/key')).toMatchProblem(429, 'RATE_LIMITED')
  })

  test('what is refused for its rate is not done', async () => {
    const { gateway, caller } = await openLimited()
    await spend(caller, 10)
    const lines = await gateway.historyOf(async () => {
      expect(await caller.post('/v1/personnel', ada)).toMatchProblem(429, 'RATE_LIMITED')
      const add = 'mutation { addPerson(input: { name: "Ada", email: "ada@example.com" }) { id } }'
      expect((await caller.graphql(add)).status).toBe(429)
    })
    expect(lines).toEqual([])
  })

  test('in GraphQL too, as errors', async () => {
    const { caller } = await openLimited()
    await spend(caller, 10)
    const { status, headers, body } = await caller.graphql('{ apiKey { name } }')
    const message = 'This key has exceeded its rate limit. Try again in 1 s.'
    expect({ status, body }).toEqual({
      status: 429,
      body: { errors: [{ message, extensions: { code: 'RATE_LIMITED' } }] },
    })
    expect([headers.get('retry-after'), headers.get('content-type')]).toEqual(['1', 'application/json; charset=utf-8'])
  })

  const json = { 'content-type': 'application/json' }
  const ANSWERS: Readonly<Record<string, [number, (caller: Caller) => Promise<TestResponse>]>> = {
    'a list': [200, (caller) => caller.get('/v1/risks')],
    HEAD: [200, (caller) => caller.request('/v1/risks', { method: 'HEAD' })],
    'a sheet': [200, (caller) => caller.get('/v1/risks', { accept: 'text/csv' })],
    'what was added': [201, (caller) => caller.post('/v1/personnel', grace)],
    'a bad parameter': [400, (caller) => caller.get('/v1/risks?bogus=1')],
    'a bad body': [400, (caller) => caller.request('/v1/personnel', { method: 'POST', headers: json, body: '{' })],
    'an unknown path': [404, (caller) => caller.get('/v1/nothing')],
    'an unknown id': [404, (caller) => caller.get('/v1/risks/nothing')],
    'a wrong method': [405, (caller) => caller.delete('/v1/risks')],
    'no acceptable type': [406, (caller) => caller.get('/v1/risks', { accept: 'image/png' })],
    'a duplicate': [409, (caller) => caller.post('/v1/personnel', { name: 'P', email: 'p0@example.com' })],
    'a wrong type': [415, (caller) => caller.request('/v1/personnel', { method: 'POST', body: '{}' })],
    'a bad content': [422, (caller) => caller.post('/v1/personnel', {})],
    'a query': [200, (caller) => caller.graphql('{ apiKey { name } }')],
    'a query by GET': [200, (caller) => caller.get('/graphql?query={__typename}')],
    'a query in part': [200, (caller) => caller.graphql('{ personnel(first: 0) { totalCount } __typename }')],
    'a bad query': [200, (caller) => caller.graphql('{ nothing }')],
    'a bad body of a query': [400, (caller) => caller.post('/graphql', [])],
    'a mutation by GET': [405, (caller) => caller.get('/graphql?query=mutation{__typename}')],
  }
  test.each(Object.entries(ANSWERS))('%s reports the remaining quota, and costs one', async (_, [status, call]) => {
    const { caller } = await openLimited()
    const answer = await call(caller)
    expect({ status: answer.status, ...limitOf(answer) }).toEqual({ status, ...left(9) })
  })

  test('a key without the scope is charged like any other, and gets the headers', async () => {
    const { gateway } = await openLimited()
    const caller = await gateway.as()
    const answer = await caller.get('/v1/personnel')
    expect({ status: answer.status, ...limitOf(answer) }).toEqual({ status: 403, ...left(9) })
  })

  test.each(['/', '/healthz', '/v1/openapi.json', '/v1/risks', '/graphql?query={__typename}'])(
    'a client without a key gets no such headers: %s',
    async (path) => {
      const { gateway } = await openLimited()
      const { headers } = await gateway.with(undefined).get(path)
      expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null])
    },
  )

  test('what one key spends is nothing to another', async () => {
    const { gateway, caller } = await openLimited()
    await spend(caller, 10)
    expect(await caller.get('/v1/key')).toMatchProblem(429, 'RATE_LIMITED')
    const other = await gateway.as('personnel.read')
    expect(limitOf(await other.get('/v1/personnel'))).toEqual(left(9))
  })

  test('without a limit there are no limit headers', async () => {
    const { caller } = await openOffice({ ratePerMinute: 0 })
    await spend(caller, 50)
    for (const answer of [await caller.get('/v1/key'), await caller.graphql('{ __typename }')]) {
      expect([answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')]).toEqual([null, null])
    }
  })
})

describe('what has not changed costs a tenth', () => {
  test.each(['/v1/risks?limit=2', '/graphql?query={risks(first:2){nodes{id}}}'])('ten of %s cost one', async (path) => {
    const { caller } = await openLimited()
    const first = await caller.get(path)
    const tag = first.headers.get('etag') ?? ''
    expect(limitOf(first)).toEqual(left(9))
    for (let i = 0; i < 10; i++) {
      const answer = await caller.get(path, { 'if-none-match': tag })
      expect({ status: answer.status, ...limitOf(answer) }).toEqual({ status: 304, ...left(8, 2) })
    }
    expect(limitOf(await caller.get('/v1/key'))).toEqual(left(7))
  })

  test('so what is left suffices for ten times as many', async () => {
    const { caller } = await openLimited()
    const tag = (await caller.get('/v1/risks')).headers.get('etag') ?? ''
    let unchanged = 0
    while ((await caller.get('/v1/risks', { 'if-none-match': tag })).status === 304) unchanged += 1
    expect(unchanged).toBe(81)
  })
})

test.each(['*', '"another", *'])('If-None-Match: %s names no answer, and costs as much as the answer', async (any) => {
  const { caller } = await openLimited()
  const answer = await caller.get('/v1/risks?limit=2', { 'if-none-match': any })
  expect({ status: answer.status, ...limitOf(answer) }).toEqual({ status: 304, ...left(9) })
})
