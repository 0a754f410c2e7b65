import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { mintKey } from '../../../src/auth/keys.js'
import { LIMITS } from '../../../src/limits.js'
import { personWith } from '../../../src/personnel/people.js'
import type { Write } from '../../../src/store/store.js'
import { reportFigure } from '../../support/figures.js'
import type { TestResponse } from '../../support/harness.js'
import { MEMORY_BYTES_MAX, MEMORY_SETTINGS } from '../../support/unit.js'
import { isShort, openArena, read } from '../support/arena.js'
import { lines } from '../support/requests.js'
import { fine, only } from '../support/verdicts.js'
import { bytesOf } from '../support/wire.js'

/** Clients that hold resources as long as possible: connections, bodies, responses. */

const TITLE = 'Lead engineer '.repeat(14).trim()

/** One key takes a quarter of the budget: these together would take more than there is. */
const keys: string[] = []
const keyAt = (index: number) => keys[index % keys.length] ?? ''

async function fillWithMuch(write: Write): Promise<void> {
  const rows = Array.from({ length: 14_000 }, (_, i) =>
    personWith(write, undefined, { name: 'Ada', externalId: `held-${i}`, title: TITLE, department: TITLE }),
  )
  await write.insertAll(write.t.person, rows)
  for (let i = 0; i < 5; i++) {
    const scopes = ['personnel.read', 'projects.manage'] as const
    keys.push((await mintKey(write, { name: `holder ${i}`, scopes, expiresAt: undefined })).secret)
  }
}

/** A whole roster is then a response of 9 MB, of which the kernel buffers less than half if the client does not read. */
const arena = openArena(import.meta.url, fillWithMuch, undefined, MEMORY_SETTINGS)

const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await sleep(200)
})

async function dial(...parts: (string | Buffer)[]): Promise<Socket> {
  const socket = connect(Number(new URL(arena.origin).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.pause()
  for (const part of parts) socket.write(part)
  return socket
}

/** The most that the server's process has had in memory since the last look. */
function peakBytes(): number {
  return 1_024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${arena.pid}/status`, 'utf8'))?.[1])
}

const holderOf = (index: number) => ['Host: localhost', `Authorization: Bearer ${keyAt(index)}`]

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

/** Small requests are served, and the process stays within its memory limit. */
async function expectServing(what: string): Promise<void> {
  for (const path of ['/healthz', '/readyz', '/v1/key', '/v1/personnel?limit=10']) {
    expect([path, only(await arena.send(read(path))).status]).toEqual([path, 200])
  }
  const peak = peakBytes()
  reportFigure(`${what}: memory of the server`, peak / 1e6, MEMORY_BYTES_MAX / 1e6, 'MB')
}

test('silent connections keep no other client out, however many', async () => {
  const count = 1.2 * LIMITS.connectionsMax
  for (let i = 0; i < count; i++) await dial()
  await arena.attack('idle connections', read('/v1/key'), fine())
  const closed = async () => {
    for (const socket of sockets) socket.resume()
    await sleep(200)
    return sockets.filter((socket) => socket.destroyed).length
  }
  expect(await closed()).toBeGreaterThanOrEqual(count - LIMITS.connectionsMax)
  await expectServing(`${count} idle connections`)
})

const LISTS = isShort ? 45 : 120

test('unread lists take no more than the budget', async () => {
  // Each is another answer, of the same size.
  const target = (i: number) => `/v1/personnel?updatedSince=${new Date(Date.UTC(2000, 0, 1, 0, 0, i)).toISOString()}`
  let refused: TestResponse | undefined
  for (let i = 0; i < LISTS; i++) {
    await dial(lines(`GET ${target(i)} HTTP/1.1`, ...holderOf(i)))
    // One after the other, so that it is memory that is tried, and not patience.
    await arena.send(read('/healthz'))
    const [answer] = i % 10 === 9 ? (await arena.send(read(target(1_000 + i)))).answers : []
    if (answer?.status === 503) refused = answer
  }
  expect(refused?.body).toMatchObject({ code: 'UNAVAILABLE' })
  expect(refused?.headers.get('retry-after')).toBe('1')
  await expectServing(`${LISTS} lists of 9 MB that nobody reads`)
}, 180_000)

const BODIES = isShort ? 50 : 150

test('bodies of 16 MB that never end take no more than the budget', async () => {
  const headOf = (index: number) =>
    lines(
      'POST /v1/projects HTTP/1.1',
      ...holderOf(index),
      'Content-Type: application/json',
      `Content-Length: ${LIMITS.syncBodyBytesMax}`,
    )
  const most = Buffer.alloc(LIMITS.syncBodyBytesMax - 1, ' ')
  for (let i = 0; i < BODIES; i++) {
    const socket = await dial(headOf(i), most)
    await Promise.race([once(socket, 'drain'), sleep(1_000)])
  }
  await expectServing(`${BODIES} bodies of 16 MB that never end`)
}, 180_000)

test('bodies of 16 MB at once are worked off one by one', async () => {
  const risk = (i: number) => ({ reference: `R-${i}`, title: 'x', description: 'd'.repeat(700) })
  const risks = Array.from({ length: 20_000 }, (_, i) => risk(i))
  const body = JSON.stringify({ key: 'HELD', name: 'Held', risks })
  const sent = Array.from({ length: isShort ? 4 : 8 }, (_, i) => {
    const headers = { Authorization: `Bearer ${keyAt(i)}`, 'Content-Type': 'application/json' }
    const bytes = bytesOf({ method: 'POST', target: '/v1/projects', headers, body })
    return arena.send({ bytes, withinMs: 150_000 })
  })
  const statuses = (await Promise.all(sent)).map(({ answers }) => answers[0]?.status)
  console.info(`answers to ${sent.length} bodies of ${megabytes(body.length)}: ${statuses.join(' ')}`)
  // On a slow machine the last ones wait longer than a request may.
  expect(new Set(statuses.filter((status) => status !== 503))).toEqual(new Set([200]))
  await expectServing(`${sent.length} bodies of ${megabytes(body.length)} at once`)
}, 180_000)

describe.skipIf(isShort)('in the time that the limit names', () => {
  test('a client that does not read the GraphiQL page is disconnected', async () => {
    const began = performance.now()
    for (let i = 0; i < 100; i++) await dial(lines('GET /graphql HTTP/1.1', 'Host: localhost', 'Accept: text/html'))
    const open = () => connectionsOf(arena.pid)
    expect(open()).toBeGreaterThan(90)
    while (open() > 10 && performance.now() - began < 3 * LIMITS.unreadMs) await sleep(500)
    const tookMs = performance.now() - began
    console.info(`100 peers that do not read the page: cut within ${Math.round(tookMs / 1_000)} s`)
    expect(open()).toBeLessThanOrEqual(10)
    await expectServing('100 pages that nobody reads')
  }, 240_000)
})

/** The connections that the server still has, by what the kernel says. */
function connectionsOf(pid: number): number {
  const port = Number(new URL(arena.origin).port).toString(16).toUpperCase().padStart(4, '0')
  const established = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n')
  return established.filter((line) => new RegExp(`^\\s*\\d+: \\w+:${port} \\w+:\\w+ 01 `).test(line)).length
}
