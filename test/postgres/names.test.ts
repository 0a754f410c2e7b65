import { expect, onTestFinished, test } from 'vitest'
import { NAMED_MAX } from '../../src/store/postgres/session.js'
import type { Store } from '../../src/store/store.js'
import { openGateway } from '../support/harness.js'
import { newStore } from '../support/stores.js'

/** In sequence, so that all statements run on one connection. */
async function runTimes(store: Store, text: string, times: number): Promise<unknown[][]> {
  let rows: unknown[][] = []
  for (let i = 0; i < times; i++) rows = await store.read.rows({ text, values: [7], hasStablePlan: true })
  return rows
}

/** The prepared statements of the store's reading connection. */
async function kept(store: Store): Promise<string[]> {
  const rows = await store.read.rows({ text: 'select statement from pg_prepared_statements', values: [] })
  return rows.map(([statement]) => String(statement)).filter((statement) => !statement.includes('pg_prepared'))
}

function open() {
  const own = newStore('postgres')
  const store = own.open()
  onTestFinished(async () => {
    await store.close()
    own.remove()
  })
  return { own, store }
}

test('a statement that comes again is kept by its connection, and one that came once is not', async () => {
  const { store } = open()
  expect(await runTimes(store, 'select $1::integer + 1', 3)).toEqual([[8]])
  await runTimes(store, 'select $1::integer + 2', 1)
  expect(await kept(store)).toEqual(['select $1::integer + 1'])
})

test('a connection keeps a bounded number of prepared statements, and others still run', async () => {
  const { store } = open()
  for (let i = 0; i < NAMED_MAX + 50; i++)
    expect(await runTimes(store, `select $1::integer + ${i}`, 2)).toEqual([[7 + i]])
  expect(await kept(store)).toHaveLength(NAMED_MAX)
})

test('a statement that is best planned for its values, and a very long one, are not kept', async () => {
  const { store } = open()
  for (let i = 0; i < 3; i++) await store.read.rows({ text: 'select $1::integer', values: [7] })
  expect(await runTimes(store, `select $1::integer + 1 ${'--'.repeat(5_000)}`, 3)).toEqual([[8]])
  expect(await kept(store)).toEqual([])
})

test('behind a lost connection the next one begins without names', async () => {
  const { own, store } = open()
  await runTimes(store, 'select $1::integer + 1', 3)
  own.run(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await expect.poll(() => kept(store).catch(() => 'lost')).toEqual([])
  expect(await runTimes(store, 'select $1::integer + 1', 3)).toEqual([[8]])
  expect(await kept(store)).toEqual(['select $1::integer + 1'])
})

test('a statement still runs when its prepared form is gone, or no longer fits the table', async () => {
  const { own, store } = open()
  await runTimes(store, 'select $1::integer + 1', 3)
  await store.read.rows({ text: 'deallocate all', values: [] })
  expect(await runTimes(store, 'select $1::integer + 1', 2)).toEqual([[8]])

  own.run('create table note (number integer); insert into note values (7)')
  try {
    const noted = 'select number from note where number::integer = $1'
    expect(await runTimes(store, noted, 3)).toEqual([[7]])
    own.run('alter table note alter column number type text')
    expect(await runTimes(store, noted, 2)).toEqual([['7']])
  } finally {
    own.run('drop table note')
  }
})

test('pages without a filter and single rows have kept plans, and filtered pages are planned for their values', async () => {
  const gateway = openGateway({ responseCacheBytesMax: 0 }, undefined, newStore('postgres'))
  const caller = await gateway.as('personnel.manage', 'projects.read')
  const { body } = await caller.post('/v1/personnel', { name: 'Ada', externalId: 'a' })
  const lists = ['/v1/personnel?limit=7', '/v1/risks?limit=7', '/v1/issues?limit=7', `/v1/personnel/${body.id}`]
  const all = [...lists, '/v1/risks?limit=7&status=OPEN', '/v1/personnel?limit=7&search=a']
  // A connection keeps what it has seen twice, and the store's own reads may occupy one of them meanwhile.
  const keptPlans = async () => {
    for (const path of all) expect((await caller.get(path)).status).toBe(200)
    // Keys and versions are looked up too.
    const statements = (await kept(gateway.store)).filter((statement) => !/api_key|revision/.test(statement))
    return statements.map((statement) => statement.slice(statement.lastIndexOf(' where '))).sort()
  }
  for (let i = 0; i < 3; i++) await keptPlans()
  await expect
    .poll(keptPlans)
    .toEqual([
      ' where "issue"."live" = $4 order by "issue"."standing", "issue"."raised_on", "issue"."id" limit 7) "r1"',
      ' where "person"."status" = $4 order by "person"."name_folded", "person"."id" limit 7) "r1"',
      ' where "r1"."id" = $1 limit 1',
      ' where "risk"."live" = $4 order by "risk"."standing", "risk"."raised_on", "risk"."id" limit 7) "r1"',
    ])
})
