import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { hangUp, rowsOf, valuesOf } from '../postgres/sync.js'
import { type Caller, openGateway, type TestResponse } from '../support/harness.js'
import { postgresStore } from '../support/stores.js'
import { openPgbouncer } from './pgbouncer.js'
import { openServer } from './stage.js'

const UNKNOWN =
  'The connection was lost while this was being stored. It may or may not be stored: check before you send it again.'

/** Ways to add people, and the expected error. */
const WAYS: Record<string, (caller: Caller, externalId: string) => Promise<TestResponse>> = {
  REST: (caller, externalId) => caller.post('/v1/personnel', { name: 'Ada', externalId }),
  GraphQL: (caller, externalId) =>
    caller.graphql(`mutation { addPerson(input: { name: "Ada", externalId: "${externalId}" }) { id } }`),
}

function messageOf({ body }: TestResponse): string {
  return body.detail ?? body.errors[0].message
}

/** A service with a direct connection or through pgbouncer; the connection to the server can be cut. */
async function openWay(way: 'directly' | 'through pgbouncer') {
  const { server, proxy, database } = await openServer()
  const url = way === 'directly' ? proxy.url : await openPgbouncer(Number(new URL(proxy.url('x')).port), 'transaction')
  const own = postgresStore(url(database), () => hangUp(server.url(database)))
  const gateway = openGateway({}, onTestFinished, own)
  const people = () => valuesOf(server.url(database), 'select external_id from person').flat()
  return { server, proxy, people, url: server.url(database), caller: await gateway.as('personnel.manage') }
}

const BOTH = ['directly', 'through pgbouncer'] as const
const CASES = BOTH.flatMap((way) => Object.keys(WAYS).map((name) => [name, way] as const))

test.each(CASES)(
  'by %s, %s: a commit whose result is lost may or may not be stored, and the error says so',
  async (name, way) => {
    const { proxy, people, caller } = await openWay(way)
    const add = WAYS[name] as (typeof WAYS)[string]
    expect((await add(caller, 'before')).status).toBeLessThan(300)
    proxy.onSent = (bytes) => bytes.includes('; commit')
    const answer = await add(caller, 'cut')
    proxy.onSent = () => false
    expect(messageOf(answer)).toBe(UNKNOWN)
    expect(people()).toEqual(['before', 'cut'])
    expect((await add(caller, 'after')).status).toBeLessThan(300)
  },
)

test.each(CASES)('by %s, %s: so does one whose server is shut down meanwhile', async (name, way) => {
  const { people, caller, url } = await openWay(way)
  const add = WAYS[name] as (typeof WAYS)[string]
  expect((await add(caller, 'before')).status).toBeLessThan(300)
  // A commit that waits for a missing synchronous standby is already stored.
  rowsOf(url, "alter system set synchronous_standby_names = 'nobody'")
  rowsOf(url, 'select pg_reload_conf()')
  let answer: TestResponse | undefined
  add(caller, 'cut').then((given) => {
    answer = given
  })
  // The update of the key's last use may come first.
  while (!answer) {
    rowsOf(url, "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")
    await sleep(50)
  }
  expect(messageOf(answer)).toBe(UNKNOWN)
  // It becomes visible when its backend has ended.
  await expect.poll(people).toEqual(['before', 'cut'])
})

test.each(BOTH)('%s: each write whose commit is lost reports it, and one that was refused does not', async (way) => {
  const { proxy, people, caller, url } = await openWay(way)
  const add = (externalId: string) => caller.post('/v1/personnel', { name: 'Ada', externalId })
  expect((await add('before')).status).toBe(201)
  rowsOf(url, 'begin; lock table revision in exclusive mode')
  // The first write waits for the lock alone; the refused one is in the batch that forms behind it.
  const names = Array.from({ length: 16 }, (_, i) => `e${i}`)
  const [first = '', ...others] = names
  const adding = [first, 'before', ...others].map(add)
  await sleep(500)
  proxy.onSent = (bytes) => bytes.includes('; commit')
  rowsOf(url, 'commit')
  const answers = await Promise.all(adding)
  proxy.onSent = () => false
  expect(answers.map(messageOf)).toEqual([UNKNOWN, 'The store cannot be reached.', ...others.map(() => UNKNOWN)])
  await expect.poll(() => people().sort()).toEqual(['before', ...names].sort())
})

test('a connection that is lost before the commit has stored nothing, and the error says only that', async () => {
  const { proxy, people, caller } = await openWay('directly')
  expect((await caller.post('/v1/personnel', { name: 'Ada', externalId: 'before' })).status).toBe(201)
  proxy.onSent = (bytes) => bytes.includes('insert into "person"')
  const answer = await caller.post('/v1/personnel', { name: 'Ada', externalId: 'cut' })
  proxy.onSent = () => false
  expect(messageOf(answer)).toBe('The store cannot be reached.')
  expect(people()).toEqual(['before'])
})
