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

/**
 * Limits the size of the write-ahead log. SQLite reuses it from the start only when a checkpoint meets no reader of an
 * older state; while read workers are always busy, that never happens.
 */
export class WalLimit {
  private readonly writer: Connection
  private readonly workers: ReadWorkers
  private readonly bytes: () => number
  private retryAt = 0
  private waiting: NodeJS.Timeout | undefined

  constructor({ writer, workers, bytes }: WalLimitOptions) {
    this.writer = writer
    this.workers = workers
    this.bytes = bytes
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
    return !this.writer.inTransaction && this.bytes() > WAL_BYTES_MAX && performance.now() >= this.retryAt
  }

  private empty(): void {
    this.workers.hold()
    // A worker may have one long statement, and another connection may read for long, such as a backup.
    this.waiting ??= setTimeout(() => this.giveUp(), WAIT_MS).unref()
    if (!this.workers.isIdle) return
    const isBusy = this.writer.pragma('wal_checkpoint(truncate)', { simple: true }) !== 0
    if (!isBusy) this.goOn()
  }

  private giveUp(): void {
    this.retryAt = performance.now() + RETRY_MS
    this.goOn()
  }

  private goOn(): void {
    clearTimeout(this.waiting)
    this.waiting = undefined
    this.workers.release()
  }
}
