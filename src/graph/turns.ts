import { LIMITS } from '../limits.js'

/** How long resolvers may keep the event loop to themselves before other requests are let in. */
const SLICE_MS = 3

const waiting: (() => void)[] = []
let isRunning = false

/**
 * Resolves when it is the caller's turn. Resolvers that read or complete a list wait here first: graphql starts all of
 * them at once and SQLite answers synchronously, so a query of many lists would otherwise block everyone to its end.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (!isRunning) void run()
  })
}

async function run(): Promise<void> {
  isRunning = true
  let since = performance.now()
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    next()
    // Behind what the caller does now, up to its next wait.
    await undefined
    if (performance.now() - since < SLICE_MS) continue
    await new Promise<void>((resolve) => setImmediate(resolve))
    since = performance.now()
  }
  isRunning = false
}

/** Entries of a long list that are completed between two looks at the clock. */
const STEP = 50

/** Entries that graphql completes some at a time, where completing all at once would take long. */
export function inTurns<T>(entries: readonly T[]): readonly (T | Promise<T>)[] {
  if (entries.length <= LIMITS.sliceRows) return entries
  let mine = turn()
  return entries.map((entry, index) => {
    if (index > 0 && index % STEP === 0) mine = turn()
    return mine.then(() => entry)
  })
}
