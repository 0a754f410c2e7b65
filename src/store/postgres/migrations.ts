import pg from 'pg'
import { VERSION } from '../../about.js'
import { Fault } from '../../errors.js'
import { fold } from '../../text.js'
import { shownAddress } from '../address.js'
import { driverCode } from '../faults.js'
import {
  type Applied,
  announced,
  FOLDED_LATER,
  isNewer,
  JOURNAL_TABLE,
  type Migration,
  type MigrationState,
  migrationsOf,
  pendingAfter,
  raisingRevision,
  SELECT_LEAST_VERSION,
  StoreRefused,
} from '../migrationJournal.js'
import type { OnNotice } from '../store.js'
import { Connections } from './connections.js'
import { Hosts } from './hosts.js'
import type { Run } from './session.js'

/** Key of the advisory lock: a number that other programs on the database do not use. */
const LOCK = 7_226_453_001
/** At start no requests are served yet, so waiting for another instance to migrate is fine. */
const WAIT_MS = 60_000
/** After a deadlock, of which the server ends one side after a second. */
const ATTEMPTS_MAX = 5
/** A migration may rewrite a large table. */
const MIGRATION_MS = 24 * 60 * 60_000

/** Migrates the database to the current data model. Concurrent starts are serialized by an advisory lock. */
export function migratePostgres(url: string, onNotice?: OnNotice): Promise<MigrationState> {
  return withDatabase(url, async (run, store) => {
    const state = await compare(run, store)
    // Without pending migrations take no lock, which would wait for a writer.
    if (state.pending.length === 0) return { applied: state.applied, pending: [] }
    for (let count = 1; ; count++) {
      try {
        return await migrateOnce(run, store, state.applied.length === 0, onNotice)
      } catch (error) {
        if (!isDeadlock(error) || count >= ATTEMPTS_MAX) throw error
        await run('rollback')
      }
    }
  })
}

async function migrateOnce(run: Run, store: string, isNew: boolean, onNotice?: OnNotice): Promise<MigrationState> {
  await run(`begin; set local lock_timeout = ${WAIT_MS}; set local statement_timeout = 0`)
  await run(`select pg_advisory_xact_lock(${LOCK})`)
  // Before any other table, as every write does: in another order the two could wait for each other.
  if (!isNew) await run('lock table revision in exclusive mode')
  const { applied, pending } = await compare(run, store)
  if (pending.length > 0) await apply(run, announced({ applied, pending }, onNotice))
  await run('commit')
  return { applied, pending: pending.map(({ tag }) => tag) }
}

/** A reader of several tables can still have one that a migration needs, and need one that it has. */
function isDeadlock(error: unknown): boolean {
  return driverCode(error instanceof Fault ? error.cause : error) === '40P01'
}

/** Throws if the store lacks a migration or is newer than this program. */
export async function requireMigratedPostgres(url: string): Promise<void> {
  const { applied, pending } = await withDatabase(url, compare)
  if (pending.length === 0) return
  const store = shownAddress(url)
  const advice = 'Run `operations migrate` with the same DATABASE_URL'
  if (applied.length === 0) throw new StoreRefused(`There is no store at ${store}. ${advice} to create it.`)
  throw new StoreRefused(`The store ${store} lacks ${pending.length} migration(s). ${advice} first.`)
}

/** Whether another session is connected to the database, whoever's it is. */
export async function isPostgresInUse(url: string): Promise<boolean> {
  const others = `select 1 from pg_stat_activity where datname = current_database() and usesysid is not null
    and pid <> pg_backend_pid()`
  const { rows } = await withDatabase(url, (run) => run(others))
  return rows.length > 0
}

async function apply(run: Run, pending: readonly Migration[]): Promise<void> {
  await run(JOURNAL_TABLE)
  for (const { tag, hash, statements } of pending) {
    for (const statement of statements) await run(statement)
    const record = 'insert into schema_migration (tag, hash, applied_at) values ($1, $2, $3)'
    await run(record, [tag, hash, new Date().toISOString()])
  }
  await fillFolded(run)
  await run(raisingRevision())
}

async function fillFolded(run: Run): Promise<void> {
  for (const { table, given, folded } of FOLDED_LATER) {
    const isEmpty = `${given} is not null and ${folded} is null`
    const { rows } = await run(`select distinct ${given} from ${table} where ${isEmpty}`)
    const texts = rows.map(([text]) => String(text))
    // One statement, because a round trip for each text would hold the lock for long.
    const fill = `update ${table} set ${folded} = found.folded
      from unnest($1::text[], $2::text[]) as found (given, folded) where ${isEmpty} and ${given} = found.given`
    await run(fill, [texts, texts.map(fold)])
  }
}

async function compare(run: Run, store: string): Promise<{ applied: string[]; pending: Migration[] }> {
  const { rows: tables } = await run('select tablename from pg_tables where schemaname = current_schema()')
  const isOurs = tables.some(([name]) => name === 'schema_migration')
  if (!isOurs && tables.length > 0) {
    throw new StoreRefused(`${store} is a database of another program. Name another one.`)
  }
  const { rows } = isOurs ? await run('select tag, hash from schema_migration order by tag collate "C"') : { rows: [] }
  const applied = rows.map(([tag, hash]): Applied => ({ tag: String(tag), hash: String(hash) }))
  const ours = migrationsOf('postgres')
  const least = isNewer(applied, ours) ? (await run(SELECT_LEAST_VERSION)).rows[0]?.[0] : VERSION
  return pendingAfter(applied, ours, store, String(least))
}

/** Runs work on the first reachable host that meets `target_session_attrs`. */
async function withDatabase<T>(url: string, work: (run: Run, store: string) => Promise<T>): Promise<T> {
  const store = shownAddress(url)
  try {
    const connections = new Connections(new Hosts(url), { max: 1, isReadOnly: false, statementMs: MIGRATION_MS })
    try {
      const { run } = await connections.lend(WAIT_MS)
      return await work(run, store)
    } finally {
      // Closing the connection rolls back an open transaction.
      await connections.close()
    }
  } catch (error) {
    throw refusal(store, error)
  }
}

function refusal(store: string, error: unknown): unknown {
  if (error instanceof StoreRefused) return error
  const cause = error instanceof Fault ? error.cause : error
  const message = cause instanceof Error ? cause.message : String(cause)
  const code = driverCode(cause) ?? ''
  if (code === '42501') return new StoreRefused(`${store}: ${message}. Migrating needs a user who may create tables.`)
  if (code === '55P03') return new StoreRefused(`${store} is being migrated by another process. Try again later.`)
  // A server error about one of our statements is a bug and stays as it is; the rest concerns the connection.
  const isOfServer = cause instanceof pg.DatabaseError && !/^(08|28|3D|53|57|25006)/.test(code)
  return isOfServer ? cause : new StoreRefused(`${store} cannot be used: ${message || code}.`)
}
