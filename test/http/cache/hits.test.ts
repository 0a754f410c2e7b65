import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { revokeKey } from '../../../src/auth/keys.js'
import { JSON_TYPE } from '../../../src/http/wire/content.js'
import { addPerson } from '../../../src/personnel/people.js'
import { ada, grace } from '../../support/fixtures.js'
import { type Caller, openFilled, openGateway, type TestResponse } from '../../support/harness.js'
import { reads } from './reads.js'

const PEOPLE = '/v1/personnel?limit=2'
const QUERY = '{ personnel(first: 2) { nodes { name } } }'

async function openCompany(options: Parameters<typeof openFilled>[0] = {}) {
  const { gateway, company } = await openFilled(options)
  return { gateway, company, caller: await gateway.as('personnel.manage', 'projects.read') }
}

/** Without the headers of the single request. */
function outcomeOf({ status, headers, text }: TestResponse) {
  const { 'request-id': _, ratelimit: __, ...rest } = Object.fromEntries(headers)
  return { status, headers: rest, text }
}

const APIS: [string, (caller: Caller) => Promise<TestResponse>][] = [
  ['a list', (caller) => caller.get(PEOPLE)],
  ['a list as CSV', (caller) => caller.request(PEOPLE, { headers: { accept: 'text/csv' } })],
  ['a query', (caller) => caller.graphql(QUERY)],
]

describe.each(APIS)('%s that was requested before', (_, call) => {
  test('is served without reading the tables, byte for byte', async () => {
    const { gateway, caller } = await openCompany()
    const first = await call(caller)
    expect(first.status).toBe(200)
    let again: TestResponse | undefined
    expect(await reads(gateway, async () => (again = await call(caller)))).toEqual([])
    expect(again && outcomeOf(again)).toEqual(outcomeOf(first))
    expect(again?.headers.get('request-id')).not.toBe(first.headers.get('request-id'))
  })

  test('is read anew once anything has changed', async () => {
    const { gateway, caller } = await openCompany()
    await call(caller)
    await gateway.write((write) => addPerson(write, { name: 'Aaron', externalId: 'first of all' }))
    expect((await call(caller)).text).toContain('Aaron')
  })

  test('is read anew for a key with other scopes, and not for one with the same', async () => {
    const { gateway, caller } = await openCompany()
    await call(caller)
    const [same, other] = [await gateway.as('personnel.manage', 'projects.read'), await gateway.as('personnel.read')]
    await call(caller)
    expect(await reads(gateway, () => call(same))).toEqual([expect.stringContaining('api_key')])
    expect((await reads(gateway, () => call(other))).length).toBeGreaterThan(1)
  })

  test('is refused to a key that was revoked or has expired since', async () => {
    const { gateway, caller } = await openCompany()
    await call(caller)
    const { keyId } = JSON.parse(gateway.log.at(-1) ?? '') as { keyId: string }
    await gateway.write((write) => revokeKey(write, keyId))
    expect((await call(caller)).status).toBe(401)
  })

  test('has its line in the log', async () => {
    const { gateway, caller } = await openCompany()
    await call(caller)
    await call(caller)
    const [first, again] = gateway.log.slice(-2).map((line) => JSON.parse(line))
    const { keyId, method, path, operation, status, bytes, cost, statements } = first
    expect(again).toMatchObject({ keyId, method, path, operation, status, bytes, cost, statements: 0 })
    expect([first.isCached, again.isCached, again.hash]).toEqual([false, true, first.hash])
    expect(statements).toBeGreaterThan(0)
  })

  test('is read again without a response cache', async () => {
    const { gateway, caller } = await openCompany({ responseCacheBytesMax: 0 })
    await call(caller)
    expect((await reads(gateway, () => call(caller))).length).toBeGreaterThan(0)
  })
})

test('a response about the key itself is never shared', async () => {
  const { gateway } = await openCompany()
  const [one, other] = [await gateway.as('personnel.read'), await gateway.as('personnel.read')]
  const query = '{ apiKey { name } personnel(first: 1) { nodes { name } } }'
  for (const caller of [one, other]) {
    expect(await reads(gateway, () => caller.graphql(query))).not.toEqual([])
    expect(await reads(gateway, () => caller.graphql(query))).not.toEqual([])
  }
})

test.each(['/v1/openapi.json', '/v1/openapi.json?x=1', '/v1/'])('%s is open: it costs a key nothing', async (path) => {
  const { gateway, caller } = await openCompany({ ratePerMinute: 60 })
  for (const reader of [caller, gateway.with('Bearer wrong')]) {
    const { status, headers } = await reader.get(path)
    expect([status, headers.get('ratelimit')]).toEqual([200, null])
  }
  expect(JSON.parse(gateway.log.at(-2) ?? '')).not.toHaveProperty('keyId')
})

test('a key is remembered as it is usually sent, and not in every form that blanks give it', async () => {
  const { gateway, caller } = await openCompany()
  const padded = gateway.with(caller.authorization?.replace(' ', ' '.repeat(10_000)))
  for (const one of [caller, padded]) expect((await one.get('/v1/key')).status).toBe(200)
  expect(await reads(gateway, () => caller.get('/v1/key'))).toEqual([])
  expect(await reads(gateway, () => padded.get('/v1/key'))).toContainEqual(expect.stringContaining('api_key'))
})

test('a mutation is never cached', async () => {
  const { caller } = await openCompany()
  const add = () => caller.graphql('mutation { addGroup(input: { name: "Divers" }) { name } }')
  expect((await add()).body.errors).toBe(undefined)
  expect((await add()).body.errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }])
})

test('an error is never cached', async () => {
  const { gateway, caller } = await openCompany()
  const path = '/v1/personnel/usr_none'
  await caller.get(path)
  expect((await reads(gateway, () => caller.get(path))).length).toBeGreaterThan(0)
})

test('a matching If-None-Match gets 304 without a read, and is charged a tenth', async () => {
  const { gateway, caller } = await openCompany({ ratePerMinute: 60, monotonicMs: () => 0 })
  const first = await caller.get(PEOPLE)
  await caller.get(PEOPLE)
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
  let again: TestResponse | undefined
  expect(await reads(gateway, async () => (again = await caller.request(PEOPLE, { headers })))).toEqual([])
  expect([again?.status, again?.text, again?.headers.get('content-type')]).toEqual([304, '', null])
  expect(again?.headers.get('etag')).toBe(first.headers.get('etag'))
  const left = (answer: TestResponse | undefined) => Number(/r=(\d+)/.exec(answer?.headers.get('ratelimit') ?? '')?.[1])
  expect([left(first), left(again)]).toEqual([9, 7])
})

test('HEAD, encodings and origins get what they would get otherwise', async () => {
  const { gateway, caller } = await openCompany({ corsOrigins: 'https://app.example.com' })
  const authorization = caller.authorization ?? ''
  const call = async (method: string, headers: Record<string, string>) => {
    const request = new Request('http://localhost/v1/risks', { method, headers: { authorization, ...headers } })
    const response = await gateway.app.fetch(request)
    const { 'request-id': _, ...rest } = Object.fromEntries(response.headers)
    return { status: response.status, headers: rest, bytes: Buffer.from(await response.arrayBuffer()).toString('hex') }
  }
  const variants = [
    ['GET', { 'accept-encoding': 'gzip' }],
    ['GET', { 'accept-encoding': 'br' }],
    ['GET', { origin: 'https://app.example.com' }],
    ['GET', { origin: 'https://other.example.com' }],
    ['HEAD', {}],
    ['GET', {}],
  ] as const
  const callAll = () => Promise.all(variants.map(([method, headers]) => call(method, headers)))
  const [first, again] = [await callAll(), await callAll()]
  expect(again).toEqual(first)
  expect(again.map(({ headers }) => headers['access-control-allow-origin'])).toEqual([
    undefined,
    undefined,
    'https://app.example.com',
    undefined,
    undefined,
    undefined,
  ])
})

test.each(['/v1/../graphql', '/v1/%2e%2e/graphql', '/v1/..\\graphql'])(
  'a cached GET of GraphQL does not answer HEAD by way of %s',
  async (path) => {
    const { gateway, caller } = await openCompany()
    const server = createServer(gateway.app.listener).listen(0)
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    // Not by fetch, which would normalize the path.
    const call = async (method: string) => {
      const headers = { authorization: caller.authorization }
      const sent = request({ port, method, headers, path: `${path}?query={groups{totalCount}}`, agent: false }).end()
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      answer.resume()
      return answer.statusCode
    }
    expect([await call('GET'), await call('HEAD')]).toEqual([200, 405])
  },
)

test('what a query costs is charged again', async () => {
  const { caller } = await openCompany({ ratePerMinute: 6_000, monotonicMs: () => 0 })
  const dear = '{ personnel(first: 1000) { nodes { id name email groups { id name } } } }'
  const left = async () => Number(/r=(\d+)/.exec((await caller.graphql(dear)).headers.get('ratelimit') ?? '')?.[1])
  const [first, second, third] = [await left(), await left(), await left()]
  expect(first - second).toBeGreaterThan(5)
  expect(second - third).toBe(first - second)
})

describe('a body', () => {
  /** A server whose version queries are counted, and delayed on demand. */
  async function openLooked() {
    const { gateway, caller } = await openCompany()
    const looks = { made: 0, areHeld: false, events: new EventEmitter() }
    const versions = async () => {
      looks.made += 1
      const read = await gateway.store.versions()
      if (looks.areHeld) await new Promise((letGo) => looks.events.emit('made', letGo))
      return read
    }
    const server = createServer(openGateway({ store: { ...gateway.store, versions } }).app.listener).listen(0)
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const begin = (path: string, body: string) => {
      const headers = { authorization: caller.authorization, 'content-type': JSON_TYPE, 'content-length': body.length }
      return request({ port, path, method: 'POST', headers, agent: false })
    }
    const answerTo = async (sent: ReturnType<typeof begin>) => {
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return { status: answer.statusCode, text: (await answer.toArray()).join('') }
    }
    const call = (path: string, body: string) => answerTo(begin(path, body).end(body))
    return { gateway, caller, looks, begin, answerTo, call }
  }

  type Looked = Awaited<ReturnType<typeof openLooked>>

  /** Sends the header, changes data while a version query is running, and then sends the body. */
  async function sendInTwo(
    { looks, begin, answerTo }: Looked,
    path: string,
    body: string,
    change: () => Promise<unknown>,
  ) {
    looks.areHeld = true
    const sent = begin(path, body)
    sent.flushHeaders()
    const [letGo] = (await once(looks.events, 'made')) as [() => void]
    looks.areHeld = false
    await change()
    sent.end(body)
    await setTimeout(50)
    letGo()
    return answerTo(sent)
  }

  const BODIES = [
    ['/graphql', JSON.stringify({ query: QUERY })],
    ['/v1/personnel', JSON.stringify({ name: 'Aaron', externalId: 'first of all' })],
  ] as const

  test.each(BODIES)('that comes to %s with its header needs one key look-up', async (path, body) => {
    const { looks, call } = await openLooked()
    await call('/graphql', JSON.stringify({ query: QUERY }))
    // Long texts are measured at the first use of their table.
    await call('/v1/personnel', JSON.stringify({ name: 'Abel', externalId: 'second of all' }))
    looks.made = 0
    await call(path, body)
    expect(looks.made).toBe(1)
  })

  test('that arrives after the version check is not served from the cache of that time', async () => {
    const looked = await openLooked()
    const [path, body] = BODIES[0]
    expect((await looked.call(path, body)).text).not.toContain('Aaron')
    const add = () => looked.gateway.write((write) => addPerson(write, { name: 'Aaron', externalId: 'first of all' }))
    expect((await sendInTwo(looked, path, body, add)).text).toContain('Aaron')
  })

  test.each(BODIES)(
    'that comes to %s after the look at a key that was revoked then does nothing',
    async (path, body) => {
      const looked = await openLooked()
      await looked.call('/graphql', BODIES[0][1])
      await looked.caller.get('/v1/key')
      const { keyId } = JSON.parse(looked.gateway.log.at(-1) ?? '') as { keyId: string }
      const revoke = () => looked.gateway.write((write) => revokeKey(write, keyId))
      expect((await sendInTwo(looked, path, body, revoke)).status).toBe(401)
    },
  )
})

test('people who are added concurrently are seen by later requests', async () => {
  const { caller } = await openCompany()
  for (const person of [ada, grace]) {
    await caller.get('/v1/personnel')
    await caller.post('/v1/personnel', person)
    expect((await caller.get('/v1/personnel')).text).toContain(person.name)
  }
})
