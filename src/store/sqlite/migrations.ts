import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { VERSION } from '../../about.js'
import { fold } from '../../text.js'
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
import { type Connection, openDatabase } from './driver.js'

/** At start no requests are served yet, so waiting for another process to migrate is fine. */
const WAIT_MS = 30_000

/** Migrates the file to the current data model, creating it if needed. Safe for concurrent starts. */
export function migrate(file: string, onNotice?: OnNotice): MigrationState {
  return withFile(file, (connection) => {
    const state = compare(connection, file)
    // Without pending migrations take no write lock, which would wait for a writer.
    if (state.pending.length === 0) return { applied: state.applied, pending: [] }
    connection.pragma('journal_mode = wal')
    connection.pragma('synchronous = full')
    // drizzle-kit rebuilds tables by DROP TABLE; with foreign keys on, that fails or deletes the child rows.
    connection.pragma('foreign_keys = off')
    // A rebuilt table leaves its old pages, with personal data, in the file.
    connection.pragma('secure_delete = on')
    connection.exec('begin immediate')
    const { applied, pending } = compare(connection, file)
    if (pending.length > 0) apply(connection, file, announced({ applied, pending }, onNotice))
    connection.exec('commit')
    return { applied, pending: pending.map(({ tag }) => tag) }
  })
}

function apply(connection: Connection, file: string, pending: readonly Migration[]): void {
  connection.exec(JOURNAL_TABLE)
  const record = connection.prepare('insert into schema_migration (tag, hash, applied_at) values (?, ?, ?)')
  for (const { tag, hash, statements } of pending) {
    for (const statement of statements) connection.exec(statement)
    record.run(tag, hash, new Date().toISOString())
  }
  fillFolded(connection)
  // A migration may change results; the first one also needs its counter row.
  connection.exec(raisingRevision())
  const broken = connection.pragma('foreign_key_check') as unknown[]
  if (broken.length > 0) {
    throw new StoreRefused(`${file}: ${broken.length} rows point at rows that are not there; nothing was changed.`)
  }
}

function fillFolded(connection: Connection): void {
  connection.function('fold', { deterministic: true }, (text) => fold(String(text)))
  for (const { table, given, folded } of FOLDED_LATER) {
    connection.exec(`update ${table} set ${folded} = fold(${given}) where ${given} is not null and ${folded} is null`)
  }
}

/** Throws if the store lacks a migration or is newer than this program. */
export function requireMigrated(file: string): void {
  if (!existsSync(file))
    throw new StoreRefused(
      `There is no store at ${file}. Run \`operations migrate --database file:${file}\` to create it.`,
    )
  const { pending } = withFile(file, (connection) => compare(connection, file))
  if (pending.length > 0) {
    throw new StoreRefused(
      `The store ${file} lacks ${pending.length} migration(s). Run \`operations migrate --database file:${file}\` first.`,
    )
  }
}

/** The migrations that a store has and lacks; throws if it cannot be used. */
export function compare(connection: Connection, file: string): { applied: string[]; pending: Migration[] } {
  const tables = connection.prepare("select name from sqlite_master where type = 'table'").pluck().all()
  const isOurs = tables.includes('schema_migration')
  if (!isOurs && tables.length > 0) {
    throw new StoreRefused(`${file} is a database of another program. Name another file.`)
  }
  const rows = isOurs
    ? (connection.prepare('select tag, hash from schema_migration order by tag').all() as Applied[])
    : []
  const ours = migrationsOf('sqlite')
  const least = isNewer(rows, ours) ? connection.prepare(SELECT_LEAST_VERSION).pluck().get() : VERSION
  return pendingAfter(rows, ours, file, String(least))
}

function withFile<T>(file: string, work: (connection: Connection) => T): T {
  let connection: Connection | undefined
  try {
    const isNew = !existsSync(file)
    if (!isNew) requireContent(file)
    makeFolder(dirname(resolve(file)))
    accessSync(isNew ? dirname(resolve(file)) : file, constants.W_OK)
    if (isNew) makeFile(file)
    connection = openDatabase(file, { timeout: WAIT_MS })
    return work(connection)
  } catch (error) {
    throw refusal(file, error)
  } finally {
    connection?.close()
  }
}

/** How long another process may take from creating a store to its first page. */
const FIRST_PAGE_MS = 2_000

/** Throws if the file is empty: that is no store of ours, but what is left of one, or a mount that is not there. */
function requireContent(file: string): void {
  const giveUpAt = performance.now() + FIRST_PAGE_MS
  while (statSync(file).isFile() && statSync(file).size === 0) {
    if (performance.now() > giveUpAt) {
      throw new StoreRefused(`${file} is empty. Restore a backup into its place, or delete it to begin a new store.`)
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, 50)
  }
}

/** Creates an empty file, a valid empty database. SQLite would create it world-readable, and through a symbolic link. */
function makeFile(file: string): void {
  try {
    // Mode 0600: it holds personal data and key hashes.
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (driverCode(error) !== 'EEXIST') throw error
    // Another process may have created it in the meantime.
    if (existsSync(file)) return
    throw new StoreRefused(`${file} is a link to a file that is not there. Remove it, or name another file.`)
  }
}

// Not mkdir's `recursive`, which never returns on file systems like /proc.
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    if (driverCode(error) !== 'EEXIST') throw error
  }
}

const UNWRITABLE = [
  ...['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_READONLY_DIRECTORY'],
  ...['EACCES', 'ENOENT', 'EROFS', 'ENOTDIR', 'EEXIST', 'EPERM'],
]

function refusal(file: string, error: unknown): unknown {
  if (error instanceof StoreRefused) return error
  const code = driverCode(error) ?? ''
  if (code === 'SQLITE_NOTADB')
    return new StoreRefused(`${file} is not a database. Name another file, or restore it from a backup.`)
  if (code === 'SQLITE_BUSY')
    return new StoreRefused(`${file} is locked by another process. Try again when it has finished.`)
  if (UNWRITABLE.includes(code)) {
    const advice = 'Check the folder and its permissions, or name another with --database.'
    return new StoreRefused(`${file} cannot be written. ${advice}`)
  }
  return error
}
