/** SIGINT or SIGTERM: the work was aborted before anything was stored. */
export class Interrupted extends Error {
  constructor() {
    super('Interrupted: unfinished work was not stored.')
  }
}

/** Runs work that aborts at its next safe point after a signal; a second signal ends the process at once. */
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
