import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Bulk } from './bulk.js'
import { BUSY, driverCode, isOfConnection, toFault, UNREACHABLE } from './faults.js'
import { postgresBulk } from './postgresBulk.js'
import { type Answered, BULK_MS, type Session } from './postgresSession.js'
import { changedBy, type Register, raise, raising } from './registers.js'
import { SELECT_LAST_STAMP, stampAfter } from './stamp.js'
import type { Authorship, OnNotice, Write } from './store.js'

interface Transaction<T> {
  readonly open: (withinMs: number) => Promise<Session>
  /** Whether the server answers at all. */
  readonly look: () => Promise<unknown>
  readonly writeOn: (run: Session['run'], stamp: Pick<Write, 'by' | 'at'>, bulk: Bulk) => Write
  readonly as: Authorship
  readonly until: Until
  readonly work: (write: Write) => Promise<T>
  readonly onNotice?: OnNotice | undefined
}

/** By when the steps of a write must be done, by `performance.now()`. */
export interface Until {
  /** Its turn has come, and it has the lock. */
  readonly turnAt: number
  /** All of it is stored, unless it stores many rows. */
  readonly doneAt: number
}

/** However long its request has taken, a write may have its turn where nobody else wants it. */
const TURN_LEAST_MS = 50

/** One limit for all the steps of a write, counted from when its caller began to wait. */
export function untilOf({ by, waitingSince }: Authorship): Until {
  const now = performance.now()
  const since = waitingSince ?? now
  const turnAt = Math.max(since + LIMITS.storeBusyMs, now + TURN_LEAST_MS)
  // Nobody waits for a command as they do for an answer.
  return { turnAt, doneAt: by === 'cli' ? Number.POSITIVE_INFINITY : since + LIMITS.storeWriteMs }
}

const ATTEMPTS_MAX = 6
const FIRST_PAUSE_MS = 10

/** Transactions that met each other: the server has undone this one, and it may be tried again. */
const UNDONE = ['40001', '40P01']

/** Runs the work in one serializable transaction, and again when the server asks for that. */
export async function transact<T>(transaction: Transaction<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(transaction)
    if ('result' in outcome) return outcome.result
    const isLast = attempt === ATTEMPTS_MAX || performance.now() > transaction.until.turnAt
    if (!outcome.isUndone || isLast) throw outcome.error
    // Never the same pause for two, or they would meet again.
    await sleep(FIRST_PAUSE_MS * 2 ** attempt * Math.random())
  }
}

type Outcome<T> = { readonly result: T } | { readonly error: unknown; readonly isUndone: boolean }

async function attemptOnce<T>(transaction: Transaction<T>): Promise<Outcome<T>> {
  const { open, writeOn, as, until, work, onNotice } = transaction
  const { run: runOnce, release } = await open(Math.max(1, until.turnAt - performance.now()))
  const steps = new Steps(runOnce, transaction)
  const { run } = steps
  // Above a statement its failure may be taken for something else, so it is noted where it happens.
  let failure: unknown
  let isOver = false
  const noted: Session['run'] = async (sql, values, how) => {
    if (isOver) throw new Error('The handle of this write has been revoked: the write is over.')
    try {
      return await run(sql, values, how)
    } catch (error) {
      failure ??= error
      throw error
    }
  }
  const changed = new Set<Register>()
  const working: Session['run'] = (sql, ...values) => {
    for (const register of changedBy(sql)) changed.add(register)
    return noted(sql, ...values)
  }
  try {
    const { rows } = await noted(...beginning(as, until))
    const stamp = { by: as.by, at: stampAfter({ last: rows[0]?.[0], now: as.at(), onNotice }) }
    const bulk = postgresBulk((sql, values) => {
      as.onStatement?.(sql)
      steps.note(values)
      return working(sql, values)
    })
    const result = await work(writeOn(working, stamp, bulk))
    isOver = true
    if (failure !== undefined) throw failure
    const { command } = await ending(run, as.unseen ? undefined : changed)
    if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command}.`)
    release(false)
    return { result }
  } catch (error) {
    isOver = true
    const cause = failure ?? error
    release(isOfConnection(cause) || !(await rolledBack(runOnce)))
    const isUndone = UNDONE.includes(driverCode(cause) ?? '')
    return { error: isUndone ? new Fault('UNAVAILABLE', BUSY, { cause }) : toFault(error), isUndone }
  }
}

/** A statement of a write that is late may still take this long: a server that is there answers by then. */
const STEP_LEAST_MS = 2_000
/** One that stores many rows. */
const MANY_ROWS = 100

/** Runs the statements of a write, each in what is left of its time. */
class Steps {
  private readonly once: Session['run']
  private readonly transaction: Pick<Transaction<unknown>, 'until' | 'look'>
  private isLong = false

  constructor(run: Session['run'], transaction: Pick<Transaction<unknown>, 'until' | 'look'>) {
    this.once = run
    this.transaction = transaction
  }

  /** Many rows take their time, and so does the commit behind them. */
  note(values: readonly unknown[]): void {
    this.isLong ||= values.some((value) => Array.isArray(value) && value.length > MANY_ROWS)
  }

  readonly run: Session['run'] = (sql, values, how) => {
    const leftMs = Math.max(STEP_LEAST_MS, this.transaction.until.doneAt - performance.now())
    const timeoutMs = Math.min(BULK_MS, this.isLong ? BULK_MS : leftMs)
    const answered = this.once(sql, values, { timeoutMs, ...how })
    return this.isLong ? whileHeard(answered, this.transaction.look) : answered
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

/**
 * Writes take turns, also those of other processes, by a lock that hinders no reader. Taken before the first query,
 * so that each sees what the one before it has stored: otherwise all but one of those that overlap would be undone,
 * since every one raises the counter, and changes could become visible in another order than they are numbered in.
 */
function beginning({ unseen }: Authorship, { turnAt }: Until): Parameters<Session['run']> {
  const waitMs = Math.max(1, Math.ceil(turnAt - performance.now()))
  // The clocks of two machines differ, so each is told how far the stamps are.
  const turn = unseen ? '' : `lock table revision in exclusive mode; ${SELECT_LAST_STAMP}`
  // For the transaction alone, since a pooler may give the session to others afterwards.
  const limits = `set local lock_timeout = ${waitMs}; set local statement_timeout = ${LIMITS.storeBulkMs};
    set local idle_in_transaction_session_timeout = ${LIMITS.storeIdleInWriteMs}`
  return [`begin isolation level serializable; ${limits}; ${turn}`, undefined, { timeoutMs: waitMs + 1_000 }]
}

/** `changed` is undefined when no answer can have changed. */
async function ending(run: Session['run'], changed: Iterable<Register> | undefined): Promise<Answered> {
  try {
    return await run(changed ? `${raising(raise(new Map(), changed), String)}; commit` : 'commit')
  } catch (error) {
    if (!isOfConnection(error)) throw error
    // Whether the server has heard it cannot be known, so it must not be done again from here.
    const advice = 'It may be stored or not: look before you send it again.'
    throw new Fault('UNAVAILABLE', `The connection was lost while this was being stored. ${advice}`, { cause: error })
  }
}
