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
  // A standby, as after a failover: it refuses to write, and serializable transactions altogether.
  ['25006', UNWRITABLE],
  ['0A000', UNWRITABLE],
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

/** The driver's error code, wherever Drizzle has wrapped it; a Fault's own code is none. */
export function driverCode(error: unknown): string | undefined {
  const origin = error instanceof DrizzleQueryError ? error.cause : error
  if (origin instanceof Fault) return undefined
  if (origin instanceof Error && 'code' in origin && typeof origin.code === 'string') return origin.code
  return undefined
}

/** Whether PostgreSQL's end of a connection is gone or silent: it must not be used again. */
export function isOfConnection(error: unknown): boolean {
  const code = driverCode(error)
  if (code !== undefined) return /^(08|57P|25P03)/.test(code)
  return error instanceof Fault && error.code === 'UNAVAILABLE'
}

/** What the driver says, as the program says it; anything unforeseen stays as it is and is masked above. */
export function toFault(raw: unknown): unknown {
  const error = withoutValues(raw)
  if (error instanceof DrizzleQueryError && error.cause instanceof Fault) return error.cause
  const code = driverCode(error)
  if (code === undefined) return error
  if (code === OUT_OF_RANGE) return new Fault('BAD_REQUEST', 'A number is out of range.', { cause: error })
  if (code === STOPPED) return deadlineExceeded(error)
  const [, sentence] = UNAVAILABLE.find(([beginning]) => code.startsWith(beginning)) ?? []
  return sentence === undefined ? error : new Fault('UNAVAILABLE', sentence, { cause: error })
}

/** Members of the driver's and Drizzle's errors that quote what was sent or stored. */
const QUOTING = ['params', 'detail', 'hint', 'where', 'internalQuery'] as const

/** Classes of SQLSTATE whose messages name tables, rights and connections; those of others may quote a value. */
const NAMING = /^(08|0A|23|25|26|28|3D|40|42|53|54|55|57|58|XX)/

/** Takes the values of statements out of an error and its causes, which end in a log or on a terminal. */
export function withoutValues<E>(error: E, seen = new Set<unknown>()): E {
  if (!(error instanceof Error) || seen.has(error)) return error
  seen.add(error)
  const { message, stack = '' } = error
  const shown = messageWithoutValues(error)
  if (shown !== message) {
    error.message = shown
    // The stack begins with the message that the error was made with.
    const [, frames = ''] = stack.split(message, 2)
    error.stack = `${error.name}: ${shown}${frames}`
  }
  for (const name of QUOTING) if (name in error) Reflect.deleteProperty(error, name)
  withoutValues(error.cause, seen)
  if (error instanceof AggregateError) for (const one of error.errors) withoutValues(one, seen)
  return error
}

function messageWithoutValues(error: Error): string {
  if (error instanceof DrizzleQueryError) return `Failed query: ${error.query}`
  const code = 'severity' in error ? driverCode(error) : undefined
  return code === undefined || NAMING.test(code) ? error.message : `The database refused a value (SQLSTATE ${code}).`
}
