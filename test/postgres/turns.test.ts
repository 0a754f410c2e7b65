import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { PATIENCE_MS } from '../../src/store/fairQueue.js'
import { openFilled } from '../support/harness.js'

/** The tables of the statements that read a page of risks or groups, in the order in which they were sent. */
const tablesIn = (statements: readonly string[]) =>
  statements.flatMap((sql) => /from "(risk|groups)"/.exec(sql)?.[1] ?? [])

const PATIENT_MS = 60_000

test('connections are lent to keys in turns: one alone may have all of them, but not while another waits', async () => {
  // On a busy machine it may take longer until all of them wait than reads and locks are waited for.
  const { storeBusyMs, deadlineMs } = LIMITS
  onTestFinished(() => void Object.assign(LIMITS, { storeBusyMs, deadlineMs }))
  Object.assign(LIMITS, { storeBusyMs: PATIENT_MS, deadlineMs: PATIENT_MS })
  const { gateway } = await openFilled()
  const [many, few] = [await gateway.as('projects.read'), await gateway.as('personnel.read')]
  // What is counted for prices is known from now on.
  expect([(await many.get('/v1/risks?limit=50')).status, (await few.get('/v1/groups?limit=50')).status]).toEqual([
    200, 200,
  ])
  gateway.statements()
  gateway.own.run('begin; lock table risk in access exclusive mode')
  const alone = 2 * LIMITS.storeConnectionsMax + 2
  const reads = Array.from({ length: alone }, (_, i) => many.get(`/v1/risks?limit=${i + 1}`))
  const sent: string[] = []
  const isBlocked = () => sent.push(...tablesIn(gateway.statements())) >= LIMITS.storeConnectionsMax
  await expect.poll(isBlocked, { interval: 5 }).toBe(true)
  const others = [1, 2, 3].map((rows) => few.get(`/v1/groups?limit=${rows}`))
  await sleep(2 * PATIENCE_MS)
  const refused = await many.get('/v1/risks?limit=49')
  expect(refused).toMatchProblem(503, 'UNAVAILABLE')
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.body.detail).toMatch(/^12 requests of this key are waiting already, and other keys wait too\./)
  gateway.own.run('rollback')
  const statuses = (await Promise.all([...reads, ...others])).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  sent.push(...tablesIn(gateway.statements()))
  const risks = (count: number) => Array.from({ length: count }, () => 'risk')
  expect(sent).toEqual([...risks(10), 'groups', 'groups', 'groups', ...risks(alone - 10)])
})
