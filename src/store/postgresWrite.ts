import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Bulk } from './bulk.js'
import { BUSY, driverCode, isOfConnection, toFault } from './faults.js'
import { postgresBulk } from './postgresBulk.js'
import { type Answered, BULK_MS, type Session } from './postgresSession.js'
import { changedBy, type Register, raise, raising } from './registers.js'
import { SELECT_LAST_STAMP, stampAfter } from './stamp.js'
import type { Authorship, OnNotice, Write } from './store.js'

interface Transaction<T> {
  readonly open: () => Promise<Session>
  readonly writeOn: (run: Session['run'], stamp: Pick<Write, 'by' | 'at'>, bulk: Bulk) => Write
  readonly as: Authorship
  readonly giveUpAt: number
  readonly work: (write: Write) => Promise<T>
  readonly onNotice?: OnNotice | undefined
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
    const isLast = attempt === ATTEMPTS_MAX || performance.now() > transaction.giveUpAt
    if (!outcome.isUndone || isLast) throw outcome.error
    // Never the same pause for two, or they would meet again.
    await sleep(FIRST_PAUSE_MS * 2 ** attempt * Math.random())
  }
}

type Outcome<T> = { readonly result: T } | { readonly error: unknown; readonly isUndone: boolean }

async function attemptOnce<T>(transaction: Transaction<T>): Promise<Outcome<T>> {
  const { open, writeOn, as, giveUpAt, work, onNotice } = transaction
  const { run, release } = await open()
  // Above a statement its failure may be taken for something else, so it is noted where it happens.
  let failure: unknown
  let isOver = false
  const noted: Session['run'] = async (sql, values, how) => {
    if (isOver) throw new Error('The handle of this write has been revoked: the write is over.')
    try {
      return await run(sql, values, { ...(as.by === 'cli' && { timeoutMs: BULK_MS }), ...how })
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
    const { rows } = await noted(...beginning(as, giveUpAt))
    const stamp = { by: as.by, at: stampAfter({ last: rows[0]?.[0], now: as.at(), onNotice }) }
    const bulk = postgresBulk((sql, values) => {
      as.onStatement?.(sql)
      return working(sql, values, { timeoutMs: BULK_MS })
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
    release(isOfConnection(cause) || !(await rolledBack(run)))
    const isUndone = UNDONE.includes(driverCode(cause) ?? '')
    return { error: isUndone ? new Fault('UNAVAILABLE', BUSY, { cause }) : toFault(error), isUndone }
  }
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
function beginning({ unseen }: Authorship, giveUpAt: number): Parameters<Session['run']> {
  const waitMs = Math.max(1, Math.ceil(giveUpAt - performance.now()))
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
