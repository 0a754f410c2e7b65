import { LIMITS } from '../limits.js'

/** What the stamp of a write is made of, and who is told when a clock is found to be wrong. */
interface Stamping {
  /** When the last change was recorded, if there is one. */
  readonly last: unknown
  readonly now: Date
  readonly onNotice?: ((sentence: string) => void) | undefined
}

/**
 * Now, or when the last change was recorded: a clock that steps back a little must not hide a change from who asks for
 * changes since then. A change from much later was stamped by a wrong clock, and is not followed.
 */
export function stampAfter({ last, now, onNotice }: Stamping): string {
  const stamp = now.toISOString()
  if (typeof last !== 'string' || last <= stamp) return stamp
  if (Date.parse(last) - now.getTime() <= LIMITS.stampAheadMs) return last
  onNotice?.(
    `The last change was stamped ${last}, but the clock says ${stamp}: one of them is wrong. The clock is taken.`,
  )
  return stamp
}

/** Of the last write, whatever clock it had. */
export const SELECT_LAST_STAMP = 'select recorded_at from change order by id desc limit 1'
