import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/index.js'
import { COUNTER_COLUMNS } from '../../src/store/changeCounters.js'
import { migratePostgres, requireMigratedPostgres } from '../../src/store/postgres/migrations.js'
import { newFolder, operations } from '../support/process.js'
import { dropDatabase, newDatabase } from './databases.js'
import { hangUp, rowsOf, valuesOf } from './sync.js'

/** A database that is gone after the test. */
function emptyDatabase(): string {
  const url = newDatabase()
  onTestFinished(() => {
    hangUp(url)
    dropDatabase(url)
  })
  return url
}

const COLLATIONS = `select table_name || '.' || column_name from information_schema.columns
  where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C'
  and table_name <> 'schema_migration'`

test('ten copies may start together on an empty database: one of them migrates', async () => {
  const env = { DATABASE_URL: emptyDatabase() }
  const folder = newFolder()
  const all = await Promise.all(Array.from({ length: 10 }, () => operations(folder, ['migrate', '--json'], { env })))
  expect(all.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(10).fill({ code: 0, stderr: '' }))
  expect(all.filter(({ stdout }) => JSON.parse(stdout).applied.length > 0)).toHaveLength(1)
})

test('every text is compared byte by byte, whatever the collation of the database', async () => {
  const url = emptyDatabase()
  await migratePostgres(url)
  expect(valuesOf(url, COLLATIONS)).toEqual([])
  expect(valuesOf(url, "select count(*) from pg_collation where collname = 'en-US-x-icu'")).toEqual([[1]])
})

test('a second run changes nothing, and a store that is not migrated is refused', async () => {
  const url = emptyDatabase()
  await expect(openStore(url, { migrate: false })).rejects.toThrow(/^There is no store at postgres:.* to create it\.$/)
  const { pending } = await migratePostgres(url)
  expect(pending).toContain('0000_initial')
  const before = rowsOf(url, 'select * from schema_migration')
  expect(await migratePostgres(url)).toEqual({ applied: pending, pending: [] })
  expect(rowsOf(url, 'select * from schema_migration')).toEqual(before)
  await requireMigratedPostgres(url)
})

test('a filled store without random values beside its counters gets them, and keeps every row', async () => {
  const url = emptyDatabase()
  await migratePostgres(url)
  const nonces = COUNTER_COLUMNS.map((counter) => `${counter}_nonce`)
  // A later migration adds one more counter with its random value.
  const tags = ['0002_version_nonces', '0007_known_personnel']
  rowsOf(url, `alter table revision ${['known', ...nonces].map((name) => `drop column ${name}`).join(', ')}`)
  rowsOf(url, `delete from schema_migration where tag in (${tags.map((tag) => `'${tag}'`)})`)
  rowsOf(url, 'insert into risk_tally values (12, 3); update revision set value = 41, keys = 7')
  expect((await migratePostgres(url)).pending).toEqual(tags)
  expect(valuesOf(url, 'select score, live from risk_tally')).toEqual([[12, 3]])
  expect(valuesOf(url, 'select value, keys from revision')).toEqual([[42, 8]])
  expect(valuesOf(url, `select ${nonces.map((name) => `${name} > 0`).join(' and ')} from revision`)).toEqual([[true]])
})

/** A filled store that lacks the last migration of three tables, and the client of another process. */
async function openOutdated() {
  const url = emptyDatabase()
  await migratePostgres(url)
  rowsOf(url, "alter table person drop column title_folded; delete from schema_migration where tag = '0011_orders'")
  rowsOf(url, 'alter table issue drop column due_key; alter table risk drop column due_key')
  rowsOf(url, 'drop index groups_by_updated, person_by_updated, project_by_updated, issue_by_updated, risk_by_updated')
  const other = new pg.Client(url)
  await other.connect()
  onTestFinished(() => other.end())
  const waiting = `select 1 from pg_locks where not granted
    and database = (select oid from pg_database where datname = current_database())`
  const waits = () => expect.poll(() => valuesOf(url, waiting)).toEqual([[1]])
  return { url, other, waits }
}

test('a migration waits for a write that is under way, and neither takes a lock that the other needs', async () => {
  const { url, other, waits } = await openOutdated()
  await other.query('begin; lock table revision in exclusive mode')
  const migrated = migratePostgres(url)
  await waits()
  await other.query("update risk set title = 'Written meanwhile'; update person set name = 'Ada'; commit")
  expect((await migrated).pending).toEqual(['0011_orders'])
})

test('a migration is tried again after a deadlock with a reader of several tables', async () => {
  const { url, other, waits } = await openOutdated()
  await other.query('begin; select 1 from risk')
  const migrated = migratePostgres(url)
  await waits()
  // The server ends the one that has waited longer, which is the migration unless this machine is very slow.
  await other.query('select 1 from issue; commit').catch(() => other.query('rollback'))
  expect((await migrated).pending).toEqual(['0011_orders'])
})

test('a store that a newer program has closed, and one of another make, are refused and left as they are', async () => {
  const url = emptyDatabase()
  await migratePostgres(url)
  rowsOf(url, "insert into schema_migration values ('9999_later', 'x', 'now')")
  expect((await migratePostgres(url)).pending).toEqual([])
  rowsOf(url, "update revision set least_version = '99.0.0'")
  await expect(migratePostgres(url)).rejects.toThrow(/is for version 99\.0\.0 and later\. Upgrade/)
  rowsOf(url, "delete from schema_migration where tag like '9%'; update schema_migration set hash = 'other'")
  await expect(migratePostgres(url)).rejects.toThrow(/was changed after it was applied/)
})

test('a database of another program is refused', async () => {
  const url = emptyDatabase()
  rowsOf(url, 'create table notes (id integer)')
  await expect(migratePostgres(url)).rejects.toThrow(/is a database of another program/)
  expect(valuesOf(url, "select tablename from pg_tables where schemaname = 'public'")).toEqual([['notes']])
})

test('a server that cannot be reached is one sentence and exit code 1, without the password', async () => {
  const folder = newFolder()
  for (const args of [['serve', '--port', '0'], ['migrate'], ['keys', 'list']]) {
    const env = { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/operations?password=secret' }
    const { code, stdout, stderr } = await operations(folder, args, { env })
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      // The server says first which version it is.
      stdout: args[0] === 'serve' ? expect.stringMatching(/^[^\n]*"msg":"starting"\}\n$/) : '',
      stderr: 'postgres://me@127.0.0.1:1/operations cannot be used: connect ECONNREFUSED 127.0.0.1:1.\n',
    })
  }
})

test('backup says how it is done here', async () => {
  const env = { DATABASE_URL: emptyDatabase() }
  const { code, stderr } = await operations(newFolder(), ['backup', 'a.db'], { env })
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/pg_dump .*"\$DATABASE_URL"/) })
})
