import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import type { Store } from '../../src/store/store.js'
import { engine } from '../support/engine.js'
import { NOW, openGateway } from '../support/harness.js'
import { newStore, type TestStore } from '../support/stores.js'

const RENAMED = "update person set name = 'Countess'"

/** A store with Ada, and another connection that renames her just before the `n`th statement that reads her. */
async function openMoving(n: number) {
  const own = newStore()
  let shown = 0
  let isOn = false
  const onStatement = (sql: string) => {
    if (!isOn || !/^select .*"person"/s.test(sql)) return
    shown += 1
    if (shown === n) own.run(RENAMED)
  }
  const open: TestStore['open'] = (given = {}) =>
    own.open({
      ...given,
      onStatement: (sql, values) => {
        given.onStatement?.(sql, values)
        onStatement(sql)
      },
    })
  const moving: TestStore = Object.create(own, { open: { value: open } })
  const gateway = openGateway({ responseCacheBytesMax: 0 }, onTestFinished, moving)
  const { id } = await gateway.write((write) => addPerson(write, { name: 'Ada', externalId: '1815' }))
  const caller = await gateway.as('personnel.read')
  return {
    caller,
    id,
    begin: () => {
      isOn = true
    },
    seen: () => shown,
  }
}

const QUERY = `query ($id: ID!, $r: [_Any!]!) {
  person(id: $id) { name }
  personnel(first: 2) { nodes { name } }
  _entities(representations: $r) { ... on Person { name } }
}`

test.each([2, 3, 4])('all root fields are from one snapshot, despite a write before statement %i', async (n) => {
  const { caller, id, begin, seen } = await openMoving(n)
  const variables = {
    id,
    r: [
      { __typename: 'Person', id },
      { __typename: 'Person', externalId: '1815' },
    ],
  }
  await caller.graphql(QUERY, variables)
  begin()
  const { body } = await caller.graphql(QUERY, variables)
  expect(seen()).toBe(4)
  const ada = { name: 'Ada' }
  expect(body).toEqual({ data: { person: ada, personnel: { nodes: [ada] }, _entities: [ada, ada] } })
  const { body: later } = await caller.graphql(QUERY, variables)
  expect(later.data.person).toEqual({ name: 'Countess' })
})

const NAME = { text: 'select name from person', values: [], isHeavy: true }
const LONG = {
  text: 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000000) select count(*) from n',
  values: [],
  isHeavy: true,
}

test.runIf(engine === 'sqlite')('a read worker reads what belongs together at one instant', async () => {
  const own = newStore()
  const store: Store = own.open({ inPlaceRowsMax: 0 })
  onTestFinished(async () => {
    await store.close()
    own.remove()
  })
  await store.write({ by: 'cli', at: () => NOW }, (write) => addPerson(write, { name: 'Ada', externalId: '1815' }))
  // Start the worker before the measurement.
  expect(await store.read.rows(NAME)).toEqual([['Ada']])
  const ADA = [['Ada']]
  const renamedMeanwhile = async () => {
    own.run("update person set name = 'Ada'")
    const together = store.read.rowsTogether([NAME, LONG, NAME])
    await sleep(50)
    own.run(RENAMED)
    return together
  }
  let read = await renamedMeanwhile()
  // On a busy machine she may be renamed before the worker begins.
  while (!isDeepStrictEqual(read[0], ADA)) read = await renamedMeanwhile()
  expect(read).toEqual([ADA, [[1_000_000]], ADA])
  expect(await store.read.rows(NAME)).toEqual([['Countess']])
})
