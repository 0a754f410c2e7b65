import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { type Raised, raise, raising } from '../changeCounters.js'
import { driverCode, ProgramTooOld, toFault } from '../faults.js'
import type { Authorship, OnNotice, Write } from '../store.js'
import { requireWriter, SELECT_BEFORE_WRITE, Trace, timestampAfter, type Waiting, Writes } from '../writes.js'
import type { Connection, Statement } from './driver.js'
import { StatementCache, type Statements } from './statements.js'

const BUSY_RETRY_MS = 20

export interface WriteQueueOptions {
  readonly requireUsable: () => void
  /** The handle for the work of a write; its statements are revoked afterwards. */
  readonly handle: (statements: Statements, as: Authorship, origin: Pick<Write, 'at' | 'nonce'>) => Write
  readonly onNotice?: OnNotice | undefined
  readonly onEnd: () => void
  /** Waiting writes that are committed in one batch. */
  readonly togetherMax?: number | undefined
}

interface Member extends Waiting {
  readonly giveUpAt: number
}

/** The outcome of one write, reported after the batch is committed. */
interface Outcome {
  readonly report: () => void
  /** Undefined if no result can have changed. */
  readonly shown?: Trace | undefined
}

// Writes that wait are committed as one batch, because one fsync takes as long for many as for one. Without savepoints,
// which would copy every page that several change: a write that fails after it has written dissolves the batch.
export class WriteQueue extends Writes<Member> {
  committed = 0
  private readonly writer: Connection
  private readonly options: WriteQueueOptions
  private readonly statements: Statements
  private readonly before: Statement
  /** Whether clients write concurrently; then wait one turn for requests that are just being parsed. */
  private isCrowded = false
  /** Whether a write was queued in this turn of the event loop. */
  private isTurnTaken = false

  constructor(writer: Connection, options: WriteQueueOptions) {
    super(options.togetherMax)
    this.writer = writer
    this.options = options
    this.statements = new StatementCache(writer)
    this.before = writer.prepare(SELECT_BEFORE_WRITE).raw()
  }

  protected override enqueue(waiting: Waiting): void {
    this.queue.add(Object.assign(waiting, { giveUpAt: performance.now() + LIMITS.storeBusyMs }))
    this.noticeOverload()
  }

  // A client sends its next write after the response, in a later turn: two writes in one turn are from two clients.
  private noticeOverload(): void {
    if (this.isTurnTaken) {
      this.isCrowded = true
      return
    }
    this.isTurnTaken = true
    setImmediate(() => {
      this.isTurnTaken = false
    })
  }

  protected override async writeTogether(): Promise<void> {
    await (this.isCrowded ? nextTurn() : pause())
    const batch: Member[] = []
    for (let next = this.queue.take(); next; next = this.queue.take()) batch.push(next)
    this.isCrowded = batch.length > 1
    await this.commit(batch)
    for (const one of batch) this.queue.finish(one)
  }

  /** Commits a batch; if it fails as a whole, each write is retried alone, so that one failure spares the rest. */
  private async commit(batch: readonly Member[]): Promise<void> {
    try {
      const outcomes = await this.transact(batch)
      this.hasFailed = false
      for (const { report } of outcomes) report()
    } catch (error) {
      const [first, ...others] = batch
      if (others.length > 0) for (const one of batch) await this.commit([one])
      else {
        if (isUnwritable(error)) this.hasFailed = true
        first?.reject(error)
      }
    }
  }

  private async transact(batch: readonly Member[]): Promise<Outcome[]> {
    this.options.requireUsable()
    await this.begin(Math.min(...batch.map(({ giveUpAt }) => giveUpAt)))
    try {
      const outcomes: Outcome[] = []
      // The transaction excludes other writers: each timestamp is the last one for the next write.
      let [last, leastVersion] = (this.before.get() ?? []) as unknown[]
      requireWriter(leastVersion)
      for (const one of batch) {
        const at = timestampAfter(last, one.as.at(), this.options.onNotice)
        outcomes.push(await this.perform(one, at, batch.length > 1))
        last = at
      }
      const raised: Raised = new Map()
      for (const { shown } of outcomes) if (shown) raise(raised, shown.changed, shown.nonce)
      if (raised.size > 0)
        this.run(
          raising(raised, () => '?'),
          ...raised.values(),
        )
      this.run('commit')
      this.committed += 1
      return outcomes
    } catch (error) {
      if (this.writer.inTransaction) this.run('rollback')
      throw toFault(error)
    } finally {
      this.options.onEnd()
    }
  }

  /** Runs one write. If it fails before it has written, the others of its batch are committed without it. */
  private async perform({ as, work, resolve, reject }: Member, at: string, isBatched: boolean): Promise<Outcome> {
    const trace = new Trace()
    const traced: Statements = {
      prepare: (sql) => {
        trace.requireCurrent()
        return this.statements.prepare(sql)
      },
    }
    try {
      const result = await work(trace.of(this.options.handle(traced, as, { at, nonce: trace.nonce })))
      return { report: () => resolve(result), shown: as.unseen ? undefined : trace }
    } catch (error) {
      if (!isBatched || trace.hasWritten) throw error
      return { report: () => reject(toFault(error)) }
    } finally {
      trace.isOver = true
    }
  }

  private run(sql: string, ...values: readonly number[]): void {
    this.statements.prepare(sql).run(...values)
  }

  /** Polls until another process releases the write lock, or the deadline has passed. */
  private async begin(giveUpAt: number): Promise<void> {
    for (;;) {
      try {
        this.run('begin immediate')
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUpAt) throw toFault(error)
        await sleep(BUSY_RETRY_MS)
      }
    }
  }
}

/** Lets pending reads run first: they are fastest outside a write transaction. */
function pause(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

export function isBusy(error: unknown): boolean {
  return driverCode(error)?.startsWith('SQLITE_BUSY') ?? false
}

/** Whether the error concerns the store as a whole and not one write. */
function isUnwritable(error: unknown): boolean {
  if (!(error instanceof Fault) || error instanceof ProgramTooOld) return false
  return error.code === 'UNAVAILABLE' && !isBusy(error.cause)
}
