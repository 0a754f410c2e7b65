import { ResponseTooLong } from '../../errors.js'
import { turn } from '../../graph/turns.js'

/** Values that are counted and serialized at a time: less than a millisecond. */
const STEP = 1_000
/** Characters that a text may have to count as one value. */
const SHORT = 50
/** Characters that are collected before others have their turn. */
const PIECE = 8_000

/** Whether `JSON.stringify` of this value would block the event loop for long, however its parts are nested. */
export function isLong(value: unknown): boolean {
  return countUpTo(STEP, value) > STEP
}

/** The number of values in a value, a long text being several; what is above `most` is not counted. */
function countUpTo(most: number, value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / SHORT
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    count += countUpTo(most - count, member)
    if (count > most) break
  }
  return count
}

/** The bytes of `JSON.stringify` in pieces, produced in steps to yield to the event loop; throws if they are too many. */
export async function longJson(value: unknown, bytesMax: number): Promise<readonly Buffer[]> {
  const parts: Buffer[] = []
  let text = ''
  let bytes = 0
  for (const piece of piecesOf(value)) {
    text += piece
    if (text.length < PIECE) continue
    const part = Buffer.from(text)
    bytes += part.length
    if (bytes > bytesMax) throw new ResponseTooLong(bytesMax)
    parts.push(part)
    text = ''
    await turn()
  }
  return [...parts, Buffer.from(text)]
}

function* piecesOf(value: unknown): Generator<string> {
  if (!isLong(value) || typeof value !== 'object' || value === null) {
    yield JSON.stringify(value)
    return
  }
  if (Array.isArray(value)) yield* entriesOf(value)
  else yield* membersOf(value)
}

function* entriesOf(list: readonly unknown[]): Generator<string> {
  let before = '['
  for (const entry of list) {
    yield before
    yield* piecesOf(entry)
    before = ','
  }
  yield ']'
}

function* membersOf(object: object): Generator<string> {
  let before = '{'
  for (const [name, member] of Object.entries(object)) {
    yield `${before}${JSON.stringify(name)}:`
    yield* piecesOf(member)
    before = ','
  }
  yield '}'
}
