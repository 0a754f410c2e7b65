import { setImmediate as nextTurn } from 'node:timers/promises'
import { LIMITS } from '../limits.js'

/** How much of a request was resolved since others last had their turn. */
interface Progress {
  rows: number
  turn: Promise<void>
}

const progressOf = new WeakMap<object, Progress>()

// One after the other: lists that are resolved side by side would otherwise all go on in the same turn.
function nextTurnOf(request: object, progress = known(request)): Promise<void> {
  progress.rows = 0
  progress.turn = progress.turn.then(() => nextTurn())
  return progress.turn
}

function known(request: object): Progress {
  const progress = progressOf.get(request) ?? { rows: 0, turn: Promise.resolve() }
  progressOf.set(request, progress)
  return progress
}

/** Waits for others to have their turn, once this request has resolved its share of rows: graphql itself never does. */
export async function afterOthers(request: object, rows: number): Promise<void> {
  const progress = known(request)
  progress.rows += rows
  if (progress.rows >= LIMITS.sliceRows) await nextTurnOf(request, progress)
}

/** The entries of a list, each made of a row; those of a long one slice by slice. */
export function inSlices<Row, V>(request: object, rows: readonly Row[], make: (row: Row) => V): (V | Promise<V>)[] {
  let turn = Promise.resolve()
  return rows.map((row, index) => {
    if (index < LIMITS.sliceRows) return make(row)
    if (index % LIMITS.sliceRows === 0) turn = nextTurnOf(request)
    return turn.then(() => make(row))
  })
}
