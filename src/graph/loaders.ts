import DataLoader from 'dataloader'
import { LIMITS } from '../limits.js'
import type { Deadline, Read, Store } from '../store/store.js'
import { turn } from './turns.js'

/** The part of a context that a look-up needs. */
interface Reading {
  readonly store: Store
  readonly deadline?: Deadline
}

/** What each request has read, by its memo key. */
const memories = new WeakMap<Reading, Map<unknown, unknown>>()

/** Clears the memory of a request after a write. */
export function forget(context: Reading): void {
  memories.delete(context)
}

/** Computed once in a request; `by` is the memo key. */
export function oncePerRequest<V>(context: Reading, by: unknown, make: () => V): V {
  const memory = memories.get(context) ?? new Map<unknown, unknown>()
  memories.set(context, memory)
  if (!memory.has(by)) memory.set(by, make())
  // A memo key always has values of the same type.
  return memory.get(by) as V
}

/** A query for many keys; missing ones are undefined. */
export type Query<V> = (read: Read, keys: readonly string[]) => Promise<ReadonlyMap<string, V>>

interface Opened<V> {
  loads: number
  readonly seen: WeakSet<object>
  readonly loader: DataLoader<string, V | undefined>
}

/** Rows that were read together; what one of them needs, the others will need as well. */
const cohorts = new WeakMap<object, readonly object[]>()

export function readTogether<Rows extends readonly object[]>(rows: Rows): Rows {
  for (const row of rows) cohorts.set(row, rows)
  return rows
}

/** The same for a list of any length. */
export async function manyReadTogether<Rows extends readonly object[]>(context: Reading, rows: Rows): Promise<Rows> {
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % NOTED_AT_ONCE === 0) await turn(context)
    cohorts.set(row, rows)
  }
  return rows
}

/** Rows between two turns of others. */
const NOTED_AT_ONCE = 1_000

/** Keys of one statement: their look-ups are settled at once. */
const BATCH_MAX = 1_000

function opened<V>(context: Reading, by: unknown, query: Query<V>, batchMax: number): Opened<V> {
  return oncePerRequest<Opened<V>>(context, by, () => ({
    loads: 0,
    seen: new WeakSet(),
    loader: new DataLoader(
      async (keys) => {
        if (keys.length === batchMax) await turn(context)
        const found = await query(context.store.read, keys)
        return keys.map((one) => found.get(one))
      },
      { maxBatchSize: batchMax },
    ),
  }))
}

/**
 * Looks up what a row refers to by a key, in one statement for a thousand of the rows that were read with it and of the
 * other look-ups in the same turn of the event loop.
 */
export async function load<V, Row extends object>(
  context: Reading,
  by: unknown,
  query: Query<V>,
  row: Row,
  keyOf: (row: Row) => string | null,
): Promise<V | undefined> {
  const key = keyOf(row)
  if (key === null) return undefined
  const memory = opened(context, by, query, BATCH_MAX)
  const cohort = cohorts.get(row)
  if (cohort && !memory.seen.has(cohort)) {
    memory.seen.add(cohort)
    // Rows of a cohort have the same type.
    const keys = new Set((cohort as readonly Row[]).flatMap((one) => keyOf(one) ?? []))
    void memory.loader.loadMany([...keys])
  }
  memory.loads += 1
  const found = memory.loader.load(key)
  if (memory.loads <= LIMITS.nestedPageRows) return found
  // One statement settles all of them at once, and graphql would then complete all of them in one go.
  return found.finally(() => turn(context))
}

/** The same for many keys, always in one statement. */
export async function loadMany<V>(
  context: Reading,
  query: Query<V>,
  keys: readonly string[],
): Promise<readonly (V | undefined)[]> {
  const { loader } = opened(context, query, query, Number.POSITIVE_INFINITY)
  return Promise.all(keys.map((key) => loader.load(key)))
}
