import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { Client } from '../campaigns/client.js'
import { engine } from '../support/engine.js'
import { reportFigure } from '../support/figures.js'
import { newFolder, operations, serve, start } from '../support/process.js'
import { callerOf, canLimit, openService, prepareStore, stored } from '../support/service.js'

/** Enough for a response of some 50 MB, more than the buffers of two sockets hold (37 MB). */
const PEOPLE_BEYOND_BUFFERS = 100_000

describe('SIGTERM', () => {
  test('under load completes open requests, and acknowledges every write', async () => {
    const folder = newFolder()
    const { own, key } = await prepareStore(folder, 300)
    const { origin, child } = await serve(folder, ['--rate-limit', '0', '--log-level', 'silent'])
    const acknowledged: string[] = []
    const failures: string[] = []
    let resets = 0
    const caller = async (number: number) => {
      const { client, add } = callerOf(origin, key)
      for (let i = 0; ; i++) {
        const externalId = `load-${number}-${i}`
        try {
          const { status } = await (number % 4 === 0 ? client.request('/v1/personnel') : add(externalId))
          if (status === 201) acknowledged.push(externalId)
          else expect(status).toBe(200)
        } catch (error) {
          const { code, isReused } = error as Failure
          // A new connection comes too late, and its client knows that no request was sent.
          if (code === 'ECONNREFUSED') return
          // On a slow machine a request can arrive just when its idle connection is closed: it was not read.
          if (code === 'ECONNRESET' && isReused) resets += 1
          else failures.push(code)
        }
      }
    }
    const callers = Array.from({ length: 8 }, (_, number) => caller(number))
    await waitUntil(() => acknowledged.length > 100)
    const began = performance.now()
    child.kill('SIGTERM')
    await sleep(20)
    child.kill('SIGTERM')
    await once(child, 'close')
    const tookMs = performance.now() - began
    await Promise.all(callers)
    expect({ code: child.exitCode, failures }).toEqual({ code: 0, failures: [] })
    expect(resets).toBeLessThanOrEqual(callers.length)
    reportFigure('requests on connections that were just closed', resets, 0, '')
    reportFigure('SIGTERM under load took', tookMs, LIMITS.shutdownMs, 'ms')
    expect(stored(own).filter((id) => id.startsWith('load-'))).toEqual(acknowledged.sort())
  })

  test('waits for a client that reads a long response slowly', async () => {
    const folder = newFolder()
    const { key } = await prepareStore(folder, PEOPLE_BEYOND_BUFFERS)
    const { origin, child } = await serve(folder, ['--log-level', 'silent', '--deadline-ms', '60000'])
    const socket = dial(origin)
    socket.write(`GET /v1/personnel HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', (text) => {
      received += text
    })
    await once(socket, 'data')
    socket.pause()
    const closed = Promise.all([once(socket, 'close'), once(child, 'close')])
    child.kill('SIGTERM')
    await sleep(500)
    child.kill('SIGTERM')
    await sleep(500)
    expect(child.exitCode).toBe(null)
    socket.resume()
    await closed
    const [head = '', body = ''] = received.split('\r\n\r\n')
    expect(Buffer.byteLength(body)).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]))
    expect(child.exitCode).toBe(0)
  })

  test('while it is still being loaded ends with 0 as well', async () => {
    const { child, finished } = start(newFolder(), ['serve', '--port', '0'], { env: { NODE_OPTIONS: SLOW_TO_LOAD } })
    await waitUntil(() => finished().stderr.includes('loading'))
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    await closed
    expect({ code: child.exitCode, signal: child.signalCode }).toEqual({ code: 0, signal: null })
  })

  // On PostgreSQL the check for pending migrations takes no lock.
  test.runIf(engine === 'sqlite')('before it listens ends with 0 as well', async () => {
    const folder = newFolder()
    const { own } = await prepareStore(folder)
    const other = openDatabase(own.file)
    other.exec('begin immediate')
    const { child, finished } = start(folder, ['serve', '--port', '0'])
    // By then it waits for the lock to migrate the store.
    await waitUntil(() => openFiles(child.pid).some((name) => name.endsWith('operations.db')))
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    await sleep(100)
    other.exec('rollback')
    other.close()
    await closed
    expect({ ...finished(), signal: child.signalCode }).toMatchObject({ code: 0, signal: null })
  })
})

const inline = (script: string) => `data:text/javascript,${encodeURIComponent(script)}`
/** Prints a line and waits before it loads the server. */
const HOOK = inline(`export async function load(url, context, next) {
  if (!url.includes('/bundle/server-')) return next(url, context)
  process._rawDebug('loading')
  await new Promise((resolve) => setTimeout(resolve, 500))
  return next(url, context)
}`)
const SLOW_TO_LOAD = `--import ${inline(`import { register } from 'node:module'; register(${JSON.stringify(HOOK)})`)}`

interface Failure {
  readonly code: string
  readonly isReused: boolean
}

/** The open descriptors of a process; some may be closed meanwhile. */
function openFiles(pid: number | undefined): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))]
    } catch {
      return []
    }
  })
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20)
}

function dial(origin: string): Socket {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  return socket
}

describe('two servers of one store', () => {
  test("see each other's writes at once, replay each other's idempotent responses, and refuse a revoked key at once", async () => {
    const folder = newFolder()
    const one = await openService({ folder })
    const { origin } = await serve(folder, ['--rate-limit', '0'])
    const two = callerOf(origin, one.key)
    for (let i = 0; i < 20; i++) {
      const [writing, reading] = i % 2 ? [one, two] : [two, one]
      expect((await writing.add(`p-${i}`, { 'idempotency-key': `token-${i}` })).status).toBe(201)
      expect(await reading.roster()).toContain(`p-${i}`)
      expect((await reading.add(`p-${i}`, { 'idempotency-key': `token-${i}` })).headers['idempotency-replayed']).toBe(
        'true',
      )
    }
    const both = await Promise.all(Array.from({ length: 100 }, (_, i) => (i % 2 ? one : two).add(`both-${i}`)))
    expect(both.filter(({ status }) => status !== 201)).toEqual([])
    const once = await Promise.all([one, two].map(({ add }) => add('same', { 'idempotency-key': 'same' })))
    expect(new Set(once.map(({ status, text }) => `${status} ${JSON.parse(text).id}`)).size).toBe(1)
    expect(stored(one.own).length).toBe(20 + 100 + 1)

    expect((await operations(folder, ['keys', 'revoke', one.keyId])).code).toBe(0)
    for (const { client } of [one, two]) expect((await client.request('/v1/key')).status).toBe(401)
  })
})

describe('a log that cannot be written', () => {
  test.each(['/dev/full', '/dev/null'])('to %s is no reason to stop serving', async (stdout) => {
    const { add, child, own } = await openService({ stdout })
    for (let i = 0; i < 5; i++) expect((await add(`p-${i}`)).status).toBe(201)
    expect(stored(own).length).toBe(5)
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(child.exitCode).toBe(0)
  })

  test('because its reader is gone or has stalled, neither', async () => {
    const { add, child } = await openService()
    child.stdout?.pause()
    // More than a pipe holds.
    for (let i = 0; i < 600; i++) expect((await add(`p-${i}`)).status).toBe(201)
    child.stdout?.destroy()
    for (let i = 0; i < 5; i++) expect((await add(`q-${i}`)).status).toBe(201)
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(child.exitCode).toBe(0)
  })
})

// With PostgreSQL reads need descriptors too, so none are left for clients.
describe.runIf(canLimit && engine === 'sqlite')('a process that has no descriptors left (needs prlimit)', () => {
  test('serves connected clients, and new ones again after some have disconnected', async () => {
    const { origin, child, key, add, roster, metrics } = await openService({ args: ['--metrics-port', '0'] })
    expect((await add('before')).status).toBe(201)
    const scraper = new Client(new URL(metrics).origin, undefined, 1)
    const descriptors = async () => /^process_open_fds \d+$/m.exec((await scraper.request('/metrics')).text)?.[0]
    const shownBefore = await descriptors()
    const open = openFiles(child.pid).length
    execFileSync('prlimit', ['--pid', String(child.pid), `--nofile=${open + 10}`])
    const sockets = Array.from({ length: 40 }, () => dial(origin))
    const request = `GET /v1/key HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`
    const first = await Promise.all(sockets.map((socket) => exchange(socket, request)))
    const served = sockets.filter((_, index) => first[index]?.startsWith('HTTP/1.1 200'))
    expect(served.length).toBeGreaterThanOrEqual(5)
    expect(served.length).toBeLessThan(20)
    expect(first.filter((text) => text !== '' && !text.startsWith('HTTP/1.1 200'))).toEqual([])
    // The gauge cannot be read either, and a new scrape gets no connection: neither can warn.
    expect([shownBefore, await descriptors()]).toEqual([expect.any(String), shownBefore])
    await expect(fetch(metrics)).rejects.toThrow()
    scraper.close()
    // Connected clients are still served, and can write.
    for (const socket of served) expect(await exchange(socket, request)).toMatch(/^HTTP\/1\.1 200/)
    expect((await add('meanwhile')).status).toBe(201)
    for (const socket of sockets) socket.destroy()
    // The server notices that they are closed, each by itself.
    await waitUntil(() => openFiles(child.pid).length < open + 10)
    const fresh = new Client(origin, key, 1)
    expect((await fresh.request('/v1/key')).status).toBe(200)
    fresh.close()
    expect(await roster()).toEqual(['before', 'meanwhile'])
    expect(child.exitCode).toBe(null)
  })
})

/** The response, or nothing if the connection is closed. */
function exchange(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (bytes) => resolve(String(bytes)))
    socket.once('error', () => resolve(''))
    socket.once('close', () => resolve(''))
    socket.write(request)
  })
}
