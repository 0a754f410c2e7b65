import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { addGroup, groups } from '../../../src/personnel/groups.js'
import { openStore } from '../../../src/store/open.js'
import { countOf } from '../../../src/store/query/page.js'
import { backUp } from '../../../src/store/sqlite/backup.js'
import { restore } from '../../../src/store/sqlite/restore.js'
import { NOW } from '../../support/harness.js'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'restore-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const opened = (file: string) => openStore(`file:${file}`, { migrate: true })

async function addTo(file: string, name: string): Promise<void> {
  const store = await opened(file)
  await store.write({ by: 'cli', at: () => NOW }, (write) => addGroup(write, { name }))
  await store.close()
}

async function groupsIn(file: string): Promise<number> {
  const store = await opened(file)
  const count = await countOf(store.read, groups, {})
  await store.close()
  return count
}

/** A store with two groups, and a backup from when it had one. */
async function prepared() {
  const path = folder()
  const [store, backup] = [join(path, 'store.db'), join(path, 'backup.db')]
  await addTo(store, 'First')
  await backUp(store, backup, { force: false, clock: () => NOW, signal: new AbortController().signal })
  await addTo(store, 'Second')
  return { path, store, backup }
}

test('a backup takes the place of the store, which is kept and can be restored in turn', async () => {
  const { store, backup } = await prepared()
  const { kept: retained = '', rows } = restore(backup, store, NOW)
  expect([rows['groups'], await groupsIn(store), existsSync(`${store}-wal`)]).toEqual([1, 1, false])
  restore(retained, store, new Date(NOW.getTime() + 1))
  expect(await groupsIn(store)).toBe(2)
})

test('a store that is in use stays as it is', async () => {
  const { path, store, backup } = await prepared()
  const before = readdirSync(path).filter((name) => !/-(wal|shm)$/.test(name))
  const server = await opened(store)
  await countOf(server.read, groups, {})
  expect(() => restore(backup, store, NOW)).toThrow(/is in use\. Stop every server/)
  expect(await countOf(server.read, groups, {})).toBe(2)
  await server.close()
  expect(readdirSync(path).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before)
})

test('what is no backup is refused, and nothing is changed', async () => {
  const { path, store } = await prepared()
  const text = join(path, 'text.db')
  writeFileSync(text, 'no database at all, but long enough to look like one'.repeat(50))
  expect(() => restore(text, store, NOW)).toThrow(/is not a backup of a store\. Nothing was changed/)
  expect(() => restore(join(path, 'none.db'), store, NOW)).toThrow(/There is no file/)
  expect(() => restore(store, store, NOW)).toThrow(/is the store itself/)
  expect(await groupsIn(store)).toBe(2)
})

test('where there is no store yet, the backup becomes it', async () => {
  const { path, backup } = await prepared()
  const fresh = join(path, 'new', 'store.db')
  expect(restore(backup, fresh, NOW).kept).toBeUndefined()
  expect(await groupsIn(fresh)).toBe(1)
})
