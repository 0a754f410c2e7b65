import pg from 'pg'
import { Fault } from '../../errors.js'
import { fold } from '../../text.js'
import { shownAddress } from '../address.js'
import { driverCode } from '../faults.js'
import {
  type Applied,
  FOLDED_LATER,
  JOURNAL_TABLE,
  type Migration,
  type MigrationState,
  migrationsOf,
  pendingAfter,
  raisingRevision,
  StoreRefused,
} from '../migrationJournal.js'
import { Hosts, SELECT_STATE, stateIn } from './hosts.js'

/** Key of the advisory lock: any number that other programs on the database do not use. */
const LOCK = 7_226_453_001
/** At start no requests are served yet, so waiting for another instance to migrate is fine. */
const WAIT_MS = 60_000
const CONNECT_MS = 10_000

/** Migrates the database to the current data model. Concurrent starts are serialized by an advisory lock. */
export function migratePostgres(url: string): Promise<MigrationState> {
  return withDatabase(url, async (client, store) => {
    const state = await compare(client, store)
    // Without pending migrations take no lock, which would wait for a writer.
    if (state.pending.length === 0) return { applied: state.applied, pending: [] }
    await client.query(`begin; set local lock_timeout = ${WAIT_MS}; set local statement_timeout = 0`)
    await client.query(`select pg_advisory_xact_lock(${LOCK})`)
    const { applied, pending } = await compare(client, store)
    if (pending.length > 0) await apply(client, pending)
    await client.query('commit')
    return { applied, pending: pending.map(({ tag }) => tag) }
  })
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

async function apply(client: pg.Client, pending: readonly Migration[]): Promise<void> {
  await client.query(JOURNAL_TABLE)
  for (const { tag, hash, statements } of pending) {
    for (const statement of statements) await client.query(statement)
    const appliedAt = new Date().toISOString()
    const note = 'insert into schema_migration (tag, hash, applied_at) values ($1, $2, $3)'
    await client.query(note, [tag, hash, appliedAt])
  }
  await fillFolded(client)
  await client.query(raisingRevision())
}

async function fillFolded(client: pg.Client): Promise<void> {
  const { table, given, folded } = FOLDED_LATER
  const isEmpty = `${given} is not null and ${folded} is null`
  const { rows } = await client.query<{ text: string }>(
    `select distinct ${given} as text from ${table} where ${isEmpty}`,
  )
  const texts = rows.map(({ text }) => text)
  // One statement, because a round trip for each text would hold the lock for long.
  const fill = `update ${table} set ${folded} = found.folded
    from unnest($1::text[], $2::text[]) as found (given, folded) where ${isEmpty} and ${given} = found.given`
  await client.query(fill, [texts, texts.map(fold)])
}

async function compare(client: pg.Client, store: string): Promise<{ applied: string[]; pending: Migration[] }> {
  const { rows: tables } = await client.query<{ name: string }>(TABLES)
  const isOurs = tables.some(({ name }) => name === 'schema_migration')
  if (!isOurs && tables.length > 0) {
    throw new StoreRefused(`${store} is a database of another program. Name another one.`)
  }
  const rows = isOurs
    ? (await client.query<Applied>('select tag, hash from schema_migration order by tag collate "C"')).rows
    : []
  return pendingAfter(rows, migrationsOf('postgres'), store)
}

const TABLES = 'select tablename as name from pg_tables where schemaname = current_schema()'

async function withDatabase<T>(url: string, work: (client: pg.Client, store: string) => Promise<T>): Promise<T> {
  const store = shownAddress(url)
  let client: pg.Client | undefined
  try {
    client = await connectedTo(new Hosts(url))
    return await work(client, store)
  } catch (error) {
    throw refusal(store, error)
  } finally {
    // Closing the connection rolls back an open transaction.
    await client?.end().catch(() => undefined)
  }
}

/** Connects to the first reachable host that meets `target_session_attrs`. */
async function connectedTo(hosts: Hosts): Promise<pg.Client> {
  const place = hosts.current
  const client = new pg.Client({
    connectionString: hosts.urls[place],
    connectionTimeoutMillis: CONNECT_MS,
    fallback_application_name: 'operations',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<unknown[]>({ text: SELECT_STATE, rowMode: 'array' })
    hosts.require(stateIn(rows[0]))
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    hosts.leave(place)
    // Back at index 0, all hosts have been tried.
    if (hosts.current === 0) throw error
    return connectedTo(hosts)
  }
}

function refusal(store: string, error: unknown): unknown {
  if (error instanceof StoreRefused || error instanceof Fault) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = driverCode(error) ?? ''
  if (code === '42501') return new StoreRefused(`${store}: ${message}. Migrating needs a user who may create tables.`)
  if (code === '55P03') return new StoreRefused(`${store} is being migrated by another process. Try again later.`)
  // A server error about one of our statements is a bug and stays as it is; the rest concerns the connection.
  const isOfServer = error instanceof pg.DatabaseError && !/^(08|28|3D|53|57|25006)/.test(code)
  return isOfServer ? error : new StoreRefused(`${store} cannot be used: ${message || code}.`)
}
