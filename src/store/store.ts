import type { AnyColumn, SQL } from 'drizzle-orm'
import type { PgDatabase, PgQueryResultHKT, PgTable } from 'drizzle-orm/pg-core'
import type { Bulk } from './bulk.js'
import type { Versions } from './changeCounters.js'
import type { Json } from './query/json.js'
import type { Tables } from './tables.js'

/** How long a statement of a bulk write or of a command may take. */
export const BULK_STATEMENT_MS = 30_000
/** How long reading the versions, or a key, may take. */
export const QUICK_READ_MS = 3_000

type Database = PgDatabase<PgQueryResultHKT, Record<string, never>>

/** What a query needs: the connection, the tables, and the SQL that differs between engines. */
export interface Read {
  readonly db: Pick<Database, 'select' | '$count'>
  readonly t: Tables
  readonly json: Json
  /** `column in values` as one parameter, for any number of values. */
  among(column: AnyColumn | SQL, values: readonly (string | number)[]): SQL
  /** `column` contains this text; unlike LIKE in a time that hardly depends on what repeats in them. */
  includes(column: AnyColumn | SQL, text: string): SQL
  /** These pairs as a table with the columns `one` and `other`, for a FROM clause. */
  pairs(pairs: readonly (readonly [one: string, other: string])[]): SQL
  /** A LIMIT value in the form for which the engine keeps its plan. */
  limit(rows: number): SQL
  /** Compiles to SQL text and parameters. This is slow, so frequent statements cache the text. */
  compile(statement: SQL): CompiledSql
  /** The condition by which a heavy statement, run outside the event loop, can be stopped; undefined if it runs in place. */
  guard(extent: Extent): SQL | undefined
  /** The condition that stops a heavy statement once its parts are longer than a response may be; undefined without one. */
  meter(bytes: SQL): SQL | undefined
  /** The estimated number of rows read; 0 if the statement does not block the event loop. */
  weigh(extent: Extent): number
  /** The rows of a statement, each as an array of the selected values. */
  rows(statement: CompiledSql): Promise<unknown[][]>
  /** The same for several statements, which all see one snapshot. */
  rowsTogether(statements: readonly CompiledSql[]): Promise<unknown[][][]>
}

export interface CompiledSql {
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether one plan fits all parameter values, so that it may be kept. */
  readonly hasStablePlan?: boolean
  /** Whether it contains the condition of `guard`. */
  readonly isHeavy?: boolean
  readonly weight?: number
  /** Whether its JSON has positions that become cursors before the rows are returned. */
  readonly hasCursors?: boolean
}

export interface Extent {
  readonly table: PgTable
  /** The alias of the table in the statement, if it has one. */
  readonly row?: PgTable
  /** Upper bound of the rows read from that table. */
  readonly rows: number
  /** Rows read per row, including those of other tables. */
  readonly perRow?: number
  /** Whether it counts rows of other tables, possibly very many. */
  readonly isCounting?: boolean
  /** Tables counted by an index-only scan, each row at most once; a table is listed once for each count. */
  readonly counted?: readonly PgTable[]
  /** Tables that are read whole besides, each with the rows read per row. */
  readonly wholeTables?: readonly { readonly table: PgTable; readonly perRow: number }[]
}

/** How long a read may take. */
export interface Deadline {
  /** By `performance.now()`; it may move during a request. */
  readonly deadlineAt: number
  readonly isGone?: () => boolean
}

/** A statement that has run, or has failed. */
export interface StatementRun {
  readonly text: string
  readonly where: 'in place' | 'read worker' | 'server'
  /** Its own time; on a server with the way there and back. */
  readonly ms: number
  /** How long it waited for a read worker or a connection. */
  readonly waitedMs: number
  /** How many rows it returned, or stored. */
  readonly rows: number
}

/** The values are apart from the rest, which is logged. */
export type OnStatement = (run: StatementRun, values: readonly unknown[]) => void

export interface Readership {
  /** Takes turns with others: a key's id, `cli`, or the id of an embedding program; empty for this process itself. */
  readonly owner?: string
  /** Called with every statement. */
  readonly onStatement?: OnStatement | undefined
  readonly deadline?: Deadline | undefined
  /** The bytes that heavy statements may return. */
  readonly bytesMax?: number | undefined
}

/** Receives messages for the operator. */
export type OnNotice = (sentence: string) => void

export interface Authorship {
  /** A key's id, `cli`, or the id of an embedding program; writes of several take turns. */
  readonly by: string
  /** Called after the transaction has begun, so that the timestamp is no older than what others could read before it. */
  readonly at: () => Date
  /** No result can show what this writes, so the version stays. */
  readonly unseen?: boolean
  /** When the caller began to wait, by `performance.now()`; now if absent. */
  readonly waitingSince?: number
  /** Called with every statement. */
  readonly onStatement?: OnStatement | undefined
  /** Called with the bytes of what stays in the store besides the state of its rows: history and kept responses. */
  readonly onStored?: ((bytes: number) => void) | undefined
}

/** A running transaction; revoked when the promise of its callback settles. */
export interface Write extends Omit<Read, 'db'>, Bulk, Pick<Authorship, 'onStored'> {
  readonly db: Pick<Database, 'select' | '$count' | 'insert' | 'update' | 'delete'>
  readonly by: string
  readonly at: string
  readonly nonce: number
  /** The run of an import that this is part of. */
  readonly importId?: string
}

/** A read handle, whose `db` can also write if its connection can. */
export type Handle = Omit<Read, 'db'> & Pick<Write, 'db'>

interface StoreHealth {
  /** False after a write has failed for lack of disk space or permissions, until one succeeds. */
  readonly isWritable: boolean
  /** Why not, if this program is too old. */
  readonly whyNot?: string | undefined
  readonly bytes: number
  readonly logBytes: number
  readonly waitingWrites: number
  /** Reads that wait for a read worker or a connection, and those that have one. */
  readonly waitingReads: number
  readonly busyReaders: number
  /** The id of the last change in the history. */
  readonly lastChange: number
}

export interface Store {
  /** The file or the address, without a password. */
  readonly name: string
  readonly read: Read
  /** The same for a request. */
  reading(readership: Readership): Read
  health(): Promise<StoreHealth>
  /** The engine's plan for a statement with these values, line by line, in which no value is shown. */
  planOf(statement: Pick<CompiledSql, 'text' | 'values'>): Promise<string[]>
  /** Runs `work` in one transaction: all of it is stored when the promise resolves, or nothing. */
  write<T>(as: Authorship, work: (write: Write) => Promise<T>): Promise<T>
  /** Changes whenever a result may have changed, by a write of any process; a value never recurs. */
  version(): Promise<string>
  /** The same for each change counter, read in one snapshot. */
  versions(): Promise<Versions>
  /** Reads one snapshot, however long the work takes and whatever is written meanwhile. */
  snapshot<T>(work: (read: Read) => Promise<T>): Promise<T>
  /** Waits for queued writes, at most `waitMs` if given. */
  close(waitMs?: number): Promise<void>
}
