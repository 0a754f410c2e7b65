import { setImmediate as nextTurn } from 'node:timers/promises'
import { badArgument, Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import type { Versions } from '../../store/changeCounters.js'
import { RateExceeded, type RateLimits } from '../access/rateLimits.js'
import type { Identified } from '../observe/exchange.js'
import { Content } from '../wire/content.js'
import type { HttpResponse } from '../wire/request.js'
import { joined } from '../wire/slices.js'
import type { Entry, JsonLines } from './csv.js'
import { EVENTS_TYPE } from './routes.js'

/** How often waiting requests look for changes of other processes. */
export const POLL_EVERY_MS = 250

const MS = 1_000

/** The variables of a feed's operation, and how long to wait. */
export function feedRequestOf(given: Readonly<Record<string, unknown>>) {
  const { wait, timeout, lastEventId, ...rest } = given as Readonly<Record<string, unknown>> & {
    readonly wait?: number
    readonly timeout?: number
    readonly lastEventId?: string
  }
  if (lastEventId !== undefined && 'cursor' in rest) throw badArgument('lastEventId', 'Give this or cursor, not both.')
  if (timeout !== undefined && wait !== undefined) throw badArgument('timeout', 'Give this or wait, not both.')
  const variables = { ...rest, ...(lastEventId !== undefined && { cursor: lastEventId }) }
  return { variables, waitMs: timeout ?? (wait ?? 0) * MS }
}

/** Reads a page, and reads it again after each change until it is not empty or the time is over. */
export async function longPoll(
  admitted: Identified,
  { waiting, rateLimits }: { readonly waiting: Waiting; readonly rateLimits: RateLimits },
  waitMs: number,
  page: (identified: Identified) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { request, deadline, startedAt, record } = admitted
  let identified = admitted
  for (let notBefore = 0; ; notBefore = performance.now() + POLL_EVERY_MS) {
    const response = await page(identified)
    const until = startedAt + waitMs
    if (!response.isEmpty || performance.now() >= until || waiting.isStopped || request.isGone) return response
    const { history: seen } = await identified.versions
    const { keyId } = identified.principal
    const since = performance.now()
    const endsAt = Math.min(until, since + rateLimits.restMs(identified.principal))
    await deadline.exempt(waiting.wait({ keyId, seen, until: endsAt, notBefore, isGone: () => request.isGone }))
    record.waitedMs = (record.waitedMs ?? 0) + performance.now() - since
    // The key may have been revoked meanwhile, or have expired.
    identified = await rateLimits.renew(identified)
  }
}

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

/** The entries of a feed as a batch of CloudEvents 1.0; the id of an event is where to resume after it. */
export async function eventsContent(entries: JsonLines, path: string): Promise<Content> {
  const parts: Buffer[] = []
  // A change may have all texts of a risk, before and after: a page of them has tens of megabytes.
  for (const slice of entries.slices()) {
    if (parts.length > 0) await nextTurn()
    const events = entries.work.time('serialise', () => slice.map((entry) => JSON.stringify(eventOf(entry, path))))
    parts.push(Buffer.from(`${parts.length > 0 ? ',' : ''}${events.join(',')}`))
  }
  return new Content(EVENTS_TYPE, await joined([Buffer.from('['), ...parts, Buffer.from(']')]))
}

function eventOf(data: Entry, source: string): object {
  return {
    specversion: '1.0',
    id: data['cursor'],
    source,
    type: `operations.${data['entity']}.${data['action']}`.toLowerCase(),
    time: data['recordedAt'],
    subject: data['entityId'],
    datacontenttype: 'application/json',
    data,
  }
}
