import { statSync } from 'node:fs'
import { Fault } from '../../errors.js'
import { type FoundVersions, inOrder, SELECT_VERSIONS, versionsIn } from '../changeCounters.js'
import { atMostEvery, coalescePerTurn, HEALTH_EVERY_MS, oneByOne } from '../coalesce.js'
import { deadlineExceeded, isOverdue, storeClosed } from '../faults.js'
import type { CompiledSql, Deadline, OnNotice, Readership, Store } from '../store.js'
import { tooOldFor } from '../writes.js'
import { sqliteBulk } from './bulk.js'
import { type Connection, connect } from './driver.js'
import { type AtOnce, handleOn, type Offload, weightsOn } from './handle.js'
import { ReadWorkers } from './readWorkers.js'
import { StatementCache, type Statements } from './statements.js'
import { type Checkpoint, walLimit } from './walLimit.js'
import { isBusy, WriteQueue, type WriteQueueOptions } from './writeQueue.js'

/** Rows that a statement may read on the event loop; one that may read more runs in a read worker. */
export const IN_PLACE_ROWS_MAX = 500

interface SqliteOptions {
  readonly onStatement?: (sql: string) => void
  /** Page cache of the writing connection; the driver's default if absent. */
  readonly cacheBytes?: number | undefined
  readonly onNotice?: OnNotice | undefined
  /** Statements that read more rows run in a read worker. */
  readonly inPlaceRowsMax?: number
  /** Read workers; with 0 everything is read in place, and stopped only between statements. */
  readonly readWorkers?: number | undefined
  readonly writesTogether?: number | undefined
}

// Two connections: the writer also reads, unless it is in a transaction, because each commit invalidates the page cache of
// the other one.
export function openSqlite(file: string, options: SqliteOptions = {}): Store {
  const { onStatement, onNotice, cacheBytes, inPlaceRowsMax = IN_PLACE_ROWS_MAX, readWorkers } = options
  const reader = connect(file, onStatement)
  reader.pragma('query_only = on')
  const writer = connect(file, onStatement)
  if (cacheBytes !== undefined) writer.pragma(`cache_size = ${-Math.round(cacheBytes / 1024)}`)
  const named = watched(file)
  const requireOpen = () => {
    if (!writer.open) throw storeClosed()
  }
  const requireUsable = () => {
    requireOpen()
    // Writes to an unlinked file would be lost.
    if (named() !== 'opened') throw moved()
  }
  const logBytes = () => sizeOf(`${file}-wal`)
  const workers = new ReadWorkers(file, { requireUsable, threadsMax: readWorkers })
  // A log of 900 MB takes seconds, so neither SQLite's own checkpoints nor ours run on the event loop.
  writer.pragma('wal_autocheckpoint = 0')
  const emptier = new ReadWorkers(file, { requireUsable, threadsMax: 1 })
  const checkpoint = readWorkers === 0 ? checkpointOn(writer) : checkpointIn(emptier)
  const limitWal = walLimit({ workers, bytes: logBytes, checkpoint, betweenWrites: (work) => writes.between(work) })
  const togetherMax = options.writesTogether
  const writes = new WriteQueue(writer, { onNotice, requireUsable, handle: writeHandle, onEnd: limitWal, togetherMax })
  const ofReader = { statements: new StatementCache(reader), versions: versionsOf(reader, () => 0) }
  const ofWriter = { statements: readingOn(writer), versions: versionsOf(writer, () => writes.committed) }
  const free = () => {
    requireOpen()
    return writer.inTransaction ? ofReader : ofWriter
  }
  const statements: Statements = { prepare: (sql) => free().statements.prepare(sql) }
  // Synchronous, so nothing else of this process runs in between; the transaction hides commits of other processes.
  const atOnce: AtOnce = (work) => {
    const { statements: own } = free()
    own.prepare('begin').run()
    try {
      return work(own)
    } finally {
      own.prepare('commit').run()
    }
  }
  const ordered = inOrder()
  const versions = coalescePerTurn(() => {
    // Other processes write to another file, and may have revoked a key there.
    if (named() === 'another') throw moved()
    return ordered(free().versions())
  })
  const fileState = atMostEvery(HEALTH_EVERY_MS, async () => ({
    canWrite: named() === 'opened' && canBegin(writer),
    committed: writes.committed,
    bytes: sizeOf(file),
    logBytes: logBytes(),
    lastChange: Number(statements.prepare(LAST_CHANGE).pluck().get() ?? 0),
    whyNot: tooOldFor(statements.prepare('select least_version from revision').pluck().get()),
  }))
  const weigh = weightsOn(statements)
  const inWorker = (readership?: Readership) => (all: readonly CompiledSql[]) => {
    for (const { text } of all) onStatement?.(text)
    return workers.run(all, readership)
  }
  const offloadTo = (rows: Offload['rows']) => (readWorkers === 0 ? undefined : { weigh, inPlaceRowsMax, rows })

  const read = handleOn(statements, { atOnce, offload: offloadTo(inWorker()) })

  return {
    name: file,
    read,
    reading(readership) {
      const { onStatement, deadline } = readership
      return handleOn(deadline ? timely(statements, deadline) : statements, {
        onStatement,
        atOnce: deadline ? (work) => atOnce((own) => work(timely(own, deadline))) : atOnce,
        // One read worker at a time for a request.
        offload: offloadTo(deadline ? oneByOne(inWorker(readership)) : inWorker(readership)),
      })
    },
    write: (as, work) => writes.add(as, work),
    async health() {
      const { canWrite, committed, whyNot, ...state } = await fileState()
      // A commit since then is newer evidence than the cached check.
      const isWritable = !whyNot && !writes.hasFailed && (canWrite || writes.committed > committed)
      const { waiting: waitingReads, underWay: busyReaders } = workers.queue
      return { isWritable, whyNot, ...state, waitingWrites: writes.waiting, waitingReads, busyReaders }
    },
    // In a worker, which has the functions that heavy statements call.
    planOf: async ({ text, values }) =>
      indented(await read.rows({ text: `explain query plan ${text}`, values, isHeavy: true })),
    versions,
    version: async () => (await versions()).all,
    async snapshot(work) {
      const connection = connect(file, onStatement)
      try {
        connection.pragma('query_only = on')
        connection.exec('begin')
        // A deferred transaction takes its snapshot at its first read, not at BEGIN.
        connection.exec('select value from revision')
        return await work(handleOn(new StatementCache(connection)))
      } finally {
        connection.close()
      }
    },
    async close() {
      await writes.idle()
      await Promise.all([workers.close(), emptier.close()])
      reader.close()
      writer.close()
    },
  }
}

/** Without threads: whole, when no transaction is open. */
function checkpointOn(writer: Connection): Checkpoint {
  return async (mode) => mode === 'truncate' && writer.pragma('wal_checkpoint(truncate)', { simple: true }) !== 0
}

function checkpointIn(emptier: ReadWorkers): Checkpoint {
  return async (mode) => {
    const [[[isBusy] = []] = []] = await emptier.run([{ text: `pragma wal_checkpoint(${mode})`, values: [] }])
    return isBusy !== 0
  }
}

/** The rows of EXPLAIN QUERY PLAN as lines, each further in than its parent. */
function indented(rows: readonly unknown[][]): string[] {
  const depths = new Map<unknown, number>()
  return rows.map(([id, parent, , detail]) => {
    const depth = (depths.get(parent) ?? -1) + 1
    depths.set(id, depth)
    return `${'  '.repeat(depth)}${detail}`
  })
}

const LAST_CHANGE = 'select max(id) from change'

const writeHandle: WriteQueueOptions['handle'] = (statements, { by, onStatement, onStored }, { at, nonce }) => {
  const bulk = sqliteBulk(statements, onStatement)
  return Object.assign(handleOn(statements, { onStatement }), bulk, { by, at, nonce, onStored })
}

/** Throws if the deadline has passed. */
function timely(statements: Statements, deadline: Deadline): Statements {
  return {
    prepare(sql) {
      if (isOverdue(deadline)) throw deadlineExceeded()
      return statements.prepare(sql)
    },
  }
}

/** Whether a write transaction can begin now; SQLITE_BUSY counts as yes, since the lock will be released. */
function canBegin(writer: Connection): boolean {
  if (writer.inTransaction) return true
  try {
    writer.exec('begin immediate')
    writer.exec('rollback')
    return true
  } catch (error) {
    return isBusy(error)
  }
}

/** What the path names now: the opened file, another one, or none. */
function watched(file: string): () => 'opened' | 'another' | 'none' {
  const opened = statSync(file)
  return () => {
    const found = statSync(file, { throwIfNoEntry: false })
    if (!found) return 'none'
    return found.ino === opened.ino && found.dev === opened.dev ? 'opened' : 'another'
  }
}

function moved(): Fault {
  return new Fault('UNAVAILABLE', "The store's file was moved or replaced. Restart the server.")
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** The read-only statements of the writing connection. */
function readingOn(connection: Connection): Statements {
  return new StatementCache({
    prepare(sql) {
      const statement = connection.prepare(sql)
      if (statement.readonly) return statement
      throw new Error('A read handle cannot write.')
    },
  })
}

/** Reads the counter row again only after a commit, by another connection (`data_version`) or by `own`. */
function versionsOf(connection: Connection, own: () => number): () => FoundVersions {
  const others = connection.prepare('pragma data_version').pluck()
  const counters = connection.prepare(SELECT_VERSIONS).raw()
  let seen: readonly unknown[] = []
  let versions: FoundVersions | undefined
  return () => {
    const now = [others.get(), own()]
    if (!versions || now[0] !== seen[0] || now[1] !== seen[1]) {
      versions = versionsIn(counters.get() as unknown[])
      seen = now
    }
    return versions
  }
}
