import { LIMITS } from '../limits.js'

/** Inputs for the timestamp of a write. */
interface Stamping {
  /** The timestamp of the last change, if there is one. */
  readonly last: unknown
  readonly now: Date
  readonly onNotice?: ((sentence: string) => void) | undefined
}

/**
 * A monotonic timestamp: now, or the last change's if that is slightly later. A clock that steps back must not hide a
 * change from the history filter `since`. A timestamp far in the future came from a wrong clock and is ignored.
 */
export function stampAfter({ last, now, onNotice }: Stamping): string {
  const stamp = now.toISOString()
  if (typeof last !== 'string' || last <= stamp) return stamp
  if (Date.parse(last) - now.getTime() <= LIMITS.stampAheadMs) return last
  onNotice?.(
    `The last change has the timestamp ${last}, but the system clock says ${stamp}. One of them is wrong; the clock is used.`,
  )
  return stamp
}

/** The timestamp of the last write, by whichever clock. */
export const SELECT_LAST_STAMP = 'select recorded_at from change order by id desc limit 1'
