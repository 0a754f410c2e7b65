import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hangUp, rowsOf } from '../postgres/sync.js'
import { reportFigure } from '../support/figures.js'
import type { TestResponse } from '../support/harness.js'
import { acceptingTokens, fakeProvider } from '../support/identity.js'
import type { newProxy } from './proxy.js'
import { openBehindProxy } from './stage.js'

const WAIT_MAX_MS = 10_000
/** Nearly as long as a write waits for the lock. */
const LOCKED_MS = 4_500

/** The proxy stops forwarding after a statement with this text. */
function freezeAt(proxy: Awaited<ReturnType<typeof newProxy>>, text: string): void {
  proxy.onSent = (bytes) => {
    if (bytes.includes(text)) proxy.freeze()
    return false
  }
}

async function timed(request: Promise<TestResponse>) {
  const began = performance.now()
  const { status, text } = await request
  return { status, text, ms: performance.now() - began }
}

const ADD_ADA = 'mutation { addPerson(input: { name: "Ada", externalId: "a" }) { id name groups { id } } }'

test.each([
  ['the first row', 'insert into "person"'],
  ['the commit', '; commit'],
  ['what is shown of it', 'from "membership"'],
])('a write that waits for the lock and then meets silence at %s is refused within the bound', async (_, text) => {
  const { server, proxy, database, gateway } = await openBehindProxy()
  const caller = await gateway.as('personnel.manage')
  expect((await caller.post('/v1/personnel', { name: 'First', externalId: 'first' })).status).toBe(201)
  const url = server.url(database)
  rowsOf(url, 'begin; lock table revision in exclusive mode')
  freezeAt(proxy, text)
  const sent = timed(caller.graphql(ADD_ADA))
  await sleep(LOCKED_MS)
  rowsOf(url, 'commit')
  hangUp(url)
  const { ms, text: body } = await sent
  expect(body).toMatch(/"(UNAVAILABLE|DEADLINE_EXCEEDED)"/)
  expect(ms).toBeGreaterThan(LOCKED_MS)
  reportFigure('refused after', ms, WAIT_MAX_MS, 'ms')
})

test.each([
  ['REST', '/v1/personnel?limit=7'],
  ['GraphQL', '/graphql?query={personnel(first:7){nodes{id}}}'],
])('a read through %s whose look at the versions is slow and that then meets silence', async (_, path) => {
  const { server, proxy, database, gateway } = await openBehindProxy()
  const caller = await gateway.as('personnel.read')
  expect((await caller.get('/v1/personnel?limit=1')).status).toBe(200)
  const url = server.url(database)
  rowsOf(url, 'begin; lock table revision in access exclusive mode')
  freezeAt(proxy, 'from "person"')
  const sent = timed(caller.get(path))
  await sleep(2_500)
  rowsOf(url, 'commit')
  hangUp(url)
  const { status, ms } = await sent
  expect(status).toBe(503)
  reportFigure('refused after', ms, WAIT_MAX_MS, 'ms')
})

test.each(['a key', 'a token'])('a short deadline bounds the look at the versions for %s too', async (of) => {
  const provider = await fakeProvider()
  const { options } = acceptingTokens(provider.issuer)
  const { proxy, gateway } = await openBehindProxy({ ...options, deadlineMs: 1_000 })
  const token = await provider.token({ scope: 'personnel.read' })
  const caller = of === 'a key' ? await gateway.as('personnel.read') : gateway.with(`Bearer ${token}`)
  expect((await caller.get('/v1/personnel')).status).toBe(200)
  proxy.freeze()
  const { text, ms } = await timed(caller.get('/v1/personnel'))
  // The store itself gives up later, with another code.
  expect(text).toContain('"DEADLINE_EXCEEDED"')
  reportFigure('refused after', ms, 2_000, 'ms')
})

test('a whole project that meets silence while many rows are stored is refused within the bound', async () => {
  const { proxy, gateway } = await openBehindProxy()
  const caller = await gateway.as('projects.manage')
  const risks = Array.from({ length: 2_000 }, (_, i) => ({
    reference: `R-${i}`,
    title: `Risk ${i}`,
    raisedOn: '2026-01-01',
  }))
  freezeAt(proxy, 'insert into "risk"')
  const { status, ms } = await timed(caller.post('/v1/projects', { key: 'APOLLO', name: 'Apollo', risks }))
  expect(status).toBe(503)
  reportFigure('refused after', ms, WAIT_MAX_MS, 'ms')
})
