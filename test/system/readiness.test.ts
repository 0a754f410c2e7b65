import { renameSync, truncateSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { HEALTH_EVERY_MS } from '../../src/store/coalesce.js'
import { engine } from '../support/engine.js'
import { openGateway } from '../support/harness.js'
import { openService, READY, READY_TO_READ } from '../support/service.js'
import { until } from '../support/sockets.js'

test('readiness checks the store at most once a second, for any number of requests', async () => {
  const gateway = openGateway()
  const caller = gateway.with(undefined)
  gateway.statements()
  const began = performance.now()
  const together = await Promise.all(Array.from({ length: 30 }, () => caller.get('/readyz')))
  for (let i = 0; i < 30; i++) together.push(await caller.get('/readyz'))
  const looksMax = 1 + Math.ceil((performance.now() - began) / HEALTH_EVERY_MS)
  expect(together.filter(({ status }) => status !== 200)).toEqual([])
  const looks = gateway.statements().filter((sql) => /begin immediate|pg_database_size/.test(sql))
  expect(looks.length).toBeGreaterThan(0)
  expect(looks.length).toBeLessThanOrEqual(looksMax)
})

test.runIf(engine === 'sqlite')('readiness notices by itself that the store is no longer where it was', async () => {
  const gateway = openGateway()
  const caller = gateway.with(undefined)
  expect((await caller.get('/readyz')).body).toEqual(READY)
  renameSync(gateway.own.file, `${gateway.own.file}.moved`)
  await sleep(HEALTH_EVERY_MS)
  expect((await caller.get('/readyz')).body).toEqual(READY_TO_READ)
  renameSync(`${gateway.own.file}.moved`, gateway.own.file)
  await sleep(HEALTH_EVERY_MS)
  expect((await caller.get('/readyz')).body).toEqual(READY)
})

test.runIf(engine === 'sqlite')(
  'readiness is 503 once the file of the store has been emptied, and the process lives',
  async () => {
    const { client, own, readiness } = await openService()
    expect(await readiness()).toEqual(READY)
    truncateSync(own.file)
    // The update of the key's last use meets the failure.
    await client.request('/v1/key')
    await until(async () => (await client.request('/readyz')).status !== 200)
    const query = { method: 'POST', body: JSON.stringify({ query: '{ personnel(first: 1) { nodes { name } } }' }) }
    const statuses = await Promise.all([
      client.request('/healthz'),
      client.request('/readyz'),
      client.request('/v1/personnel'),
      client.request('/graphql', query),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([200, 503, 503, 503])
  },
)
