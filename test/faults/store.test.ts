import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import type { ClientResponse } from '../campaigns/client.js'
import { reportFigure } from '../support/figures.js'
import { newFolder, operations } from '../support/process.js'
import {
  canFreeze,
  canMount,
  canTrace,
  openService,
  prepareStore,
  READY,
  READY_TO_READ,
  smallDisk,
  stored,
} from '../support/service.js'

/** The error of a write while the store is not writable. */
function unavailable(detail: string) {
  return {
    status: 503,
    headers: expect.objectContaining({ 'retry-after': '1', 'content-type': 'application/problem+json' }),
    body: expect.objectContaining({ code: 'UNAVAILABLE', detail }),
  }
}

function seen({ status, headers, text }: ClientResponse) {
  return { status, headers, body: JSON.parse(text) }
}

/** Fills the disk, even if another process uses some of it meanwhile. */
function fill(file: string, bytes: number): void {
  try {
    writeFileSync(file, Buffer.alloc(bytes))
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' })
  }
}

describe.skipIf(!canMount)('a full disk (needs the right to mount)', () => {
  test('refuses writes and nothing else, and takes them again once there is room', async () => {
    const folder = smallDisk(4_000_000)
    const { add, client, own, roster, readiness } = await openService({ folder })
    expect((await add('before')).status).toBe(201)
    const filler = join(folder, 'filler')
    fill(filler, freeBytes(folder))

    // The last pages of the WAL may still have room; every 201 must be stored.
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => add(`full-${i}`)))
    const taken = answers.flatMap(({ status }, i) => (status === 201 ? [`full-${i}`] : []))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused) {
      expect(seen(answer)).toEqual(unavailable('The disk of the store is full, so nothing can be written.'))
    }
    const mutation = JSON.stringify({ query: 'mutation { addPerson(input: { name: "B", externalId: "b" }) { id } }' })
    const inGraphql = await client.request('/graphql', { method: 'POST', body: mutation })
    expect(JSON.parse(inGraphql.text).errors[0].extensions.code).toBe('UNAVAILABLE')
    expect((await roster()).sort()).toEqual(['before', ...taken].sort())
    expect(await readiness()).toEqual(READY_TO_READ)
    expect((await client.request('/healthz')).status).toBe(200)

    rmSync(filler)
    expect((await add('after')).status).toBe(201)
    expect(await readiness()).toEqual(READY)
    expect(stored(own)).toEqual(['after', 'before', ...taken].sort())
    expect(integrityOf(own.file)).toBe('ok')
  })
})

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function integrityOf(file: string): unknown {
  const db = openDatabase(file, { readonly: true })
  try {
    return db.pragma('integrity_check', { simple: true })
  } finally {
    db.close()
  }
}

describe('a store that cannot be written', () => {
  // SQLite cannot even read a store in WAL mode without writing beside it, so there is nothing to serve.
  test.skipIf(!canMount)('is refused at the start, in one sentence (needs the right to mount)', async () => {
    const folder = smallDisk(4_000_000)
    await prepareStore(folder)
    execFileSync('mount', ['-o', 'remount,ro', folder])
    for (const args of [[], ['--no-migrate']]) {
      expect(await operations(folder, ['serve', '--port', '0', ...args])).toEqual({
        code: 1,
        stdout: expect.stringMatching(/^\{[^\n]*"msg":"starting"\}\n$/),
        stderr:
          './data/operations.db cannot be written. ' +
          'Check the folder and its permissions, or name another with --database.\n',
      })
    }
  })

  test.skipIf(!canFreeze)('while it is served can still be read (needs chattr and root)', async () => {
    const { add, own, roster, readiness } = await openService()
    expect((await add('before')).status).toBe(201)
    const log = `${own.file}-wal`
    execFileSync('chattr', ['+i', log])
    onTestFinished(() => {
      execFileSync('chattr', ['-f', '-i', log])
    })
    expect(seen(await add('meanwhile'))).toEqual(unavailable('The store cannot be reached.'))
    expect(await readiness()).toEqual(READY_TO_READ)
    expect(await roster()).toEqual(['before'])
    execFileSync('chattr', ['-i', log])
    expect((await add('after')).status).toBe(201)
    expect(await readiness()).toEqual(READY)
    expect(stored(own)).toEqual(['after', 'before'])
  })

  test.skipIf(!canTrace)('to the disk itself acknowledges nothing (needs strace)', async () => {
    const { add, child, own, readiness } = await openService()
    expect((await add('before')).status).toBe(201)
    const release = await failingSyncs(child.pid ?? 0)
    expect(seen(await add('meanwhile'))).toEqual(unavailable('The store cannot be reached.'))
    expect(await readiness()).toEqual(READY_TO_READ)
    await release()
    expect((await add('after')).status).toBe(201)
    expect(await readiness()).toEqual(READY)
    expect(stored(own)).toEqual(['after', 'before'])
  })
})

/** Makes every fsync of a process fail, until released. */
async function failingSyncs(pid: number): Promise<() => Promise<void>> {
  const tracer = spawn('strace', ['-f', '-p', String(pid), '-e', 'inject=fdatasync,fsync:error=EIO', '-o', '/dev/null'])
  onTestFinished(() => {
    tracer.kill()
  })
  await new Promise<void>((resolve) => tracer.stderr.on('data', (text) => /attached/.test(String(text)) && resolve()))
  return () =>
    new Promise((resolve) => {
      tracer.on('close', () => resolve())
      tracer.kill()
    })
}

test('a store that another process holds refuses writes when their time is up, and takes them afterwards', async () => {
  const { add, client, own, readiness, roster } = await openService()
  const other = openDatabase(own.file)
  onTestFinished(() => {
    other.close()
  })
  other.exec('begin immediate')
  const began = performance.now()
  const waiting = add('meanwhile')
  let longestMs = 0
  while (performance.now() - began < LIMITS.storeBusyMs - 1_000) {
    const sentAt = performance.now()
    expect((await client.request('/healthz')).status).toBe(200)
    expect(await roster()).toEqual([])
    longestMs = Math.max(longestMs, performance.now() - sentAt)
    await sleep(100)
  }
  reportFigure('others waited', longestMs, 1_000, 'ms')
  // The lock is temporary, so readiness stays true.
  expect(await readiness()).toEqual(READY)
  expect(seen(await waiting)).toEqual(unavailable('The store is busy. Try again in a moment.'))
  const waitedMs = performance.now() - began
  expect(waitedMs).toBeGreaterThan(LIMITS.storeBusyMs - 100)
  other.exec('rollback')
  expect((await add('after')).status).toBe(201)
  expect(stored(own)).toEqual(['after'])
})

describe('a store whose file is taken away while it is served', () => {
  const gone = unavailable("The store's file was moved or replaced. Restart the server.")

  test('refuses writes, which would go nowhere', async () => {
    const { add, own, readiness } = await openService()
    expect((await add('before')).status).toBe(201)
    for (const ending of ['', '-wal', '-shm']) rmSync(own.file + ending)
    expect(seen(await add('after'))).toEqual(gone)
    expect(await readiness()).toEqual(READY_TO_READ)
  })

  test('refuses everything when another has taken its place, and leaves that one alone', async () => {
    const other = newFolder()
    const { own: replacement } = await prepareStore(other)
    const { add, client, own, readiness } = await openService()
    expect((await add('before')).status).toBe(201)
    for (const ending of ['', '-wal', '-shm']) rmSync(own.file + ending)
    copyFileSync(replacement.file, own.file)
    expect(seen(await add('after'))).toEqual(gone)
    // Keys that are revoked now are revoked in the other file.
    expect(seen(await client.request('/v1/personnel'))).toEqual(gone)
    expect(await readiness()).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    expect(stored(own)).toEqual([])
    expect(integrityOf(own.file)).toBe('ok')
  })
})
