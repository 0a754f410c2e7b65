import type { Table } from 'drizzle-orm'
import { isOlder, VERSION } from '../about.js'
import { Fault } from '../errors.js'
import type { Bulk } from './bulk.js'
import { type ChangeCounter, counterOf, newNonce } from './changeCounters.js'
import { FairQueue, type Owned, PATIENCE_MS } from './fairQueue.js'
import { ProgramTooOld } from './faults.js'
import type { Authorship, OnNotice, Write } from './store.js'

/** Waiting writes that are committed in one batch, unless a setting says otherwise. */
export const TOGETHER_MAX = 100

export interface Waiting extends Owned {
  readonly as: Authorship
  readonly work: (write: Write) => Promise<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The write queue of this process. Writes that wait together share one transaction; each has its own result. */
export abstract class Writes<W extends Waiting> {
  /** Set when a write fails for lack of disk space or permissions; cleared by the next success. */
  hasFailed = false
  protected readonly queue: FairQueue<W>
  private isRunning = false
  private interlude: (() => Promise<void>) | undefined
  private running: Promise<void> = Promise.resolve()

  constructor(togetherMax = TOGETHER_MAX) {
    this.queue = new FairQueue({ slots: togetherMax, patienceMs: PATIENCE_MS })
  }

  get waiting(): number {
    return this.queue.waiting + this.queue.underWay
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    await this.running
  }

  add<T>(as: Authorship, work: (write: Write) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.enqueue({ owner: as.by, as, work, resolve: resolve as Waiting['resolve'], reject })
      if (!this.isRunning) this.running = this.workOff()
    })
  }

  /** Runs work while no transaction is open. */
  between(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.interlude = () => work().then(resolve, reject)
      if (!this.isRunning) this.running = this.workOff()
    })
  }

  /** Adds a write to the queue, with its deadlines. */
  protected abstract enqueue(one: Waiting): void

  /** Takes waiting writes, stores them and settles their promises. */
  protected abstract writeTogether(): Promise<void>

  private async workOff(): Promise<void> {
    this.isRunning = true
    try {
      while (this.interlude ?? this.queue.waiting > 0) {
        const interlude = this.interlude
        this.interlude = undefined
        await (interlude?.() ?? this.writeTogether())
      }
    } finally {
      this.isRunning = false
    }
  }
}

/** What one write does, until it is over: a late use of its handle fails instead of joining the next transaction. */
export class Trace {
  readonly nonce = newNonce()
  readonly changed = new Set<ChangeCounter>()
  hasWritten = false
  isOver = false

  /** To be called before each statement. */
  requireCurrent(): void {
    if (this.isOver) throw new Error('The handle of this write has been revoked: the write is over.')
  }

  of(write: Write): Write {
    return reporting(write, (raised) => {
      this.hasWritten = true
      for (const counter of raised) this.changed.add(counter)
    })
  }
}

/** Called before a table is changed, with the counters that this raises. */
type OnChange = (raised: readonly ChangeCounter[]) => void

/** The same write, which reports every change of a table. */
function reporting(write: Write, onChange: OnChange): Write {
  const raise = (table: Table, isInsert = false) => {
    const counter = counterOf(table)
    if (counter === 'personnel') onChange(isInsert ? [counter] : [counter, 'personnelUpdates'])
    else onChange(counter ? [counter] : [])
  }
  const { insertAll, updateAll, suspendIndexes } = write
  const changing = (db: Write['db']): Pick<Write['db'], 'insert' | 'update' | 'delete'> => ({
    insert(table) {
      raise(table, true)
      return db.insert(table)
    },
    update(table) {
      raise(table)
      return db.update(table)
    },
    delete(table) {
      raise(table)
      return db.delete(table)
    },
  })
  const bulk: Pick<Bulk, 'insertAll' | 'updateAll' | 'suspendIndexes'> = {
    insertAll(table, rows) {
      if (rows.length > 0) raise(table, true)
      return insertAll(table, rows)
    },
    updateAll(table, rows) {
      if (rows.length > 0) raise(table)
      return updateAll(table, rows)
    },
    suspendIndexes(table) {
      onChange([])
      return suspendIndexes(table)
    },
  }
  let db: Write['db'] | undefined
  const get = () => {
    db ??= Object.assign(Object.create(write.db), changing(write.db))
    return db
  }
  // Neither spread nor read at once: a handle builds its `db` when it is first used, and most writes do not.
  return Object.assign(Object.create(write, { db: { get } }), bulk)
}

/** How far a timestamp may be ahead of the clock, to follow the last one. */
const AHEAD_MS_MAX = 60_000

/** A monotonic timestamp, so that a clock that steps back hides no change from `since`; one far ahead is ignored. */
export function timestampAfter(last: unknown, now: Date, onNotice?: OnNotice): string {
  const timestamp = now.toISOString()
  if (typeof last !== 'string' || last <= timestamp) return timestamp
  if (Date.parse(last) - now.getTime() <= AHEAD_MS_MAX) return last
  onNotice?.(
    `The last change has the timestamp ${last}, but the system clock says ${timestamp}. One of them is wrong; the clock is used.`,
  )
  return timestamp
}

/** The timestamp of the last write, by whichever clock, and the least version that may write. */
export const SELECT_BEFORE_WRITE =
  'select (select recorded_at from change order by id desc limit 1), least_version from revision'

/** Why this program may not write to the store; undefined if it may. */
export function tooOldFor(leastVersion: unknown): string | undefined {
  const least = String(leastVersion)
  if (!isOlder(VERSION, least)) return undefined
  return `Only version ${least} and later may write to the store, and this is ${VERSION}. Upgrade it; reading goes on.`
}

export function requireWriter(leastVersion: unknown): void {
  if (leastVersion === undefined) throw new Fault('UNAVAILABLE', 'The store has no versions. Run `operations check`.')
  const why = tooOldFor(leastVersion)
  if (why !== undefined) throw new ProgramTooOld('UNAVAILABLE', why)
}
