import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import type { Bulk } from '../bulk.js'
import { type Raised, raise, raising } from '../changeCounters.js'
import { BUSY, driverCode, isOfConnection, toFault, UNREACHABLE } from '../faults.js'
import { BULK_STATEMENT_MS, type OnNotice, QUICK_READ_MS, type Write } from '../store.js'
import { requireWriter, SELECT_BEFORE_WRITE, Trace, timestampAfter, type Waiting, Writes } from '../writes.js'
import { postgresBulk } from './bulk.js'
import { ANSWER_MS, IDLE_IN_WRITE_MS, type Session } from './connections.js'
import { type Run, reporting, STALE } from './session.js'

interface Database {
  readonly open: (withinMs: number) => Promise<Session>
  /** Resolves if the server responds. */
  readonly ping: () => Promise<unknown>
  readonly writeOn: (run: Run, rest: Bulk & Pick<Write, 'by' | 'at' | 'nonce' | 'onStored'>) => Write
  readonly onNotice?: OnNotice | undefined
  /** Waiting writes that are committed in one batch. */
  readonly togetherMax?: number | undefined
}

/** A write with its deadlines, by `performance.now()`. */
interface Member extends Waiting {
  /** Deadline for acquiring the lock. */
  readonly turnAt: number
  /** Deadline for the commit, unless the write stores many rows. */
  readonly doneAt: number
  giveUp?: NodeJS.Timeout
}

/** A write may wait at least this long for the lock, however late its request is. */
const TURN_LEAST_MS = 50
const ATTEMPTS_MAX = 6
const FIRST_PAUSE_MS = 10

/** Writes on one connection: the round trips and the commit of a transaction cost the same for many writes as for one. */
export class WriteQueue extends Writes<Member> {
  private readonly database: Database

  constructor(database: Database) {
    super(database.togetherMax)
    this.database = database
  }

  protected override enqueue(waiting: Waiting): void {
    const { as, reject } = waiting
    const now = performance.now()
    // The deadlines count from when the caller began to wait.
    const since = as.waitingSince ?? now
    const turnAt = Math.max(since + LIMITS.storeBusyMs, now + TURN_LEAST_MS)
    // A CLI command has no client that waits for a response.
    const doneAt = as.by === 'cli' ? Number.POSITIVE_INFINITY : since + LIMITS.storeWriteMs
    const one: Member = Object.assign(waiting, { turnAt, doneAt })
    this.queue.add(one)
    const giveUp = () => {
      if (this.queue.remove(one)) reject(new Fault('UNAVAILABLE', BUSY))
    }
    one.giveUp = setTimeout(giveUp, turnAt - now)
  }

  /** Runs what waits when the lock is acquired; if it fails as a whole, each is retried alone, isolating the failure. */
  protected override async writeTogether(): Promise<void> {
    const first = this.queue.peek()
    if (!first) return
    const isUnseen = this.queue.allWaiting().every(({ as }) => as.unseen)
    const taken: Member[] = []
    let countMax: number | undefined
    const next = () => {
      // Fix the batch size when the lock is acquired: later writes join the next batch, so that this one ends.
      countMax ??= this.queue.waiting
      const one = taken.length < countMax ? this.take(isUnseen) : undefined
      if (one) taken.push(one)
      return one
    }
    const outcome = await attempt(this.database, { isUnseen, turnAt: first.turnAt, next })
    const { end } = outcome
    // The transaction did not start and took no write: fail only the first, the others try again.
    const isFirstFailed = taken.length === 0 && end !== 'committed' && this.queue.remove(first)
    const concerned = isFirstFailed ? [first] : taken
    if (end === 'undone' || (end === 'failed' && taken.length > 1)) {
      for (const one of concerned) await this.writeAlone(one, taken.length > 1 ? 1 : 2)
    } else this.settle(concerned, outcome)
    for (const one of taken) this.queue.finish(one)
  }

  /** Runs one write in its own transaction, and retries after serialization failures. */
  private async writeAlone(one: Member, firstAttempt: number): Promise<void> {
    for (let count = firstAttempt; ; count++) {
      // Random, so that two conflicting processes do not collide again.
      if (count > 1) await sleep(FIRST_PAUSE_MS * 2 ** (count - 1) * Math.random())
      const own = [one]
      const turn = { isUnseen: one.as.unseen === true, turnAt: one.turnAt, next: () => own.pop() }
      const outcome = await attempt(this.database, turn)
      const isLast = count >= ATTEMPTS_MAX || performance.now() > one.turnAt
      if (outcome.end === 'undone' && !isLast) continue
      this.settle([one], outcome)
      return
    }
  }

  private settle(taken: readonly Member[], { end, settled, error }: Outcome): void {
    if (end === 'committed') this.hasFailed = false
    else if (isUnwritable(error)) this.hasFailed = true
    taken.forEach(({ resolve, reject, giveUp }, index) => {
      clearTimeout(giveUp)
      const one = settled[index] ?? { error }
      if ('error' in one) reject(one.error)
      else resolve(one.result)
    })
  }

  /** The write whose turn it is, unless it needs the lock that was not taken. */
  private take(isUnseen: boolean): Member | undefined {
    if (isUnseen && !this.queue.peek()?.as.unseen) return undefined
    const one = this.queue.take()
    clearTimeout(one?.giveUp)
    return one
  }
}

/** Whether the error concerns the store as a whole and not one write. */
function isUnwritable(error: unknown): boolean {
  return error instanceof Fault && /^(53100|25006|0A000|58)/.test(driverCode(error.cause) ?? '')
}

interface Turn {
  /** Whether no result can show what they write, so that none needs the lock. */
  readonly isUnseen: boolean
  /** Deadline for acquiring the lock. */
  readonly turnAt: number
  readonly next: () => Member | undefined
}

type Settled = { readonly result: unknown } | { readonly error: unknown }

interface Outcome {
  /** `undone` if the server rolled back for a transient reason, so that a retry may succeed; `lost` is the connection. */
  readonly end: 'committed' | 'undone' | 'lost' | 'failed'
  /** In the order in which the writes were taken. */
  readonly settled: readonly Settled[]
  /** For the writes that did not settle: nothing of them is stored. */
  readonly error?: unknown
}

/** serialization_failure and deadlock_detected. */
const UNDONE = ['40001', '40P01']

async function attempt(database: Database, turn: Turn): Promise<Outcome> {
  let session: Session
  try {
    session = await database.open(Math.max(1, turn.turnAt - performance.now()))
  } catch (error) {
    return { end: 'lost', settled: [], error }
  }
  const transaction = new Transaction(session.run, database)
  try {
    await transaction.begin(turn)
    await transaction.performAll(turn)
    const isClean = await transaction.end()
    session.release(!isClean)
    return { end: 'committed', settled: transaction.settled }
  } catch (error) {
    const cause = transaction.failure ?? error
    const code = driverCode(cause) ?? ''
    const isLost = isOfConnection(cause)
    // A prepared statement no longer fits the tables; retry on a new connection, which has none prepared.
    const isStale = transaction.hasBegun && STALE.includes(code)
    session.release(isLost || isStale || !(await rolledBack(session.run)))
    if (isStale || UNDONE.includes(code))
      return { end: 'undone', settled: [], error: new Fault('UNAVAILABLE', BUSY, { cause }) }
    const reported = toFault(error instanceof Fault ? error : cause)
    return isLost
      ? { end: 'lost', settled: transaction.settledOfLost(cause), error: reported }
      : { end: 'failed', settled: [], error: reported }
  }
}

/** For commands and bulk statements, which no client of a request waits for. */
export const BULK_MS = BULK_STATEMENT_MS + ANSWER_MS
/** Least timeout of a statement after the deadline: a reachable server responds within it. */
const STEP_LEAST_MS = 2_000
/** With more rows in one statement, it and the commit get the time limit of bulk work. */
const MANY_ROWS = 100
/** Time after which a batch takes no further writes, so that those already done are committed. */
const TOGETHER_MS = 250

class Transaction {
  readonly settled: Settled[] = []
  hasBegun = false
  /** The first statement error: code above may catch it and throw something else. */
  failure: unknown
  private readonly once: Run
  private readonly database: Database
  private readonly raised: Raised = new Map()
  private lastTimestamp: unknown
  private doneAt = Number.POSITIVE_INFINITY
  private isLong = false
  /** Whether a failed write has written, and nothing else was: the transaction ends with a rollback. */
  private mustRollBack = false
  private isCommitting = false

  constructor(run: Run, database: Database) {
    this.once = run
    this.database = database
  }

  // A lock on `revision`, which blocks no reader, serializes the writes of all processes. Without it all but one of
  // overlapping transactions would fail, since each raises the counter, and changes could become visible out of `id` order.
  async begin({ isUnseen, turnAt }: Turn): Promise<void> {
    const waitMs = Math.max(1, Math.ceil(turnAt - performance.now()))
    // Clocks of machines differ, so read the last timestamp for the next one to be monotonic.
    const lock = isUnseen ? '' : `lock table revision in exclusive mode; ${SELECT_BEFORE_WRITE}`
    // SET LOCAL: behind a pooler, other clients use the session afterwards.
    const limits = `set local lock_timeout = ${waitMs}; set local statement_timeout = ${BULK_STATEMENT_MS};
    set local idle_in_transaction_session_timeout = ${IDLE_IN_WRITE_MS}`
    const text = `begin isolation level serializable; ${limits}; ${lock}`
    const { rows } = await this.send(text, undefined, { timeoutMs: waitMs + 1_000 })
    this.hasBegun = true
    const [lastTimestamp, leastVersion] = rows[0] ?? []
    this.lastTimestamp = lastTimestamp
    if (!isUnseen) requireWriter(leastVersion)
  }

  async performAll({ next }: Turn): Promise<void> {
    const endsAt = performance.now() + TOGETHER_MS
    const isFull = () => this.isLong || this.mustRollBack || performance.now() > endsAt
    for (let one = next(); one; one = isFull() ? undefined : next()) await this.perform(one)
  }

  /** Runs one write. If it fails before it has written, earlier writes stay; later, only a rollback of all undoes it. */
  private async perform({ as, work, doneAt }: Member): Promise<void> {
    const { database } = this
    const trace = new Trace()
    const { nonce, changed } = trace
    this.doneAt = Math.min(this.doneAt, doneAt)
    const at = timestampAfter(this.lastTimestamp, as.at(), database.onNotice)
    const run = reporting(async (sql, values, how) => {
      trace.requireCurrent()
      return this.send(sql, values, how)
    }, as.onStatement)
    const bulk = postgresBulk((sql, values) => {
      this.requireOwnTransaction(values)
      return run(sql, values, { hasStablePlan: !this.isLong })
    })
    try {
      const result = await work(
        trace.of(database.writeOn(run, { by: as.by, at, nonce, onStored: as.onStored, ...bulk })),
      )
      if (this.failure !== undefined) throw this.failure
      if (!as.unseen) raise(this.raised, changed, nonce)
      this.lastTimestamp = at
      this.settled.push({ result })
    } catch (error) {
      if (this.failure !== undefined || (trace.hasWritten && this.settled.length > 0)) throw error
      this.mustRollBack = trace.hasWritten
      this.settled.push({ error: toFault(error) })
    } finally {
      trace.isOver = true
    }
  }

  /** A write of many rows must not delay others: it fails in a shared transaction and is retried in its own. */
  private requireOwnTransaction(values: readonly unknown[]): void {
    this.isLong ||= values.some((value) => Array.isArray(value) && value.length > MANY_ROWS)
    if (!this.isLong || this.settled.length === 0) return
    this.failure ??= new Error('A write of many rows needs a transaction of its own.')
    throw this.failure
  }

  /** Runs a statement, with the remaining time as its timeout. */
  private readonly send: Run = async (sql, values, how) => {
    const leftMs = Math.max(STEP_LEAST_MS, this.doneAt - performance.now())
    const timeoutMs = Math.min(BULK_MS, this.isLong ? BULK_MS : leftMs)
    const result = this.once(sql, values, { timeoutMs, ...how })
    try {
      return await (this.isLong ? whileResponsive(result, this.database.ping) : result)
    } catch (error) {
      this.failure ??= error
      throw error
    }
  }

  /** Commits, or rolls back if there is nothing to store; returns whether the connection can be reused. */
  async end(): Promise<boolean> {
    const isStoring = !this.mustRollBack && this.settled.some((one) => 'result' in one)
    if (!isStoring) return rolledBack(this.once)
    this.isCommitting = true
    const { command } = await this.send(this.raised.size > 0 ? `${raising(this.raised, String)}; commit` : 'commit')
    if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command}.`)
    return true
  }

  /** Whether the server received COMMIT is unknown, so these writes must not be retried here. */
  settledOfLost(cause: unknown): Settled[] {
    if (!this.isCommitting) return []
    const sentence =
      'The connection was lost while this was being stored. It may or may not be stored: check before you send it again.'
    // A rejected write may have been rejected because of another write in the batch.
    return this.settled.map((one) => ({
      error: new Fault('UNAVAILABLE', 'result' in one ? sentence : UNREACHABLE, { cause }),
    }))
  }
}

const PING_EVERY_MS = 1_000

/** Waits while the server responds to other queries; one failure is ignored, since it may be that connection's own. */
function whileResponsive<T>(result: Promise<T>, ping: () => Promise<unknown>): Promise<T> {
  const over = new AbortController()
  const listen = async (): Promise<never> => {
    for (let misses = 0; misses < 2; ) {
      await sleep(PING_EVERY_MS, undefined, { signal: over.signal })
      misses = await ping().then(
        () => 0,
        () => misses + 1,
      )
    }
    throw new Fault('UNAVAILABLE', UNREACHABLE)
  }
  return Promise.race([result.finally(() => over.abort()), listen()])
}

function rolledBack(run: Run): Promise<boolean> {
  return run('rollback', [], { timeoutMs: QUICK_READ_MS }).then(
    () => true,
    () => false,
  )
}
