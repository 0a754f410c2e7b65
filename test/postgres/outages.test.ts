import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { migratePostgres } from '../../src/store/postgres/migrations.js'
import { reportFigure } from '../support/figures.js'
import { type Caller, type Gateway, openGateway, type TestResponse } from '../support/harness.js'
import { newFolder, operations, serve } from '../support/process.js'
import { callerOf, READY, READY_TO_READ } from '../support/service.js'
import { until } from '../support/sockets.js'
import { postgresStore } from '../support/stores.js'
import { newServer, type Server } from './server.js'
import { hangUp, rowsOf, valuesOf } from './sync.js'

/** A server that keeps what it has acknowledged, and that may be stopped without harm to other tests. */
let server: Server
let made = 0

beforeAll(async () => {
  server = await newServer({ isDurable: true })
}, 60_000)
afterAll(() => server.remove())

async function ownDatabase(): Promise<string> {
  made += 1
  rowsOf(server.url('postgres'), `create database own_${made}`)
  hangUp(server.url('postgres'))
  const url = server.url(`own_${made}`)
  await migratePostgres(url)
  return url
}

async function open(): Promise<{ gateway: Gateway; caller: Caller; url: string }> {
  const url = await ownDatabase()
  const gateway = openGateway(
    {},
    onTestFinished,
    postgresStore(url, () => hangUp(url)),
  )
  return { gateway, caller: await gateway.as('personnel.manage', 'projects.manage'), url }
}

const stored = (url: string) => valuesOf(url, 'select external_id from person order by 1').map(([id]) => String(id))

/** Adds people and reads the roster without a pause until stopped; returns the responses. */
function load(caller: Caller, workers = 6) {
  const added = new Map<string, number>()
  const others: TestResponse[] = []
  let isOver = false
  let count = 0
  const work = async () => {
    while (!isOver) {
      const externalId = `p-${count++}`
      const answer = await caller.post('/v1/personnel', { name: 'Ada', externalId })
      added.set(externalId, answer.status)
      if (answer.status !== 201) others.push(answer)
      const list = await caller.get('/v1/personnel?limit=3')
      if (list.status !== 200) others.push(list)
    }
  }
  const all = Promise.all(Array.from({ length: workers }, work))
  const having = (status: number) => [...added].flatMap(([id, got]) => (got === status ? [id] : []))
  return {
    others,
    having,
    async stop() {
      isOver = true
      await all
    },
  }
}

/** Every 201 is stored; a 503 may be; there is no other status, and no duplicate. */
function expectNothingLost(url: string, { others, having }: ReturnType<typeof load>): void {
  const there = stored(url)
  expect(new Set(there).size).toBe(there.length)
  expect(having(201).filter((id) => !there.includes(id))).toEqual([])
  expect(there.filter((id) => !having(201).includes(id) && !having(503).includes(id))).toEqual([])
  for (const answer of others) {
    expect(answer).toMatchProblem(503, 'UNAVAILABLE')
    expect(answer.headers.get('retry-after')).toBe('1')
  }
}

describe.each(['fast', 'immediate'] as const)('a server that is stopped (%s) and started again under load', (how) => {
  test('costs at most requests with 503: nothing is lost or done twice, and all goes on by itself', async () => {
    const { gateway, caller, url } = await open()
    const going = load(caller)
    await until(() => going.having(201).length > 20)
    hangUp(url)
    await server.stop(how)
    await sleep(500)
    expect(await caller.get('/v1/personnel')).toMatchProblem(503, 'UNAVAILABLE')
    expect(await gateway.with(undefined).get('/readyz')).toMatchProblem(503, 'UNAVAILABLE')
    expect((await gateway.with(undefined).get('/healthz')).status).toBe(200)
    await server.start()
    const before = going.having(201).length
    await until(() => going.having(201).length > before)
    await going.stop()
    expect((await caller.post('/v1/personnel', { name: 'Last', externalId: 'last' })).status).toBe(201)
    expect((await gateway.with(undefined).get('/readyz')).body).toEqual(READY)
    expect(stored(url)).toContain('last')
    rowsOf(url, "delete from person where external_id = 'last'")
    expectNothingLost(url, going)
  }, 60_000)
})

test('connections that are killed again and again cost at most requests with 503', async () => {
  const { caller, url } = await open()
  const going = load(caller)
  for (let i = 0; i < 15; i++) {
    await sleep(100)
    rowsOf(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )
  }
  await sleep(300)
  await going.stop()
  expect((await caller.get('/v1/personnel')).status).toBe(200)
  expect(going.others.length).toBeGreaterThan(0)
  expectNothingLost(url, going)
}, 60_000)

test('more readers than there are connections are refused with 503 when their time is up, and then served again', async () => {
  const { caller, url } = await open()
  await caller.get('/v1/key')
  rowsOf(url, 'begin; lock table person in access exclusive mode')
  const began = performance.now()
  const answers = await Promise.all(Array.from({ length: 40 }, () => caller.get('/v1/personnel')))
  const tookMs = performance.now() - began
  rowsOf(url, 'rollback')
  for (const answer of answers) expect(answer).toMatchProblem(503, 'UNAVAILABLE')
  expect(new Set(answers.map(({ body }) => body.detail))).toEqual(
    new Set(['The store is busy. Try again in a moment.']),
  )
  reportFigure('refused after', tookMs, 12_000, 'ms')
  expect((await caller.get('/v1/personnel')).status).toBe(200)
}, 30_000)

test('a standby is read and not written', async () => {
  const { gateway, caller, url } = await open()
  rowsOf(url, 'alter database current set default_transaction_read_only = on'.replace('current', `own_${made}`))
  rowsOf(
    url,
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  )
  await sleep(50)
  const refused = await caller.post('/v1/personnel', { name: 'Ada', externalId: 'a' })
  expect(refused).toMatchProblem(503, 'UNAVAILABLE')
  expect(refused.body.detail).toBe('The store cannot be written.')
  expect((await caller.get('/v1/personnel')).status).toBe(200)
  expect((await gateway.with(undefined).get('/readyz')).body).toEqual(READY_TO_READ)
})

test('three copies under load, one of them killed: whatever was acknowledged is there once, and the others go on', async () => {
  const env = { DATABASE_URL: await ownDatabase() }
  const folder = newFolder()
  const scopes = ['--scope', 'personnel.manage', '--scope', 'projects.manage']
  const minted = await operations(folder, ['keys', 'create', '--json', '--name', 'load', ...scopes], { env })
  const { id, key } = JSON.parse(minted.stdout)
  const copies = await Promise.all([0, 1, 2].map(() => serve(folder, ['--rate-limit', '0'], { env })))
  const callers = copies.map(({ origin }) => callerOf(origin, key))
  const outcome = new Map<string, number | 'nothing'>()
  let isOver = false
  let served = 0
  const work = async (copy: number, worker: number) => {
    for (let i = 0; !isOver; i++) {
      const externalId = `${copy}-${worker}-${i}`
      const answer = await callers[copy]?.add(externalId, { 'idempotency-key': externalId }).catch(() => undefined)
      outcome.set(externalId, answer?.status ?? 'nothing')
      if (!answer) return
      // A write acknowledged by one instance is visible in the next response of every other.
      const other = callers[(copy + 1) % 3]
      const shown = await other?.client.request(`/v1/personnel?externalId=${externalId}`).catch(() => undefined)
      if (!shown) continue
      expect({ status: shown.status, people: JSON.parse(shown.text).data.length }).toEqual({ status: 200, people: 1 })
      served += 1
    }
  }
  const all = Promise.all([0, 1, 2].flatMap((copy) => [0, 1].map((worker) => work(copy, worker))))
  await sleep(2_000)
  copies[1]?.child.kill('SIGKILL')
  const before = served
  await sleep(2_000)
  await until(() => served > before)
  isOver = true
  await all
  const there = stored(env.DATABASE_URL)
  const having = (status: number | 'nothing') => [...outcome].flatMap(([one, got]) => (got === status ? [one] : []))
  expect(having(201).filter((one) => !there.includes(one))).toEqual([])
  expect(having(201).length + having('nothing').length).toBe(outcome.size)
  expect(new Set(there).size).toBe(there.length)

  // A request without a response is repeated at another instance with the same token, and stored once.
  for (const one of having('nothing')) {
    const again = await callers[0]?.add(one, { 'idempotency-key': one })
    expect(again?.status).toBe(201)
  }
  expect(stored(env.DATABASE_URL).sort()).toEqual([...outcome.keys()].sort())

  expect((await operations(folder, ['keys', 'revoke', id], { env })).code).toBe(0)
  for (const copy of [0, 2]) expect((await callers[copy]?.client.request('/v1/key'))?.status).toBe(401)
  hangUp(env.DATABASE_URL)
}, 60_000)
