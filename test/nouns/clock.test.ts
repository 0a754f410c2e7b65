import { describe, expect, test } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import { newId } from '../../src/ids.js'
import { type Gateway, NOW, openGateway } from '../support/harness.js'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

function stepBy(gateway: Gateway, ms: number): void {
  gateway.clock.now = new Date(gateway.clock.now.getTime() + ms)
}

describe('a clock that steps back', () => {
  test('stops no write, and gives none a timestamp before what it changes', async () => {
    const gateway = openGateway()
    const caller = await gateway.as('personnel.manage')
    const { body: added } = await caller.post('/v1/personnel', { name: 'Ada', externalId: 'a' })
    stepBy(gateway, -MINUTE_MS)
    const { status, body: changed } = await caller.patch(`/v1/personnel/${added.id}`, { title: 'Engineer' })
    expect({ status, title: changed.title, createdAt: changed.createdAt }).toEqual({
      status: 200,
      title: 'Engineer',
      createdAt: NOW.toISOString(),
    })
    expect(changed.updatedAt >= changed.createdAt).toBe(true)
    const { body } = await caller.graphql(
      'query ($id: ID!) { person(id: $id) { history(first: 9) { nodes { action recordedAt } } } }',
      { id: added.id },
    )
    const lines: { action: string; recordedAt: string }[] = body.data.person.history.nodes
    expect(lines.map(({ action }) => action)).toEqual(['CREATED', 'UPDATED'])
    expect(lines[1]?.recordedAt).toBe(changed.updatedAt)
  })

  test('hides no change from a client that reads changes since the last one seen', async () => {
    const gateway = openGateway()
    const caller = await gateway.as('personnel.manage')
    const { body: old } = await caller.post('/v1/personnel', { name: 'Old', externalId: 'old' })
    stepBy(gateway, 2 * HOUR_MS)
    const { body: seen } = await caller.post('/v1/personnel', { name: 'Seen', externalId: 'seen' })
    stepBy(gateway, -MINUTE_MS)
    await caller.patch(`/v1/personnel/${old.id}`, { title: 'Engineer' })
    const { body } = await caller.get(`/v1/personnel?updatedSince=${seen.updatedAt}`)
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Old', 'Seen'])
  })

  test('by more than a minute means that it was wrong before, and the next timestamps follow it', async () => {
    const gateway = openGateway()
    const caller = await gateway.as('personnel.manage')
    const add = async (externalId: string) =>
      (await caller.post('/v1/personnel', { name: 'Ada', externalId })).body.createdAt
    const instant = (ms: number) => new Date(NOW.getTime() + ms).toISOString()
    expect(await add('before')).toBe(instant(0))
    stepBy(gateway, HOUR_MS)
    expect(await add('jumped')).toBe(instant(HOUR_MS))
    stepBy(gateway, -HOUR_MS + 1_000)
    gateway.notices()
    expect(await add('back')).toBe(instant(1_000))
    expect(gateway.notices()).toEqual([
      `The last change has the timestamp ${instant(HOUR_MS)}, but the system clock says ${instant(1_000)}. One of them is wrong; the clock is used.`,
    ])
    // From here on small steps back are absorbed again, without a notice.
    stepBy(gateway, -500)
    expect(await add('little')).toBe(instant(1_000))
    expect(gateway.notices()).toEqual([])
  })

  test('gives no id twice', () => {
    const instants = Array.from({ length: 2_000 }, (_, i) => new Date(NOW.getTime() + (i % 2) - (i % 3)))
    expect(new Set(instants.map((at) => newId('person', at))).size).toBe(instants.length)
  })

  test('neither fills nor empties what a key may spend', async () => {
    // The clock of the rate limit is stopped, so that on a busy machine the bucket does not fill meanwhile.
    const gateway = openGateway({ ratePerMinute: 60, monotonicMs: () => 0 })
    const caller = await gateway.as('personnel.read')
    const call = async () => {
      const { status, headers } = await caller.get('/v1/key')
      return { status, remaining: Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]) }
    }
    for (let i = 0; i < 5; i++) await call()
    for (const step of [-24 * HOUR_MS, 48 * HOUR_MS]) {
      stepBy(gateway, step)
      const { status, remaining } = await call()
      expect(status).toBe(200)
      // A full bucket has 10 units.
      expect(remaining).toBeLessThan(8)
    }
  })

  test('moves the end of a key with it, and does not bring back a revoked one', async () => {
    const gateway = openGateway()
    const key = await gateway.write((write) =>
      mintKey(write, { name: 'short', scopes: [], expiresAt: new Date(NOW.getTime() + HOUR_MS) }),
    )
    const caller = gateway.with(`Bearer ${key.secret}`)
    const status = async () => (await caller.get('/v1/key')).status
    stepBy(gateway, HOUR_MS)
    expect(await status()).toBe(401)
    stepBy(gateway, -1)
    expect(await status()).toBe(200)
    await gateway.write(async ({ db, t, at }) => {
      await db.update(t.apiKey).set({ revokedAt: at })
    })
    stepBy(gateway, -24 * HOUR_MS)
    expect(await status()).toBe(401)
  })

  test('still replays the response to an Idempotency-Key', async () => {
    const gateway = openGateway()
    const caller = await gateway.as('personnel.manage')
    const post = () =>
      caller.request('/v1/personnel', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
        body: JSON.stringify({ name: 'Ada', externalId: 'a' }),
      })
    const first = await post()
    stepBy(gateway, -48 * HOUR_MS)
    const again = await post()
    expect({ status: again.status, body: again.body, replayed: again.headers.get('idempotency-replayed') }).toEqual({
      status: 201,
      body: first.body,
      replayed: 'true',
    })
  })
})

test('a clock that jumps ahead neither drops idempotency records nor repeats a write', async () => {
  const gateway = openGateway()
  gateway.clock.now = new Date()
  const caller = await gateway.as('personnel.manage')
  const post = async (token: string) => {
    const { status, headers } = await caller.request('/v1/personnel', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': token },
      body: JSON.stringify({ name: 'Ada', externalId: token }),
    })
    return [status, headers.get('idempotency-replayed')]
  }
  expect(await post('one')).toEqual([201, null])
  stepBy(gateway, 48 * HOUR_MS)
  expect(await post('two')).toEqual([201, null])
  expect(await post('one')).toEqual([201, 'true'])
  stepBy(gateway, -48 * HOUR_MS)
  expect([await post('one'), await post('two')]).toEqual(Array(2).fill([201, 'true']))
})
