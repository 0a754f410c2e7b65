/**
 * Asks once for all who want to know at the same time, and never gives anyone an answer that was asked for before
 * they came: what they know to be written by then could be missing in it.
 */
export function latest<T>(ask: (wantedAt: number) => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  return () => {
    next ??= askAfter(running)
    return next
  }

  /** `ask` is told since when it is waited for, by `performance.now()`. */
  function askAfter(before: Promise<unknown>): Promise<T> {
    const wantedAt = performance.now()
    return before.then(() => {
      next = undefined
      const asked = ask(wantedAt)
      running = asked.catch(() => undefined)
      return asked
    })
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

/** Asks at most once in so many milliseconds, and once for all who want to know meanwhile. A failure is not kept. */
export function atMostEvery<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined
  let knownUntil = 0
  return () => {
    const now = performance.now()
    if (known && now < knownUntil) return known
    const asked = ask()
    known = asked
    // Until it is answered, everyone waits for this one.
    knownUntil = Number.POSITIVE_INFINITY
    asked.then(
      () => {
        knownUntil = now + ms
      },
      () => {
        known = undefined
      },
    )
    return asked
  }
}
