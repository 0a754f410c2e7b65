import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Bulk } from './bulk.js'
import { BUSY, driverCode, isOfConnection, toFault, UNREACHABLE } from './faults.js'
import { postgresBulk } from './postgresBulk.js'
import { type Answered, type Asking, BULK_MS, type Session, STALE } from './postgresSession.js'
import { changedBy, type Raised, type Register, raise, raising } from './registers.js'
import { SELECT_LAST_STAMP, stampAfter } from './stamp.js'
import type { Authorship, OnNotice, Write } from './store.js'

/** What a transaction needs of the database. */
export interface Database {
  readonly open: (withinMs: number) => Promise<Session>
  /** Whether the server answers at all. */
  readonly look: () => Promise<unknown>
  readonly writeOn: (run: Session['run'], as: Authorship, stamp: Pick<Write, 'by' | 'at'>, bulk: Bulk) => Write
  readonly onNotice?: OnNotice | undefined
}

/** One write of a transaction. Instants are by `performance.now()`. */
export interface Member {
  readonly as: Authorship
  readonly work: (write: Write) => Promise<unknown>
  /** By when its turn must have come, and the lock. */
  readonly turnAt: number
  /** By when all of it must be stored, unless it stores many rows. */
  readonly doneAt: number
}

/** Who may write once the lock is there. */
export interface Turn {
  /** Whether no answer can show what any of them writes: then none needs the lock. */
  readonly isUnseen: boolean
  /** By when the lock must be there. */
  readonly turnAt: number
  readonly next: () => Member | undefined
}

/** What became of one write: what it returned, or why it was refused. */
export type Verdict = { readonly result: unknown } | { readonly error: unknown }

/** The verdicts stand in the order in which the members were taken. */
type Outcome =
  | { readonly verdicts: readonly Verdict[] }
  | {
      /** Of those that have no verdict: nothing of them is stored. */
      readonly error: unknown
      readonly verdicts: readonly Verdict[]
      /** Whether the server has undone it for a reason that will be gone the next time. */
      readonly isUndone: boolean
      /** Whether the connection is gone. */
      readonly isLost: boolean
    }

/** Transactions that met each other. */
const UNDONE = ['40001', '40P01']
/** A statement in a transaction that has failed before. */
const ABORTED = '25P02'

/** Makes the writes of a turn in one serializable transaction. */
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
    // What the server has kept of a statement no longer fits; another connection has kept nothing.
    const isStale = transaction.hasBegun && STALE.includes(code)
    session.release(isLost || isStale || !(await rolledBack(session.run)))
    const isUndone = isStale || UNDONE.includes(code)
    const told = driverCode(error) === ABORTED ? cause : error
    const verdicts = isLost ? transaction.verdictsOfLost(cause) : []
    return { error: isUndone ? new Fault('UNAVAILABLE', BUSY, { cause }) : toFault(told), verdicts, isUndone, isLost }
  }
}

/** A statement of a write that is late may still take this long: a server that is there answers by then. */
const STEP_LEAST_MS = 2_000
/** A write that stores so many rows at once takes its time, and so does the commit behind it. */
const MANY_ROWS = 100
/** Those that are done wait for the others so long at the most, and for the one that is being made then. */
const TOGETHER_MS = 250

const SENT: Promise<Answered> = Promise.resolve({ rows: [], command: '' })

/** A write of this transaction and what it has done so far. */
interface Performed {
  readonly changed: Set<Register>
  hasWritten: boolean
  hasSavepoint: boolean
  isOver: boolean
}

class Transaction {
  readonly verdicts: Verdict[] = []
  hasBegun = false
  /** Of the first statement that failed: above it, it may be taken for something else. */
  failure: unknown
  private readonly once: Session['run']
  private readonly database: Database
  private readonly raised: Raised = new Map()
  private lastSent: Promise<unknown> = Promise.resolve()
  private lastStamp: unknown
  private doneAt = Number.POSITIVE_INFINITY
  private isLong = false
  /** Whether a refused write cannot be undone but with the whole transaction, in which nobody else has written. */
  private isSpoilt = false
  private isCommitting = false

  constructor(run: Session['run'], database: Database) {
    this.once = run
    this.database = database
  }

  /**
   * Writes take turns, also those of other processes, by a lock that hinders no reader. Taken before the first query,
   * so that each sees what the one before it has stored: otherwise all but one of those that overlap would be undone,
   * since every one raises the counter, and changes could become visible in another order than they are numbered in.
   */
  async begin({ isUnseen, turnAt }: Turn): Promise<void> {
    const waitMs = Math.max(1, Math.ceil(turnAt - performance.now()))
    // The clocks of two machines differ, so each is told how far the stamps are.
    const lock = isUnseen ? '' : `lock table revision in exclusive mode; ${SELECT_LAST_STAMP}`
    // For the transaction alone, since a pooler may give the session to others afterwards.
    const limits = `set local lock_timeout = ${waitMs}; set local statement_timeout = ${LIMITS.storeBulkMs};
    set local idle_in_transaction_session_timeout = ${LIMITS.storeIdleInWriteMs}`
    const text = `begin isolation level serializable; ${limits}; ${lock}`
    const { rows } = await this.send(text, undefined, { timeoutMs: waitMs + 1_000 })
    this.lastStamp = rows[0]?.[0]
    this.hasBegun = true
  }

  async performAll({ next }: Turn): Promise<void> {
    const endsAt = performance.now() + TOGETHER_MS
    for (let one = next(); one; one = this.isFull(endsAt) ? undefined : next()) await this.perform(one)
  }

  private isFull(endsAt: number): boolean {
    return this.isLong || this.isSpoilt || performance.now() > endsAt
  }

  /** Makes one write; one that is refused leaves those before it as they are. */
  private async perform({ as, work, doneAt }: Member): Promise<void> {
    const { database } = this
    const own: Performed = { changed: new Set(), hasWritten: false, hasSavepoint: false, isOver: false }
    this.doneAt = Math.min(this.doneAt, doneAt)
    const at = stampAfter({ last: this.lastStamp, now: as.at(), onNotice: database.onNotice })
    const bulk = postgresBulk((sql, values) => {
      as.onStatement?.(sql)
      this.noteLength(values)
      return this.runFor(own, sql, values, { isSteady: !this.isLong })
    })
    try {
      const run: Session['run'] = (sql, values, how) => this.runFor(own, sql, values, how)
      const result = await work(database.writeOn(run, as, { by: as.by, at }, bulk))
      own.isOver = true
      if (this.failure !== undefined) throw this.failure
      if (own.hasSavepoint) this.send('release savepoint one')
      if (!as.unseen) raise(this.raised, own.changed)
      this.lastStamp = at
      this.verdicts.push({ result })
    } catch (error) {
      own.isOver = true
      if (this.failure !== undefined) throw error
      if (own.hasSavepoint) this.send('rollback to savepoint one; release savepoint one')
      else this.isSpoilt = own.hasWritten
      this.verdicts.push({ error: toFault(error) })
    }
  }

  /** What gives no rows is not waited for: if it fails, so does every statement after it, and the commit. */
  private async runFor(own: Performed, sql: string, values?: unknown[], how?: Asking): Promise<Answered> {
    if (own.isOver) throw new Error('The handle of this write has been revoked: the write is over.')
    const isChange = !sql.startsWith('select')
    if (isChange && !own.hasSavepoint && this.verdicts.length > 0) {
      own.hasSavepoint = true
      this.send('savepoint one')
    }
    own.hasWritten ||= isChange
    for (const register of changedBy(sql)) own.changed.add(register)
    const answered = this.send(sql, values, how)
    return isChange && !this.isLong && !sql.includes(' returning ') ? SENT : answered
  }

  /** Many rows keep nobody else waiting: in a transaction with others, they are to be stored again in one of their own. */
  private noteLength(values: readonly unknown[]): void {
    this.isLong ||= values.some((value) => Array.isArray(value) && value.length > MANY_ROWS)
    if (!this.isLong || this.verdicts.length === 0) return
    this.failure ??= new Error('So many rows are stored in a transaction of their own.')
    throw this.failure
  }

  /** Sends a statement behind those that are under way, with what is left of the time. */
  private send(sql: string, values?: unknown[], how?: Asking): Promise<Answered> {
    const leftMs = Math.max(STEP_LEAST_MS, this.doneAt - performance.now())
    const timeoutMs = Math.min(BULK_MS, this.isLong ? BULK_MS : leftMs)
    const answered = this.once(sql, values, { timeoutMs, ...how })
    const heard = this.isLong ? whileHeard(answered, this.database.look) : answered
    const noted = heard.catch((error: unknown) => {
      this.failure ??= error
      throw error
    })
    this.lastSent = noted.catch(() => undefined)
    return noted
  }

  /** Commits what is to be stored; tells whether the connection is as it was. */
  async end(): Promise<boolean> {
    const isStoring = !this.isSpoilt && this.verdicts.some((verdict) => 'result' in verdict)
    if (!isStoring) return rolledBack(this.once)
    // Until all has been heard, it is known that nothing is stored.
    await this.lastSent
    if (this.failure !== undefined) throw this.failure
    this.isCommitting = true
    const { command } = await this.send(this.raised.size > 0 ? `${raising(this.raised, String)}; commit` : 'commit')
    if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command}.`)
    return true
  }

  /** Whether the server has heard the commit cannot be known, so what was to be stored must not be written again from here. */
  verdictsOfLost(cause: unknown): Verdict[] {
    if (!this.isCommitting) return []
    const advice = 'It may be stored or not: look before you send it again.'
    const sentence = `The connection was lost while this was being stored. ${advice}`
    // Whatever was refused may have been refused because of another.
    return this.verdicts.map((verdict) => ({
      error: new Fault('UNAVAILABLE', 'result' in verdict ? sentence : UNREACHABLE, { cause }),
    }))
  }
}

const LOOK_EVERY_MS = 1_000

/** Waits as long as the server answers others; a single look may have met a connection that is lost for itself. */
function whileHeard<T>(answered: Promise<T>, look: () => Promise<unknown>): Promise<T> {
  const over = new AbortController()
  const listen = async (): Promise<never> => {
    for (let misses = 0; misses < 2; ) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal })
      misses = await look().then(
        () => 0,
        () => misses + 1,
      )
    }
    throw new Fault('UNAVAILABLE', UNREACHABLE)
  }
  return Promise.race([answered.finally(() => over.abort()), listen()])
}

function rolledBack(run: Session['run']): Promise<boolean> {
  return run('rollback', [], { timeoutMs: LIMITS.storeLookMs }).then(
    () => true,
    () => false,
  )
}
