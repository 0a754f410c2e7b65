import { type Stats, statSync } from 'node:fs'
import { getTableName, type SQL, sql } from 'drizzle-orm'
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import type { PgTable } from 'drizzle-orm/pg-core'
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { bulkOn } from './bulk.js'
import { deadlineExceeded, isOverdue } from './faults.js'
import { sqliteJson as json } from './json.js'
import { atMostEvery, latestOfTurn } from './latest.js'
import { type FoundVersions, inOrder, SELECT_VERSIONS, versionsIn } from './registers.js'
import { connect, STILL_WANTED } from './sqliteConnection.js'
import type { Connection } from './sqliteDriver.js'
import { ReadWorkers } from './sqliteReadWorkers.js'
import { KeptStatements, type Statements } from './sqliteStatements.js'
import { sqliteTables as t } from './sqliteTables.js'
import { isBusy, WriteQueue } from './sqliteWrites.js'
import type { Extent, OnNotice, OnStatement, Patience, Read, Spelled, Store, Write } from './store.js'

interface SqliteOptions {
  readonly onStatement?: (sql: string) => void
  /** Of the connection that writes; the driver's own choice unless given. */
  readonly cacheBytes?: number | undefined
  readonly onNotice?: OnNotice | undefined
  /** What reads more rows runs in a read worker. */
  readonly inPlaceRowsMax?: number
}

/**
 * Opens a migrated SQLite file: one connection that writes, with a queue in front of it, and one that reads while the
 * other writes. At other times the first reads as well: it knows the pages that it has written, and the second would
 * have to read all of them again after each commit. What reads much does so in threads of its own.
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
  const ofReader = { statements: new KeptStatements(reader), versions: versionsOf(reader, () => 0) }
  const ofWriter = { statements: readingOn(writer), versions: versionsOf(writer, () => writes.committed) }
  const free = () => (writer.inTransaction ? ofReader : ofWriter)
  const statements: Statements = { prepare: (sql) => free().statements.prepare(sql) }
  // Nothing else of this process runs in between; what another process commits meanwhile is not seen.
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
  const versions = latestOfTurn(() => {
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
  const inWorker = (patience?: Patience) => (all: readonly Spelled[]) => {
    for (const { text } of all) onStatement?.(text)
    return workers.run(all, patience)
  }
  const beside = (rows: Beside['rows']): Beside => ({ weigh, inPlaceRowsMax, rows })

  return {
    read: handleOn(statements, { atOnce, beside: beside(inWorker()) }),
    reading: (onStatement, patience) =>
      handleOn(patience ? timely(statements, patience) : statements, {
        onStatement,
        atOnce: patience ? (work) => atOnce((own) => work(timely(own, patience))) : atOnce,
        beside: beside(oneByOne(inWorker(patience))),
      }),
    write: (as, work) => writes.add(as, work),
    async health() {
      const { canWrite, committed, bytes, logBytes } = await look()
      // A commit since then proves more than the look did.
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
        // What a transaction sees is settled by its first read, and not when it begins.
        connection.exec('select value from revision')
        return await work(handleOn(new KeptStatements(connection)))
      } finally {
        connection.close()
      }
    },
    async close() {
      await writes.settled()
      await workers.close()
      reader.close()
      writer.close()
    },
  }
}

type Handle = Omit<Read, 'db'> & Pick<Write, 'db'>

/** Where a handle sends what is heavy. */
interface Beside {
  readonly weigh: Read['weigh']
  readonly inPlaceRowsMax: number
  /** Of one instant, however many statements there are. */
  readonly rows: Read['rowsTogether']
}

/** Runs work on one connection, in one transaction that only reads. */
type AtOnce = <V>(work: (statements: Statements) => V) => V

interface HandleOptions {
  readonly onStatement?: OnStatement | undefined
  /** Without it everything is read in place, as inside a transaction. */
  readonly beside?: Beside
  /** Without it, what is read is in a transaction already. */
  readonly atOnce?: AtOnce
}

function handleOn(statements: Statements, { onStatement, beside, atOnce }: HandleOptions = {}): Handle {
  let db: Handle['db'] | undefined
  const inTransaction: AtOnce = atOnce ?? ((work) => work(statements))
  return {
    // Made when it is asked for: most answers are told by the store, and need none.
    get db() {
      db ??= databaseOn(statements, onStatement)
      return db
    },
    // One by one: spread, they would take as long as a look-up, for every request and every write.
    t,
    json,
    among,
    pairs,
    limit,
    spelled,
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

function allOf(statements: Statements, { text, values }: Spelled): unknown[][] {
  return statements
    .prepare(text)
    .raw()
    .all(...values) as unknown[][]
}

/** What is light by itself may be much together; up to this it takes less than a slice of the event loop. */
const TOGETHER = 2

function isMuch(all: readonly Spelled[], { inPlaceRowsMax }: Beside): boolean {
  const weight = all.reduce((sum, one) => sum + (one.weight ?? 1), 0)
  return all.some(({ isHeavy }) => isHeavy) || weight > TOGETHER * inPlaceRowsMax
}

/** To call a function of JavaScript for every row would take longer than most rows. */
const ROWS_PER_LOOK = 16

/** Rows are numbered as they came in, so about one in so many makes the statement look whether it is still wanted. */
function guardOf({ table, row = table }: Extent): SQL {
  return sql`(${row}.rowid % ${sql.raw(String(ROWS_PER_LOOK))} or ${sql.raw(STILL_WANTED)}())`
}

/** Judges by the highest row number, which an index has at hand: at least as many as there are rows. */
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

/** Of so few rows it need not be known whether there are as many. */
const FEW = 50

/** What an index counts by itself takes less than 50 ns each; a row that is read and shown takes some microseconds. */
const COUNTED_PER_ROW = 100

/** What a row may have very many of, elsewhere. */
const COUNTED = [t.membership, t.risk, t.issue]

/** Refuses what is asked for when nobody waits for it any more. */
function timely(statements: Statements, patience: Patience): Statements {
  return {
    prepare(sql) {
      if (isOverdue(patience)) throw deadlineExceeded()
      return statements.prepare(sql)
    },
  }
}

/** One request is one guest of the read workers, however many statements it takes. */
function oneByOne(rows: Beside['rows']): Beside['rows'] {
  let last: Promise<unknown> = Promise.resolve()
  return (statements) => {
    const turn = last.then(() => rows(statements))
    last = turn.catch(() => undefined)
    return turn
  }
}

// Queries are typed against PostgreSQL; awaited, the same builders run on SQLite.
function databaseOn(statements: Statements, onStatement?: OnStatement): Handle['db'] {
  // To prepare statements is all that Drizzle asks of a connection.
  const client = statements as Connection
  // Not `drizzle()`: its module imports `better-sqlite3` by name, which is not there on every Node.
  const session = new BetterSQLiteSession(client, dialect, undefined, {
    ...(onStatement && { logger: { logQuery: onStatement } }),
  })
  return new BaseSQLiteDatabase('sync', dialect, session, undefined) as unknown as Handle['db']
}

const dialect = new SQLiteSyncDialect()

/** Whether a transaction that writes could begin now; one that another holds will end. */
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
  /** Whether the file is still the one that was opened: what is written into one that is gone would be lost. */
  isInPlace(): boolean
  /** Whether another file has its name: whoever writes now, writes there, and a key may be revoked there. */
  isReplaced(): boolean
}

function placeOf(file: string): Place {
  const opened = statSync(file)
  const isOpened = (found: Stats) => found.ino === opened.ino && found.dev === opened.dev
  const standing = () => statSync(file, { throwIfNoEntry: false })
  return {
    isInPlace() {
      const found = standing()
      return found !== undefined && isOpened(found)
    },
    isReplaced() {
      const found = standing()
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

/** The statements of a connection that may write, as far as they only read. */
function readingOn(connection: Connection): Statements {
  return new KeptStatements({
    prepare(sql) {
      const statement = connection.prepare(sql)
      if (statement.readonly) return statement
      throw new Error('What only reads cannot change anything.')
    },
  })
}

/** Reads the counter row again only when a commit has moved the file: another's, or one of `own`. */
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

// One value stays an equality, so that an index can serve the order too; more go in as one JSON parameter.
const among: Read['among'] = (column, values): SQL =>
  values.length === 1
    ? sql`${column} = ${values[0]}`
    : sql`${column} in (select value from json_each(${JSON.stringify(values)}))`

const pairs: Read['pairs'] = (all) =>
  sql`(select value ->> 0 as one, value ->> 1 as other from json_each(${JSON.stringify(all)}))`

const spelled: Read['spelled'] = (statement) => {
  const { sql: text, params: values } = dialect.sqlToQuery(statement)
  return { text, values }
}

// SQLite looks at a bare parameter when it plans, and so would plan again for every value.
const limit: Read['limit'] = (rows) => sql`cast(${rows} as integer)`
