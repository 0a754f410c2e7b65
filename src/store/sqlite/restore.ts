import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Fault } from '../../errors.js'
import { driverCode } from '../faults.js'
import { type Contents, contentsOf, sync, violationOf } from './backup.js'
import { type Connection, openDatabase } from './driver.js'
import { compare } from './migrations.js'

interface Restored extends Contents {
  /** The path of the previous store; undefined if there was none. */
  readonly kept: string | undefined
}

/** Suffixes of the files that SQLite keeps beside an open or uncleanly closed database. */
const SIDE_FILES = ['-wal', '-shm', '-journal'] as const

/** Replaces a store with a verified backup; the previous store is kept under another name. */
export function restore(backup: string, store: string, now: Date): Restored {
  if (!existsSync(backup)) throw new Fault('NOT_FOUND', `There is no file ${backup}.`)
  if (resolve(backup) === resolve(store)) throw new Fault('CONFLICT', `${backup} is the store itself. Name a backup.`)
  if (existsSync(`${backup}-wal`)) {
    throw new Fault('CONFLICT', `${backup}-wal exists: ${backup} is a store in use. Name a file that \`backup\` made.`)
  }
  const folder = dirname(resolve(store))
  mkdirSync(folder, { recursive: true })
  // In the folder of the store, so that the last step is an atomic rename on one file system.
  const workFolder = mkdtempSync(join(folder, '.operations-restore-'))
  try {
    const copy = join(workFolder, 'copy.db')
    copyFileSync(backup, copy)
    const contents = checked(copy, backup)
    chmodSync(copy, 0o600)
    sync(copy)
    const kept = existsSync(store) ? `${store}.before-${now.toISOString().replaceAll(':', '-')}` : undefined
    replace(store, copy, kept)
    sync(folder)
    return { ...contents, kept }
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
}

/** The contents of a copy; throws if it is damaged, not a store, or newer than this program. */
function checked(copy: string, backup: string): Contents {
  const contents = read(copy, backup)
  const violation = violationOf(copy, contents)
  if (violation === undefined) return contents
  throw new Fault('CONFLICT', `${backup} is damaged: ${violation}. Nothing was changed.`)
}

function read(copy: string, backup: string): Contents {
  let connection: Connection | undefined
  try {
    connection = openDatabase(copy, { fileMustExist: true, timeout: 0 })
    connection.prepare('select 1 from schema_migration').get()
    compare(connection, backup)
    return contentsOf(connection)
  } catch (error) {
    if (!driverCode(error)?.startsWith('SQLITE_')) throw error
    throw new Fault('CONFLICT', `${backup} is not a backup of a store. Nothing was changed.`, { cause: error })
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
      // A hard link first, so that the path of the store exists at every instant.
      linkSync(store, kept)
    } catch {
      // Some file systems have no hard links.
      renameSync(store, kept)
    }
    // Only a damaged store still has them: SQLite would replay them into the backup.
    for (const ending of SIDE_FILES) if (existsSync(store + ending)) renameSync(store + ending, kept + ending)
    renameSync(copy, store)
  } finally {
    held?.close()
  }
}

/** Whether another connection to the file is open, so far as can be seen. */
export function isInUse(store: string): boolean {
  try {
    holdAlone(store)?.close()
    return false
  } catch (error) {
    return error instanceof Fault
  }
}

/** Checkpoints the store and locks it exclusively; undefined if it is damaged. Throws if another connection is open. */
function holdAlone(store: string): Connection | undefined {
  const connection = openDatabase(store, { fileMustExist: true, timeout: 0 })
  try {
    // Leaving WAL mode requires that no other connection is open.
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
