import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Fault } from '../../src/errors.js'
import { createMetrics } from '../../src/http/observe/metrics.js'
import type { Store } from '../../src/store/store.js'
import { Client } from '../campaigns/client.js'
import { engine } from '../support/engine.js'
import { openGateway } from '../support/harness.js'
import { newFolder } from '../support/process.js'
import { openService } from '../support/service.js'
import { until } from '../support/sockets.js'

const PEOPLE = '{ personnel(first: 1) { nodes { name } } }'

test('the metrics are at an address of their own alone, and move with what happens', async () => {
  const { client, metrics, add, origin } = await openService({ args: ['--metrics-port', '0'] })
  expect(metrics).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
  const watching = new Client(new URL(metrics).origin, undefined, 1)
  const read = async () => samplesOf((await watching.request('/metrics')).text)
  expect((await client.request('/metrics')).status).toBe(404)
  for (const path of ['/', '/v1/personnel', '/healthz']) expect((await watching.request(path)).status).toBe(404)
  expect((await watching.request('/metrics', { method: 'POST' })).status).toBe(404)

  const before = await read()
  expect((await add('a')).status).toBe(201)
  expect((await add('a')).status).toBe(409)
  expect((await new Client(origin, 'ops_wrong', 1).request('/v1/personnel')).status).toBe(401)
  for (const name of ['Mine', 'Yours', 'listPeople']) {
    const body = JSON.stringify({ query: `query ${name} ${PEOPLE}` })
    expect((await client.request('/graphql', { method: 'POST', body })).status).toBe(200)
  }
  for (const query of ['{ __schema { queryType { name } } }', '{ personnel(first: 0) { nodes { id } } }']) {
    await client.request('/graphql', { method: 'POST', body: JSON.stringify({ query }) })
  }
  const after = await read()
  const moved = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  const requests = (labels: string) => `operations_request_duration_seconds_count{${labels}}`
  expect(moved(requests('operation="addPerson",method="POST",status="201"'))).toBe(1)
  expect(moved(requests('operation="addPerson",method="POST",status="409"'))).toBe(1)
  expect(moved(requests('operation="graphql",method="POST",status="200"'))).toBe(5)
  expect(moved('operations_refusals_total{code="CONFLICT"}')).toBe(1)
  expect(moved('operations_refusals_total{code="UNAUTHENTICATED"}')).toBe(1)
  expect(moved('operations_statements_total')).toBeGreaterThan(3)
  // PostgreSQL has no log size here; the store is checked once a second.
  if (engine === 'sqlite') await until(async () => Number((await read()).get('operations_store_log_bytes')) > 0)
  expect(after.get('operations_store_bytes')).toBeGreaterThan(100_000)
  expect(after.get('operations_waiting_writes')).toBe(0)
  expect(after.get('operations_store_writable')).toBe(1)
  expect(after.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
  expect(after.get('process_open_fds')).toBeGreaterThan(10)
  expect(after.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  const labels = new Set([...after.keys()].flatMap((name) => /operation="([^"]*)"/.exec(name)?.[1] ?? []))
  expect([...labels].sort()).toEqual(['addPerson', 'graphql', 'none'])
  watching.close()
})

test.each<[string, (text: string) => unknown]>([
  ['texts by any names', (text) => ({ any: text })],
  ['the manifest of Apollo Client', (body) => ({ format: 'apollo-persisted-query-manifest', operations: [{ body }] })],
])('a document that the operator has stored is known by its hash, and its operations are labels: %s', async (_, as) => {
  const folder = newFolder()
  const query = `query Roster ${PEOPLE} query listPersonnel ${PEOPLE}`
  writeFileSync(join(folder, 'documents.json'), JSON.stringify(as(query)))
  const args = ['--metrics-port', '0', '--documents', 'documents.json']
  const { client, metrics } = await openService({ folder, args })
  const send = async (body: unknown) =>
    (await client.request('/graphql', { method: 'POST', body: JSON.stringify(body) })).status
  const sha256Hash = createHash('sha256').update(query).digest('hex')
  const persisted = { extensions: { persistedQuery: { version: 1, sha256Hash } } }
  // Twice: the second response is from the cache.
  for (const operationName of ['Roster', 'Roster', 'listPersonnel']) {
    expect(await send({ ...persisted, operationName })).toBe(200)
  }
  for (const name of ['Roster', 'listPersonnel']) expect(await send({ query: `query ${name} ${PEOPLE}` })).toBe(200)
  const samples = samplesOf(await (await fetch(metrics)).text())
  const counted = [...samples].flatMap(([name, value]) => {
    const [, operation] = /duration_seconds_count\{operation="([^"]+)"/.exec(name) ?? []
    return operation ? [[operation, value]] : []
  })
  expect(Object.fromEntries(counted)).toEqual({ 'graphql:Roster': 2, 'graphql:listPersonnel': 1, graphql: 2 })
})

/** The metrics of a store with this health. */
async function metricsOf(health: Store['health']): Promise<{ status: number; samples: Map<string, number> }> {
  const { store } = openGateway()
  const server = createServer(createMetrics({ ...store, health }).listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  return { status: response.status, samples: samplesOf(await response.text()) }
}

test.each<[string, Store['health']]>([
  ['cannot be reached', () => Promise.reject(new Fault('UNAVAILABLE', 'The store cannot be reached.'))],
  ['does not answer', () => new Promise(() => undefined)],
])('the metrics are there while the store %s, and say that it cannot be written', async (_, health) => {
  const { status, samples } = await metricsOf(health)
  expect([status, samples.get('operations_store_writable')]).toEqual([200, 0])
  expect(samples.get('process_open_fds')).toBeGreaterThan(10)
})

/** Each sample by its name and labels. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

test('what the alerts watch rises: waiting writes, 503s, the rate limit and connections', async () => {
  const { metrics, add, own, client } = await openService({ args: ['--metrics-port', '0', '--rate-limit', '60'] })
  const watching = new Client(new URL(metrics).origin, undefined, 1)
  onTestFinished(() => watching.close())
  const read = async (name: string) => samplesOf((await watching.request('/metrics')).text).get(name) ?? 0
  const refused = (code: string) => read(`operations_refusals_total{code="${code}"}`)
  const failed = () =>
    read('operations_request_duration_seconds_count{operation="addPerson",method="POST",status="503"}')
  expect([await refused('UNAVAILABLE'), await failed(), await refused('RATE_LIMITED')]).toEqual([0, 0, 0])
  const letGo = own.hold()
  const waiting = ['a', 'b', 'c'].map((externalId) => add(externalId))
  // The first use of the key is written too.
  await until(async () => (await read('operations_waiting_writes')) >= waiting.length)
  expect(await read('operations_connections')).toBe(waiting.length)
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  letGo()
  expect(statuses).toEqual([503, 503, 503])
  expect([await refused('UNAVAILABLE'), await failed()]).toEqual([3, 3])
  await until(async () => (await client.request('/v1/key')).status === 429)
  expect(await refused('RATE_LIMITED')).toBe(1)
})

test('a request that reads for too long counts among the refusals', async () => {
  const { metrics, client } = await openService({ args: ['--metrics-port', '0', '--deadline-ms', '1'] })
  expect((await client.request('/v1/personnel')).status).toBe(503)
  const samples = samplesOf(await (await fetch(metrics)).text())
  expect(samples.get('operations_refusals_total{code="DEADLINE_EXCEEDED"}')).toBe(1)
})
