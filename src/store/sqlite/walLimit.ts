import type { ReadWorkers } from './readWorkers.js'

/** Beyond it, read workers finish what they read before they start more, and it is emptied. */
export const WAL_BYTES_MAX = 8_192_000
/** Beyond it, they stop what they read, and begin it again afterwards. */
const WAL_BYTES_URGENT = 64_000_000
/** How long they then wait for a long statement or a write. */
const WAIT_MS = 500
/** How soon it is tried again if another process, such as a backup, was reading. */
const RETRY_MS = 10_000

/** Returns whether another connection was in the way. */
export type Checkpoint = (mode: 'passive' | 'truncate') => Promise<boolean>

interface WalLimitOptions {
  readonly workers: ReadWorkers
  readonly bytes: () => number
  readonly checkpoint: Checkpoint
  /** Runs work while no write of this process does. */
  readonly betweenWrites: (work: () => Promise<void>) => Promise<void>
}

/**
 * Limits the write-ahead log, which SQLite reuses only when a checkpoint meets no reader of an older state. Call the
 * function after each transaction.
 */
export function walLimit({ workers, bytes, checkpoint, betweenWrites }: WalLimitOptions): () => void {
  let isUnderWay = false
  let retryAt = 0
  /** When what ran took too long; it is tried again when that has ended. */
  let gaveUpAt = 0
  const empty = async () => {
    // Most of it is copied while others read and write.
    await checkpoint('passive')
    let isTooLate = false
    const giveUp = () => {
      isTooLate = true
      gaveUpAt = performance.now()
      workers.release()
    }
    const waiting = setTimeout(giveUp, WAIT_MS).unref()
    await workers.hold({ isUrgent: bytes() > WAL_BYTES_URGENT })
    await betweenWrites(async () => {
      if (!isTooLate && (await checkpoint('truncate'))) retryAt = performance.now() + RETRY_MS
    })
    clearTimeout(waiting)
  }
  return async () => {
    const now = performance.now()
    if (isUnderWay || bytes() <= WAL_BYTES_MAX || now < retryAt || workers.isBusySince(gaveUpAt)) return
    isUnderWay = true
    try {
      await empty()
    } catch {
      // As with SQLite's own checkpoints, nothing is lost: a full disk is reported by the next write.
      retryAt = performance.now() + RETRY_MS
    } finally {
      workers.release()
      isUnderWay = false
    }
  }
}
