import type { OnNotice } from './store.js'

/** How far a timestamp may be ahead of the clock, to follow the last one. */
const AHEAD_MS_MAX = 60_000

/**
 * A monotonic timestamp: now, or the last change's if that is slightly later. A clock that steps back must not hide a
 * change from the history filter `since`. A timestamp far in the future came from a wrong clock and is ignored.
 */
export function timestampAfter(last: unknown, now: Date, onNotice?: OnNotice): string {
  const timestamp = now.toISOString()
  if (typeof last !== 'string' || last <= timestamp) return timestamp
  if (Date.parse(last) - now.getTime() <= AHEAD_MS_MAX) return last
  onNotice?.(
    `The last change has the timestamp ${last}, but the system clock says ${timestamp}. One of them is wrong; the clock is used.`,
  )
  return timestamp
}

/** The timestamp of the last write, by whichever clock. */
export const SELECT_LAST_TIMESTAMP = 'select recorded_at from change order by id desc limit 1'
