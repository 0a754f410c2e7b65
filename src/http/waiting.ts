import type { Fault } from '../errors.js'
import { deadlineExceeded } from '../store/faults.js'
import type { Patience } from '../store/store.js'

/** Of its time, what a request may spend on waiting; the rest is for the answer, or for saying that there is none. */
const WAITING_SHARE = 0.95
/** The same for showing what was written, however long that took. */
const SHOWING_SHARE = 0.25

/** How long the caller of a request waits: one deadline for all the steps that the request takes. */
export class Waiting implements Patience {
  /** By `performance.now()`, like the deadline. */
  since = performance.now()
  deadlineAt: number
  private readonly deadlineMs: number
  private readonly request: { readonly isGone: boolean } | undefined

  constructor(deadlineMs: number, request?: { readonly isGone: boolean }) {
    this.deadlineMs = deadlineMs
    this.deadlineAt = this.since + WAITING_SHARE * deadlineMs
    this.request = request
  }

  isGone(): boolean {
    return this.request?.isGone ?? false
  }

  /** What the caller itself takes is not counted. */
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

  /** Gives work up at the deadline that is shared with other requests, or cannot be stopped; it must only read or wait. */
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

  /** A write may take longer than a request may read; what was written must still be shown. */
  goOn(): void {
    this.deadlineAt = Math.max(this.deadlineAt, performance.now() + SHOWING_SHARE * this.deadlineMs)
  }
}
