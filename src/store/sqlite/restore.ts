import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Fault } from '../../errors.js'
import { driverCode } from '../faults.js'
import { type Applied, migrationsOf, pendingAfter } from '../migrationJournal.js'
import { type Contents, contentsOf, flawOf, sync } from './backup.js'
import { type Connection, openDatabase } from './driver.js'

export interface Restored extends Contents {
  /** Where the store is kept that was there before; undefined where there was none. */
  readonly kept: string | undefined
}

/** What SQLite has beside a store that is in use, or was not closed. */
const BESIDE = ['-wal', '-shm', '-journal'] as const

/** Puts a backup in the place of a store, which is kept aside; nothing is changed unless the backup is sound. */
export function restore(backup: string, store: string, now: Date): Restored {
  if (!existsSync(backup)) throw new Fault('NOT_FOUND', `There is no file ${backup}.`)
  if (resolve(backup) === resolve(store)) throw new Fault('CONFLICT', `${backup} is the store itself. Name a backup.`)
  if (existsSync(`${backup}-wal`)) {
    throw new Fault('CONFLICT', `${backup}-wal is there: ${backup} is a store in use. Restore what \`backup\` made.`)
  }
  const folder = dirname(resolve(store))
  mkdirSync(folder, { recursive: true })
  // On the same disk as the store, so that the last step is a rename.
  const workshop = mkdtempSync(join(folder, '.operations-restore-'))
  try {
    const copy = join(workshop, 'copy.db')
    copyFileSync(backup, copy)
    const contents = checked(copy, backup)
    chmodSync(copy, 0o600)
    sync(copy)
    const kept = existsSync(store) ? `${store}.before-${now.toISOString().replaceAll(':', '-')}` : undefined
    replace(store, copy, kept)
    sync(folder)
    return { ...contents, kept }
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

/** What a copy holds; refuses one that is damaged, no store, or newer than this program. */
function checked(copy: string, backup: string): Contents {
  const contents = read(copy, backup)
  const flaw = flawOf(copy, contents)
  if (flaw === undefined) return contents
  throw new Fault('CONFLICT', `${backup} is damaged: ${flaw}. Nothing was changed.`)
}

function read(copy: string, backup: string): Contents {
  let connection: Connection | undefined
  try {
    connection = openDatabase(copy, { fileMustExist: true, timeout: 0 })
    const applied = connection.prepare('select tag, hash from schema_migration order by tag').all() as Applied[]
    pendingAfter(applied, migrationsOf('sqlite'), backup)
    return contentsOf(connection)
  } catch (error) {
    if (!driverCode(error)?.startsWith('SQLITE_')) throw error
    throw new Fault('CONFLICT', `${backup} is no backup of a store. Nothing was changed.`, { cause: error })
  } finally {
    connection?.close()
  }
}

function replace(store: string, copy: string, kept: string | undefined): void {
  if (kept === undefined) {
    renameSync(copy, store)
    return
  }
  const held = holdAlone(store)
  try {
    try {
      // Beside its old name, so that at every instant there is a store.
      linkSync(store, kept)
    } catch {
      // Some file systems have no links.
      renameSync(store, kept)
    }
    // Of a damaged store only: SQLite would mix them into the backup.
    for (const ending of BESIDE) if (existsSync(store + ending)) renameSync(store + ending, kept + ending)
    renameSync(copy, store)
  } finally {
    held?.close()
  }
}

/** Takes a store that nobody else has open, with all that was written to it in its one file; undefined of a damaged one. */
function holdAlone(store: string): Connection | undefined {
  const connection = openDatabase(store, { fileMustExist: true, timeout: 0 })
  try {
    // Leaving WAL mode takes that nobody else has it open.
    if (connection.pragma('journal_mode = delete', { simple: true }) !== 'delete') throw inUse(store)
    connection.exec('begin exclusive')
    return connection
  } catch (error) {
    connection.close()
    if (error instanceof Fault) throw error
    if (/^SQLITE_(BUSY|LOCKED)/.test(driverCode(error) ?? '')) throw inUse(store, error)
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(driverCode(error) ?? '')) return undefined
    throw error
  }
}

function inUse(store: string, cause?: unknown): Fault {
  return new Fault('CONFLICT', `${store} is in use. Stop every server and command that has it open, and try again.`, {
    cause,
  })
}
