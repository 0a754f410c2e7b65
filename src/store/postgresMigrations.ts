import pg from 'pg'
import { Fault } from '../errors.js'
import { shownAddress } from './address.js'
import { driverCode } from './faults.js'
import {
  type Applied,
  JOURNAL_TABLE,
  type Migration,
  type MigrationState,
  migrationsOf,
  pendingAfter,
  raisingRevision,
  StoreRefused,
} from './journal.js'
import { Hosts, SELECT_STATE, stateIn } from './postgresHosts.js'

/** Any number will do that no other program on the same database takes. */
const LOCK = 7_226_453_001
/** At start nobody is being served yet, so waiting for another copy that migrates is fine. */
const WAIT_MS = 60_000
const CONNECT_MS = 10_000

/** Brings the database to this program's data model. Copies that start together take turns. */
export function migratePostgres(url: string): Promise<MigrationState> {
  return withDatabase(url, async (client, store) => {
    const state = await compare(client, store)
    // An up-to-date store is left alone, so that nobody waits for whoever is writing to it.
    if (state.pending.length === 0) return { applied: state.applied, pending: [] }
    await client.query(`begin; set local lock_timeout = ${WAIT_MS}; set local statement_timeout = 0`)
    await client.query(`select pg_advisory_xact_lock(${LOCK})`)
    const { applied, pending } = await compare(client, store)
    if (pending.length > 0) await apply(client, pending)
    await client.query('commit')
    return { applied, pending: pending.map(({ tag }) => tag) }
  })
}

/** Refuses a store that lacks a migration or is newer than this program. */
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
  await client.query(raisingRevision())
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
    // A transaction that is still open ends with the connection.
    await client?.end().catch(() => undefined)
  }
}

/** The first host that can be reached and is of the wanted kind. */
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
    // The first comes after the last.
    if (hosts.current === 0) throw error
    return connectedTo(hosts)
  }
}

function refusal(store: string, error: unknown): unknown {
  if (error instanceof StoreRefused || error instanceof Fault) return error
  const said = error instanceof Error ? error.message : String(error)
  const code = driverCode(error) ?? ''
  if (code === '42501') return new StoreRefused(`${store}: ${said}. Migrating needs a user who may create tables.`)
  if (code === '55P03') return new StoreRefused(`${store} is being migrated by another process. Try again later.`)
  // Whatever the server says of a statement of ours is a mistake of ours; the rest is about the way to it.
  const isOfServer = error instanceof pg.DatabaseError && !/^(08|28|3D|53|57|25006)/.test(code)
  return isOfServer ? error : new StoreRefused(`${store} cannot be used: ${said || code}.`)
}
