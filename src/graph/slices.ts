import { setImmediate as nextTurn } from 'node:timers/promises'
import { LIMITS } from '../limits.js'
import { deadlineExceeded, isOverdue } from '../store/faults.js'
import type { Patience } from '../store/store.js'

/** As much of a context as is needed here. */
interface Request {
  readonly patience?: Patience
}

/** How much of a request was resolved since others last had their turn. */
interface Progress {
  rows: number
  turn: Promise<unknown>
}

const progressOf = new WeakMap<Request, Progress>()

function known(request: Request): Progress {
  const progress = progressOf.get(request) ?? { rows: 0, turn: Promise.resolve() }
  progressOf.set(request, progress)
  return progress
}

// One after the other: lists that are resolved side by side would otherwise all go on in the same turn.
function nextTurnOf(request: Request): Promise<void> {
  const progress = known(request)
  progress.rows = 0
  progress.turn = progress.turn.then(() => nextTurn())
  return progress.turn.then(() => {
    if (isOverdue(request.patience)) throw deadlineExceeded()
  })
}

/** Waits for others to have their turn, once this request has resolved its share of rows: graphql itself never does. */
export async function afterOthers(request: Request, rows: number): Promise<void> {
  const progress = known(request)
  progress.rows += rows
  if (progress.rows >= LIMITS.sliceRows) await nextTurnOf(request)
}

/** Of a list that has failed already, nobody waits for what comes later. */
const never = () => new Promise<never>(() => undefined)

/** The entries of a list, none of them null, each made of a row; those of a long one slice by slice. */
export function inSlices<Row, V>(request: Request, rows: readonly Row[], make: (row: Row) => V): (V | Promise<V>)[] {
  let turn = Promise.resolve()
  return rows.map((row, index) => {
    if (index < LIMITS.sliceRows) return make(row)
    if (index % LIMITS.sliceRows === 0) turn = turn.then(() => nextTurnOf(request), never)
    return turn.then(() => make(row))
  })
}
