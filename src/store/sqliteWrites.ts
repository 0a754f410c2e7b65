import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { driverCode, toFault } from './faults.js'
import { changedBy, type Raised, type Register, raise, raising } from './registers.js'
import type { Connection, Statement } from './sqliteDriver.js'
import { KeptStatements, lend, type Statements } from './sqliteStatements.js'
import { SELECT_LAST_STAMP, stampAfter } from './stamp.js'
import type { Authorship, OnNotice, Write } from './store.js'

const BUSY_RETRY_MS = 20

interface WriteQueueOptions {
  /** Throws when the store must not be written. */
  readonly requireUsable: () => void
  /** What the work of a write gets, with statements that are taken away from it afterwards. */
  readonly handle: (statements: Statements, as: Authorship, at: string) => Write
  readonly onNotice?: OnNotice | undefined
}

interface Waiting {
  readonly as: Authorship
  readonly work: (write: Write) => Promise<unknown>
  readonly giveUpAt: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** What became of one write, to be told once all of its company is on the disk. */
interface Verdict {
  readonly tell: () => void
  /** Undefined when no answer can have changed. */
  readonly changed?: ReadonlySet<Register> | undefined
}

/**
 * The writes of this process, one after the other. Those that wait together are committed together, because the disk
 * takes as long for many as for one; each has its own savepoint and its own verdict.
 */
export class WriteQueue {
  /** True once a write has failed for want of room or of rights, until one succeeds. */
  hasFailed = false
  /** How many transactions have been. */
  committed = 0
  private readonly writer: Connection
  private readonly options: WriteQueueOptions
  private readonly statements: Statements
  private readonly lastStamp: Statement
  private readonly queue: Waiting[] = []
  private underWay = 0
  /** Whether several write at once; then those whose requests are just being read are waited for. */
  private isCrowded = false
  /** Whether a write was asked for in this turn of the event loop. */
  private isTurnTaken = false
  private running: Promise<void> = Promise.resolve()

  constructor(writer: Connection, options: WriteQueueOptions) {
    this.writer = writer
    this.options = options
    this.statements = new KeptStatements(writer)
    this.lastStamp = writer.prepare(SELECT_LAST_STAMP).pluck()
  }

  get waiting(): number {
    return this.queue.length + this.underWay
  }

  add<T>(as: Authorship, work: (write: Write) => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + LIMITS.storeBusyMs
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ as, work, giveUpAt, resolve: resolve as Waiting['resolve'], reject })
      this.noticeCrowd()
      if (this.waiting === 1) this.running = this.workOff()
    })
  }

  // A caller asks again in a later turn, when the answer has gone out: a second write in one turn is another's.
  private noticeCrowd(): void {
    if (this.isTurnTaken) {
      this.isCrowded = true
      return
    }
    this.isTurnTaken = true
    setImmediate(() => {
      this.isTurnTaken = false
    })
  }

  /** Resolves once nothing is waiting. */
  async settled(): Promise<void> {
    await this.running
  }

  private async workOff(): Promise<void> {
    while (this.queue.length > 0) {
      await (this.isCrowded ? nextTurn() : pause())
      const company = this.queue.splice(0, LIMITS.writesTogetherMax)
      this.underWay = company.length
      this.isCrowded = company.length > 1
      await this.commit(company)
      this.underWay = 0
    }
  }

  /** All or none: what fails as a whole is tried again one by one, so that nobody pays for another's failure. */
  private async commit(company: readonly Waiting[]): Promise<void> {
    try {
      const verdicts = await this.transact(company)
      this.hasFailed = false
      for (const { tell } of verdicts) tell()
    } catch (error) {
      const [first, ...others] = company
      if (others.length > 0) for (const one of company) await this.commit([one])
      else {
        if (isUnwritable(error)) this.hasFailed = true
        first?.reject(error)
      }
    }
  }

  private async transact(company: readonly Waiting[]): Promise<Verdict[]> {
    this.options.requireUsable()
    await this.begin(Math.min(...company.map(({ giveUpAt }) => giveUpAt)))
    try {
      const verdicts: Verdict[] = []
      // Nobody else writes until the commit: the stamp of each write is the last one before the next.
      let last = this.lastStamp.get()
      for (const one of company) {
        const at = stampAfter({ last, now: one.as.at(), onNotice: this.options.onNotice })
        verdicts.push(await this.perform(one, at, company.length > 1))
        last = at
      }
      const raised: Raised = new Map()
      for (const { changed } of verdicts) if (changed) raise(raised, changed)
      if (raised.size > 0)
        this.run(
          raising(raised, () => '?'),
          ...raised.values(),
        )
      this.run('commit')
      this.committed += 1
      return verdicts
    } catch (error) {
      if (this.writer.inTransaction) this.run('rollback')
      throw toFault(error)
    }
  }

  /** Does one write; in company, one that is refused leaves the others as they are. */
  private async perform({ as, work, resolve, reject }: Waiting, at: string, hasCompany: boolean): Promise<Verdict> {
    const changed = new Set<Register>()
    const { lent, takeBack } = lend(this.statements, (sql) => {
      for (const register of changedBy(sql)) changed.add(register)
    })
    if (hasCompany) this.run('savepoint one')
    try {
      const result = await work(this.options.handle(lent, as, at))
      if (hasCompany) this.run('release one')
      return { tell: () => resolve(result), changed: as.unseen ? undefined : changed }
    } catch (error) {
      if (!hasCompany || !this.writer.inTransaction) throw error
      this.run('rollback to one')
      this.run('release one')
      return { tell: () => reject(toFault(error)) }
    } finally {
      takeBack()
    }
  }

  private run(sql: string, ...values: readonly number[]): void {
    this.statements.prepare(sql).run(...values)
  }

  /** Tries by timer until another process has let go of the store, or the time is up. */
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

/** Lets whatever can be answered in this moment go first: it is read fastest while nothing is being written. */
function pause(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

export function isBusy(error: unknown): boolean {
  return driverCode(error)?.startsWith('SQLITE_BUSY') ?? false
}

/** Whether an error tells of the store, and not of one write that came at the wrong time. */
function isUnwritable(error: unknown): boolean {
  return error instanceof Fault && error.code === 'UNAVAILABLE' && !isBusy(error.cause)
}
