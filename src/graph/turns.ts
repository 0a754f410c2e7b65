import { LIMITS } from '../limits.js'
import { deadlineExceeded, isOverdue } from '../store/faults.js'
import type { Patience } from '../store/store.js'

/** As much of a context as is needed here. */
interface Request {
  readonly patience?: Patience
}

/** How long resolvers may keep the event loop to themselves before other requests are let in. */
const SLICE_MS = 3

const waiting: (() => void)[] = []
let isRunning = false

/**
 * Resolves when it is the caller's turn. Resolvers that read or complete a list wait here first: graphql starts all of
 * them at once and SQLite answers synchronously, so a query of many lists would otherwise block everyone to its end.
 */
export async function turn({ patience }: Request = {}): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    if (!isRunning) void run()
  })
  if (isOverdue(patience)) throw deadlineExceeded()
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

/** Of a list that has failed already, nobody waits for what comes later. */
const never = () => new Promise<never>(() => undefined)

/** Entries that graphql completes some at a time, where completing all at once would take long. */
export function inTurns<T>(request: Request, entries: readonly T[]): readonly (T | Promise<T>)[] {
  if (entries.length <= LIMITS.sliceRows) return entries
  let mine = turn(request)
  return entries.map((entry, index) => {
    if (index > 0 && index % STEP === 0) mine = mine.then(() => turn(request), never)
    return mine.then(() => entry)
  })
}
