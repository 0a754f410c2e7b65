import { expect, onTestFinished, test } from 'vitest'
import { revokeKey } from '../../src/auth/keys.js'
import { POLL_EVERY_MS } from '../../src/http/waiting.js'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import { type Caller, type Gateway, openOffice, type TestResponse, usesAreStored } from '../support/harness.js'

/** The path that waits for what comes after everything that is stored now. */
async function awaited(caller: Caller, query = 'wait=30'): Promise<string> {
  const { body } = await caller.get('/v1/changes?limit=1000')
  return `/v1/changes?cursor=${body.page.next}&${query}`
}

/** Whether a request is still waiting after the others have had their turn: one that does not wait answers by then. */
async function isWaiting(request: Promise<unknown>, pauseMs = 50): Promise<boolean> {
  const pause = new Promise((resolve) => setTimeout(resolve, pauseMs, 'waiting'))
  return (await Promise.race([request, pause])) === 'waiting'
}

const titles = ({ body }: TestResponse) => body.data.map(({ title }: { title: string }) => title)
const addGroup = (caller: Caller, name: string) => caller.post('/v1/groups', { name })

test('a waiting request answers when something is stored, by this process or by another', async () => {
  const { gateway, caller } = await openOffice()
  const first = caller.get(await awaited(caller))
  expect(await isWaiting(first)).toBe(true)
  gateway.statements()
  await addGroup(caller, 'Here')
  expect(titles(await first)).toEqual(['Here'])
  const other = gateway.own.open()
  onTestFinished(() => other.close())
  const second = caller.get(await awaited(caller))
  expect(await isWaiting(second)).toBe(true)
  await other.write({ by: 'cli', at: () => gateway.clock.now }, (write) =>
    addPerson(write, { name: 'There', email: 'there@example.com' }),
  )
  expect(titles(await second)).toEqual(['There'])
})

test('it waits for what matches, and is empty when the time is over', async () => {
  const { caller } = await openOffice()
  const groups = caller.get(await awaited(caller, 'entity=group&wait=30'))
  await caller.post('/v1/personnel', { name: 'Ada', email: 'ada@example.com' })
  expect(await isWaiting(groups)).toBe(true)
  await addGroup(caller, 'Riggers')
  expect(titles(await groups)).toEqual(['Riggers'])
  const { status, body } = await caller.get(await awaited(caller, 'wait=1'))
  expect({ status, body }).toEqual({ status: 200, body: { data: [], page: { next: expect.any(String), more: false } } })
  expect(titles(await caller.get('/v1/changes?wait=30&limit=1'))).toHaveLength(1)
})

/** Whether anything has changed. */
const LOOK = / from revision$|^pragma data_version/i

test('a waiting request reads nothing from the store', async () => {
  const { gateway, caller } = await openOffice()
  const request = caller.get(await awaited(caller))
  await usesAreStored(gateway)
  expect(await isWaiting(request, 2 * POLL_EVERY_MS)).toBe(true)
  gateway.statements()
  expect(await isWaiting(request, 2 * POLL_EVERY_MS)).toBe(true)
  expect(gateway.statements().filter((sql) => !LOOK.test(sql))).toEqual([])
  void gateway.app.close()
  await request
})

test('a key may have five waiting requests, and all end at once when the server stops', async () => {
  const { gateway, caller } = await openOffice()
  const path = await awaited(caller)
  const waiting = Array.from({ length: LIMITS.waitingPerKeyMax }, () => caller.get(path))
  expect(await isWaiting(Promise.race(waiting), 2 * POLL_EVERY_MS)).toBe(true)
  const refused = await caller.get(path)
  expect(refused).toMatchProblem(429, 'RATE_LIMITED')
  expect(refused.headers.get('retry-after')).toBe('1')
  const other = await gateway.as('projects.read')
  const another = other.get(await awaited(other))
  expect(await isWaiting(another)).toBe(true)
  void gateway.app.close()
  const ended = await Promise.all([...waiting, another])
  expect(ended.map(({ status, body }) => [status, body.data])).toEqual(Array(6).fill([200, []]))
  expect(titles(await other.get(await awaited(other)))).toEqual([])
})

test('no more wait than the server has room for, whatever their keys', async () => {
  const { gateway, caller } = await openOffice()
  const path = await awaited(caller)
  const keys = LIMITS.waitingMax / LIMITS.waitingPerKeyMax
  const callers = await Promise.all(Array.from({ length: keys }, () => gateway.as('personnel.read')))
  // One more than there is room for: whichever comes last is refused.
  const requests = [caller, ...callers.flatMap((one) => Array(LIMITS.waitingPerKeyMax).fill(one))]
  const waiting = requests.map((one) => one.get(path))
  const refused = await Promise.race(waiting)
  expect(refused).toMatchProblem(503, 'UNAVAILABLE')
  expect(refused.body.detail).toMatch(/Try again without `wait`\.$/)
  expect((await caller.get(path.replace(/&wait.*/, ''))).status).toBe(200)
  void gateway.app.close()
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(LIMITS.waitingMax)
})

test('a client that goes away makes room, and so does an answer', async () => {
  const { gateway, caller } = await openOffice()
  const path = await awaited(caller)
  const gone = new AbortController()
  const headers = { authorization: caller.authorization ?? '' }
  const left = Array.from({ length: LIMITS.waitingPerKeyMax }, () =>
    gateway.app.fetch(new Request(`http://localhost${path}`, { headers, signal: gone.signal })),
  )
  expect(await isWaiting(Promise.race(left))).toBe(true)
  gone.abort()
  await Promise.all(left)
  const next = caller.get(path)
  expect(await isWaiting(next)).toBe(true)
  await addGroup(caller, 'Riggers')
  expect(titles(await next)).toEqual(['Riggers'])
})

const keyIds = ({ own }: Gateway) => own.values('select id from api_key').map(([id]) => String(id))

/** A caller with a key of its own, and the id of that key: all are minted at one instant. */
async function withKey(gateway: Gateway, scope: 'personnel.read') {
  const before = keyIds(gateway)
  const caller = await gateway.as(scope)
  const [id = ''] = keyIds(gateway).filter((one) => !before.includes(one))
  return { caller, id }
}

test('a key that is revoked while it waits is refused', async () => {
  const { gateway } = await openOffice()
  const { caller, id } = await withKey(gateway, 'personnel.read')
  const path = await awaited(caller)
  gateway.statements()
  const request = caller.get(path)
  // Its empty page has been read, and it looks again and again for a change.
  const sent: string[] = []
  const looks = () => {
    sent.push(...gateway.statements())
    const page = sent.findIndex((sql) => sql.includes('from "change"'))
    return page < 0 ? 0 : sent.slice(page).filter((sql) => LOOK.test(sql)).length
  }
  await expect.poll(looks, { timeout: 10_000 }).toBeGreaterThan(3)
  await gateway.write((write) => revokeKey(write, id))
  await gateway.write((write) => addPerson(write, { name: 'Ada', email: 'ada@example.com' }))
  expect(await request).toMatchProblem(401, 'UNAUTHENTICATED')
})

const REFUSED = ['wait=31', 'wait=-1', 'wait=soon', 'timeout=30001', 'wait=1&timeout=5', 'wait=1&wait=2']

test.each(REFUSED)('%s is refused', async (query) => {
  const { caller } = await openOffice()
  expect(await caller.get(`/v1/changes?${query}`)).toMatchProblem(400, 'BAD_REQUEST')
})

test('only the feed waits', async () => {
  const { caller } = await openOffice()
  expect(await caller.get('/v1/risks?wait=1')).toMatchProblem(400, 'BAD_REQUEST')
})
