import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Connection, openDatabase } from '../../src/store/sqlite/driver.js'
import { migrate, requireMigrated } from '../../src/store/sqlite/migrations.js'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'operations-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

function inFile<T>(file: string, work: (connection: Connection) => T): T {
  const connection = openDatabase(file)
  try {
    return work(connection)
  } finally {
    connection.close()
  }
}

test('a store is created with its folder, and a second run changes nothing', () => {
  const file = join(newFolder(), 'a', 'b', 'operations.db')
  const first = migrate(file)
  expect(first.applied).toEqual([])
  expect(first.pending.length).toBeGreaterThan(0)
  expect(migrate(file)).toEqual({ applied: first.pending, pending: [] })
  expect(() => requireMigrated(file)).not.toThrow()
})

test('reading a missing store does not create it', () => {
  const file = join(newFolder(), 'operations.db')
  expect(() => requireMigrated(file)).toThrow(/There is no store at .*operations migrate --database file:/)
})

test('a store that lacks a migration is refused with what to do', () => {
  const file = join(newFolder(), 'operations.db')
  inFile(file, (connection) =>
    connection.exec('create table schema_migration (tag text primary key, hash text, applied_at text)'),
  )
  expect(() => requireMigrated(file)).toThrow(/lacks .*Run `operations migrate --database file:.*` first/)
})

test('a store that a newer program has only added to can be opened; one that it has closed is refused', () => {
  const file = join(newFolder(), 'operations.db')
  migrate(file)
  inFile(file, (connection) => connection.exec("insert into schema_migration values ('9999_future', 'x', 'x')"))
  expect(migrate(file).pending).toEqual([])
  expect(() => requireMigrated(file)).not.toThrow()
  inFile(file, (connection) => connection.exec("update revision set least_version = 'v99'"))
  expect(() => migrate(file)).toThrow(/Upgrade/)
  inFile(file, (connection) => connection.exec("update revision set least_version = '99.0.0'"))
  expect(() => migrate(file)).toThrow(/is for version 99\.0\.0 and later\. Upgrade/)
  expect(() => requireMigrated(file)).toThrow(/Upgrade/)
})

test('a file that is no database, and a database of another program, are refused', () => {
  const folder = newFolder()
  const text = join(folder, 'notes.db')
  writeFileSync(text, 'These are my notes, and they are long enough to be taken for a header of something.'.repeat(20))
  expect(() => migrate(text)).toThrow(/is not a database/)
  const foreign = join(folder, 'foreign.db')
  inFile(foreign, (connection) => connection.exec('create table books (title text)'))
  expect(() => migrate(foreign)).toThrow(/another program/)
  expect(inFile(foreign, (connection) => connection.prepare('select count(*) from sqlite_master').pluck().get())).toBe(
    1,
  )
})

test('a folder in place of the file is refused in a sentence', () => {
  const file = join(newFolder(), 'operations.db')
  mkdirSync(file)
  expect(() => migrate(file)).toThrow(/cannot be written/)
})

test('a filled store keeps its rows and its version when there is nothing to migrate', () => {
  const file = join(newFolder(), 'operations.db')
  migrate(file)
  const before = inFile(file, (connection) => {
    connection.exec(
      "insert into groups values ('grp_1', 'Team', 'team', null, null, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
    )
    return connection.prepare('select value from revision').pluck().get()
  })
  migrate(file)
  const after = inFile(file, (connection) => ({
    groups: connection.prepare('select name from groups').pluck().all(),
    revision: connection.prepare('select value from revision').pluck().get(),
  }))
  expect(after).toEqual({ groups: ['Team'], revision: before })
})
