/** How often the store is checked for `/readyz` and the metrics at most. */
export const HEALTH_EVERY_MS = 1_000

/** Coalesces concurrent calls, but shares no result requested before: writes that the caller knows of could be missing. */
export function coalesce<T>(load: (wantedAt: number) => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  return () => {
    next ??= loadAfter(running)
    return next
  }

  /** `load` gets the time of the earliest waiting call, by `performance.now()`. */
  function loadAfter(before: Promise<unknown>): Promise<T> {
    const wantedAt = performance.now()
    return before.then(() => {
      next = undefined
      const loading = load(wantedAt)
      running = loading.catch(() => undefined)
      return loading
    })
  }
}

/** The same for a synchronous read: all calls in one turn of the event loop share one result from its end. */
export function coalescePerTurn<T>(load: () => T): () => Promise<T> {
  let next: Promise<T> | undefined
  return () => {
    next ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      next = undefined
      return load()
    })
    return next
  }
}

/** Runs concurrent calls one after the other. */
export function oneByOne<Args extends unknown[], T>(run: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (...args) => {
    const turn = last.then(() => run(...args))
    last = turn.catch(() => undefined)
    return turn
  }
}

/** Runs at most once in `ms` milliseconds and shares the result. Failures are not cached. */
export function atMostEvery<T>(ms: number, load: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | undefined
  let freshUntil = 0
  return () => {
    const now = performance.now()
    if (shared && now < freshUntil) return shared
    const loading = load()
    shared = loading
    // While it runs, every caller shares this promise.
    freshUntil = Number.POSITIVE_INFINITY
    loading.then(
      () => {
        freshUntil = now + ms
      },
      () => {
        shared = undefined
      },
    )
    return loading
  }
}
