import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { App } from '../../src/http/app.js'
import { createHttpServer, type HttpServerOptions } from '../../src/http/server.js'
import { isLoopback, networkOf } from '../../src/http/wire/connections.js'
import { openGateway } from '../support/harness.js'
import { dial, exchange, head, largeFile, portOf, until } from '../support/sockets.js'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
])('the address %s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test.each(['127.0.0.1', '127.8.9.10', '::ffff:127.0.0.1', '::1'])('%s is loopback', (address) => {
  expect(isLoopback(networkOf(address))).toBe(true)
})

test.each(['128.0.0.1', '12.7.0.1', '::ffff:10.0.0.1', '2001:db8::1', 'fe80::1'])('%s is not', (address) => {
  expect(isLoopback(networkOf(address))).toBe(false)
})

const [CROWD, GUEST] = ['127.0.0.2', '127.0.0.3']
const HEALTH = head('GET /healthz', {})

/** A server that exempts only 127.0.0.1, so that other loopback addresses act as remote peers. */
async function openServer(options: HttpServerOptions = {}, listener?: App['listener']) {
  const gateway = openGateway()
  const limits = {
    connectionsMax: 12,
    connectionsPerAddressMax: 4,
    isExempt: (network: string) => network === '127.0.0.1',
  }
  const server = createHttpServer({ ...gateway.app, ...(listener && { listener }) }, { ...limits, ...options })
  const sockets = new Map<number | undefined, Socket>()
  server.on('connection', (socket) => sockets.set(socket.remotePort, socket))
  const port = await portOf(server)
  /** The server's end of a connection, which emits `close` even if the client does not read. */
  const accepted = (clientPort: number | undefined) => sockets.get(clientPort)
  /** Requests /healthz on a connection; false after it was closed. */
  const isIndexed = async (socket: Socket) => {
    if (socket.destroyed || socket.readableEnded) return false
    socket.resume().write(HEALTH)
    const answer = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])
    return String(answer[0]).startsWith('HTTP/1.1 200')
  }
  const crowd = async (count: number, from: string, bytes = '') => {
    const sockets: Socket[] = []
    for (let i = 0; i < count; i++) {
      const socket = await dial(port, bytes, from)
      sockets.push(socket.resume())
      // In sequence, also for the server.
      await sleep(10)
    }
    return sockets
  }
  return { gateway, port, crowd, isIndexed, accepted }
}

const open = (sockets: readonly Socket[]) => sockets.map((socket) => !(socket.destroyed || socket.readableEnded))

describe('connections of one address', () => {
  test('beyond its share replace its own longest idle ones, and no other peer loses any', async () => {
    const { crowd, isIndexed } = await openServer()
    const [guest] = await crowd(1, GUEST)
    const strangers = await crowd(4, CROWD)
    // The first was busy most recently.
    expect(await isIndexed(strangers[0] as Socket)).toBe(true)
    const newcomers = await crowd(2, CROWD)
    await until(() => open(strangers).filter(Boolean).length === 2)
    expect(open(strangers)).toEqual([true, false, false, true])
    for (const socket of newcomers) expect(await isIndexed(socket)).toBe(true)
    expect(await isIndexed(guest as Socket)).toBe(true)
  })

  test('are refused where none of its others is idle', async () => {
    const { gateway, port, crowd, isIndexed, accepted } = await openServer()
    const { authorization = '' } = await gateway.as('personnel.manage')
    const posting = { authorization, 'content-type': 'application/json', 'content-length': '100' }
    const busy = await crowd(4, CROWD, head('POST /v1/groups', posting))
    const [newcomer] = await crowd(1, CROWD)
    await until(() => newcomer?.destroyed ?? false)
    expect(open(busy)).toEqual([true, true, true, true])
    const [guest] = await crowd(1, GUEST)
    expect(await isIndexed(guest as Socket)).toBe(true)
    // Read now: a socket loses its ports when it is closed.
    const freed = busy[0]?.localPort
    busy[0]?.destroy()
    await until(() => accepted(freed)?.destroyed ?? false)
    const [next] = await crowd(1, CROWD)
    expect(await isIndexed(next as Socket)).toBe(true)
    expect((await exchange(port, { target: '/healthz' })).answers[0]?.status).toBe(200)
  })

  test('are not counted on loopback by default', async () => {
    const { crowd } = await openServer({ isExempt: isLoopback })
    const all = await crowd(11, CROWD)
    await sleep(50)
    expect(open(all)).toEqual(all.map(() => true))
  })
})

test('a full server closes the longest idle connection of any peer for a new one', async () => {
  const { crowd, isIndexed } = await openServer({ connectionsPerAddressMax: 0 })
  const first = await crowd(12, CROWD)
  const [guest] = await crowd(1, GUEST)
  expect(await isIndexed(guest as Socket)).toBe(true)
  await until(() => open(first).includes(false))
  expect(open(first)).toEqual([false, ...first.slice(1).map(() => true)])
})

test('pipelined requests are bounded by their bytes too', async () => {
  // While a response is being sent, Node itself does not read on.
  const { port, accepted } = await openServer({}, () => new Promise(() => undefined))
  const large = head('GET /healthz', { 'x-filler': 'x'.repeat(10_000) })
  // Read now: a socket loses its ports when it is closed.
  const { localPort: few } = await dial(port, large.repeat(10))
  const { localPort: many } = await dial(port, large.repeat(80))
  await until(() => accepted(many)?.destroyed ?? false)
  expect(accepted(few)?.destroyed).toBe(false)
})

describe('a peer that does not read its response', () => {
  test('is cut after a while, and one that reads slowly gets all of it', async () => {
    const { port, accepted } = await openServer({ unreadMs: 1_000 })
    const began = performance.now()
    const file = await largeFile(port)
    const [unread, slow] = [await dial(port, file), await dial(port, file)]
    const unreadPort = unread.localPort
    let received = 0
    let expected = Number.POSITIVE_INFINITY
    slow.on('data', (chunk: Buffer) => {
      if (received === 0) expected = Number(/content-length: (\d+)/i.exec(chunk.toString('latin1'))?.[1])
      received += chunk.length
      slow.pause()
      setTimeout(() => slow.resume(), 12)
    })
    slow.resume()
    await until(() => received > expected || slow.destroyed)
    expect(received).toBeGreaterThan(expected)
    // It took longer than the limit for a peer that does not read.
    expect(performance.now() - began).toBeGreaterThan(1_000)
    // Read only after the server gave it up: on a busy machine that is later than the end of the slow one.
    await until(() => accepted(unreadPort)?.destroyed ?? false)
    unread.resume()
    await until(() => unread.destroyed)
    expect(unread.bytesRead).toBeLessThan(expected)
  })
})
