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
 * Limits the write-ahead log, which SQLite reuses only when a checkpoint meets no reader of an older state. Call the
 * function after each transaction, and when workers that are held have become idle.
 */
export function walLimit({ writer, workers, bytes }: WalLimitOptions): () => void {
  let retryAt = 0
  let waiting: NodeJS.Timeout | undefined
  const goOn = () => {
    clearTimeout(waiting)
    waiting = undefined
    workers.release()
  }
  const giveUp = () => {
    retryAt = performance.now() + RETRY_MS
    goOn()
  }
  const isDue = () => !writer.inTransaction && bytes() > WAL_BYTES_MAX && performance.now() >= retryAt
  const empty = () => {
    workers.hold()
    // A worker may have one long statement, and another connection may read for long, such as a backup.
    waiting ??= setTimeout(giveUp, WAIT_MS).unref()
    if (!workers.isIdle) return
    const isBusy = writer.pragma('wal_checkpoint(truncate)', { simple: true }) !== 0
    if (!isBusy) goOn()
  }
  return () => {
    try {
      if (isDue()) empty()
      else goOn()
    } catch {
      // As with SQLite's own checkpoints, nothing is lost: a full disk is reported by the next write.
      giveUp()
    }
  }
}
