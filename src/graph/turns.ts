import { setImmediate as nextLoopTurn } from 'node:timers/promises'
import { deadlineExceeded, isOverdue } from '../store/faults.js'
import type { Deadline } from '../store/store.js'

/** The part of a context that is needed here. */
interface Request {
  readonly deadline?: Deadline
}

/** How long resolvers may block the event loop before other requests are served. */
export const SLICE_MS = 3

const waiting: (() => void)[] = []
let isRunning = false
/** When the slice of this turn of the event loop ends; undefined until one begins. */
let sliceEndsAt: number | undefined

/**
 * Resolves when the caller may continue. Resolvers that read or complete a list wait here first: graphql starts all of
 * them at once and SQLite is synchronous, so a query of many lists would otherwise block the event loop to its end.
 */
export async function turn({ deadline }: Request = {}): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    if (!isRunning) void run()
  })
  if (isOverdue(deadline)) throw deadlineExceeded()
}

async function run(): Promise<void> {
  isRunning = true
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    while (isSliceUsedUp()) await nextLoopTurn()
    next()
    // `nextTick` callbacks run once the microtask queue is empty: after the caller's work up to its next await.
    await new Promise<void>((resolve) => process.nextTick(resolve))
  }
  isRunning = false
}

/** All lists share one slice of this turn of the event loop: each on its own would begin a new one with every step. */
function isSliceUsedUp(): boolean {
  const now = performance.now()
  if (sliceEndsAt !== undefined) return now >= sliceEndsAt
  sliceEndsAt = now + SLICE_MS
  setImmediate(() => {
    sliceEndsAt = undefined
  })
  return false
}

/** Entries of a list that are completed between two checks of the clock: each may have hundreds of fields. */
const STEP = 10

/** For the later entries of a failed list, which graphql-js does not await. */
const never = () => new Promise<never>(() => undefined)

/** Entries that graphql completes in steps, because completing all at once would block the event loop. */
export function inTurns<T>(request: Request, entries: readonly T[]): readonly (T | Promise<T>)[] {
  if (entries.length <= STEP) return entries
  let mine = turn(request)
  return entries.map((entry, index) => {
    if (index > 0 && index % STEP === 0) mine = mine.then(() => turn(request), never)
    return mine.then(() => entry)
  })
}
