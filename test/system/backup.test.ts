import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { JOURNAL_TABLE } from '../../src/store/migrationJournal.js'
import { backUp } from '../../src/store/sqlite/backup.js'
import { type Connection, openDatabase } from '../../src/store/sqlite/driver.js'
import { AT, calm, damageIndex, newStore, within } from '../store/backup/copies.js'
import { mint, runHere } from '../support/inProcess.js'
import { newFolder, operations, serve } from '../support/process.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const STORE_ALONE = ['data', 'data/operations.db']
function openedToTheEnd(file: string): Connection {
  const db = openDatabase(file)
  onTestFinished(() => {
    db.close()
  })
  return db
}

function peopleIn(file: string): unknown {
  return within(file, (db) => db.prepare('select count(*) from person').pluck().get())
}

function everyFile(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
}

function start(folder: string, command: string, args: readonly string[]) {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]).then(([[code], stderr]) => ({ code, stderr }))
  return { child, ended }
}

describe('a backup', () => {
  test('taken while people are added has everyone acknowledged before it began, and is served by itself', async () => {
    const folder = newFolder()
    const { key } = await mint(folder, '--name', 'a', '--scope', 'personnel.manage', '--scope', 'personnel.read')
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const live = await serve(folder)
    const acknowledged: string[] = []
    const statuses = new Set<number>()
    let isOver = false
    const adding = (async () => {
      for (let i = 0; !isOver; i++) {
        const body = JSON.stringify({ name: 'Ada', email: `ada${i}@example.com` })
        const { status } = await fetch(`${live.origin}/v1/personnel`, { method: 'POST', headers, body })
        statuses.add(status)
        acknowledged.push(`ada${i}@example.com`)
      }
    })()
    while (acknowledged.length < 20) await sleep(5)
    const before = acknowledged.length
    const { code, stdout, stderr } = await operations(folder, ['backup', 'copy.db', '--json'])
    const after = acknowledged.length
    isOver = true
    await adding
    expect({ code, stderr, statuses: [...statuses] }).toEqual({ code: 0, stderr: '', statuses: [201] })
    expect(after).toBeGreaterThan(before)

    const copy = await serve(folder, ['--database', 'file:./copy.db', '--no-migrate'])
    const { data } = await (await fetch(`${copy.origin}/v1/personnel`, { headers })).json()
    const retained = new Set(data.map(({ email }: { email: string }) => email))
    expect(retained.size).toBeGreaterThanOrEqual(before)
    // People are added in sequence, so a snapshot has the first ones without a gap.
    expect(acknowledged.slice(0, retained.size).filter((email) => !retained.has(email))).toEqual([])
    expect(JSON.parse(stdout)).toMatchObject({ file: 'copy.db', rows: { person: retained.size, api_key: 1 } })
  })

  test('ends despite continuous writes, and holds one snapshot of the store', async () => {
    const { folder, store } = newStore(2_000)
    const writer = openedToTheEnd(store)
    const raise = writer.prepare('update revision set value = value + 1 returning value').pluck()
    const before = Number(raise.get())
    let last = before
    let next = setImmediate(function write() {
      last = Number(raise.get())
      next = setImmediate(write)
    })
    onTestFinished(() => clearImmediate(next))
    const { revision } = await backUp(store, join(folder, 'copy.db'), { ...calm, signal: AbortSignal.timeout(60_000) })
    expect(revision).toBeGreaterThanOrEqual(before)
    expect(last).toBeGreaterThan(revision)
  })

  test('is one file for its owner alone, which opens by itself, also where nothing can be written', async () => {
    const { folder, store } = newStore(3)
    // Kept open, so that the writes are still in the -wal file.
    const live = openedToTheEnd(store)
    live.exec("update person set title = 'Engineer'")
    expect(statSync(`${store}-wal`).size).toBeGreaterThan(0)
    mkdirSync(join(folder, 'backups'))
    const file = join(folder, 'backups', 'copy.db')
    const backup = await backUp(store, file, calm)
    expect(everyFile(join(folder, 'backups'))).toEqual(['copy.db'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(backup).toEqual({
      rows: expect.objectContaining({ person: 3, groups: 1, membership: 3, project: 0, revision: 1 }),
      migrations: expect.arrayContaining(['0000_initial']),
      revision: expect.any(Number),
      bytes: statSync(file).size,
      takenAt: AT,
    })
    // As a reader that may create no file beside it.
    const titles = openDatabase(readFileSync(file)).prepare('select distinct title from person').pluck().all()
    expect(titles).toEqual(['Engineer'])
  })

  test('replaces a file only with --force, and says in words what it did', async () => {
    const { folder } = newStore(1_234)
    writeFileSync(join(folder, 'copy.db'), 'Precious.')
    expect(await operations(folder, ['backup', 'copy.db'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'copy.db already exists. Name another file, or replace it with --force.\n',
    })
    expect(readFileSync(join(folder, 'copy.db'), 'utf8')).toBe('Precious.')
    const { code, stdout, stderr } = await operations(folder, ['backup', 'copy.db', '--force'])
    expect({ code, stdout, people: peopleIn(join(folder, 'copy.db')) }).toEqual({ code: 0, stdout: '', people: 1_234 })
    expect(stderr).toMatch(/^Backed up \.\/data\/operations\.db to copy\.db: 1,234 people, 1 group, 0 projects, /)
    expect(stderr).toMatch(/, 0 keys, \d+(\.\d)? [KM]B, verified\.\n$/)
  })

  test('is refused if the target exists, before copying and also if it is created meanwhile', async () => {
    const { folder, store } = newStore(1)
    const file = join(folder, 'copy.db')
    const making = backUp(store, file, calm)
    writeFileSync(file, 'Precious.')
    await expect(making).rejects.toThrow(/already exists/)
    const options = { ...calm, signal: AbortSignal.abort(new Error('copying')) }
    await expect(backUp(store, file, options)).rejects.toThrow(/already exists/)
    expect(readFileSync(file, 'utf8')).toBe('Precious.')
    expect(everyFile(folder)).toEqual(['copy.db', ...STORE_ALONE])
  })
})

describe('a backup that fails leaves everything as it was:', () => {
  const TARGETS: readonly (readonly [string, string, RegExp])[] = [
    ['the store by another path', './data/../data/./operations.db', /is the store itself/],
    ['the store through a linked folder', 'linked/operations.db', /is the store itself/],
    ['a link to the store', 'link.db', /is the store itself/],
    ['a second name of the store', 'hard.db', /is the store itself/],
    ["the store's -wal", 'data/operations.db-wal', /is the store itself, or a part of it/],
    ["the store's -shm", 'linked/operations.db-shm', /is the store itself, or a part of it/],
    ['a folder', 'data', /is a folder\. Name a file in it/],
    ['a folder that is not there', 'new/', /is a folder\. Name a file in it/],
    ['a file in a folder that is not there', 'nowhere/copy.db', /There is no folder .*nowhere\. Make it first/],
    ['a file in a file', 'notes.txt/copy.db', /There is no folder .*notes\.txt/],
    ['a file in a folder that cannot be written', '/sys/kernel/copy.db', /\/sys\/kernel cannot be written/],
    ['a pipe', 'pipe', /is not a regular file/],
    ['a store in use', 'used.db', /used\.db-wal exists/],
    ['a name too long for a file', 'x'.repeat(300), /name of the file is too long/],
  ]

  test.each(TARGETS)('to %s, even with --force', async (_, target, sentence) => {
    const { folder, store } = newStore(1)
    symlinkSync('data', join(folder, 'linked'))
    symlinkSync('data/operations.db', join(folder, 'link.db'))
    linkSync(store, join(folder, 'hard.db'))
    writeFileSync(join(folder, 'notes.txt'), 'Notes.')
    writeFileSync(join(folder, 'used.db-wal'), '')
    execFileSync('mkfifo', [join(folder, 'pipe')])
    const before = everyFile(folder)
    const path = target.startsWith('/') ? target : `${folder}/${target}`
    await expect(backUp(store, path, { ...calm, force: true })).rejects.toThrow(sentence)
    expect(everyFile(folder)).toEqual(before)
    expect(peopleIn(store)).toBe(1)
  })

  const STORES: readonly (readonly [string, string, RegExp])[] = [
    ['that is not there', 'none.db', /There is no store at .*none\.db/],
    ['that is no database', 'notes.txt', /is not a database/],
    ['of another program', 'books.db', /of another program/],
    ['that is empty', 'empty.db', /empty\.db is empty\. Restore a backup/],
    ['that is not migrated', 'old.db', /lacks \d+ migration/],
  ]

  test.each(STORES)('of a store %s', async (_, store, sentence) => {
    const folder = newFolder()
    writeFileSync(join(folder, 'notes.txt'), 'Not a database, but long enough to look like something. '.repeat(30))
    writeFileSync(join(folder, 'empty.db'), '')
    within(join(folder, 'books.db'), (db) => db.exec('create table book (title text)'))
    within(join(folder, 'old.db'), (db) => db.exec(JOURNAL_TABLE))
    const before = everyFile(folder)
    await expect(backUp(join(folder, store), join(folder, 'copy.db'), calm)).rejects.toThrow(sentence)
    expect(everyFile(folder)).toEqual(before)
  })

  test('of a damaged store, also with a good backup in its place', async () => {
    const { folder, store } = newStore(500)
    writeFileSync(join(folder, 'copy.db'), 'The good one.')
    damageIndex(store)
    const attempt = (signal: AbortSignal) => backUp(store, join(folder, 'copy.db'), { ...calm, force: true, signal })
    await expect(attempt(calm.signal)).rejects.toThrow(/damaged/)
    // An abort does not wait for the check, which would find the damage.
    await expect(attempt(AbortSignal.abort(new Error('interrupted')))).rejects.toThrow('interrupted')
    expect(readFileSync(join(folder, 'copy.db'), 'utf8')).toBe('The good one.')
    expect(everyFile(folder)).toEqual(['copy.db', ...STORE_ALONE])
  })

  test('where no more can be written', async () => {
    const { folder } = newStore(4_000)
    const { ended } = start(folder, 'sh', ['-c', `ulimit -f 1000; exec '${process.execPath}' '${MAIN}' backup copy.db`])
    expect(await ended).toEqual({ code: 1, stderr: expect.stringMatching(/^Either the store .*\. Nothing was kept/) })
    expect(everyFile(folder)).toEqual(STORE_ALONE)
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('by %s', async (signal) => {
    const { folder } = newStore(30_000)
    const { child, ended } = start(folder, process.execPath, [MAIN, 'backup', 'copy.db'])
    const watcher = watch(folder, (_, name) => {
      if (name?.startsWith('.operations-backup-')) child.kill(signal)
    })
    expect(await ended).toEqual({ code: 1, stderr: 'The backup was interrupted; copy.db is unchanged.\n' })
    watcher.close()
    expect(everyFile(folder)).toEqual(STORE_ALONE)
  })

  test.each([
    ['standard output', ['-'], /cannot go to standard output/],
    ['an empty name', [''], /empty/],
    ['an address', ['file:./copy.db'], /without file:/],
    ['no file', [], /missing required argument/],
  ])('to %s, which is wrong usage', async (_, args, sentence) => {
    const folder = newFolder()
    const { code, stdout, stderr } = await runHere(folder, ['backup', ...args])
    expect({ code, stdout, files: readdirSync(folder) }).toEqual({ code: 2, stdout: '', files: [] })
    expect(stderr).toMatch(sentence)
  })
})
