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
  /** What the loader has read. */
  readonly known: Map<string, V | undefined>
}

/** Rows that were read together, a thousand at most; what one of them needs, the others will need as well. */
const cohorts = new WeakMap<object, readonly object[]>()

export function readTogether<Rows extends readonly object[]>(rows: Rows): Rows {
  for (const cohort of cohortsOf(rows)) for (const row of cohort) cohorts.set(row, cohort)
  return rows
}

/** The same for a list of any length. */
export async function manyReadTogether<Rows extends readonly object[]>(context: Reading, rows: Rows): Promise<Rows> {
  for (const cohort of cohortsOf(rows)) {
    readTogether(cohort)
    if (cohort !== rows) await turn(context)
  }
  return rows
}

function* cohortsOf(rows: readonly object[]): Iterable<readonly object[]> {
  if (rows.length <= BATCH_MAX) yield rows
  else for (let at = 0; at < rows.length; at += BATCH_MAX) yield rows.slice(at, at + BATCH_MAX)
}

/** Keys of one statement: their look-ups are settled at once. */
const BATCH_MAX = 1_000

function opened<V>(context: Reading, by: unknown, query: Query<V>, batchMax: number): Opened<V> {
  return oncePerRequest<Opened<V>>(context, by, () => {
    const known = new Map<string, V | undefined>()
    const batch = async (keys: readonly string[]) => {
      if (keys.length === batchMax) await turn(context)
      const found = await query(context.store.read, keys)
      for (const key of keys) known.set(key, found.get(key))
      return keys.map((key) => known.get(key))
    }
    return { loads: 0, seen: new WeakSet(), loader: new DataLoader(batch, { maxBatchSize: batchMax }), known }
  })
}

/**
 * Looks up what a row refers to by a key, in one statement for the rows that were read with it and for other look-ups in
 * the same turn of the event loop. No promise for what is known: thousands of rows may refer to the same one.
 */
export function load<V, Row extends object>(
  context: Reading,
  by: unknown,
  query: Query<V>,
  row: Row,
  keyOf: (row: Row) => string | null,
): V | undefined | Promise<V | undefined> {
  const key = keyOf(row)
  if (key === null) return undefined
  const memory = opened(context, by, query, BATCH_MAX)
  if (memory.known.has(key)) return memory.known.get(key)
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
