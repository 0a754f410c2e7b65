import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { driverCode, toFault } from '../faults.js'
import { type Connection, openDatabase } from './driver.js'
import { requireMigrated } from './migrations.js'

/** Small steps keep the process responsive to signals: one takes about 3 ms. */
const PAGES_A_STEP = 100

/** Row counts, migrations and revision of a store in one snapshot. */
export interface Contents {
  readonly rows: Readonly<Record<string, number>>
  readonly migrations: readonly string[]
  readonly revision: number
}

export interface Backup extends Contents {
  readonly bytes: number
  /** The backup contains every write that was acknowledged before this time. */
  readonly takenAt: string
}

interface Options {
  /** Replaces an existing target after the copy has been verified. */
  readonly force: boolean
  readonly clock: () => Date
  /** When aborted, its reason is thrown after the cleanup. */
  readonly signal: AbortSignal
}

/** Copies one snapshot of a live store into a file, which gets its final name only after verification. */
export async function backUp(store: string, target: string, options: Options): Promise<Backup> {
  const { force, signal } = options
  requireMigrated(store)
  let workshop: string | undefined
  try {
    refuseTarget(store, target, force)
    // A temporary folder (mode 0700) beside the target: on the same disk for the rename, and SQLite's side files stay in it.
    workshop = mkdtempSync(join(dirname(resolve(target)), '.operations-backup-'))
    const copy = join(workshop, 'copy.db')
    const taken = await copySnapshot(store, copy, options)
    verifyCopy(copy, taken)
    // The check blocks the event loop, so yield once for pending signals to be delivered.
    await nextTurn()
    signal.throwIfAborted()
    const { size: bytes } = statSync(copy)
    chmodSync(copy, 0o600)
    sync(copy)
    if (force) renameSync(copy, target)
    else giveFreeName(copy, target)
    sync(dirname(resolve(target)))
    return { ...taken, bytes }
  } catch (error) {
    throw failure(error, target)
  } finally {
    if (workshop) rmSync(workshop, { recursive: true, force: true })
  }
}

async function copySnapshot(store: string, copy: string, { clock, signal }: Options): Promise<Omit<Backup, 'bytes'>> {
  const source = open(store)
  try {
    source.pragma('query_only = on')
    const takenAt = clock().toISOString()
    // Hold one read transaction: otherwise the backup API restarts the copy at every write and may never finish.
    source.exec('begin')
    const contents = contentsOf(source)
    await source.backup(copy, {
      progress() {
        signal.throwIfAborted()
        return PAGES_A_STEP
      },
    })
    return { ...contents, takenAt }
  } finally {
    source.close()
  }
}

/** Makes the copy self-contained, and throws unless it passes the integrity check and has the expected contents. */
export function verifyCopy(copy: string, expected: Contents): void {
  const violation = violationOf(copy, expected)
  if (violation === undefined) return
  throw new Fault(
    'UNAVAILABLE',
    `The copy was thrown away, because ${violation}. If it happens again, the store itself is damaged.`,
  )
}

export function violationOf(copy: string, expected: Contents): string | undefined {
  let connection: Connection | undefined
  try {
    connection = open(copy)
    // Leave WAL mode: in it even a reader creates `-wal` and `-shm` files beside the copy.
    if (connection.pragma('journal_mode = delete', { simple: true }) !== 'delete') return 'it does not leave WAL mode'
    const integrity = connection.pragma('integrity_check(1)', { simple: true })
    if (integrity !== 'ok') return `its integrity check says: ${String(integrity).replaceAll(/\s+/g, ' ')}`
    const [orphan] = connection.pragma('foreign_key_check') as { table: string }[]
    if (orphan) return `a row of ${orphan.table} points at a row that is not there`
    return differenceOf(contentsOf(connection), expected)
  } catch (error) {
    if (!/^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(driverCode(error) ?? '')) throw error
    return `it cannot be read (${driverCode(error)})`
  } finally {
    connection?.close()
  }
}

function differenceOf(found: Contents, expected: Contents): string | undefined {
  const tables = Object.keys({ ...expected.rows, ...found.rows })
  const table = tables.find((name) => found.rows[name] !== expected.rows[name])
  if (table) return `${table} has ${found.rows[table] ?? 'no'} rows instead of ${expected.rows[table] ?? 'none'}`
  if (found.migrations.join() !== expected.migrations.join()) return 'its migrations are others'
  return found.revision === expected.revision ? undefined : 'it is of another revision'
}

export function contentsOf(connection: Connection): Contents {
  const all = (query: string) => connection.prepare(query).pluck().all() as string[]
  const one = (query: string) => Number(connection.prepare(query).pluck().get())
  const tables = all("select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
  return {
    rows: Object.fromEntries(tables.sort().map((name) => [name, one(`select count(*) from "${name}"`)])),
    migrations: all('select tag from schema_migration order by tag'),
    revision: one('select value from revision'),
  }
}

function open(file: string): Connection {
  return openDatabase(file, { fileMustExist: true, timeout: LIMITS.storeBusyMs })
}

function refuseTarget(store: string, target: string, force: boolean): void {
  const path = join(realpathSync(dirname(resolve(target))), basename(resolve(target)))
  const own = ['', '-wal', '-shm', '-journal'].map((ending) => realpathSync(store) + ending)
  if (own.some((file) => file === path || isSameFile(file, path))) {
    throw new Fault('CONFLICT', `${target} is the store itself, or a part of it. Name another file.`)
  }
  const existing = statSync(path, { throwIfNoEntry: false })
  if (existing?.isDirectory() || /[/\\]$/.test(target)) {
    throw new Fault('CONFLICT', `${target} is a folder. Name a file in it.`)
  }
  // A rename would replace a device such as /dev/null for the whole machine.
  if (existing && !existing.isFile()) throw new Fault('CONFLICT', `${target} is not a regular file. Name another.`)
  const beside = ['-wal', '-journal'].map((ending) => target + ending).find((file) => existsSync(file))
  if (beside) {
    throw new Fault(
      'CONFLICT',
      `${beside} exists: SQLite would mix it into the backup. ${target} is, or was, a store in use; name another file.`,
    )
  }
  if (!force && lstatSync(path, { throwIfNoEntry: false })) throw alreadyThere(target)
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false, bigint: true }))
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev
}

function giveFreeName(copy: string, target: string): void {
  try {
    // Unlike rename(2), link(2) fails when the target was created in the meantime.
    linkSync(copy, target)
  } catch (error) {
    if (lstatSync(target, { throwIfNoEntry: false })) throw alreadyThere(target, error)
    // Some file systems do not support hard links.
    renameSync(copy, target)
  }
}

function alreadyThere(target: string, cause?: unknown): Fault {
  return new Fault('CONFLICT', `${target} already exists. Name another file, or replace it with --force.`, { cause })
}

export function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** What to say about the folder of the target, by the codes of the file system and of the driver. */
const FAILURES: readonly (readonly [codes: readonly string[], sentence: (folder: string) => string])[] = [
  [['ENOENT', 'ENOTDIR'], (folder) => `There is no folder ${folder}. Make it first, or name another.`],
  [
    ['EACCES', 'EPERM', 'EROFS'],
    (folder) => `The folder ${folder} cannot be written. Check its permissions, or name another.`,
  ],
  [['ENAMETOOLONG'], () => 'The name of the file is too long.'],
  [['ENOSPC', 'EDQUOT', 'SQLITE_FULL'], (folder) => `The disk of ${folder} is full. Nothing was kept.`],
  [
    ['EIO', 'SQLITE_IOERR'],
    (folder) => `Either the store cannot be read or ${folder} cannot be written. Nothing was kept.`,
  ],
]

function failure(error: unknown, target: string): unknown {
  const code = driverCode(error)?.replace(/^(SQLITE_IOERR)_.*/, '$1') ?? ''
  const [, sentence] = FAILURES.find(([codes]) => codes.includes(code)) ?? []
  return sentence ? new Fault('UNAVAILABLE', sentence(dirname(resolve(target))), { cause: error }) : toFault(error)
}
