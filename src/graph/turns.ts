import { setImmediate as nextLoopTurn } from 'node:timers/promises'
import { LIMITS } from '../limits.js'
import { deadlineExceeded, isOverdue } from '../store/faults.js'
import type { Patience } from '../store/store.js'

/** As much of a context as is needed here. */
interface Request {
  readonly patience?: Patience
}

/** How long resolvers may keep the event loop to themselves before other requests are let in. */
export const SLICE_MS = 3

const waiting: (() => void)[] = []
let isRunning = false
/** When the slice of this turn of the event loop is used up; undefined until one begins. */
let sliceEndsAt: number | undefined

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
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    while (isSliceUsedUp()) await nextLoopTurn()
    next()
    // Runs when no microtask is left: behind all that the caller does now, up to its next wait.
    await new Promise<void>((resolve) => process.nextTick(resolve))
  }
  isRunning = false
}

/** Of one slice that all share in this turn of the event loop: a list alone would begin a new one with each step. */
function isSliceUsedUp(): boolean {
  const now = performance.now()
  if (sliceEndsAt !== undefined) return now >= sliceEndsAt
  sliceEndsAt = now + SLICE_MS
  setImmediate(() => {
    sliceEndsAt = undefined
  })
  return false
}

/** Entries of a long list that are completed between two looks at the clock, and whose look-ups share a statement. */
const STEP = 25

/** Of a list that has failed already, nobody waits for what comes later. */
const never = () => new Promise<never>(() => undefined)

/** Entries that graphql completes some at a time, where completing all at once would take long. */
export function inTurns<T>(request: Request, entries: readonly T[]): readonly (T | Promise<T>)[] {
  if (entries.length <= LIMITS.nestedPageRows) return entries
  let mine = turn(request)
  return entries.map((entry, index) => {
    if (index > 0 && index % STEP === 0) mine = mine.then(() => turn(request), never)
    return mine.then(() => entry)
  })
}
