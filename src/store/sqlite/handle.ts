import { getTableName, type SQL, sql } from 'drizzle-orm'
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import type { PgTable } from 'drizzle-orm/pg-core'
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { sqliteColumns } from '../columns.js'
import { withCursors } from '../query/cursors.js'
import { sqliteJson as json } from '../query/json.js'
import type { CompiledSql, Extent, Handle, OnStatement, Read } from '../store.js'
import { defineTables } from '../tables.js'
import { type Connection, STILL_WANTED, type Statement, WITHIN_LIMIT } from './driver.js'
import type { Statements } from './statements.js'

const t = defineTables(sqliteColumns)

/** Runs the heavy statements of a handle outside the event loop. */
export interface Offload {
  readonly weigh: Read['weigh']
  readonly inPlaceRowsMax: number
  /** All statements see one snapshot. */
  readonly rows: Read['rowsTogether']
}

/** Runs work on one connection, in one read-only transaction. */
export type AtOnce = <V>(work: (statements: Statements) => V) => V

interface HandleOptions {
  readonly onStatement?: OnStatement | undefined
  /** Absent inside a transaction, where everything is read in place. */
  readonly offload?: Offload | undefined
  /** Absent if the handle already runs in a transaction. */
  readonly atOnce?: AtOnce
}

export function handleOn(statements: Statements, { onStatement, offload, atOnce }: HandleOptions = {}): Handle {
  let db: Handle['db'] | undefined
  const inTransaction: AtOnce = atOnce ?? ((work) => work(statements))
  return {
    // Built lazily: most requests run compiled statements and need no Drizzle instance.
    get db() {
      db ??= databaseOn(onStatement ? { prepare: (text) => reported(statements, text, onStatement) } : statements)
      return db
    },
    // Listed one by one: an object spread takes as long as a look-up, for every request and write.
    t,
    json,
    among,
    includes,
    pairs,
    limit,
    compile,
    guard: (extent) => (offload && offload.weigh(extent) > offload.inPlaceRowsMax ? guardOf(extent) : undefined),
    meter: (bytes) => (offload ? meterOf(bytes) : undefined),
    weigh: (extent) => offload?.weigh(extent) ?? 0,
    async rows(statement) {
      if (!statement.isHeavy || !offload) return finished(statement, allOf(statements, statement, onStatement))
      const [rows = []] = await offload.rows([statement])
      return rows
    },
    async rowsTogether(all) {
      if (offload && isMuch(all, offload)) return offload.rows(all)
      const found = inTransaction((own) => all.map((one) => [one, allOf(own, one, onStatement)] as const))
      return Promise.all(found.map(([statement, rows]) => finished(statement, rows)))
    },
  }
}

function allOf(statements: Statements, compiled: CompiledSql, onStatement?: OnStatement): unknown[][] {
  const statement = statements.prepare(compiled.text).raw()
  return timed(compiled, onStatement, () => statement.all(...compiled.values) as unknown[][])
}

/** Runs a statement in place, and reports it, also if it fails. */
export function timed<R>(of: CompiledSql, onStatement: OnStatement | undefined, run: () => R, rows?: number): R {
  if (!onStatement) return run()
  const began = performance.now()
  let result: R | undefined
  try {
    result = run()
    return result
  } finally {
    const ms = performance.now() - began
    const found = rows ?? (Array.isArray(result) ? result.length : 0)
    onStatement({ text: of.text, where: 'in place', ms, waitedMs: 0, rows: found }, of.values)
  }
}

function reported(statements: Statements, text: string, onStatement: OnStatement): Statement {
  const statement = statements.prepare(text)
  const report = (run: (...values: unknown[]) => unknown) => {
    return (...values: unknown[]) => timed({ text, values }, onStatement, () => run(...values))
  }
  const raw = () => {
    const found = statement.raw()
    return { all: report((...values) => found.all(...values)), get: report((...values) => found.get(...values)) }
  }
  // A cast: Drizzle uses no other members.
  return { run: report((...values) => statement.run(...values)), raw } as unknown as Statement
}

function finished({ hasCursors }: CompiledSql, rows: unknown[][]): Promise<unknown[][]> | unknown[][] {
  return hasCursors ? withCursors(rows) : rows
}

/** Light statements may add up; up to this multiple of the limit they take less than a slice of the event loop. */
const TOGETHER = 2

function isMuch(all: readonly CompiledSql[], { inPlaceRowsMax }: Offload): boolean {
  const weight = all.reduce((sum, one) => sum + (one.weight ?? 1), 0)
  return all.some(({ isHeavy }) => isHeavy) || weight > TOGETHER * inPlaceRowsMax
}

/** A callback into JavaScript for every row would take longer than reading most rows. */
const ROWS_PER_CHECK = 16

/** Row ids are sequential, so about one row in ROWS_PER_CHECK calls the function that stops an unwanted statement. */
function guardOf({ table, row = table }: Extent): SQL {
  return sql`(${row}.rowid % ${sql.raw(String(ROWS_PER_CHECK))} or ${sql.raw(STILL_WANTED)}())`
}

/** Shorter parts are bounded by the cost of a query. */
const UNMETERED_BYTES = 2_048

function meterOf(bytes: SQL): SQL {
  return sql`(${bytes} <= ${sql.raw(String(UNMETERED_BYTES))} or ${sql.raw(WITHIN_LIMIT)}(${bytes}))`
}

/** Estimates the number of rows by max(rowid), an index look-up that is never too low. */
export function weightsOn(statements: Statements): Read['weigh'] {
  const rowsIn = (table: PgTable) => {
    const highest = statements.prepare(`select max(rowid) from "${getTableName(table)}"`).pluck()
    return Number(highest.get())
  }
  const rowsInAll = (tables: readonly PgTable[]) => tables.reduce((sum, one) => sum + rowsIn(one), 0)
  return ({ table, rows, perRow = 1, isCounting = false, counted = [], wholeTables = [] }) => {
    const read = wholeTables.reduce((sum, one) => sum + rowsIn(one.table) * one.perRow, 0)
    const others = read + (isCounting ? rowsInAll(COUNTED) : 0) + rowsInAll(counted) / COUNTED_PER_ROW
    return (rows <= FEW ? rows : Math.min(rows, rowsIn(table))) * perRow + others
  }
}

/** Up to this many rows the size of the table does not matter. */
const FEW = 50

/** An index-only scan counts an entry in less than 50 ns; reading and showing a row takes microseconds. */
const COUNTED_PER_ROW = 100

/** Tables of which one row elsewhere may have very many rows. */
const COUNTED = [t.membership, t.risk, t.issue]

// Queries are typed against PostgreSQL; the same builders run on SQLite when awaited.
function databaseOn(statements: Statements): Handle['db'] {
  // `prepare` is the only member of a connection that Drizzle uses.
  const client = statements as Connection
  // Not `drizzle()`: its module imports `better-sqlite3` by name, which is not installed on every Node.
  const session = new BetterSQLiteSession(client, dialect, undefined, {})
  return new BaseSQLiteDatabase('sync', dialect, session, undefined) as unknown as Handle['db']
}

const dialect = new SQLiteSyncDialect()

// One value stays an equality, so that an index can also serve the order; several become one JSON parameter.
const among: Read['among'] = (column, values): SQL =>
  values.length === 1
    ? sql`${column} = ${values[0]}`
    : sql`${column} in (select value from json_each(${JSON.stringify(values)}))`

const includes: Read['includes'] = (column, text) => sql`instr(${column}, ${text}) > 0`

const pairs: Read['pairs'] = (all) =>
  sql`(select value ->> 0 as one, value ->> 1 as other from json_each(${JSON.stringify(all)}))`

const compile: Read['compile'] = (statement) => {
  const { sql: text, params: values } = dialect.sqlToQuery(statement)
  return { text, values }
}

// A cast, because SQLite plans by the value of a bare parameter and would plan again for every value.
const limit: Read['limit'] = (rows) => sql`cast(${rows} as integer)`
