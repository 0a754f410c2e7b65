import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import type { ExecutionReason } from '../../src/graph/sql/statements.js'
import type { AppOptions } from '../../src/http/app.js'
import { ROUTES } from '../../src/http/rest/routes.js'
import { fillCompany } from '../support/fixtures.js'
import { type Gateway, openGateway } from '../support/harness.js'
import { newStore, type TestStore } from '../support/stores.js'
import { PLAIN } from '../support/way.js'
import { BODIES, COMPILED, EXECUTED, REFUSED, TYPES } from './waysQueries.js'
import { ACCEPTS, answerOf, CORS, FORMS, READS, type SentRequest } from './waysRequests.js'

// The remaining quota grows with time, and would differ between the two.
beforeAll(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterAll(() => void vi.useRealTimers())

const own = newStore()
afterAll(() => own.remove())
/** The same store, which neither service closes. */
const lent: TestStore = Object.create(own, { remove: { value: () => undefined } })

/** One service with cache and compiled queries, and one without. */
function openBoth(options: Partial<AppOptions> = {}) {
  return [openGateway(options, afterAll, lent), openGateway({ ...options, ...PLAIN }, afterAll, lent)] as const
}

/** Why the last request to the compiling service was executed instead. */
let executedFor: ExecutionReason | undefined
const both = openBoth({
  ...CORS,
  ratePerMinute: 6_000_000,
  log: pino({ level: 'silent' }),
  onFinished: (exchange) => {
    if (exchange.executedFor !== 'switched_off') executedFor = exchange.executedFor
  },
})
const [quick] = both
const company = await quick.write(fillCompany)

/** The sets of scopes that differ in what they grant; that `.manage` includes `.read` is the matter of the matrix. */
const subsets = (['', 'read', 'manage'] as const).flatMap((ofPeople) =>
  (['', 'read', 'manage'] as const).map((ofProjects) => [
    ...(ofPeople ? [`personnel.${ofPeople}` as const] : []),
    ...(ofProjects ? [`projects.${ofProjects}` as const] : []),
  ]),
)
/** Keys with each set of scopes, the last one with all. */
const keys = await quick.write(async (write) => {
  const minted: string[] = []
  for (const scopes of subsets)
    minted.push((await mintKey(write, { name: 'Key', scopes, expiresAt: undefined })).secret)
  return minted.map((secret) => `Bearer ${secret}`)
})
const everything = keys.at(-1) ?? ''
const few = keys[1] ?? ''
const nobody = ''
const callers = [...keys, 'Bearer ops_wrong', 'Basic YTpi', nobody]

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

let comparisons = 0

/** Sends the request to both services, compares the responses, and returns them. */
async function same(key: string, sent: SentRequest, [one, other] = both) {
  const [actual, expected] = [await answerOf(one, key, sent), await answerOf(other, key, sent)]
  comparisons += 1
  if (!isDeepStrictEqual(actual, expected)) expect({ sent, key, ...actual }).toEqual({ sent, key, ...expected })
  return expected
}

/** How the cached service produced its response. */
async function wayOf(work: () => Promise<unknown>): Promise<'cached' | 'compiled' | 'executed'> {
  quick.statements()
  await work()
  const isOfData = (sql: string) => /\b(from|into) "(person|groups|project|risk|issue|change)"/.test(sql)
  if (!quick.statements().some(isOfData)) return 'cached'
  return executedFor === undefined ? 'compiled' : 'executed'
}

/** What follows a path stands at its end; of a list below one thing, first comes what names the thing. */
function pathOf(pattern: string, rest: string): string {
  if (!/\}\/\w+$/.test(pattern)) return pattern.replace(/\{\w+\}/, '') + rest
  const [name = '', query] = rest.split('?')
  return pattern.replace(/\{\w+\}/, name) + (query === undefined ? '' : `?${query}`)
}

describe('REST says the same both ways', () => {
  // The path of a CSV is like its list with Accept: text/csv, which is tested below.
  const routes = ROUTES.filter(({ method, type }) => method === 'GET' && !type).map((route) => {
    const paths = READS[route.operation]?.(company).map((rest) => pathOf(route.path, rest)) ?? []
    const good =
      paths.find((path) =>
        /\?(limit=2|search=steel|from=2026-11-01&to=2026-11-04)$|_(?!0000)\w{26}$|key$/.test(path),
      ) ?? ''
    return { ...route, paths, good }
  })

  test.each(routes)('$path, with each key, uncached and cached', async ({ paths, good }) => {
    expect(good).not.toBe('')
    for (const path of paths) {
      for (const key of path === good ? callers : [everything]) {
        await same(key, { path })
        await same(key, { path })
      }
      await same(few, { path })
    }
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

  test.each(routes.filter(({ sheet }) => sheet))('$path, page by page to the end', async ({ path }) => {
    let next: string | undefined = `${path}?limit=2&total=true`
    let pages = 0
    for (; next; pages += 1) {
      await same(everything, { path: next })
      const { headers } = await same(everything, { path: next })
      next = /<(.+)>/.exec(headers['link'] ?? '')?.[1]
    }
    expect(pages).toBeGreaterThan(1)
  })

  test.each(routes)('$path is compiled, and then cached, except for the key itself', async (route) => {
    // The cache key is the text of the URL, which is new here.
    const sent = { path: `${route.good}${route.good.includes('?') ? '' : '?'}&` }
    const ways = [await wayOf(() => same(everything, sent)), await wayOf(() => same(everything, sent))]
    expect(ways).toEqual(route.operation === 'getKey' ? ['cached', 'cached'] : ['compiled', 'cached'])
  })
})

describe('GraphQL says the same both ways', () => {
  const post = (body: string, headers: SentRequest['headers'] = TYPES[0]): SentRequest => {
    return { method: 'POST', path: '/graphql', ...(headers && { headers }), body }
  }
  /** New; the same document in another body, when parsed; and each of them again, when cached. */
  const sights = (body: string) => [body, body, `${body} `, `${body} `]
  const cases = Object.entries({ ...COMPILED, ...EXECUTED, ...REFUSED }).map(([what, make]) => {
    return { what, sent: make(company), by: what in COMPILED ? callers : what in EXECUTED ? keys : [few, nobody] }
  })

  test.each(cases)('$what, with each key', async ({ sent, by }) => {
    const body = JSON.stringify(sent)
    for (const sight of sights(body)) await same(everything, post(sight))
    for (const key of by) for (const sight of [body, body]) await same(key, post(sight))
  })

  /** A new document. */
  const anew = (make: (typeof COMPILED)[string]) =>
    JSON.stringify({ ...make(company), query: `${make(company).query} #` })

  test.each(Object.entries(COMPILED))('%s is compiled at first, and then cached', async (_, make) => {
    const ways = []
    for (const body of sights(anew(make))) ways.push(await wayOf(() => same(everything, post(body))))
    expect(ways).toEqual(['compiled', 'cached', 'compiled', 'cached'])
  })

  test.each(Object.entries({ ...EXECUTED, ...REFUSED }))('%s is never compiled', async (_, make) => {
    for (const body of sights(anew(make))) {
      expect(await wayOf(() => same(everything, post(body)))).not.toBe('compiled')
    }
  })

  const taken = ['a page', 'one thing', 'two lists', 'bad variables']
  test.each(Object.entries(ACCEPTS))('to a caller who takes %s', async (_, accept) => {
    const headers = { ...TYPES[0], ...(accept !== undefined && { accept }) }
    for (const { what, sent } of cases) {
      if (!taken.includes(what)) continue
      for (const sight of sights(JSON.stringify(sent))) await same(everything, post(sight, headers))
      await same(few, post(JSON.stringify(sent), headers))
    }
  })

  test.each(Object.entries(BODIES))('a body with %s', async (_, body) => {
    for (const sight of sights(body)) await same(everything, post(sight))
  })

  test.each(TYPES)('a body that comes with %o', async (headers) => {
    for (const { sent } of cases.slice(0, 3)) {
      for (const sight of sights(JSON.stringify(sent))) await same(everything, post(sight, headers))
    }
  })

  test.each(cases)('$what by GET', async ({ sent: { query, variables, operationName } }) => {
    const given = new URLSearchParams({ query })
    if (variables) given.set('variables', JSON.stringify(variables))
    if (operationName !== undefined) given.set('operationName', String(operationName))
    for (const method of ['GET', 'GET', 'HEAD']) await same(everything, { method, path: `/graphql?${given}` })
  })
})

describe('so it is', () => {
  const query = (query: string) => ({ method: 'POST', headers: TYPES[0] ?? {}, body: JSON.stringify({ query }) })
  const dear = query('{ personnel(first: 1000) { nodes { id groups { id name description } } } }')

  test('when a key has spent what it may', async () => {
    const pair = openBoth({ ratePerMinute: 180 })
    const statuses = new Set<number>()
    for (let i = 0; i < 40; i++) {
      const sent = i % 3 ? { path: '/v1/groups?limit=2' } : { path: '/graphql', ...dear }
      statuses.add((await same(keys[3] ?? '', sent, pair)).status)
    }
    expect([...statuses]).toEqual([200, 429])
  })

  test('when a whole list would be too long', async () => {
    const pair = openBoth({ wholeListRowsMax: 10 })
    for (const sent of [{ path: '/v1/risks' }, { path: '/graphql', ...query('{ risks { nodes { id } } }') }]) {
      for (let i = 0; i < 3; i++) expect((await same(everything, sent, pair)).bytes).toContain('TOO_COMPLEX')
    }
  })

  test('below a base path', async () => {
    const pair = openBoth({ basePath: '/ops', ratePerMinute: 6_000 })
    for (const path of ['/v1/risks?limit=2', '/v1/key', '/v1/', '/v1/openapi.json', '/v1/none', '/graphql']) {
      for (const at of [`/ops${path}`, `/ops${path}`, path]) {
        await same(everything, { path: at }, pair)
        await same(everything, { ...dear, path: at }, pair)
      }
    }
  })

  test('when a body is longer than it says', async () => {
    const sent = query(`{ groups { nodes { id } } } #${'long'.repeat(10_000)}`)
    const headers = { ...sent.headers, 'content-length': '100' }
    for (let i = 0; i < 3; i++) {
      expect((await same(everything, { ...sent, path: '/graphql', headers })).status).toBe(200)
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
    const [one, other] = [await overSocket(quick), await overSocket(both[1])]
    for (const method of ['GET', 'GET', 'HEAD']) {
      const [actual, expected] = [await one(method, path), await other(method, path)]
      expect(actual).toEqual(expected)
    }
  })
})

test('the number of compared responses is as expected', () => {
  expect(comparisons).toBeGreaterThan(3_000)
})
