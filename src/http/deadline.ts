import type { Fault } from '../errors.js'
import { deadlineExceeded } from '../store/faults.js'
import { type Deadline, QUICK_READ_MS } from '../store/store.js'

/** The share of the deadline that a request may wait; the rest is for sending the response or the error. */
const WAITING_SHARE = 0.95
/** The share of the deadline that a request gets after its write, however long that took, to read the result. */
const SHOWING_SHARE = 0.25

/** The longest that the store takes, by bounds of its own, to look at its versions and then at a key. */
const LOOKS_MS = 3 * QUICK_READ_MS

/** The deadline of a request, shared by all of its steps. */
export class RequestDeadline implements Deadline {
  /** In the time of `performance.now()`, like `deadlineAt`. */
  since = performance.now()
  deadlineAt: number
  private readonly deadlineMs: number
  readonly isGone: () => boolean

  constructor(deadlineMs: number, request?: { readonly isGone: boolean }) {
    this.deadlineMs = deadlineMs
    this.deadlineAt = this.since + WAITING_SHARE * deadlineMs
    this.isGone = () => request?.isGone ?? false
  }

  /** Waits for the client, such as for its body, without counting that time. */
  async exempt<T>(arriving: Promise<T>): Promise<T> {
    const began = performance.now()
    try {
      return await arriving
    } finally {
      const tookMs = performance.now() - began
      this.since += tookMs
      this.deadlineAt += tookMs
    }
  }

  /** Rejects at the deadline and abandons the work, which must only read or wait. */
  async bound<T>(work: Promise<T>, fault: () => Fault = deadlineExceeded): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(fault()), this.deadlineAt - performance.now())
    })
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** The same for a look that the store ends itself: a timer costs as much, so only a shorter deadline sets one. */
  boundLook<T>(look: Promise<T>): Promise<T> {
    return this.deadlineAt - performance.now() < LOOKS_MS ? this.bound(look) : look
  }

  /** Extends the deadline after a write, which may take longer than it: the result must still be read. */
  goOn(): void {
    this.deadlineAt = Math.max(this.deadlineAt, performance.now() + SHOWING_SHARE * this.deadlineMs)
  }
}
