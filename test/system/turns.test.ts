import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { PATIENCE_MS } from '../../src/store/fairQueue.js'
import { type Caller, type Gateway, openGateway, type TestResponse, usesAreStored } from '../support/harness.js'

const JSON_TYPE = { 'content-type': 'application/json' }
const SYNC = 'mutation ($input: SyncProjectInput!) { syncProject(input: $input) { project { key } } }'

/** Two keys, while another process holds the write lock. */
async function openHeld(...scopes: Parameters<Gateway['as']>) {
  const gateway = openGateway()
  const [many, few] = [await gateway.as(...scopes), await gateway.as(...scopes)]
  // The first use of a key is written too.
  await Promise.all([many.get('/v1/key'), few.get('/v1/key')])
  await usesAreStored(gateway)
  return { gateway, many, few, letGo: gateway.own.hold() }
}

const waitingWrites = async ({ store }: Gateway) => (await store.health()).waitingWrites
const isWaiting = (gateway: Gateway, count: number) =>
  expect.poll(() => waitingWrites(gateway), { interval: 5, timeout: 10_000 }).toBe(count)

function refusedIn(responses: readonly TestResponse[], status: number): void {
  const refused = responses.filter((response) => response.status !== status)
  expect(refused).toHaveLength(1)
  expect(refused[0]).toMatchProblem(503, 'UNAVAILABLE')
  expect(refused[0]?.headers.get('retry-after')).toBe('1')
  expect(refused[0]?.body.detail).toMatch(/requests of this key are waiting already, and other keys wait too\./)
}

test('writes of two keys are stored in turns, and of one key in order', async () => {
  const { gateway, many, few, letGo } = await openHeld('personnel.manage')
  const add = (caller: Caller, name: string) => caller.post('/v1/groups', { name })
  const first = add(many, 'first')
  await isWaiting(gateway, 1)
  const others: Promise<TestResponse>[] = []
  const queue = async (caller: Caller, name: string) => {
    const before = await waitingWrites(gateway)
    others.push(add(caller, name))
    await isWaiting(gateway, before + 1)
  }
  // More than ten, since it is alone.
  for (let i = 1; i <= 12; i++) await queue(many, `many ${i}`)
  await queue(few, 'few 1')
  await queue(few, 'few 2')
  await sleep(PATIENCE_MS)
  others.push(add(many, 'refused'))
  await Promise.race(others)
  letGo()
  expect((await first).status).toBe(201)
  refusedIn(await Promise.all(others), 201)
  const inOrder = 'select g.name from change c join groups g on g.id = c.entity_id order by c.id'
  const stored = gateway.own.values(inOrder).map(String)
  expect(stored.filter((name) => name.startsWith('many'))).toEqual(
    Array.from({ length: 12 }, (_, i) => `many ${i + 1}`),
  )
  // On PostgreSQL, the first is in the same batch as the others.
  expect(stored.slice(0, 5)).toEqual(expect.arrayContaining(['first', 'few 1', 'few 2']))
})

test.each(['/v1/projects', '/graphql'])(
  'large bodies at %s are processed one at a time, keys in turn',
  async (path) => {
    const { gateway, many, few, letGo } = await openHeld('projects.manage')
    const order: string[] = []
    const sync = async (caller: Caller, key: string): Promise<TestResponse> => {
      const input = { key, name: key }
      const body = JSON.stringify(path === '/graphql' ? { query: SYNC, variables: { input } } : input)
      const large = body.padEnd(LIMITS.bodyBytesMax + 1)
      const response = await caller.request(path, { method: 'POST', headers: JSON_TYPE, body: large })
      if (response.status === 200) order.push(key)
      return response
    }
    const all = [sync(many, 'MANY-0')]
    await isWaiting(gateway, 1)
    // More than ten, since it is alone.
    for (let i = 1; i <= 11; i++) all.push(sync(many, `MANY-${i}`))
    await sleep(200)
    all.push(sync(few, 'FEW-1'))
    await sleep(200)
    all.push(sync(many, 'REFUSED'))
    await Promise.race(all)
    expect(await waitingWrites(gateway)).toBe(1)
    letGo()
    const responses = await Promise.all(all)
    if (path === '/graphql') expect(responses.at(-1)?.body.errors[0].extensions).toEqual({ code: 'UNAVAILABLE' })
    else refusedIn(responses, 200)
    const rest = Array.from({ length: 10 }, (_, i) => `MANY-${i + 2}`)
    expect(order).toEqual(['MANY-0', 'MANY-1', 'FEW-1', ...rest])
  },
)
