import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { FairQueue, type Owned, PATIENCE_MS, WRITES_TOGETHER_MAX } from '../fairQueue.js'
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

interface Waiting extends Member, Owned {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  giveUp?: NodeJS.Timeout
}

/**
 * The write queue of this process, on one connection. Writes that wait when the lock is acquired share one transaction,
 * because its round trips and its commit cost the same for many as for one; each has its own result.
 */
export class WriteQueue {
  /** Set when a write fails for lack of disk space or privileges; cleared by the next success. */
  hasFailed = false
  private readonly database: Database
  private readonly queue = new FairQueue<Waiting>({
    slots: WRITES_TOGETHER_MAX,
    patienceMs: PATIENCE_MS,
  })
  private isRunning = false
  private running: Promise<void> = Promise.resolve()

  constructor(database: Database) {
    this.database = database
  }

  get waiting(): number {
    return this.queue.waiting + this.queue.underWay
  }

  add<T>(as: Authorship, work: (write: Write) => Promise<T>): Promise<T> {
    const until = untilOf(as)
    return new Promise<T>((resolve, reject) => {
      const one: Waiting = { owner: as.by, as, ...until, work, resolve: resolve as Waiting['resolve'], reject }
      this.queue.add(one)
      const giveUp = () => {
        if (this.queue.remove(one)) reject(new Fault('UNAVAILABLE', BUSY))
      }
      one.giveUp = setTimeout(giveUp, until.turnAt - performance.now())
      if (!this.isRunning) this.running = this.workOff()
    })
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    await this.running
  }

  private async workOff(): Promise<void> {
    this.isRunning = true
    for (let first = this.queue.peek(); first; first = this.queue.peek()) await this.writeTogether(first)
    this.isRunning = false
  }

  /** Runs the waiting writes as one batch; if it fails as a whole, each is retried alone, isolating the failure. */
  private async writeTogether(first: Waiting): Promise<void> {
    const isUnseen = this.queue.allWaiting().every(({ as }) => as.unseen)
    const taken: Waiting[] = []
    let countMax: number | undefined
    const next = () => {
      // Fix the batch size when the lock is acquired: later writes join the next batch, so that this one ends.
      countMax ??= this.queue.waiting
      const one = taken.length < countMax ? this.take(isUnseen) : undefined
      if (one) taken.push(one)
      return one
    }
    const outcome = await attempt(this.database, { isUnseen, turnAt: first.turnAt, next })
    // The transaction did not start and took no write: fail only the first, the others try again.
    const isFirstFailed = taken.length === 0 && 'error' in outcome && this.queue.remove(first)
    const concerned = isFirstFailed ? [first] : taken
    if ('error' in outcome && !outcome.isLost && (outcome.isUndone || taken.length > 1)) {
      for (const one of concerned) await this.writeAlone(one, taken.length > 1 ? 1 : 2)
    } else this.settle(concerned, outcome)
    for (const one of taken) this.queue.finish(one)
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
    taken.forEach(({ resolve, reject, giveUp }, index) => {
      clearTimeout(giveUp)
      const verdict = outcome.verdicts[index] ?? outcome
      if ('error' in verdict) reject(verdict.error)
      else if ('result' in verdict) resolve(verdict.result)
    })
  }

  /** The write whose turn it is, unless it needs the lock that was not taken. */
  private take(isUnseen: boolean): Waiting | undefined {
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
