import { Fault } from '../../../errors.js'
import { LIMITS } from '../../../limits.js'
import type { Versions } from '../../../store/changeCounters.js'
import { RateExceeded } from '../../access/rateLimits.js'

/** A request that waits for a change of the history. */
interface Waiter {
  readonly keyId: string
  /** The version of the history that it has read. */
  readonly seen: string | undefined
  /** By `performance.now()`. */
  readonly until: number
  /** Not woken before this: it was woken in vain just now, and changes may come by the thousand. */
  readonly notBefore: number
  readonly isGone: () => boolean
  readonly finish: () => void
}

/**
 * The requests that wait for a change, which hold no connection of the store. One timer for all of them sees the
 * writes of other processes; a write of this one calls `look` when it is committed.
 */
export class Waiting {
  private readonly versions: () => Promise<Versions>
  private readonly waiters = new Set<Waiter>()
  private timer: NodeJS.Timeout | undefined
  private hasStopped = false

  constructor(versions: () => Promise<Versions>) {
    this.versions = versions
  }

  /** Resolves when the history may have changed, when the time is over, or when nobody waits any longer. */
  wait(request: Omit<Waiter, 'finish'>): Promise<void> {
    if (this.hasStopped) return Promise.resolve()
    this.requireRoom(request.keyId)
    return new Promise((resolve) => {
      const finish = () => {
        this.waiters.delete(waiter)
        if (this.waiters.size === 0) clearInterval(this.timer)
        resolve()
      }
      const waiter = { ...request, finish }
      if (this.waiters.size === 0) this.timer = setInterval(() => this.tick(), LIMITS.waitLookMs)
      this.waiters.add(waiter)
      // A write may have been committed between the read and this.
      this.look()
    })
  }

  /** Wakes those who have not seen the current version; called after each write of this process. */
  look(): void {
    if (this.waiters.size === 0) return
    this.versions().then(
      ({ history }) => this.wake(({ seen }) => seen !== history),
      // They read again, and report why that is not possible.
      () => this.wake(() => true),
    )
  }

  /** Ends all waiting, also of later requests: the server stops. */
  stop(): void {
    this.hasStopped = true
    for (const { finish } of this.waiters) finish()
  }

  get isStopped(): boolean {
    return this.hasStopped
  }

  private tick(): void {
    const now = performance.now()
    for (const { until, isGone, finish } of this.waiters) if (now >= until || isGone()) finish()
    this.look()
  }

  private wake(isConcerned: (waiter: Waiter) => boolean): void {
    const now = performance.now()
    for (const waiter of this.waiters) if (now >= waiter.notBefore && isConcerned(waiter)) waiter.finish()
  }

  private requireRoom(keyId: string): void {
    const { waitingMax, waitingPerKeyMax } = LIMITS
    if (this.waiters.size >= waitingMax) {
      throw new Fault(
        'UNAVAILABLE',
        `${waitingMax} requests are waiting for changes already. Try again without \`wait\`.`,
      )
    }
    const own = [...this.waiters].filter((waiter) => waiter.keyId === keyId).length
    if (own < waitingPerKeyMax) return
    throw new RateExceeded(`${waitingPerKeyMax} requests of this key are waiting for changes already.`, {
      retryInSeconds: 1,
    })
  }
}
