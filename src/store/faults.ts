import { DrizzleQueryError } from 'drizzle-orm'
import { Fault } from '../errors.js'
import type { Patience } from './store.js'

export const BUSY = 'The store is busy. Try again in a moment.'
export const UNREACHABLE = 'The store cannot be reached.'
const FULL = 'The disk of the store is full, so nothing can be written.'
const UNWRITABLE = 'The store cannot be written.'
const DAMAGED = 'The store is damaged.'

/** By the beginning of the driver's code: SQLite's names, PostgreSQL's SQLSTATEs. The first that fits counts. */
const UNAVAILABLE: readonly (readonly [beginning: string, sentence: string])[] = [
  ['SQLITE_BUSY', BUSY],
  ['SQLITE_LOCKED', BUSY],
  ['SQLITE_FULL', FULL],
  ['SQLITE_READONLY', UNWRITABLE],
  ['SQLITE_IOERR', UNREACHABLE],
  ['SQLITE_CANTOPEN', 'The store cannot be opened.'],
  ['SQLITE_NOTADB', DAMAGED],
  ['SQLITE_CORRUPT', DAMAGED],
  // Transactions that got into each other's way, and went on doing so.
  ['40001', BUSY],
  ['40P01', BUSY],
  // A lock that was not to be had in time.
  ['55P03', BUSY],
  ['53100', FULL],
  // Too many connections, too little memory.
  ['53', BUSY],
  // A standby, as after a failover.
  ['25006', UNWRITABLE],
  // Lost, refused, shut down, idle in a transaction for too long, an error of its disk.
  ['08', UNREACHABLE],
  ['28', UNREACHABLE],
  ['3D000', UNREACHABLE],
  ['57P', UNREACHABLE],
  ['25P03', UNREACHABLE],
  ['58', UNREACHABLE],
  ['XX001', DAMAGED],
  ['XX002', DAMAGED],
]

/** A number that no column holds: it can only come with a cursor that was never given out. */
const OUT_OF_RANGE = '22003'

/** A statement that was stopped at its time limit. */
const STOPPED = '57014'

/** Whether nobody waits any more. */
export function isOverdue(patience: Patience | undefined): boolean {
  return patience !== undefined && performance.now() > patience.deadlineAt
}

export function deadlineExceeded(cause?: unknown): Fault {
  return new Fault('DEADLINE_EXCEEDED', 'This takes too long to read. Ask for less: a page, or a narrower filter.', {
    cause,
  })
}

/** Whether the store is the reason, and not what it was asked: to ask again would end alike. */
export function isOfStore({ code }: Fault): boolean {
  return code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED'
}

/** The driver's error code, wherever Drizzle has wrapped it. */
export function driverCode(error: unknown): string | undefined {
  const origin = error instanceof DrizzleQueryError ? error.cause : error
  if (origin instanceof Error && 'code' in origin && typeof origin.code === 'string') return origin.code
  return undefined
}

/** What the driver says, as the program says it; anything unforeseen stays as it is and is masked above. */
export function toFault(error: unknown): unknown {
  if (error instanceof DrizzleQueryError && error.cause instanceof Fault) return error.cause
  const code = driverCode(error)
  if (code === undefined || error instanceof Fault) return error
  if (code === OUT_OF_RANGE) return new Fault('BAD_REQUEST', 'A number is out of range.', { cause: error })
  if (code === STOPPED) return deadlineExceeded(error)
  const [, sentence] = UNAVAILABLE.find(([beginning]) => code.startsWith(beginning)) ?? []
  return sentence === undefined ? error : new Fault('UNAVAILABLE', sentence, { cause: error })
}
