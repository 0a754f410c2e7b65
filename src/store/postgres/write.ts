import { Fault } from '../../errors.js'
import type { Bulk } from '../bulk.js'
import { type ChangeCounter, changedBy, newNonce, type Raised, raise, raising } from '../changeCounters.js'
import { BUSY, driverCode, isOfConnection, toFault, UNREACHABLE } from '../faults.js'
import { type Authorship, BULK_STATEMENT_MS, LOOK_MS, type OnNotice, type Write } from '../store.js'
import { SELECT_LAST_TIMESTAMP, timestampAfter } from '../timestamps.js'
import { postgresBulk } from './bulk.js'
import { IDLE_IN_WRITE_MS } from './connections.js'
import { BULK_MS, type QueryOptions, type QueryResult, type Session, STALE, whileResponsive } from './session.js'

/** The database access of a write transaction. */
export interface Database {
  readonly open: (withinMs: number) => Promise<Session>
  /** Resolves if the server responds. */
  readonly look: () => Promise<unknown>
  readonly writeOn: (run: Session['run'], as: Authorship, rest: Bulk & Pick<Write, 'by' | 'at' | 'nonce'>) => Write
  readonly onNotice?: OnNotice | undefined
}

/** One write of a batch. Times are by `performance.now()`. */
export interface Member {
  readonly as: Authorship
  readonly work: (write: Write) => Promise<unknown>
  /** Deadline for acquiring the lock. */
  readonly turnAt: number
  /** Deadline for the commit, unless the write stores many rows. */
  readonly doneAt: number
}

/** A batch of writes for one transaction. */
export interface Turn {
  /** Whether no result can show what they write, so that none needs the lock. */
  readonly isUnseen: boolean
  /** Deadline for acquiring the lock. */
  readonly turnAt: number
  readonly next: () => Member | undefined
}

/** The result of one write, or its error. */
type Verdict = { readonly result: unknown } | { readonly error: unknown }

/** Verdicts are in the order in which the writes were taken. */
type Outcome =
  | { readonly verdicts: readonly Verdict[] }
  | {
      /** For the writes without a verdict: nothing of them is stored. */
      readonly error: unknown
      readonly verdicts: readonly Verdict[]
      /** Whether the server rolled back for a transient reason, so that a retry may succeed. */
      readonly isUndone: boolean
      /** Whether the connection is broken. */
      readonly isLost: boolean
    }

/** serialization_failure and deadlock_detected. */
const UNDONE = ['40001', '40P01']

/** Runs a batch of writes in one serializable transaction. */
export async function attempt(database: Database, turn: Turn): Promise<Outcome> {
  let session: Session
  try {
    session = await database.open(Math.max(1, turn.turnAt - performance.now()))
  } catch (error) {
    return { error, verdicts: [], isUndone: false, isLost: true }
  }
  const transaction = new Transaction(session.run, database)
  try {
    await transaction.begin(turn)
    await transaction.performAll(turn)
    const isClean = await transaction.end()
    session.release(!isClean)
    return { verdicts: transaction.verdicts }
  } catch (error) {
    const cause = transaction.failure ?? error
    const code = driverCode(cause) ?? ''
    const isLost = isOfConnection(cause)
    // A prepared statement no longer fits the tables; retry on a new connection, which has none prepared.
    const isStale = transaction.hasBegun && STALE.includes(code)
    session.release(isLost || isStale || !(await rolledBack(session.run)))
    const isUndone = isStale || UNDONE.includes(code)
    const reported = error instanceof Fault ? error : cause
    const verdicts = isLost ? transaction.verdictsOfLost(cause) : []
    return {
      error: isUndone ? new Fault('UNAVAILABLE', BUSY, { cause }) : toFault(reported),
      verdicts,
      isUndone,
      isLost,
    }
  }
}

/** Least timeout of a statement after the deadline: a reachable server responds within it. */
const STEP_LEAST_MS = 2_000
/** With more rows in one statement, it and the commit get the time limit of bulk work. */
const MANY_ROWS = 100
/** Time after which a batch takes no further writes, so that those already done are committed. */
const TOGETHER_MS = 250

/** The state of one write in this transaction. */
interface Performed {
  readonly changed: Set<ChangeCounter>
  hasWritten: boolean
  isOver: boolean
}

class Transaction {
  readonly verdicts: Verdict[] = []
  hasBegun = false
  /** The first statement error: code above may catch it and throw something else. */
  failure: unknown
  private readonly once: Session['run']
  private readonly database: Database
  private readonly raised: Raised = new Map()
  private lastTimestamp: unknown
  private doneAt = Number.POSITIVE_INFINITY
  private isLong = false
  /** Whether a failed write has written, and nothing else was: the transaction ends with a rollback. */
  private mustRollBack = false
  private isCommitting = false

  constructor(run: Session['run'], database: Database) {
    this.once = run
    this.database = database
  }

  /**
   * Writes of all processes are serialized by a lock on `revision` that blocks no reader. It is taken before the first
   * query, so that each transaction sees the one before it. Otherwise all but one of overlapping transactions would fail
   * with serialization_failure, since each raises the counter, and changes could become visible out of `id` order.
   */
  async begin({ isUnseen, turnAt }: Turn): Promise<void> {
    const waitMs = Math.max(1, Math.ceil(turnAt - performance.now()))
    // Clocks of machines differ, so read the last timestamp for the next one to be monotonic.
    const lock = isUnseen ? '' : `lock table revision in exclusive mode; ${SELECT_LAST_TIMESTAMP}`
    // SET LOCAL: behind a pooler, other clients use the session afterwards.
    const limits = `set local lock_timeout = ${waitMs}; set local statement_timeout = ${BULK_STATEMENT_MS};
    set local idle_in_transaction_session_timeout = ${IDLE_IN_WRITE_MS}`
    const text = `begin isolation level serializable; ${limits}; ${lock}`
    const { rows } = await this.send(text, undefined, { timeoutMs: waitMs + 1_000 })
    this.lastTimestamp = rows[0]?.[0]
    this.hasBegun = true
  }

  async performAll({ next }: Turn): Promise<void> {
    const endsAt = performance.now() + TOGETHER_MS
    for (let one = next(); one; one = this.isFull(endsAt) ? undefined : next()) await this.perform(one)
  }

  private isFull(endsAt: number): boolean {
    return this.isLong || this.mustRollBack || performance.now() > endsAt
  }

  /** Runs one write. If it fails before it has written, earlier writes stay; later, only a rollback of all undoes it. */
  private async perform({ as, work, doneAt }: Member): Promise<void> {
    const { database } = this
    const own: Performed = { changed: new Set(), hasWritten: false, isOver: false }
    this.doneAt = Math.min(this.doneAt, doneAt)
    const at = timestampAfter({ last: this.lastTimestamp, now: as.at(), onNotice: database.onNotice })
    const run: Session['run'] = (sql, values, how) => this.runFor(own, sql, values, how)
    const bulk = postgresBulk((sql, values) => {
      as.onStatement?.(sql)
      this.noteLength(values)
      return run(sql, values, { hasStablePlan: !this.isLong })
    })
    const nonce = newNonce()
    try {
      const result = await work(database.writeOn(run, as, { by: as.by, at, nonce, ...bulk }))
      if (this.failure !== undefined) throw this.failure
      if (!as.unseen) raise(this.raised, own.changed, nonce)
      this.lastTimestamp = at
      this.verdicts.push({ result })
    } catch (error) {
      if (this.failure !== undefined || (own.hasWritten && this.verdicts.length > 0)) throw error
      this.mustRollBack = own.hasWritten
      this.verdicts.push({ error: toFault(error) })
    } finally {
      own.isOver = true
    }
  }

  private async runFor(own: Performed, sql: string, values?: unknown[], how?: QueryOptions): Promise<QueryResult> {
    if (own.isOver) throw new Error('The handle of this write has been revoked: the write is over.')
    own.hasWritten ||= !sql.startsWith('select')
    for (const counter of changedBy(sql)) own.changed.add(counter)
    return this.send(sql, values, how)
  }

  /** A write of many rows must not delay others: it fails in a shared transaction and is retried in its own. */
  private noteLength(values: readonly unknown[]): void {
    this.isLong ||= values.some((value) => Array.isArray(value) && value.length > MANY_ROWS)
    if (!this.isLong || this.verdicts.length === 0) return
    this.failure ??= new Error('A write of many rows needs a transaction of its own.')
    throw this.failure
  }

  /** Runs a statement, with the remaining time as its timeout. */
  private async send(sql: string, values?: unknown[], how?: QueryOptions): Promise<QueryResult> {
    const leftMs = Math.max(STEP_LEAST_MS, this.doneAt - performance.now())
    const timeoutMs = Math.min(BULK_MS, this.isLong ? BULK_MS : leftMs)
    const result = this.once(sql, values, { timeoutMs, ...how })
    try {
      return await (this.isLong ? whileResponsive(result, this.database.look) : result)
    } catch (error) {
      this.failure ??= error
      throw error
    }
  }

  /** Commits, or rolls back if there is nothing to store; returns whether the connection can be reused. */
  async end(): Promise<boolean> {
    const isStoring = !this.mustRollBack && this.verdicts.some((verdict) => 'result' in verdict)
    if (!isStoring) return rolledBack(this.once)
    this.isCommitting = true
    const { command } = await this.send(this.raised.size > 0 ? `${raising(this.raised, String)}; commit` : 'commit')
    if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command}.`)
    return true
  }

  /** Whether the server received COMMIT is unknown, so these writes must not be retried here. */
  verdictsOfLost(cause: unknown): Verdict[] {
    if (!this.isCommitting) return []
    const advice = 'It may or may not be stored: check before you send it again.'
    const sentence = `The connection was lost while this was being stored. ${advice}`
    // A rejected write may have been rejected because of another write in the batch.
    return this.verdicts.map((verdict) => ({
      error: new Fault('UNAVAILABLE', 'result' in verdict ? sentence : UNREACHABLE, { cause }),
    }))
  }
}

function rolledBack(run: Session['run']): Promise<boolean> {
  return run('rollback', [], { timeoutMs: LOOK_MS }).then(
    () => true,
    () => false,
  )
}
