import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { pino } from 'pino'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import type { AppOptions } from '../../src/http/app.js'
import { ROUTES } from '../../src/http/rest/routes.js'
import { fillCompany } from '../support/fixtures.js'
import { type Gateway, openGateway } from '../support/harness.js'
import { newStore, type TestStore } from '../support/stores.js'
import { ACCEPTS, answerOf, BODIES, CORS, FORMS, QUERIES, type SentRequest, TYPES } from './cacheRequests.js'

const own = newStore()
afterAll(() => own.remove())
/** The same store, which neither service closes. */
const lent: TestStore = Object.create(own, { remove: { value: () => undefined } })

/** One service with the response cache, and one without. */
function openBoth(options: Partial<AppOptions> = {}) {
  return [
    openGateway(options, afterAll, lent),
    openGateway({ ...options, responseCacheBytesMax: 0 }, afterAll, lent),
  ] as const
}

const both = openBoth({ ...CORS, ratePerMinute: 6_000_000, monotonicMs: () => 0, log: pino({ level: 'silent' }) })
const [cached] = both
const company = await cached.write(fillCompany)

/** Keys with each set of scopes that differs in what it grants, the last one with all. */
const keys = await cached.write(async (write) => {
  const minted: string[] = []
  for (const ofPeople of ['', 'read', 'manage'] as const) {
    for (const ofProjects of ['', 'read', 'manage'] as const) {
      const scopes = [
        ...(ofPeople ? [`personnel.${ofPeople}` as const] : []),
        ...(ofProjects ? [`projects.${ofProjects}` as const] : []),
      ]
      minted.push(`Bearer ${(await mintKey(write, { name: 'Key', scopes, expiresAt: undefined })).secret}`)
    }
  }
  return minted
})
const everything = keys.at(-1) ?? ''
const few = keys[1] ?? ''
const callers = [...keys, 'Bearer ops_wrong', 'Basic YTpi', '']

/** Sends the request to both services, compares the responses, and returns them. */
async function same(key: string, sent: SentRequest, [one, other] = both) {
  const [actual, expected] = [await answerOf(one, key, sent), await answerOf(other, key, sent)]
  if (!isDeepStrictEqual(actual, expected)) expect({ sent, key, ...actual }).toEqual({ sent, key, ...expected })
  return expected
}

/** Sends a request over a socket, where the path is not normalized. */
async function overSocket({ app }: Gateway) {
  const server = createServer(app.listener)
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return async (method: string, path: string) => {
    const headers = { 'request-id': 'same', authorization: everything }
    const sent = request({ port, host: '127.0.0.1', method, path, headers, agent: false }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const { date: _, ...rest } = answer.headers
    return { status: answer.statusCode, headers: rest, text: await text(answer) }
  }
}

describe('with and without the response cache, REST says the same', () => {
  const { personIds, groupIds, projectIds, riskIds, issueIds } = company
  const ids: Record<string, string | undefined> = {
    personnel: personIds[1],
    groups: groupIds[0],
    projects: projectIds[0],
    risks: riskIds[0],
    issues: issueIds[0],
  }
  const given: Record<string, string> = {
    getMovements: '?since=2026-01-01',
    getOverdue: '?on=2026-11-04',
    getRiskTrend: '?from=2026-11-01&to=2026-11-04',
  }
  // A path of CSV is like its list with Accept: text/csv.
  const routes = ROUTES.filter(({ method, type }) => method === 'GET' && !type).map((route) => ({
    ...route,
    good:
      route.path
        .replace(
          /(\w)(\w+)\/\{reference\}/,
          (_, first: string, rest: string) => `${first}${rest}/${first.toUpperCase()}-0`,
        )
        .replace(/(\w+)\/\{\w+\}/, (_, noun: string) => `${noun}/${ids[noun]}`) + (given[route.operation] ?? ''),
  }))

  test.each(routes)('$path, new and again, with each key', async ({ path, good }) => {
    expect((await same(everything, { path: good })).status).toBe(200)
    for (const key of callers) for (const sent of [good, good]) await same(key, { path: sent })
    const more = good.includes('?') ? '&' : '?'
    const others = [
      `${good}${more}limit=2`,
      `${good}${more}total=true&search=a`,
      `${good}${more}limit=0`,
      `${path.replace(/\{\w+\}/, 'none')}`,
    ]
    for (const other of others) for (const sent of [other, other]) await same(everything, { path: sent })
  })

  // Single resources of all nouns are served alike.
  const formed = routes.filter(({ sheet, operation }) => sheet || operation === 'getRisk' || operation === 'getKey')
  test.each(formed)('$path, in each form', async ({ good: path }) => {
    for (const headers of FORMS) {
      for (const method of ['HEAD', 'GET', 'HEAD']) await same(everything, { method, path, headers })
      const { etag } = (await same(everything, { path, headers })).headers
      if (!etag || 'if-none-match' in headers) continue
      for (const tags of [etag, `"other", W/${etag}`, etag.replace(/"$/, '-br"')]) {
        await same(everything, { path, headers: { ...headers, 'if-none-match': tags } })
      }
    }
  })
})

describe('with and without the response cache, GraphQL says the same', () => {
  const post = (body: string, headers: SentRequest['headers'] = TYPES[0]): SentRequest => {
    return { method: 'POST', path: '/graphql', ...(headers && { headers }), body }
  }
  /** New; the same document in another body, when parsed; and each of them again, when cached. */
  const sights = (body: string) => [body, body, `${body} `, `${body} `]
  const cases = Object.entries(QUERIES).map(([what, make]) => ({ what, sent: make(company) }))

  test.each(cases)('$what, with each key, by POST and by GET', async ({ sent }) => {
    const body = JSON.stringify(sent)
    for (const sight of sights(body)) await same(everything, post(sight))
    for (const key of callers) for (const sight of [body, body]) await same(key, post(sight))
    const given = new URLSearchParams({ query: sent.query, variables: JSON.stringify(sent.variables ?? {}) })
    for (const method of ['GET', 'GET', 'HEAD']) await same(everything, { method, path: `/graphql?${given}` })
  })

  test.each(Object.entries(ACCEPTS))('to a caller who takes %s', async (_, accept) => {
    const headers = { ...TYPES[0], ...(accept !== undefined && { accept }) }
    for (const what of ['a page', 'one thing', 'bad variables']) {
      const body = JSON.stringify(QUERIES[what]?.(company))
      for (const sight of sights(body)) await same(everything, post(sight, headers))
      await same(few, post(body, headers))
    }
  })

  test.each(Object.entries(BODIES))('a body with %s', async (_, body) => {
    for (const sight of sights(body)) await same(everything, post(sight))
  })

  test.each(TYPES)('a body that comes with %o', async (headers) => {
    for (const sight of sights(JSON.stringify(QUERIES['a page']?.(company))))
      await same(everything, post(sight, headers))
  })
})

describe('with and without the response cache, so it is', () => {
  const dear = { method: 'POST', headers: TYPES[0] ?? {}, body: JSON.stringify(QUERIES['a dear page']?.(company)) }

  test('when a key has spent what it may', async () => {
    const pair = openBoth({ ratePerMinute: 180, monotonicMs: () => 0 })
    const statuses = new Set<number>()
    for (let i = 0; i < 40; i++) {
      const sent = i % 3 ? { path: '/v1/groups?limit=2' } : { path: '/graphql', ...dear }
      statuses.add((await same(keys[3] ?? '', sent, pair)).status)
    }
    expect([...statuses]).toEqual([200, 429])
  })

  test('below a base path', async () => {
    const pair = openBoth({ basePath: '/ops', ratePerMinute: 6_000, monotonicMs: () => 0 })
    for (const path of ['/v1/risks?limit=2', '/v1/key', '/v1/', '/v1/openapi.json', '/v1/none', '/graphql']) {
      for (const at of [`/ops${path}`, `/ops${path}`, path]) {
        await same(everything, { path: at }, pair)
        await same(everything, { ...dear, path: at }, pair)
      }
    }
  })

  test('when a body is longer than it says', async () => {
    const body = JSON.stringify({ query: `{ groups { nodes { id } } } #${'long'.repeat(10_000)}` })
    const headers = { ...TYPES[0], 'content-length': '100' }
    for (let i = 0; i < 3; i++) {
      expect((await same(everything, { method: 'POST', path: '/graphql', body, headers })).status).toBe(200)
    }
  })

  test.each([
    '/v1/../graphql?query={__typename}',
    '/v1/%2e%2e/graphql?query={__typename}',
    '/v1/x/../openapi.json',
    '/v1/openapi.json#x',
    '/v1/./personnel?limit=1',
    '/v1/personnel/../key',
    '/v1\\key',
    '//v1/personnel',
  ])('when a path may lead elsewhere: %s', async (path) => {
    const [one, other] = [await overSocket(both[0]), await overSocket(both[1])]
    for (const method of ['GET', 'GET', 'HEAD']) expect(await one(method, path)).toEqual(await other(method, path))
  })
})
