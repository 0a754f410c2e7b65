/**
 * Asks once for all who want to know at the same time, and never gives anyone an answer that was asked for before
 * they came: what they know to be written by then could be missing in it.
 */
export function latest<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  return () => {
    next ??= running.then(() => {
      next = undefined
      const asked = ask()
      running = asked.catch(() => undefined)
      return asked
    })
    return next
  }
}

/** The same for what is asked without waiting: whoever comes in one turn of the event loop shares what its end brings. */
export function latestOfTurn<T>(ask: () => T): () => Promise<T> {
  let next: Promise<T> | undefined
  return () => {
    next ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      next = undefined
      return ask()
    })
    return next
  }
}
