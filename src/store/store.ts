import type { AnyColumn, SQL } from 'drizzle-orm'
import type { PgDatabase, PgQueryResultHKT, PgTable } from 'drizzle-orm/pg-core'
import type { Bulk } from './bulk.js'
import type { Json } from './json.js'
import type { Versions } from './registers.js'
import type { Tables } from './tables.js'

type Database = PgDatabase<PgQueryResultHKT, Record<string, never>>

/** What a query needs: the connection, the tables, and what engines spell differently. */
export interface Read {
  readonly db: Pick<Database, 'select' | '$count'>
  readonly t: Tables
  readonly json: Json
  /** `column in values`, as one parameter however many values there are. */
  among(column: AnyColumn | SQL, values: readonly (string | number)[]): SQL
  /** These pairs as a table with the columns `one` and `other`, to select from. */
  pairs(pairs: readonly (readonly [one: string, other: string])[]): SQL
  /** How many rows are wanted, put so that the engine keeps its plan. */
  limit(rows: number): SQL
  /** SQL as the engine reads it. Spelling it out takes long, so what is asked often is spelled once. */
  spelled(statement: SQL): Spelled
  /**
   * The condition that a statement which reads this much must have, and then it `isHeavy`: it runs beside the event
   * loop, and the condition lets it be stopped. Undefined where it runs in place.
   */
  guard(extent: Extent): SQL | undefined
  /** How much that is, in rows; nothing where nobody but the caller waits for it. */
  weigh(extent: Extent): number
  /** The rows of a statement, each as its values, in the order in which they are selected. */
  rows(statement: Spelled): Promise<unknown[][]>
  /** The same of several statements, all of which see the store at one instant. */
  rowsTogether(statements: readonly Spelled[]): Promise<unknown[][][]>
}

/** A statement and what its parameters stand for. */
export interface Spelled {
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether one plan is right whatever the values are, so that it may be kept. */
  readonly isSteady?: boolean
  /** Whether it has the condition that `guard` gave. */
  readonly isHeavy?: boolean
  /** What `weigh` gave. */
  readonly weight?: number
}

/** How much a statement reads. */
export interface Extent {
  readonly table: PgTable
  /** The same as the statement names it, where that is by an alias. */
  readonly row?: PgTable
  /** Of that table, at the most. */
  readonly rows: number
  /** What each row stands for that takes a look at other tables. */
  readonly perRow?: number
  /** Whether it counts rows of other tables, which can be very many. */
  readonly isCounting?: boolean
  /** Tables of which an index counts rows by itself, none of them twice; a table stands here once for each count. */
  readonly counted?: readonly PgTable[]
}

/** How long somebody waits for what is read. */
export interface Patience {
  /** By `performance.now()`; it may move while a request goes on. */
  readonly deadlineAt: number
  /** Whether they have hung up. */
  readonly isGone?: () => boolean
}

export type OnStatement = (text: string) => void

/** Told what whoever runs the store should know. */
export type OnNotice = (sentence: string) => void

/** Who writes and when. */
export interface Authorship {
  /** A key's id, or `cli`. */
  readonly by: string
  /** Asked once the transaction has begun, so that the stamp is no older than what others could read before it. */
  readonly at: () => Date
  /** No answer can show what this writes, so the version stays. */
  readonly unseen?: boolean
  /** Since when its caller waits, by `performance.now()`; since now unless given. */
  readonly waitingSince?: number
  /** Told of every statement. */
  readonly onStatement?: OnStatement | undefined
}

/** A transaction under way; it is dead once the callback that got it has settled. */
export interface Write extends Omit<Read, 'db'>, Bulk {
  readonly db: Pick<Database, 'select' | '$count' | 'insert' | 'update' | 'delete'>
  readonly by: string
  /** The instant of this write, as it is stored. */
  readonly at: string
}

/** How a store is, for whoever watches over it. */
export interface StoreHealth {
  /** False once a write has failed for want of room or of rights, until one succeeds. */
  readonly isWritable: boolean
  readonly bytes: number
  /** Of what is written and not yet in its final place. */
  readonly logBytes: number
  readonly waitingWrites: number
}

export interface Store {
  readonly read: Read
  /** The same, telling of every statement, and only as long as somebody waits. */
  reading(onStatement: OnStatement, patience?: Patience): Read
  health(): Promise<StoreHealth>
  /** Runs `work` in one transaction: all of it is stored when the promise resolves, or nothing. */
  write<T>(as: Authorship, work: (write: Write) => Promise<T>): Promise<T>
  /** The same exactly as long as no answer can have changed, whichever process writes; none ever comes again. */
  version(): Promise<string>
  /** The same for each register, of one instant. */
  versions(): Promise<Versions>
  /** Reads everything as it stands now, however long the work takes and whoever writes meanwhile. */
  snapshot<T>(work: (read: Read) => Promise<T>): Promise<T>
  /** Waits for the writes that were asked for, `waitMs` at the most where it is given. */
  close(waitMs?: number): Promise<void>
}
