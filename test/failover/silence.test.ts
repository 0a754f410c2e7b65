import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { HEALTH_EVERY_MS } from '../../src/store/coalesce.js'
import { hangUp, valuesOf } from '../postgres/sync.js'
import { reportFigure } from '../support/figures.js'
import type { Caller, Gateway, TestResponse } from '../support/harness.js'
import { newFolder, operations, serve } from '../support/process.js'
import { READY } from '../support/service.js'
import { openBehindProxy, openServer } from './stage.js'

const WAIT_MAX_MS = 10_000
const RECOVERY_MAX_MS = 15_000

interface Timed {
  readonly answer: TestResponse
  readonly ms: number
}

async function timed(sent: Promise<TestResponse>): Promise<Timed> {
  const began = performance.now()
  const answer = await sent
  return { answer, ms: performance.now() - began }
}

/** Sends all kinds of requests, four times a second, until stopped. */
function keepRequesting(gateway: Gateway, caller: Caller) {
  const all: Promise<Timed>[] = []
  let count = 0
  const send = () => {
    count += 1
    all.push(
      timed(caller.get('/v1/personnel')),
      timed(caller.get(`/v1/personnel?limit=${1 + (count % 900)}`)),
      timed(caller.post('/v1/personnel', { name: 'Ada', externalId: `p-${count}` })),
      timed(caller.graphql(`{ groups(first: ${1 + (count % 900)}) { nodes { id } } }`)),
      timed(gateway.with(undefined).get('/readyz')),
    )
  }
  const timer = setInterval(send, 250)
  return async () => {
    clearInterval(timer)
    return Promise.all(all)
  }
}

/** Every request got a response or a 503, and none waited long. */
function expectPrompt(answers: readonly Timed[]): void {
  const late = answers.filter(({ ms }) => ms >= WAIT_MAX_MS)
  expect(late.map(({ answer, ms }) => [ms, answer.text])).toEqual([])
  const others = answers.filter(({ answer }) => ![200, 201, 503].includes(answer.status))
  expect(others.map(({ answer }) => answer.text)).toEqual([])
}

async function recoveryMs(caller: Caller): Promise<number> {
  const began = performance.now()
  for (let i = 0; ; i++) {
    const answers = await Promise.all([
      caller.get(`/v1/personnel?limit=${901 + i}`),
      caller.post('/v1/personnel', { name: 'Ada', externalId: `after-${i}` }),
    ])
    if (answers.every(({ status }) => status < 300)) return performance.now() - began
    if (performance.now() - began > 60_000) return Number.POSITIVE_INFINITY
    await sleep(200)
  }
}

/** Some connections of each kind. */
async function warmUp(caller: Caller): Promise<void> {
  await Promise.all(Array.from({ length: 20 }, (_, i) => caller.get(`/v1/personnel?limit=${i + 1}`)))
  expect((await caller.post('/v1/personnel', { name: 'First', externalId: 'first' })).status).toBe(201)
}

const BACKENDS = "select pid from pg_stat_activity where application_name = 'operations' and pid <> pg_backend_pid()"

test.each([
  ['reads', "query like '%person%'"],
  ['looks at the versions', "query like '%from revision'"],
  ['writes', "query like '%commit' or query like '%lock table%'"],
])('one frozen backend that %s is thrown away, and all goes on without it', async (_, which) => {
  const { server, gateway, database } = await openBehindProxy()
  const caller = await gateway.as('personnel.manage')
  await warmUp(caller)
  const pids = valuesOf(server.url(database), `${BACKENDS} and (${which}) limit 1`).flat().map(Number)
  hangUp(server.url(database))
  expect(pids).toHaveLength(1)
  for (const pid of pids) {
    process.kill(pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(pid, 'SIGCONT'))
  }
  const stop = keepRequesting(gateway, caller)
  // While it stays frozen.
  await sleep(WAIT_MAX_MS)
  reportFigure('served again after', await recoveryMs(caller), RECOVERY_MAX_MS, 'ms')
  expectPrompt(await stop())
})

test('a host that is lost without a word costs 503s in time, and is used again when it is back', async () => {
  const { proxy, gateway } = await openBehindProxy()
  const caller = await gateway.as('personnel.manage')
  await warmUp(caller)
  const stop = keepRequesting(gateway, caller)
  await sleep(1_000)
  proxy.freeze()
  await sleep(14_000)
  const answers = stop()
  proxy.thaw()
  reportFigure('served again after', await recoveryMs(caller), RECOVERY_MAX_MS, 'ms')
  expectPrompt(await answers)
  expect((await answers).some(({ answer }) => answer.status === 503)).toBe(true)
  expect((await gateway.with(undefined).get('/readyz')).body).toEqual(READY)
})

/** A served process whose connection to the database can be broken, and its key. */
async function serveBehindProxy() {
  const { server, proxy, database } = await openServer()
  const folder = newFolder()
  const env = { DATABASE_URL: server.url(database) }
  const create = ['keys', 'create', '--json', '--name', 'load', '--scope', 'personnel.manage']
  const { key } = JSON.parse((await operations(folder, create, { env })).stdout)
  const served = await serve(folder, ['--metrics-port', '0'], { env: { DATABASE_URL: proxy.url(database) } })
  const headers = { authorization: `Bearer ${key}` }
  const statusOf = (path: string) => fetch(`${served.origin}${path}`, { headers }).then(({ status }) => status)
  expect(await statusOf('/v1/personnel')).toBe(200)
  return { ...served, server, proxy, statusOf }
}

test('a server is stopped in its time while its database is silent', async () => {
  const { child, proxy, statusOf } = await serveBehindProxy()
  proxy.freeze()
  const sent = statusOf('/v1/personnel?limit=7')
  await sleep(100)
  const began = performance.now()
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  reportFigure('stopped after', performance.now() - began, LIMITS.shutdownMs, 'ms')
  expect([code, await sent]).toEqual([0, 503])
})

test('the metrics are there within a second while the database is silent, stopped and back', async () => {
  const { server, proxy, metrics } = await serveBehindProxy()
  const read = async () => {
    const began = performance.now()
    const response = await fetch(metrics)
    const [, writable] = /^operations_store_writable (\d)$/m.exec(await response.text()) ?? []
    return { status: response.status, writable, isPrompt: performance.now() - began < 1_000 }
  }
  expect(await read()).toEqual({ status: 200, writable: '1', isPrompt: true })
  proxy.freeze()
  // The last version check is valid for that long.
  await sleep(HEALTH_EVERY_MS)
  expect(await read()).toEqual({ status: 200, writable: '0', isPrompt: true })
  proxy.thaw()
  proxy.cut()
  await server.stop('fast')
  await sleep(HEALTH_EVERY_MS)
  expect(await read()).toEqual({ status: 200, writable: '0', isPrompt: true })
  await server.start()
  await expect.poll(read, { timeout: RECOVERY_MAX_MS }).toEqual({ status: 200, writable: '1', isPrompt: true })
})
