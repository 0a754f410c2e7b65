/** Ctrl-C, or a signal that asks to end: the work was given up before anything was stored. */
export class Interrupted extends Error {
  constructor() {
    super('Interrupted: what was not finished is not stored.')
  }
}

/** Runs work that stops at the next good moment when it is told to; a second signal ends it at once. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = () => controller.abort(new Interrupted())
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  try {
    return await work(controller.signal)
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}
