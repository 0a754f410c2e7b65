/** The sections of a request that occupy a thread: the event loop, but for `worker`, a read worker. */
export const SECTIONS = ['parse', 'check', 'plan', 'complete', 'serialise', 'csv', 'store', 'worker'] as const
export type Section = (typeof SECTIONS)[number]

/**
 * The work of a request in milliseconds, by section: one set of numbers for the log, the metrics and the charge. Waiting
 * does not count, nor what a database server does.
 */
export class Work {
  private readonly sections: Partial<Record<Section, number>> = {}
  private readonly nowMs: () => number

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs
  }

  /** Times a synchronous section, also one that throws. */
  time<T>(section: Section, work: () => T): T {
    const began = this.nowMs()
    try {
      return work()
    } finally {
      this.add(section, this.nowMs() - began)
    }
  }

  add(section: Section, ms: number): void {
    this.sections[section] = (this.sections[section] ?? 0) + ms
  }

  get entries(): readonly [section: string, ms: number][] {
    return Object.entries(this.sections)
  }

  get totalMs(): number {
    return Object.values(this.sections).reduce((sum, ms) => sum + ms, 0)
  }

  get workerMs(): number {
    return this.sections.worker ?? 0
  }

  /** The sections that took a tenth of a millisecond or more. */
  get shown(): Partial<Record<Section, number>> {
    const rounded = Object.entries(this.sections).map(([name, ms]) => [name, Math.round(ms * 10) / 10] as const)
    return Object.fromEntries(rounded.filter(([, ms]) => ms > 0))
  }
}
