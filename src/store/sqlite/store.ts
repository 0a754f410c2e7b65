import { type Stats, statSync } from 'node:fs'
import { getTableName, type SQL, sql } from 'drizzle-orm'
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import type { PgTable } from 'drizzle-orm/pg-core'
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { bulkOn } from '../bulk.js'
import { type FoundVersions, inOrder, SELECT_VERSIONS, versionsIn } from '../changeCounters.js'
import { atMostEvery, coalescePerTurn } from '../coalesce.js'
import { deadlineExceeded, isOverdue } from '../faults.js'
import { sqliteJson as json } from '../query/json.js'
import type { CompiledSql, Deadline, Extent, OnNotice, OnStatement, Read, Store, Write } from '../store.js'
import { connect, STILL_WANTED } from './connection.js'
import type { Connection } from './driver.js'
import { ReadWorkers } from './readWorkers.js'
import { StatementCache, type Statements } from './statements.js'
import { sqliteTables as t } from './tables.js'
import { isBusy, WriteQueue } from './writeQueue.js'

interface SqliteOptions {
  readonly onStatement?: (sql: string) => void
  /** Page cache of the writing connection; the driver's default if absent. */
  readonly cacheBytes?: number | undefined
  readonly onNotice?: OnNotice | undefined
  /** Statements that read more rows run in a read worker. */
  readonly inPlaceRowsMax?: number
}

/**
 * Opens a migrated SQLite file: one connection for writes, behind a queue, and one for reads during a transaction.
 * Otherwise the writing connection also reads: its page cache has what it wrote, while each commit invalidates the cache
 * of the other one. Heavy reads run in worker threads.
 */
export function openSqlite(file: string, options: SqliteOptions = {}): Store {
  const { onStatement, onNotice, cacheBytes, inPlaceRowsMax = LIMITS.inPlaceRowsMax } = options
  const reader = connect(file, onStatement)
  reader.pragma('query_only = on')
  const writer = connect(file, onStatement)
  if (cacheBytes !== undefined) writer.pragma(`cache_size = ${-Math.round(cacheBytes / 1024)}`)
  const { isInPlace, isReplaced } = placeOf(file)
  const requireUsable = () => {
    if (!isInPlace()) throw moved()
  }
  const workers = new ReadWorkers(file, { requireUsable })
  const writes = new WriteQueue(writer, {
    onNotice,
    requireUsable,
    handle: (statements, { by, onStatement: told }, at) => {
      const bulk = bulkOn((sql) => {
        told?.(sql)
        return statements.prepare(sql)
      })
      return Object.assign(handleOn(statements, { onStatement: told }), bulk, { by, at })
    },
  })
  const ofReader = { statements: new StatementCache(reader), versions: versionsOf(reader, () => 0) }
  const ofWriter = { statements: readingOn(writer), versions: versionsOf(writer, () => writes.committed) }
  const free = () => (writer.inTransaction ? ofReader : ofWriter)
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
    if (isReplaced()) throw moved()
    return ordered(free().versions())
  })
  const look = atMostEvery(LIMITS.healthMs, async () => ({
    canWrite: isInPlace() && canBegin(writer),
    committed: writes.committed,
    bytes: sizeOf(file),
    logBytes: sizeOf(`${file}-wal`),
  }))
  const weigh = weightsOn(statements)
  const inWorker = (deadline?: Deadline) => (all: readonly CompiledSql[]) => {
    for (const { text } of all) onStatement?.(text)
    return workers.run(all, deadline)
  }
  const beside = (rows: Beside['rows']): Beside => ({ weigh, inPlaceRowsMax, rows })

  return {
    read: handleOn(statements, { atOnce, beside: beside(inWorker()) }),
    reading: (onStatement, deadline) =>
      handleOn(deadline ? timely(statements, deadline) : statements, {
        onStatement,
        atOnce: deadline ? (work) => atOnce((own) => work(timely(own, deadline))) : atOnce,
        beside: beside(oneByOne(inWorker(deadline))),
      }),
    write: (as, work) => writes.add(as, work),
    async health() {
      const { canWrite, committed, bytes, logBytes } = await look()
      // A commit since then is newer evidence than the cached check.
      const isWritable = !writes.hasFailed && (canWrite || writes.committed > committed)
      return { isWritable, bytes, logBytes, waitingWrites: writes.waiting }
    },
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
      await workers.close()
      reader.close()
      writer.close()
    },
  }
}

type Handle = Omit<Read, 'db'> & Pick<Write, 'db'>

/** Runs the heavy statements of a handle outside the event loop. */
interface Beside {
  readonly weigh: Read['weigh']
  readonly inPlaceRowsMax: number
  /** All statements see one snapshot. */
  readonly rows: Read['rowsTogether']
}

/** Runs work on one connection, in one read-only transaction. */
type AtOnce = <V>(work: (statements: Statements) => V) => V

interface HandleOptions {
  readonly onStatement?: OnStatement | undefined
  /** Absent inside a transaction, where everything is read in place. */
  readonly beside?: Beside
  /** Absent if the handle already runs in a transaction. */
  readonly atOnce?: AtOnce
}

function handleOn(statements: Statements, { onStatement, beside, atOnce }: HandleOptions = {}): Handle {
  let db: Handle['db'] | undefined
  const inTransaction: AtOnce = atOnce ?? ((work) => work(statements))
  return {
    // Built lazily: most requests run compiled statements and need no Drizzle instance.
    get db() {
      db ??= databaseOn(statements, onStatement)
      return db
    },
    // Listed one by one: an object spread takes as long as a look-up, for every request and write.
    t,
    json,
    among,
    pairs,
    limit,
    compile,
    guard: (extent) => (beside && beside.weigh(extent) > beside.inPlaceRowsMax ? guardOf(extent) : undefined),
    weigh: (extent) => beside?.weigh(extent) ?? 0,
    async rows(statement) {
      onStatement?.(statement.text)
      if (!statement.isHeavy || !beside) return allOf(statements, statement)
      const [rows = []] = await beside.rows([statement])
      return rows
    },
    async rowsTogether(all) {
      for (const { text } of all) onStatement?.(text)
      if (beside && isMuch(all, beside)) return beside.rows(all)
      return inTransaction((own) => all.map((statement) => allOf(own, statement)))
    },
  }
}

function allOf(statements: Statements, { text, values }: CompiledSql): unknown[][] {
  return statements
    .prepare(text)
    .raw()
    .all(...values) as unknown[][]
}

/** Light statements may add up; up to this multiple of the limit they take less than a slice of the event loop. */
const TOGETHER = 2

function isMuch(all: readonly CompiledSql[], { inPlaceRowsMax }: Beside): boolean {
  const weight = all.reduce((sum, one) => sum + (one.weight ?? 1), 0)
  return all.some(({ isHeavy }) => isHeavy) || weight > TOGETHER * inPlaceRowsMax
}

/** A callback into JavaScript for every row would take longer than reading most rows. */
const ROWS_PER_LOOK = 16

/** Row ids are sequential, so about one row in ROWS_PER_LOOK calls the function that stops an unwanted statement. */
function guardOf({ table, row = table }: Extent): SQL {
  return sql`(${row}.rowid % ${sql.raw(String(ROWS_PER_LOOK))} or ${sql.raw(STILL_WANTED)}())`
}

/** Estimates the number of rows by max(rowid), an index look-up that is never too low. */
function weightsOn(statements: Statements): Read['weigh'] {
  const rowsIn = (table: PgTable) => {
    const highest = statements.prepare(`select max(rowid) from "${getTableName(table)}"`).pluck()
    return Number(highest.get())
  }
  const rowsInAll = (tables: readonly PgTable[]) => tables.reduce((sum, one) => sum + rowsIn(one), 0)
  return ({ table, rows, perRow = 1, isCounting = false, counted = [] }) => {
    const others = (isCounting ? rowsInAll(COUNTED) : 0) + rowsInAll(counted) / COUNTED_PER_ROW
    return (rows <= FEW ? rows : Math.min(rows, rowsIn(table))) * perRow + others
  }
}

/** Up to this many rows the size of the table does not matter. */
const FEW = 50

/** An index-only scan counts an entry in less than 50 ns; reading and showing a row takes microseconds. */
const COUNTED_PER_ROW = 100

/** Tables of which one row elsewhere may have very many rows. */
const COUNTED = [t.membership, t.risk, t.issue]

/** Throws if the deadline has passed or the client has disconnected. */
function timely(statements: Statements, deadline: Deadline): Statements {
  return {
    prepare(sql) {
      if (isOverdue(deadline)) throw deadlineExceeded()
      return statements.prepare(sql)
    },
  }
}

/** Queues the statements of a request, so that it uses one read worker at a time. */
function oneByOne(rows: Beside['rows']): Beside['rows'] {
  let last: Promise<unknown> = Promise.resolve()
  return (statements) => {
    const turn = last.then(() => rows(statements))
    last = turn.catch(() => undefined)
    return turn
  }
}

// Queries are typed against PostgreSQL; the same builders run on SQLite when awaited.
function databaseOn(statements: Statements, onStatement?: OnStatement): Handle['db'] {
  // `prepare` is the only member of a connection that Drizzle uses.
  const client = statements as Connection
  // Not `drizzle()`: its module imports `better-sqlite3` by name, which is not installed on every Node.
  const session = new BetterSQLiteSession(client, dialect, undefined, {
    ...(onStatement && { logger: { logQuery: onStatement } }),
  })
  return new BaseSQLiteDatabase('sync', dialect, session, undefined) as unknown as Handle['db']
}

const dialect = new SQLiteSyncDialect()

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

interface Place {
  /** Whether the path still names the opened file: writes to an unlinked file would be lost. */
  isInPlace(): boolean
  /** Whether the path names another file: other processes write there, and may have revoked a key there. */
  isReplaced(): boolean
}

function placeOf(file: string): Place {
  const opened = statSync(file)
  const isOpened = (found: Stats) => found.ino === opened.ino && found.dev === opened.dev
  const current = () => statSync(file, { throwIfNoEntry: false })
  return {
    isInPlace() {
      const found = current()
      return found !== undefined && isOpened(found)
    },
    isReplaced() {
      const found = current()
      return found !== undefined && !isOpened(found)
    },
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

// One value stays an equality, so that an index can also serve the order; several become one JSON parameter.
const among: Read['among'] = (column, values): SQL =>
  values.length === 1
    ? sql`${column} = ${values[0]}`
    : sql`${column} in (select value from json_each(${JSON.stringify(values)}))`

const pairs: Read['pairs'] = (all) =>
  sql`(select value ->> 0 as one, value ->> 1 as other from json_each(${JSON.stringify(all)}))`

const compile: Read['compile'] = (statement) => {
  const { sql: text, params: values } = dialect.sqlToQuery(statement)
  return { text, values }
}

// A cast, because SQLite plans by the value of a bare parameter and would plan again for every value.
const limit: Read['limit'] = (rows) => sql`cast(${rows} as integer)`
