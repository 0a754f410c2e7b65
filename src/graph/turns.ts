import { setImmediate as nextLoopTurn } from 'node:timers/promises'
import { type GraphQLSchema, getNullableType, isListType, isObjectType } from 'graphql'
import { deadlineExceeded, isOverdue } from '../store/faults.js'
import type { Deadline } from '../store/store.js'
import { publicError } from './faults.js'

/** The part of a context that is needed here. */
interface Request {
  readonly deadline?: Deadline
}

/** How long resolvers may block the event loop before other requests are served. */
export const SLICE_MS = 3

let waiting: (() => void)[] = []
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
  // Each of a hundred thousand fields would make an error that nobody gets.
  if (deadline?.isAbandoned) return never()
  if (isOverdue(deadline)) throw deadlineExceeded()
}

async function run(): Promise<void> {
  isRunning = true
  while (waiting.length > 0) {
    // Taken as a whole: `shift` moves all that remain, and a query can have a hundred thousand waiting.
    const round = waiting
    waiting = []
    for (const next of round) {
      while (isSliceUsedUp()) await nextLoopTurn()
      next()
      // `nextTick` callbacks run once the microtask queue is empty: after the caller's work up to its next await.
      await new Promise<void>((resolve) => process.nextTick(resolve))
    }
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

/** For what nobody awaits: the rest of an abandoned request, and the later entries of a list that failed. */
const never = () => new Promise<never>(() => undefined)

/** Makes graphql complete long lists in steps, because completing all entries at once would block the event loop. */
export function completeInTurns(schema: GraphQLSchema): void {
  const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !type.name.startsWith('__') ? Object.values(type.getFields()) : [],
  )
  for (const field of fields) {
    const { resolve } = field
    if (!resolve || !isListType(getNullableType(field.type))) continue
    field.resolve = (source, args, context: Request, info) => {
      const late = (entries: unknown) => (Array.isArray(entries) ? inTurns(context, entries) : entries)
      const entries: unknown = resolve(source, args, context, info)
      return entries instanceof Promise ? entries.then(late) : late(entries)
    }
  }
}

/** A null is complete: a list of refused references has thousands of them. */
export function inTurns<T>(request: Request, entries: readonly T[]): readonly (T | LateEntry<T>)[] {
  if (entries.length <= STEP) return entries
  let mine = publishedTurn(request)
  return entries.map((entry, index) => {
    if (index > 0 && index % STEP === 0) mine = mine.then(() => publishedTurn(request), never)
    return entry === null ? entry : new LateEntry(mine, entry)
  })
}

/** What graphql takes for a promise. One for each of 20,000 entries would keep the garbage collector busy for long. */
class LateEntry<T> {
  private readonly turn: Promise<void>
  private readonly entry: T

  constructor(turn: Promise<void>, entry: T) {
    this.turn = turn
    this.entry = entry
  }

  // biome-ignore lint/suspicious/noThenProperty: its `then` is what graphql looks for.
  then(use: (entry: T) => unknown, fail?: (error: unknown) => unknown): Promise<unknown> {
    return this.turn.then(() => use(this.entry), fail)
  }
}

function publishedTurn(request: Request): Promise<void> {
  return turn(request).catch((error: unknown) => {
    throw publicError(error)
  })
}
