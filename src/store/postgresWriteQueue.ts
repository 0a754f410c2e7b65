import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { BUSY, driverCode } from './faults.js'
import { attempt, type Database, type Member, type Turn } from './postgresWrite.js'
import type { Authorship, Write } from './store.js'

/** However long its request has taken, a write may have its turn where nobody else wants it. */
const TURN_LEAST_MS = 50

/** One limit for all the steps of a write, counted from when its caller began to wait. */
function untilOf({ by, waitingSince }: Authorship): Pick<Member, 'turnAt' | 'doneAt'> {
  const now = performance.now()
  const since = waitingSince ?? now
  const turnAt = Math.max(since + LIMITS.storeBusyMs, now + TURN_LEAST_MS)
  // Nobody waits for a command as they do for a response.
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
 * The writes of this process, on one connection. Those that wait when the lock is there are made in one transaction,
 * because its round trips and its commit take as long for many as for one; each has its own outcome.
 */
export class WriteQueue {
  /** True once a write has failed for want of room or of rights, until one succeeds. */
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

  /** Resolves once nothing is waiting. */
  async settled(): Promise<void> {
    await this.running
  }

  private async workOff(): Promise<void> {
    this.isRunning = true
    for (let [first] = this.queue; first; [first] = this.queue) await this.writeTogether(first)
    this.isRunning = false
  }

  /** One transaction for those that wait; what fails as a whole is made again one by one, so that nobody pays for another. */
  private async writeTogether(first: Waiting): Promise<void> {
    const isUnseen = this.queue.every(({ as }) => as.unseen)
    const taken: Waiting[] = []
    let countMax: number | undefined
    const next = () => {
      countMax ??= Math.min(this.queue.length, LIMITS.writesTogetherMax)
      // Whoever comes later waits for the next one, so that those that are done need not wait without end.
      const one = taken.length < countMax ? this.take(isUnseen) : undefined
      if (one) this.underWay = taken.push(one)
      return one
    }
    const outcome = await attempt(this.database, { isUnseen, turnAt: first.turnAt, next })
    // Without a transaction nobody was taken; the others try for themselves.
    if (taken.length === 0 && 'error' in outcome && this.remove(first)) this.underWay = taken.push(first)
    if ('error' in outcome && !outcome.isLost && (outcome.isUndone || taken.length > 1)) {
      for (const one of taken) await this.writeAlone(one, taken.length > 1 ? 1 : 2)
    } else this.settle(taken, outcome)
    this.underWay = 0
  }

  /** One write in a transaction of its own, and again when the server asks for that. */
  private async writeAlone(one: Waiting, firstAttempt: number): Promise<void> {
    for (let count = firstAttempt; ; count++) {
      // Never the same pause for two, or they would meet again.
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

  /** The first in the queue, unless it has given up or needs the lock that was not taken. */
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

/** Whether an error is about the store, and not about one write that came at the wrong time. */
function isUnwritable(error: unknown): boolean {
  return error instanceof Fault && /^(53100|25006|0A000|58)/.test(driverCode(error.cause) ?? '')
}
