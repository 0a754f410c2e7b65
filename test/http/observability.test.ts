import { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { mintKey, revokeKey } from '../../src/auth/keys.js'
import type { Scope } from '../../src/auth/scopes.js'
import { Fault } from '../../src/errors.js'
import { createLog } from '../../src/http/observe/log.js'
import type { CompiledSql, Store } from '../../src/store/store.js'
import { type Gateway, NOW, openGateway } from '../support/harness.js'
import { READY } from '../support/service.js'

const PEOPLE = '{ personnel(first: 1) { nodes { name } } }'
const NOBODY = { data: { personnel: { nodes: [] } } }

async function minted(gateway: Gateway, scopes: Scope[], expiresAt?: Date) {
  const key = await gateway.write((write) => mintKey(write, { name: 'watched', scopes, expiresAt }))
  return { ...key, caller: gateway.with(`Bearer ${key.secret}`) }
}

/** The log lines since the last call, without the fields that the harness adds. */
function linesOf(gateway: Gateway): Record<string, unknown>[] {
  return gateway.log.splice(0).map((line) => {
    const { time: _, pid: __, hostname: ___, ...facts } = JSON.parse(line)
    return facts
  })
}

const FIGURES = Object.fromEntries(
  ['ms', 'bytes', 'statements', 'cost', 'storeMs', 'queuedMs', 'workMs'].map((name) => [name, expect.any(Number)]),
)
const REQUEST = {
  ...{ level: 30, requestId: expect.any(String), ...FIGURES, isCached: false, work: expect.any(Object) },
  msg: 'request',
}

const HASH = expect.stringMatching(/^[0-9a-f]{12}$/)

const GONE = new Error('the disk is gone')
const LOST = new Fault('UNAVAILABLE', 'The store cannot be reached.', { cause: GONE })
const failing = (error: Error) => () => Promise.reject(error)

type Fail = (store: Store) => Partial<Store>

/** Fails the statements of lists. */
const unread =
  (error: Error): Fail =>
  ({ reading }) => ({
    reading: (onStatement) => {
      const read = reading(onStatement)
      const isList = ({ text }: CompiledSql) => /^select (count\(\*\)|0), /.test(text)
      return { ...read, rows: async (statement) => (isList(statement) ? failing(error)() : read.rows(statement)) }
    },
  })

/** Where the store can fail a query, and the expected error. */
const FAILURES: { where: string; status: number; code: string; fail: Fail }[] = [
  { where: 'at the key', status: 503, code: 'UNAVAILABLE', fail: () => ({ versions: failing(LOST) }) },
  { where: 'at the key, unforeseen', status: 500, code: 'INTERNAL', fail: () => ({ versions: failing(GONE) }) },
  { where: 'at the answer', status: 503, code: 'UNAVAILABLE', fail: unread(LOST) },
  { where: 'at the answer, unforeseen', status: 500, code: 'INTERNAL', fail: unread(GONE) },
]

/** A caller whose query is already planned, and the failure from now on. */
async function openFailing(fail: Fail) {
  const whole = openGateway()
  const { id: keyId, secret } = await minted(whole, ['personnel.read'])
  const store = { ...whole.store }
  const gateway = openGateway({ store, responseCacheBytesMax: 0 })
  const caller = gateway.with(`Bearer ${secret}`)
  expect((await caller.graphql(PEOPLE)).body).toEqual(NOBODY)
  linesOf(gateway)
  Object.assign(store, fail(whole.store))
  return { gateway, keyId, caller }
}

describe('the log', () => {
  test('has one line per request: key, request, status and cost', async () => {
    const gateway = openGateway({ slowMs: 600_000 })
    const { id: keyId, caller } = await minted(gateway, ['personnel.manage'])
    await caller.get('/v1/personnel', { 'request-id': 'mine-1' })
    await caller.post('/v1/personnel', { name: 'Ada', email: 'ada@example.com' })
    await caller.graphql(`query Roster ${PEOPLE}`)
    await caller.graphql(PEOPLE)
    await caller.get('/v1/personnel/usr_nobody')
    await gateway.with(undefined).get('/healthz')
    const people = { ...REQUEST, keyId, path: '/v1/personnel' }
    const query = { ...REQUEST, keyId, method: 'POST', path: '/graphql', status: 200, hash: HASH }
    const lines = linesOf(gateway)
    expect(lines).toEqual([
      { ...people, method: 'GET', operation: 'listPersonnel', status: 200, requestId: 'mine-1' },
      { ...people, method: 'POST', operation: 'addPerson', status: 201 },
      { ...query, operation: 'Roster' },
      { ...query, operation: 'anonymous' },
      {
        ...people,
        method: 'GET',
        path: '/v1/personnel/{id}',
        operation: 'getPerson',
        status: 404,
        code: 'NOT_FOUND',
      },
      { ...REQUEST, method: 'GET', path: '/healthz', status: 200, statements: 0 },
    ])
    for (const { bytes } of lines) expect(bytes).toBeGreaterThan(0)
    for (const { statements } of lines.slice(0, 5)) expect(statements).toBeGreaterThan(0)
    expect(Number(lines[1]?.['statements'])).toBeGreaterThan(Number(lines[0]?.['statements']))
  })

  test('never has the key, what was sent, or what was looked for', async () => {
    const gateway = openGateway({ slowMs: 0 })
    const { secret, caller } = await minted(gateway, ['personnel.manage'])
    const secrets = ['needle-search', 'needle-name', 'needle-token', 'needle-variable', 'ops_needle', secret]
    await caller.get('/v1/personnel?search=needle-search&nonsense=needle-search')
    await caller.request('/v1/personnel', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'needle-token' },
      body: JSON.stringify({ name: 'needle-name', email: 'needle-name' }),
    })
    await caller.graphql('query ($s: String) { personnel(filter: { search: $s }) { nodes { name } } }', {
      s: 'needle-variable',
    })
    await caller.graphql('{ needle-name')
    await gateway.with('Bearer ops_needle').get('/v1/personnel')
    await gateway.with(`Basic ${secret}`).get('/v1/personnel')
    const text = gateway.log.join('')
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    expect(linesOf(gateway).filter(({ msg }) => msg === 'request').length).toBe(6)
  })

  test('has the template of a path, and nothing of an unknown one', async () => {
    const gateway = openGateway({ basePath: '/ops', graphiql: true, slowMs: 600_000 })
    const { secret, caller } = await minted(gateway, ['personnel.read'])
    const person = '/ops/v1/personnel/{id}'
    const paths: [sent: string, logged?: string][] = [
      ['/v1/personnel/ada@example.com', person],
      ['/v1/personnel/ada%40example.com', person],
      ['/v1/personnel/ada\uff20example.com/history', `${person}/history`],
      ['/v1/personnel/ada\ufe6bexample.com/risks', `${person}/risks`],
      [`/v1/personnel/${secret}`, person],
      ['/v1/projects/Ada%20Byron', '/ops/v1/projects/{idOrKey}'],
      ['/graphql?query={key{name}}', '/ops/graphql'],
      ['/v1/openapi.json', '/ops/v1/openapi.json'],
      ['/assets/graphiql-0/ada@example.com', '/ops/assets/{file}'],
      ['/assets/ada@example.com'],
      [`/v1/${secret}`],
      [`/v1/personnel/${'q'.repeat(15_000)}/b`],
      ['/ada@example.com'],
      ['/Ada%20Byron'],
    ]
    for (const [sent] of paths) await caller.get(sent)
    const text = gateway.log.join('')
    expect(linesOf(gateway).map(({ path }) => path)).toEqual(paths.map(([, logged]) => logged))
    expect(['example.com', 'Byron', secret, 'qqqq'].filter((word) => text.includes(word))).toEqual([])
  })

  test('has the beginning of a long name of an operation', async () => {
    const gateway = openGateway()
    const { caller } = await minted(gateway, [])
    await caller.graphql(`query ${'a'.repeat(20_000)} { apiKey { name } }`)
    expect(linesOf(gateway).at(-1)?.['operation']).toBe('a'.repeat(100))
  })

  test.each(['GET /v1/personnel', 'POST /graphql'])(
    'says why %s was refused with 401, and to which key',
    async (api) => {
      const gateway = openGateway()
      const [method, path = ''] = api.split(' ')
      const call = (authorization: string | undefined) => {
        const caller = gateway.with(authorization)
        return method === 'GET' ? caller.get(path) : caller.graphql(PEOPLE)
      }
      const expired = await minted(gateway, ['personnel.read'], NOW)
      const revoked = await minted(gateway, ['personnel.read'])
      await gateway.write((write) => revokeKey(write, revoked.id))
      for (const { caller } of [expired, revoked]) await call(caller.authorization)
      await call(undefined)
      await call('Bearer ops_unknown')
      const refused = { ...REQUEST, method, path, status: 401, code: 'UNAUTHENTICATED' }
      expect(linesOf(gateway)).toEqual([
        { ...refused, keyId: expired.id, reason: `This API key expired at ${NOW.toISOString()}.` },
        { ...refused, keyId: revoked.id, reason: `This API key was revoked at ${NOW.toISOString()}.` },
        { ...refused, reason: expect.stringMatching(/^An API key is needed\./) },
        { ...refused, reason: expect.stringMatching(/^This API key is not valid\./) },
      ])
    },
  )

  test('says which scope was missing, in both APIs, and of which key', async () => {
    const gateway = openGateway()
    const { id: keyId, caller } = await minted(gateway, ['projects.read'])
    await caller.get('/v1/personnel')
    await caller.graphql(`query Roster ${PEOPLE}`)
    const refused = {
      ...REQUEST,
      keyId,
      code: 'INSUFFICIENT_SCOPE',
      reason: 'This needs a key with the scope personnel.read.',
    }
    expect(linesOf(gateway)).toEqual([
      { ...refused, method: 'GET', path: '/v1/personnel', operation: 'listPersonnel', status: 403 },
      { ...refused, method: 'POST', path: '/graphql', operation: 'Roster', hash: HASH, status: 200 },
    ])
  })

  test.each(FAILURES)('says what failed in a query: $where', async ({ where, status, code, fail }) => {
    const { gateway, keyId, caller } = await openFailing(fail)
    const refused = await caller.graphql(PEOPLE)
    expect([refused.status, refused.body]).toEqual([
      status,
      { errors: [{ message: expect.any(String), extensions: { code } }] },
    ])
    expect(refused.text).not.toContain(GONE.message)
    expect(linesOf(gateway)).toEqual([
      {
        level: 50,
        requestId: refused.headers.get('request-id'),
        err: expect.objectContaining({ message: GONE.message }),
        msg: 'request failed',
      },
      {
        ...REQUEST,
        ...(where.startsWith('at the answer') && { keyId, operation: 'anonymous', hash: HASH }),
        ...{ method: 'POST', path: '/graphql', status, code },
      },
    ])
  })

  test('says what failed in a route', async () => {
    const { gateway, keyId, caller } = await openFailing(unread(GONE))
    const failed = await caller.get('/v1/personnel')
    expect(failed).toMatchProblem(500, 'INTERNAL')
    expect(failed.text).not.toContain(GONE.message)
    const requestId = failed.headers.get('request-id')
    expect(linesOf(gateway)).toEqual([
      { level: 50, requestId, err: expect.objectContaining({ message: GONE.message }), msg: 'request failed' },
      {
        ...REQUEST,
        keyId,
        method: 'GET',
        path: '/v1/personnel',
        operation: 'listPersonnel',
        status: 500,
        code: 'INTERNAL',
      },
    ])
  })

  test('has a line of its own for a slow request, and none for one that is not', async () => {
    const slow = openGateway({ slowMs: 0 })
    const { id: keyId, caller } = await minted(slow, ['personnel.read'])
    await caller.get('/v1/personnel')
    const [request, again, ...rest] = linesOf(slow)
    expect(rest).toEqual([])
    expect(again).toEqual({ ...request, level: 40, msg: 'slow request' })
    expect(request).toMatchObject({ keyId, operation: 'listPersonnel', msg: 'request' })
    const quick = openGateway({ slowMs: 600_000 })
    await (await minted(quick, ['personnel.read'])).caller.get('/v1/personnel')
    expect(linesOf(quick).map(({ msg }) => msg)).toEqual(['request'])
  })

  test('has the lines of one turn of the event loop in one write', async () => {
    const writes: string[] = []
    const stream = new Writable({ write: (chunk, _, done) => done(void writes.push(String(chunk))) })
    const log = createLog('info', stream as unknown as NodeJS.WriteStream)
    for (const requestId of ['1', '2', '3']) log.info({ requestId }, 'request')
    await setImmediate()
    const ids = writes.map((text) => text.match(/(?<="requestId":")\d/g))
    expect(ids).toEqual([['1', '2', '3']])
  })

  test('loses lines rather than memory when its reader has stalled', () => {
    const stalled = new Writable({ write: () => undefined })
    const log = createLog('info', stalled as unknown as NodeJS.WriteStream)
    for (let i = 0; i < 40_000; i++) log.info({ filler: 'x'.repeat(1_000) }, 'request')
    expect(stalled.writableLength).toBeGreaterThan(1_000_000)
    expect(stalled.writableLength).toBeLessThan(20_000_000)
  })
})

describe('readiness', () => {
  test('is 503 while the store cannot be read', async () => {
    const { store } = openGateway()
    const isReadable = { now: false }
    const version = () => (isReadable.now ? store.version() : Promise.reject(new Error('the disk is gone')))
    const gateway = openGateway({ store: { ...store, version } })
    const caller = gateway.with(undefined)
    const refused = await caller.get('/readyz')
    expect(refused).toMatchProblem(503, 'UNAVAILABLE')
    expect({ detail: refused.body.detail, retry: refused.headers.get('retry-after') }).toEqual({
      detail: 'The store cannot be read.',
      retry: '1',
    })
    // The cause is in the log, but not in the response.
    expect(linesOf(gateway)).toEqual([
      {
        level: 50,
        requestId: refused.headers.get('request-id'),
        err: expect.objectContaining({ message: 'the disk is gone' }),
        msg: 'request failed',
      },
      { ...REQUEST, method: 'GET', path: '/readyz', status: 503, code: 'UNAVAILABLE' },
    ])
    isReadable.now = true
    expect((await caller.get('/readyz')).body).toEqual(READY)
  })
})
