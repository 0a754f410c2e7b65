import { EventEmitter, once } from 'node:events'
import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { AppOptions } from '../../src/http/app.js'
import { RequestDeadline } from '../../src/http/deadline.js'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { ReadWorkers, WORKERS_MAX } from '../../src/store/sqlite/readWorkers.js'
import { WAL_BYTES_MAX } from '../../src/store/sqlite/walLimit.js'
import { addIssues, addProject, addRisks, issue, project, risk } from '../support/fixtures.js'
import { type Caller, type Gateway, openFilled, openGateway } from '../support/harness.js'
import { copyOf, newStore, type TestStore } from '../support/stores.js'

/** A store that runs every read of more than one row in its workers. */
function withWorkers(own: TestStore): TestStore {
  return { ...own, open: (options) => own.open({ ...options, inPlaceRowsMax: 0 }) }
}

const isGuarded = (sql: string) => sql.includes('still_wanted')

const SEARCHED_RISKS = 1_500
const SEARCHED_CHARACTERS = 20_000
/** Matches nothing: half a second for all risks. */
const SEARCH = `/v1/risks?limit=1&search=${'a'.repeat(199)}b`
const SEARCH_QUERY = `{ risks(first: 1, filter: { search: "${'a'.repeat(199)}b" }) { nodes { id } } }`
const EDGES_QUERY = SEARCH_QUERY.replace('nodes { id }', 'edges { cursor }')

/** The same, with another text for each number. */
const searchFor = (number: number) => `/v1/risks?limit=1&search=${'a'.repeat(197)}b${String(number).padStart(2, '0')}`

/** Risks that take very long to search. */
async function openSlow(
  options: Partial<AppOptions> = {},
  characters = SEARCHED_CHARACTERS,
): Promise<{ gateway: Gateway; caller: Caller }> {
  const gateway = openGateway(options)
  await gateway.write(async (write) => {
    const id = await addProject(write, project())
    await addRisks(
      write,
      Array.from({ length: SEARCHED_RISKS }, (_, index) => risk(id, { reference: `R-${index}` })),
    )
  })
  gateway.own.run(`update risk set search_folded = printf('%.*c', ${characters}, 'a')`)
  return { gateway, caller: await gateway.as('projects.read') }
}

test('what is read in a worker is, byte for byte, what is read in place', async () => {
  const { gateway } = await openFilled()
  const other = openGateway({}, onTestFinished, withWorkers(copyOf(gateway.own)))
  const inPlace = await gateway.as('personnel.read', 'projects.read')
  const beside = await other.as('personnel.read', 'projects.read')
  const lists = ['personnel', 'groups', 'projects', 'risks', 'issues']
  const paths = lists.flatMap((list) => ['', '?limit=2', '?total=true', '?search=a'].map((end) => `/v1/${list}${end}`))
  for (const path of paths) {
    for (const accept of ['application/json', 'text/csv']) {
      const [one, two] = [await inPlace.get(path, { accept }), await beside.get(path, { accept })]
      expect({ path, status: two.status, text: two.text, tag: two.headers.get('etag') }).toEqual({
        ...{ path, status: 200, text: one.text, tag: one.headers.get('etag') },
      })
    }
  }
  const queries = lists.map((list) => `{ ${list} { totalCount edges { cursor node { id } } pageInfo { endCursor } } }`)
  for (const query of queries) expect((await beside.graphql(query)).text).toBe((await inPlace.graphql(query)).text)
  expect(gateway.statements().filter(isGuarded)).toEqual([])
  expect(other.statements().filter(isGuarded).length).toBeGreaterThan(paths.length)
})

test('who has written something finds it, whichever thread reads it', async () => {
  const gateway = openGateway({}, onTestFinished, withWorkers(newStore()))
  const caller = await gateway.as('personnel.read')
  for (let i = 1; i <= 20; i++) {
    // Not through the API: what a mutation selects is never read by a worker, and here everything would be.
    const added = await gateway.write((write) => addPerson(write, { name: `Person ${i}`, externalId: `HR-${i}` }))
    const [whole, again, found] = await Promise.all([
      caller.get('/v1/personnel?total=true'),
      caller.get('/v1/personnel?total=true'),
      caller.get(`/v1/personnel?search=${encodeURIComponent(`person ${i}`)}`),
    ])
    expect([whole.body.page.total, again.body.data.length]).toEqual([i, i])
    expect(found.body.data).toContainEqual(expect.objectContaining({ id: added.id }))
  }
  expect(gateway.statements().filter(isGuarded).length).toBeGreaterThanOrEqual(60)
})

test('a request that reads too long gets 503, is charged, and the next one is served', async () => {
  const { caller } = await openSlow({ deadlineMs: 200, ratePerMinute: 6_000 })
  const rest = await caller.get(SEARCH)
  expect(rest).toMatchProblem(503, 'DEADLINE_EXCEEDED')
  expect(rest.headers.get('retry-after')).toBe('10')
  expect(rest.headers.get('ratelimit')).toMatch(/r=999;/)
  for (const query of [SEARCH_QUERY, EDGES_QUERY]) {
    const { status, body } = await caller.graphql(query)
    expect([status, body.errors.length, body.errors[0].extensions]).toEqual([503, 1, { code: 'DEADLINE_EXCEEDED' }])
  }
  // On a busy machine it may take several tries to read anything in that time.
  const total = async () => (await caller.get('/v1/risks?total=true&limit=1')).body.page?.total
  await expect.poll(total, { timeout: 10_000 }).toBe(SEARCHED_RISKS)
})

test('a write may take longer than the read deadline, and still gets its response', async () => {
  const gateway = openGateway({ deadlineMs: 200 })
  const caller = await gateway.as('personnel.manage')
  const letGo = gateway.own.hold()
  const answer = caller.post('/v1/personnel', { name: 'Ada', externalId: 'HR-1' })
  await sleep(400)
  letGo()
  expect(await answer).toMatchObject({ status: 201, body: { name: 'Ada', groups: [] } })
})

test.runIf(process.platform === 'linux')('a worker gives way to the event loop where they share a core', async () => {
  const niceOf = (task: string) =>
    Number(readFileSync(`/proc/self/task/${task}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])
  const before = niceOf(String(process.pid))
  const { caller } = await openSlow({ deadlineMs: 200 })
  expect((await caller.get(SEARCH)).status).toBe(503)
  expect(niceOf(String(process.pid))).toBe(before)
  // The thread may still be starting.
  const nicest = () => Math.max(...readdirSync('/proc/self/task').map(niceOf))
  await expect.poll(nicest, { timeout: 15_000 }).toBeGreaterThan(before)
})

test('movements can be stopped in each table that they scan', async () => {
  const { gateway, caller } = await openSlow({}, 1)
  await gateway.write(async (write) => {
    const id = await addProject(write, project({ key: 'ISSUES' }))
    await addIssues(
      write,
      Array.from({ length: 600 }, (_, n) => issue(id, { reference: `I-${n}` })),
    )
  })
  gateway.statements()
  const { body } = await caller.graphql('{ movements(since: "2020-01-01T00:00:00Z") { counts { new opened } } }')
  expect(body.data.movements.counts).toEqual({ new: SEARCHED_RISKS, opened: 600 })
  const [sql = ''] = gateway.statements().filter((text) => text.includes('risk_state'))
  const guarded = Array.from(sql.matchAll(/"(\w+)"\.rowid % \d+ or still_wanted/g), ([, table]) => table)
  expect(guarded.sort()).toEqual(['c', 'c', 'issue', 'risk'])
})

test('the event loop goes on while a worker reads', async () => {
  const { gateway, caller } = await openSlow({ deadlineMs: 60_000 })
  const slow = caller.get(SEARCH)
  await passed(gateway, 1)
  // A page that is requested later is answered before.
  const page = caller.get('/v1/risks?limit=1')
  expect((await Promise.race([slow, page])).body.data).toHaveLength(1)
  expect((await slow).body.data).toEqual([])
})

test('when the worker queue is full, the next request gets 503, unless others have disconnected', async () => {
  const { gateway, caller } = await openSlow({ deadlineMs: 60_000 }, SEARCHED_CHARACTERS / 5)
  const hangUp = new AbortController()
  const call = (path: string, signal = new AbortController().signal) =>
    gateway.app.fetch(
      new Request(`http://localhost${path}`, { headers: { authorization: caller.authorization ?? '' }, signal }),
    )
  const calls = (count: number) => Array.from({ length: count }, () => call(SEARCH, hangUp.signal))
  const held = calls(WORKERS_MAX + LIMITS.readQueueMax)
  await passed(gateway, held.length)
  // On a busy machine some searches may have ended by now; more are sent than can have.
  const more = calls(20)
  const refused = await Promise.race(more)
  expect(await refused.json()).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
  expect(refused.headers.get('retry-after')).toBe('1')
  hangUp.abort()
  // Their places in the queue are free at once.
  expect((await call('/v1/risks?limit=1&search=b')).status).toBe(200)
  const ended = (await Promise.all([...held, ...more])).filter(({ status }) => status === 200)
  // Nobody waits for what a disconnected client has asked for: few had ended, and those that ran.
  expect(ended.length).toBeLessThan(LIMITS.readQueueMax / 2)
})

/** Resolves when this many searches have been passed to the workers. */
async function passed(gateway: Gateway, count: number): Promise<void> {
  let seen = 0
  const look = () => {
    seen += gateway.statements().filter((sql) => isGuarded(sql) && sql.includes('search_folded')).length
    return seen
  }
  await expect.poll(look, { interval: 5, timeout: 10_000 }).toBe(count)
}

test('counts of another key are answered while one key has twenty searches', async () => {
  const { gateway, caller } = await openSlow({ deadlineMs: 20_000 })
  const other = await gateway.as('projects.read')
  // The test ends before they do.
  const many = Array.from({ length: 20 }, (_, i) => caller.get(searchFor(i)))
  await passed(gateway, 20)
  const few = [1, 2, 3].map((score) => other.get(`/v1/risks?total=true&limit=1&minScore=${score}`))
  const first = await Promise.race([Promise.race(many), Promise.all(few)])
  expect(first).toMatchObject(few.map(() => ({ status: 200, body: { page: { total: SEARCHED_RISKS } } })))
})

test('a search that was stopped for another key is run again', async () => {
  const { gateway, caller } = await openSlow({ deadlineMs: 20_000 }, SEARCHED_CHARACTERS / 40)
  const other = await gateway.as('projects.read')
  const searches = [1, 2, 3, 4].map((number) => caller.get(searchFor(number)))
  await passed(gateway, 4)
  for (const text of ['b', 'c', 'd']) searches.push(other.get(`/v1/risks?limit=1&search=${text}`))
  for (const response of await Promise.all(searches))
    expect(response).toMatchObject({ status: 200, body: { data: [] } })
})

test('while another key waits for a worker, one that has ten places gets no more', async () => {
  const { gateway, caller } = await openSlow({ deadlineMs: 20_000 })
  const other = await gateway.as('projects.read')
  // Two run and twelve wait: it is alone. The test ends before they do, and none of them is refused.
  const codes: unknown[] = []
  const search = (by: Caller, number: number) =>
    void by.get(searchFor(number)).then(({ body }) => codes.push(body.code))
  for (let number = 0; number < 14; number++) search(caller, number)
  await passed(gateway, 14)
  for (const number of [1, 2]) search(other, number)
  await passed(gateway, 2)
  const refused = await caller.get(SEARCH)
  expect(refused).toMatchProblem(503, 'UNAVAILABLE')
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.body.detail).toMatch(/^1\d requests of this key are waiting already, and other keys wait too\./)
  const query = await caller.graphql(SEARCH_QUERY)
  expect([query.status, query.headers.get('retry-after')]).toEqual([503, '1'])
  expect(codes).not.toContain('UNAVAILABLE')
})

/** Changes 50 risks of a project: 0.6 MB of the write-ahead log. */
async function syncMuch(caller: Caller, round: number): Promise<void> {
  const risks = Array.from({ length: 50 }, (_, i) => ({
    ...{ reference: `R-${i}`, title: `Risk ${i}`, likelihood: 3, impact: 3 },
    description: String(round).padEnd(4_000, '.'),
  }))
  expect((await caller.post('/v1/projects', { key: 'LOG', name: 'Log', risks })).status).toBe(200)
}

const logBytes = ({ own }: Gateway) => statSync(`${own.file}-wal`).size

test('the write-ahead log is emptied while workers always read', async () => {
  const { gateway } = await openSlow({}, SEARCHED_CHARACTERS / 100)
  const caller = await gateway.as('projects.manage')
  const reads = new EventEmitter()
  let isOver = false
  const readAlways = async (name: string) => {
    for (let i = 0; !isOver; i++) {
      const { status } = await caller.get(`/v1/risks?limit=1&search=${'a'.repeat(50)}${name}${i}`)
      reads.emit('read', status)
    }
  }
  const readers = ['x', 'y', 'z'].map(readAlways)
  const writeUntil = async (isReached: () => boolean) => {
    for (let round = 0; !isReached(); round++) {
      await syncMuch(caller, round)
      expect(await once(reads, 'read')).toEqual([200])
    }
  }
  await writeUntil(() => logBytes(gateway) > WAL_BYTES_MAX / 2)
  await writeUntil(() => logBytes(gateway) < WAL_BYTES_MAX / 2)
  isOver = true
  await Promise.all(readers)
})

test('a checkpoint waits for a read in place instead of giving up', async () => {
  const own = newStore()
  const workers = new ReadWorkers(own.file, { requireUsable: () => undefined })
  onTestFinished(() => workers.close())
  const reader = openDatabase(own.file, { readonly: true })
  onTestFinished(() => void reader.close())
  await workers.run([{ text: 'select 7', values: [] }])
  reader.exec('begin; select value from revision')
  own.run('update revision set value = value + 1')
  const emptied = workers.run([{ text: 'pragma wal_checkpoint(truncate)', values: [] }])
  reader.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000)
    select count(*) from n; commit`)
  expect(await emptied).toEqual([[[0, 0, 0]]])
})

test('another reader of the store, such as a backup, delays the workers only briefly', async () => {
  const { gateway } = await openSlow({ deadlineMs: 5_000 }, 1)
  const caller = await gateway.as('projects.manage')
  const other = openDatabase(gateway.own.file, { readonly: true })
  other.exec('begin; select * from revision')
  for (let round = 0; logBytes(gateway) <= WAL_BYTES_MAX; round++) await syncMuch(caller, round)
  expect((await caller.get('/v1/risks?total=true&limit=1&search=a')).status).toBe(200)
  await syncMuch(caller, -1)
  expect((await caller.get('/v1/risks?total=true&limit=1&search=b')).status).toBe(200)
  other.close()
})

/** Ends only when it is stopped. */
const ENDLESS = {
  text: 'with recursive n(i) as (select value from revision union all select i + 1 from n) select count(*) from n where still_wanted()',
  values: [],
  isHeavy: true,
}

test('nor does a long statement of one worker hold the others for longer', async () => {
  const { gateway } = await openSlow({ deadlineMs: 5_000 }, 1)
  const caller = await gateway.as('projects.manage')
  const stopped = expect(gateway.store.reading({ owner: 'another' }).rows(ENDLESS)).rejects.toThrow()
  for (let round = 0; logBytes(gateway) <= WAL_BYTES_MAX; round++) await syncMuch(caller, round)
  expect((await caller.get('/v1/risks?total=true&limit=1&search=a')).status).toBe(200)
  await gateway.store.close()
  await stopped
})

test('the write-ahead log is emptied by the first write after a long statement, and not ten seconds later', async () => {
  const { gateway } = await openSlow({ deadlineMs: 5_000 }, 1)
  const caller = await gateway.as('projects.manage')
  for (let round = 0; logBytes(gateway) <= WAL_BYTES_MAX - 1_000_000; round++) await syncMuch(caller, round)
  const stopped = expect(
    gateway.store.reading({ deadline: new RequestDeadline(2_500) }).rows(ENDLESS),
  ).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  for (let round = 0; logBytes(gateway) <= WAL_BYTES_MAX; round++) await syncMuch(caller, round)
  await stopped
  const afterWrite = async () => {
    await caller.post('/v1/projects', { key: 'LOG', name: `Written ${performance.now()}` })
    return logBytes(gateway)
  }
  await expect.poll(afterWrite, { timeout: 6_000, interval: 100 }).toBeLessThan(WAL_BYTES_MAX / 2)
})

test('reads give way to a log that is far too long, and begin again', async () => {
  const own = newStore()
  const workers = new ReadWorkers(own.file, { requireUsable: () => undefined })
  const ended = expect(workers.run([ENDLESS])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await workers.hold({ isUrgent: true })
  expect(workers.queue.waiting).toBe(1)
  workers.release()
  expect(workers.queue.underWay).toBe(1)
  await workers.close()
  await ended
  own.remove()
})

test('a statement is stopped at its deadline, and its thread reads for others', async () => {
  const own = newStore()
  const store = own.open()
  onTestFinished(() => store.close())
  const all = Array.from({ length: WORKERS_MAX }, () =>
    store.reading({ deadline: new RequestDeadline(100) }).rows(ENDLESS),
  )
  for (const outcome of await Promise.allSettled(all))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'DEADLINE_EXCEEDED' } })
  expect(await store.read.rows({ text: 'select 7', values: [], isHeavy: true })).toEqual([[7]])
})

test('a store is closed at once, whatever its workers read', async () => {
  const own = newStore()
  const store = own.open()
  const read = store.read.rows(ENDLESS)
  const refused = expect(read).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await sleep(200)
  await store.close()
  await refused
  // SQLite removes it when the last connection closes.
  expect(existsSync(`${own.file}-wal`)).toBe(false)
  own.remove()
})

test('a worker that dies fails one request, and another replaces it', async () => {
  const store = newStore().open()
  onTestFinished(() => store.close())
  const heavy = (text: string) => store.read.rows({ text, values: [], isHeavy: true })
  const more = `with recursive n(i) as (select 1 union all select i + 1 from n limit 499) select printf('%.*c', 1000000, i) from n`
  await expect(heavy(more)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await heavy('select 7')).toEqual([[7]])
})

test('a file that was replaced is not read by a new worker', async () => {
  const own = newStore()
  const store = own.open()
  onTestFinished(() => store.close())
  renameSync(own.file, `${own.file}-moved`)
  const read = store.read.rows({ text: 'select 7', values: [], isHeavy: true })
  await expect(read).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(/moved or replaced/) })
})
