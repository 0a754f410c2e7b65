import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { BUSY, driverCode } from '../faults.js'
import type { Authorship, Write } from '../store.js'
import { attempt, type Database, type Member, type Turn } from './write.js'

/** A write may wait at least this long for the lock, however late its request is. */
const TURN_LEAST_MS = 50

/** The deadlines of a write, counted from when its caller began to wait. */
function untilOf({ by, waitingSince }: Authorship): Pick<Member, 'turnAt' | 'doneAt'> {
  const now = performance.now()
  const since = waitingSince ?? now
  const turnAt = Math.max(since + LIMITS.storeBusyMs, now + TURN_LEAST_MS)
  // A CLI command has no client that waits for a response.
  return { turnAt, doneAt: by === 'cli' ? Number.POSITIVE_INFINITY : since + LIMITS.storeWriteMs }
}

const ATTEMPTS_MAX = 6
const FIRST_PAUSE_MS = 10

interface Waiting extends Member {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  readonly giveUp: NodeJS.Timeout
}

/**
 * The write queue of this process, on one connection. Writes that wait when the lock is acquired share one transaction,
 * because its round trips and its commit cost the same for many as for one; each has its own result.
 */
export class WriteQueue {
  /** Set when a write fails for lack of disk space or privileges; cleared by the next success. */
  hasFailed = false
  private readonly database: Database
  private readonly queue: Waiting[] = []
  private underWay = 0
  private isRunning = false
  private running: Promise<void> = Promise.resolve()

  constructor(database: Database) {
    this.database = database
  }

  get waiting(): number {
    return this.queue.length + this.underWay
  }

  add<T>(as: Authorship, work: (write: Write) => Promise<T>): Promise<T> {
    const until = untilOf(as)
    return new Promise<T>((resolve, reject) => {
      const giveUp = setTimeout(() => {
        this.remove(one)
        reject(new Fault('UNAVAILABLE', BUSY))
      }, until.turnAt - performance.now())
      const one: Waiting = { as, ...until, work, resolve: resolve as Waiting['resolve'], reject, giveUp }
      this.queue.push(one)
      if (!this.isRunning) this.running = this.workOff()
    })
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    await this.running
  }

  private async workOff(): Promise<void> {
    this.isRunning = true
    for (let [first] = this.queue; first; [first] = this.queue) await this.writeTogether(first)
    this.isRunning = false
  }

  /** Runs the waiting writes as one batch; if it fails as a whole, each is retried alone, isolating the failure. */
  private async writeTogether(first: Waiting): Promise<void> {
    const isUnseen = this.queue.every(({ as }) => as.unseen)
    const taken: Waiting[] = []
    let countMax: number | undefined
    const next = () => {
      countMax ??= Math.min(this.queue.length, LIMITS.writesTogetherMax)
      // Fix the batch size when the lock is acquired: later writes join the next batch, so that this one ends.
      const one = taken.length < countMax ? this.take(isUnseen) : undefined
      if (one) this.underWay = taken.push(one)
      return one
    }
    const outcome = await attempt(this.database, { isUnseen, turnAt: first.turnAt, next })
    // The transaction did not start and took no write: fail only the first, the others try again.
    if (taken.length === 0 && 'error' in outcome && this.remove(first)) this.underWay = taken.push(first)
    if ('error' in outcome && !outcome.isLost && (outcome.isUndone || taken.length > 1)) {
      for (const one of taken) await this.writeAlone(one, taken.length > 1 ? 1 : 2)
    } else this.settle(taken, outcome)
    this.underWay = 0
  }

  /** Runs one write in its own transaction, and retries after serialization failures. */
  private async writeAlone(one: Waiting, firstAttempt: number): Promise<void> {
    for (let count = firstAttempt; ; count++) {
      // Random, so that two conflicting processes do not collide again.
      if (count > 1) await sleep(FIRST_PAUSE_MS * 2 ** (count - 1) * Math.random())
      const own = [one]
      const turn: Turn = { isUnseen: one.as.unseen === true, turnAt: one.turnAt, next: () => own.pop() }
      const outcome = await attempt(this.database, turn)
      const isLast = count >= ATTEMPTS_MAX || performance.now() > one.turnAt
      if ('error' in outcome && outcome.isUndone && !isLast) continue
      this.settle([one], outcome)
      return
    }
  }

  private settle(taken: readonly Waiting[], outcome: Awaited<ReturnType<typeof attempt>>): void {
    if (!('error' in outcome)) this.hasFailed = false
    else if (isUnwritable(outcome.error)) this.hasFailed = true
    taken.forEach(({ resolve, reject }, index) => {
      const verdict = outcome.verdicts[index] ?? outcome
      if ('error' in verdict) reject(verdict.error)
      else if ('result' in verdict) resolve(verdict.result)
    })
  }

  /** The first write in the queue, unless it needs the lock that was not taken. */
  private take(isUnseen: boolean): Waiting | undefined {
    const [one] = this.queue
    if (!one || (isUnseen && !one.as.unseen)) return undefined
    this.remove(one)
    return one
  }

  private remove(one: Waiting): boolean {
    clearTimeout(one.giveUp)
    const at = this.queue.indexOf(one)
    if (at >= 0) this.queue.splice(at, 1)
    return at >= 0
  }
}

/** Whether the error concerns the store as a whole and not one write. */
function isUnwritable(error: unknown): boolean {
  return error instanceof Fault && /^(53100|25006|0A000|58)/.test(driverCode(error.cause) ?? '')
}
