import type { Connection } from './driver.js'
import type { ReadWorkers } from './readWorkers.js'

/** Beyond it, read workers finish what they read before they start more, and it is emptied. */
export const WAL_BYTES_MAX = 8_192_000
/** How long read workers then wait for another reader of the store, such as a backup. */
const WAIT_MS = 500
/** How soon they do so again, if that was too short. */
const RETRY_MS = 10_000

interface WalLimitOptions {
  readonly writer: Connection
  readonly workers: ReadWorkers
  readonly bytes: () => number
}

/** Limits the write-ahead log, which SQLite reuses only when a checkpoint meets no reader of an older state. */
export class WalLimit {
  private readonly options: WalLimitOptions
  private retryAt = 0
  private waiting: NodeJS.Timeout | undefined

  constructor(options: WalLimitOptions) {
    this.options = options
  }

  /** To be called after each transaction, and when workers that are held have become idle. Never throws. */
  check(): void {
    try {
      if (this.isDue()) this.empty()
      else this.goOn()
    } catch {
      // As with SQLite's own checkpoints, nothing is lost: a full disk is reported by the next write.
      this.giveUp()
    }
  }

  private isDue(): boolean {
    const { writer, bytes } = this.options
    return !writer.inTransaction && bytes() > WAL_BYTES_MAX && performance.now() >= this.retryAt
  }

  private empty(): void {
    const { writer, workers } = this.options
    workers.hold()
    // A worker may have one long statement, and another connection may read for long, such as a backup.
    this.waiting ??= setTimeout(() => this.giveUp(), WAIT_MS).unref()
    if (!workers.isIdle) return
    const isBusy = writer.pragma('wal_checkpoint(truncate)', { simple: true }) !== 0
    if (!isBusy) this.goOn()
  }

  private giveUp(): void {
    this.retryAt = performance.now() + RETRY_MS
    this.goOn()
  }

  private goOn(): void {
    clearTimeout(this.waiting)
    this.waiting = undefined
    this.options.workers.release()
  }
}
