import { Fault, RateExceeded } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Versions } from '../store/changeCounters.js'

/** How often waiting requests look for changes of other processes. */
export const POLL_EVERY_MS = 250

/** A request that waits for a change of the history. */
interface Waiter {
  readonly keyId: string
  readonly seen: string | undefined
  /** By `performance.now()`. */
  readonly until: number
  /** Not woken before this: it was woken in vain just now, and changes may come by the thousand. */
  readonly notBefore: number
  readonly isGone: () => boolean
  readonly finish: () => void
}

/** The requests that wait for a change. They hold no connection, and share one timer for writes of other processes. */
export class Waiting {
  private readonly versions: () => Promise<Versions>
  private readonly waiters = new Set<Waiter>()
  private timer: NodeJS.Timeout | undefined
  /** Whether the server stops: nobody waits any longer. */
  isStopped = false

  constructor(versions: () => Promise<Versions>) {
    this.versions = versions
  }

  get size(): number {
    return this.waiters.size
  }

  /** Resolves when the history may have changed, when the time is over, or when nobody waits any longer. */
  wait(request: Omit<Waiter, 'finish'>): Promise<void> {
    if (this.isStopped) return Promise.resolve()
    this.requireRoom(request.keyId)
    return new Promise((resolve) => {
      const finish = () => {
        this.waiters.delete(waiter)
        if (this.waiters.size === 0) clearInterval(this.timer)
        resolve()
      }
      const waiter = { ...request, finish }
      if (this.waiters.size === 0) this.timer = setInterval(() => this.tick(), POLL_EVERY_MS)
      this.waiters.add(waiter)
      // A write may have been committed between the read and this.
      this.poll()
    })
  }

  /** Wakes those who have not seen the current version; called after each write of this process. */
  poll(): void {
    if (this.waiters.size === 0) return
    this.versions().then(
      ({ history }) => this.wake(({ seen }) => seen !== history),
      // They read again, and report why that is not possible.
      () => this.wake(() => true),
    )
  }

  /** Ends all waiting, also of later requests: the server stops. */
  stop(): void {
    this.isStopped = true
    for (const { finish } of this.waiters) finish()
  }

  private tick(): void {
    const now = performance.now()
    for (const { until, isGone, finish } of this.waiters) if (now >= until || isGone()) finish()
    this.poll()
  }

  private wake(isConcerned: (waiter: Waiter) => boolean): void {
    const now = performance.now()
    for (const waiter of this.waiters) if (now >= waiter.notBefore && isConcerned(waiter)) waiter.finish()
  }

  private requireRoom(keyId: string): void {
    const { waitingMax, waitingPerKeyMax } = LIMITS
    if (this.waiters.size >= waitingMax)
      throw new Fault('UNAVAILABLE', `${waitingMax} requests are ${ALREADY}. Try again without \`wait\`.`)
    const own = [...this.waiters].filter((waiter) => waiter.keyId === keyId).length
    if (own < waitingPerKeyMax) return
    throw new RateExceeded(`${waitingPerKeyMax} requests of this key are ${ALREADY}.`, { retryInSeconds: 1 })
  }
}

const ALREADY = 'waiting for changes already'
