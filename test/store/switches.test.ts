import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { openStore } from '../../src/store/open.js'
import { engine } from '../support/engine.js'
import { openFilled, openGateway, openPlain } from '../support/harness.js'
import { copyOf, newStore } from '../support/stores.js'

const isInWorker = (sql: string) => sql.includes('still_wanted')

test.runIf(engine === 'sqlite')('without read workers everything is read in place, and the same', async () => {
  const { gateway } = await openFilled()
  const own = copyOf(gateway.own)
  const heavy = { ...own, open: () => own.open({ onStatement: (sql) => statements.push(sql), inPlaceRowsMax: 0 }) }
  const statements: string[] = []
  const withWorkers = await openGateway({}, onTestFinished, heavy).as('projects.read')
  const plain = openPlain(onTestFinished, copyOf(gateway.own))
  const inPlace = await plain.as('projects.read')
  for (const path of ['/v1/risks', '/v1/risks?search=e&total=true', '/v1/issues']) {
    expect((await inPlace.get(path)).text).toBe((await withWorkers.get(path)).text)
  }
  expect(statements.filter(isInWorker).length).toBeGreaterThan(2)
  expect(plain.statements().filter(isInWorker)).toEqual([])
})

test('without read workers, too, nothing is read after the deadline', async () => {
  const { store } = openPlain()
  const statement = { text: 'select 1', values: [], isHeavy: true }
  const inTime = store.reading({ deadline: { deadlineAt: performance.now() + 10_000 } })
  expect(await inTime.rowsTogether([statement, statement])).toEqual([[[1]], [[1]]])
  const late = store.reading({ deadline: { deadlineAt: performance.now() - 1 } })
  for (const reading of [() => late.rows(statement), () => late.rowsTogether([statement])]) {
    await expect(reading()).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  }
})

test('without a response cache the second response is read again', async () => {
  for (const [gateway, isCached] of [
    [openGateway(), [false, true]],
    [openPlain(), [false, false]],
  ] as const) {
    const caller = await gateway.as('projects.read')
    for (let i = 0; i < 2; i++) expect((await caller.get('/v1/risks')).status).toBe(200)
    expect(gateway.log.map((line) => JSON.parse(line).isCached)).toEqual(isCached)
  }
})

const WRITES = 16

test.each([
  [undefined, 1, 4],
  [4, 4, WRITES - 1],
  [1, WRITES, WRITES],
])('of writes that wait, %s at most are committed together', async (writesTogether, least, most) => {
  const own = newStore()
  const store = await openStore(own.url, { writesTogether })
  // Raised once by each transaction.
  const counter = () => Number(own.values('select personnel from revision')[0]?.[0])
  onTestFinished(async () => {
    await store.close()
    own.remove()
  })
  const before = counter()
  const letGo = own.hold()
  const writes = Array.from({ length: WRITES }, (_, i) =>
    store.write({ by: 'key_test', at: () => new Date() }, (write) =>
      addPerson(write, { name: 'Ada', externalId: `e${i}` }),
    ),
  )
  await sleep(30)
  letGo()
  await Promise.all(writes)
  const commits = counter() - before
  expect(commits).toBeGreaterThanOrEqual(least)
  expect(commits).toBeLessThanOrEqual(most)
  expect(own.values('select count(*) from person').map(([count]) => Number(count))).toEqual([WRITES])
})
