import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import { createApp } from '../../src/http/app.js'
import { LIMITS } from '../../src/limits.js'
import { erasePerson } from '../../src/personnel/erasure.js'
import { sqliteColumns } from '../../src/store/columns.js'
import { migrationsOf } from '../../src/store/migrationJournal.js'
import { inOneWrite } from '../../src/store/shortWrites.js'
import { type Connection, openDatabase } from '../../src/store/sqlite/driver.js'
import { migrate, requireMigrated } from '../../src/store/sqlite/migrations.js'
import { openSqlite } from '../../src/store/sqlite/store.js'
import { defineTables } from '../../src/store/tables.js'
import { fillCompany } from '../support/fixtures.js'
import { Caller, NOW, openGateway } from '../support/harness.js'
import { newFolder } from '../support/process.js'

const FIRST = readFileSync(new URL('../../drizzle/sqlite/0000_initial.sql', import.meta.url), 'utf8')
const TABLES = ['person', 'groups', 'membership', 'project', 'risk', 'risk_tally', 'issue', 'api_key']
const PATHS = [
  '/v1/personnel?status=active,inactive',
  '/v1/groups',
  '/v1/projects',
  '/v1/risks?status=open,occurred,closed',
  '/v1/issues',
  '/v1/key',
]

function inFile<T>(file: string, work: (connection: Connection) => T): T {
  const connection = openDatabase(file)
  try {
    return work(connection)
  } finally {
    connection.close()
  }
}

/** A store as the first release made it, empty. */
function oldStore(): string {
  const file = join(newFolder(), 'operations.db')
  inFile(file, (connection) => {
    connection.pragma('journal_mode = wal')
    connection.exec(FIRST.replaceAll('--> statement-breakpoint', ''))
    connection.exec(
      'create table schema_migration (tag text primary key, hash text not null, applied_at text not null)',
    )
    const hash = createHash('sha256').update(FIRST).digest('hex')
    connection.prepare('insert into schema_migration values (?, ?, ?)').run('0000_initial', hash, NOW.toISOString())
    connection.exec('insert into revision values (1, 7)')
  })
  return file
}

/** A company and a key in a current store, and the same, as far as possible, in a store of the first release. */
async function openBoth() {
  const gateway = openGateway()
  await gateway.write((write) => fillCompany(write, true))
  const key = await gateway.write((write) =>
    mintKey(write, { name: 'Mine', scopes: ['personnel.manage', 'projects.manage'], expiresAt: undefined }),
  )
  const file = oldStore()
  inFile(file, (connection) => {
    connection.prepare('attach ? as today').run(gateway.own.file)
    // The rows of a risk come before the issues that came from it, and people before both.
    for (const table of TABLES) {
      const columns = connection.prepare('select name from pragma_table_info(?)').pluck().all(table).join(', ')
      connection.exec(`insert into ${table} (${columns}) select ${columns} from today.${table}`)
    }
  })
  return { gateway, file, caller: gateway.with(`Bearer ${key.secret}`) }
}

/** What the upgrade fills in. */
function filled(table: string, row: unknown): object {
  const { title, due_on: dueOn } = row as { title?: string | null; due_on?: string | null }
  if (table === 'person') return { title_folded: title?.toLowerCase() ?? null }
  return table === 'risk' || table === 'issue' ? { due_key: dueOn ?? '9999-99-99' } : {}
}

function rowsOf(file: string): Record<string, unknown[]> {
  return inFile(file, (connection) =>
    Object.fromEntries(
      TABLES.map((table) => [table, connection.prepare(`select * from ${table} order by 1, 2`).all()]),
    ),
  )
}

/** A caller of the service on this file. */
function callerOn(file: string, authorization: string | undefined): Caller {
  const store = openSqlite(file)
  onTestFinished(() => store.close())
  const log = pino({ level: 'silent' })
  const app = createApp({
    ...{ store, log, clock: () => NOW, basePath: '', graphiql: false },
    wholeListRowsMax: LIMITS.wholeListRowsMax,
    ratePerMinute: 0,
    responseCacheBytesMax: 0,
    inFlightBytesMax: LIMITS.inFlightBytesMax,
    slowMs: LIMITS.slowQueryMs,
    corsOrigins: '',
  })
  return new Caller(app, authorization, '')
}

test('a filled store of the first release keeps every row and every link', async () => {
  const { file, gateway } = await openBoth()
  const before = rowsOf(file)
  expect(Object.values(before).map((rows) => rows.length)).toEqual([8, 3, 8, 3, 40, expect.any(Number), 40, 1])
  expect(() => requireMigrated(file)).toThrow(/lacks/)
  const { applied, pending } = migrate(file)
  expect({ applied, pending }).toEqual({
    applied: ['0000_initial'],
    pending: migrationsOf('sqlite').flatMap(({ tag }) => (tag > '0001' ? [tag] : [])),
  })
  // Columns that came later are null.
  const after = rowsOf(file)
  const expected = Object.entries(before).map(([table, rows]) => {
    const blank = Object.fromEntries(Object.keys(after[table]?.[0] ?? {}).map((column) => [column, null]))
    return [table, rows.map((row) => Object.assign({}, blank, row, filled(table, row)))]
  })
  // The upgrade fills in whether a member has left.
  const { membership } = rowsOf(gateway.own.file)
  expect(membership).toContainEqual(expect.objectContaining({ live: 0 }))
  expect(after).toEqual({ ...Object.fromEntries(expected), membership })
  inFile(file, (connection) => {
    expect(connection.pragma('foreign_key_check')).toEqual([])
    expect(connection.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(connection.prepare('select count(*) from change').pluck().get()).toBe(0)
    expect(connection.prepare('select value from revision').pluck().get()).toBe(8)
    // No earlier version equals a later one.
    const nonces = ['value', 'personnel', 'known', 'projects', 'history', 'keys']
      .map((counter) => `${counter}_nonce > 0`)
      .join(' and ')
    expect(connection.prepare(`select ${nonces} from revision`).pluck().get()).toBe(1)
  })
  expect(migrate(file).pending).toEqual([])
})

test('and responds as before, to the same key', async () => {
  const { file, caller } = await openBoth()
  migrate(file)
  const upgraded = callerOn(file, caller.authorization)
  for (const path of PATHS) {
    const [before, after] = [await caller.get(path), await upgraded.get(path)]
    expect({ path, status: after.status, body: after.body }).toEqual({ path, status: 200, body: before.body })
  }
})

test('and can be changed: the first change of a row begins its history', async () => {
  const { file, caller } = await openBoth()
  migrate(file)
  const upgraded = callerOn(file, caller.authorization)
  const [person] = (await upgraded.get('/v1/personnel?limit=1')).body.data
  expect((await upgraded.patch(`/v1/personnel/${person.id}`, { title: 'Lead' })).status).toBe(200)
  const history = 'history { nodes { action fields { field from to } } }'
  const { body } = await upgraded.graphql(`{ person(id: "${person.id}") { ${history} } }`)
  const fields = [{ field: 'title', from: null, to: 'Lead' }]
  expect(body).toEqual({ data: { person: { history: { nodes: [{ action: 'UPDATED', fields }] } } } })
})

const REFUSED: [statement: string, why: string][] = [
  ["update person set status = 'GONE'", 'CHECK constraint failed: person_status'],
  [
    'update person set email = null, email_folded = null, external_id = null',
    'CHECK constraint failed: person_reachable',
  ],
  ["update person set erased_at = 'yesterday'", 'CHECK constraint failed: person_erased_at'],
  ["update project set status = 'GONE'", 'CHECK constraint failed: project_status'],
  ["update project set key = 'apollo' where key = 'APOLLO'", 'CHECK constraint failed: project_key_capitals'],
  ["update risk set status = 'GONE'", 'CHECK constraint failed: risk_status'],
  ["update risk set status = 'CLOSED' where live = 1", 'CHECK constraint failed: risk_live'],
  ['update risk set likelihood = 6, impact = 1, score = 6, standing = -61', 'CHECK constraint failed: risk_likelihood'],
  ['update risk set score = score + 1, standing = standing - 10', 'CHECK constraint failed: risk_score'],
  ['update risk set score_given = 26, likelihood = null, impact = null', 'CHECK constraint failed: risk_score_given'],
  ['update risk set score_given = 2.5, likelihood = null, impact = null', 'CHECK constraint failed: risk_score_given'],
  ['update risk set score_given = score where likelihood > 0', 'CHECK constraint failed: risk_score_needed'],
  ['update risk set residual_likelihood = 2', 'CHECK constraint failed: risk_residual_assessed'],
  ["update risk set due_on = 'soon'", 'CHECK constraint failed: risk_due_on'],
  ["update person set details = '[]'", 'CHECK constraint failed: person_details'],
  ["update issue set status = 'GONE'", 'CHECK constraint failed: issue_status'],
  ["update issue set severity = 'DIRE'", 'CHECK constraint failed: issue_severity'],
  ["update issue set title = ' padded '", 'CHECK constraint failed: issue_title_text'],
  [
    "insert into membership (group_id, person_id) select id, 'usr_nobody' from groups limit 1",
    'FOREIGN KEY constraint failed',
  ],
  ["update risk set owner_id = 'usr_nobody'", 'FOREIGN KEY constraint failed'],
  ["update issue set risk_id = 'rsk_nothing'", 'FOREIGN KEY constraint failed'],
  ['delete from person', 'FOREIGN KEY constraint failed'],
  ['delete from project', 'FOREIGN KEY constraint failed'],
  ['delete from risk', 'FOREIGN KEY constraint failed'],
]

test('every rule and every link holds in a migrated store', async () => {
  const { file } = await openBoth()
  migrate(file)
  const outcomes = inFile(file, (connection) => {
    connection.pragma('foreign_keys = on')
    return REFUSED.map(([statement]) => {
      try {
        return [statement, `changed ${connection.prepare(statement).run().changes} rows`]
      } catch (error) {
        return [statement, String(error).replace('SqliteError: ', '')]
      }
    })
  })
  expect(outcomes).toEqual(REFUSED)
})

/** Every table and index of a store by its name, ignoring the order of columns, which an upgrade cannot choose. */
function formOf(connection: Connection): Record<string, string[]> {
  const parts = (sql: string) => sql.split(/,\n|\n/).map((line) => line.replaceAll(/[`"]|^\s+|,$/g, ''))
  const rows = connection
    .prepare("select name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'")
    .all() as { name: string; sql: string }[]
  // ALTER TABLE appends a column to the line of the last one.
  const lines = ({ sql }: { sql: string }) => parts(sql.replaceAll(/, (`\w+` \w+)/g, ',\n$1')).sort()
  const { schema_migration: _, ...form } = Object.fromEntries(rows.map((row) => [row.name, lines(row)]))
  return form
}

test('a migrated store has the form of a new one, and both have the form that the tables describe', async () => {
  const { gateway, file } = await openBoth()
  migrate(file)
  const nothing = await generateSQLiteDrizzleJson({})
  const tables = await generateSQLiteDrizzleJson({ ...defineTables(sqliteColumns) })
  const statements = await generateSQLiteMigration(nothing, tables)
  const model = inFile(':memory:', (connection) => {
    for (const statement of statements) connection.exec(statement)
    return formOf(connection)
  })
  expect(Object.keys(model).length).toBe(statements.length)
  expect(inFile(file, formOf)).toEqual(model)
  expect(inFile(gateway.own.file, formOf)).toEqual(model)
})

test('a store with a broken link is refused, and left as it was', async () => {
  const { file } = await openBoth()
  inFile(file, (connection) => {
    connection.pragma('foreign_keys = off')
    connection.exec("update issue set risk_id = 'rsk_nothing' where rowid = 1")
  })
  const before = rowsOf(file)
  expect(() => migrate(file)).toThrow(/1 rows point at rows that are not there; nothing was changed/)
  expect(rowsOf(file)).toEqual(before)
  expect(() => requireMigrated(file)).toThrow(`lacks ${migrationsOf('sqlite').length - 1} migration`)
})

test('a person erased after an upgrade is gone from the old pages as well', async () => {
  const { file } = await openBoth()
  const texts = ['Quillon Zyxwvut', 'quillon@zyx.example', 'ZYX-4711']
  const [name, email, externalId] = texts
  inFile(file, (connection) =>
    connection
      .prepare(
        `update person set name = $name, name_folded = lower($name), email = $email, email_folded = $email,
          external_id = $externalId where name = 'bea'`,
      )
      .run({ name, email, externalId }),
  )
  migrate(file)
  const store = openSqlite(file)
  await store.write({ by: 'cli', at: () => NOW }, async (write) => {
    const people = await write.db.select().from(write.t.person)
    await erasePerson(inOneWrite(write), people.find((person) => person.name === name)?.id ?? '')
  })
  await store.close()
  const bytes = readFileSync(file, 'latin1').toLowerCase()
  expect(texts.filter((text) => bytes.includes(text.toLowerCase()))).toEqual([])
})
