import { DrizzleQueryError } from 'drizzle-orm'
import { Fault } from '../errors.js'
import type { Deadline } from './store.js'

export const BUSY = 'The store is busy. Try again in a moment.'
export const UNREACHABLE = 'The store cannot be reached.'
const FULL = 'The disk of the store is full, so nothing can be written.'
const UNWRITABLE = 'The store cannot be written.'
const DAMAGED = 'The store is damaged.'

/** By prefix of the driver's code: SQLite's names, PostgreSQL's SQLSTATEs. The first match wins. */
const UNAVAILABLE: readonly (readonly [beginning: string, sentence: string])[] = [
  ['SQLITE_BUSY', BUSY],
  ['SQLITE_LOCKED', BUSY],
  ['SQLITE_FULL', FULL],
  ['SQLITE_READONLY', UNWRITABLE],
  ['SQLITE_IOERR', UNREACHABLE],
  ['SQLITE_CANTOPEN', 'The store cannot be opened.'],
  ['SQLITE_NOTADB', DAMAGED],
  ['SQLITE_CORRUPT', DAMAGED],
  // Serialization failures and deadlocks that outlasted the retries.
  ['40001', BUSY],
  ['40P01', BUSY],
  // lock_not_available.
  ['55P03', BUSY],
  ['53100', FULL],
  // Too many connections or out of memory.
  ['53', BUSY],
  // A standby, as after a failover: it rejects writes and serializable transactions.
  ['25006', UNWRITABLE],
  ['0A000', UNWRITABLE],
  // Connection lost or refused, server shut down, idle in a transaction for too long, disk I/O error.
  ['08', UNREACHABLE],
  ['28', UNREACHABLE],
  ['3D000', UNREACHABLE],
  ['57P', UNREACHABLE],
  ['25P03', UNREACHABLE],
  ['58', UNREACHABLE],
  ['XX001', DAMAGED],
  ['XX002', DAMAGED],
]

/** Whether a damaged page was met. */
export function isDamage(error: unknown): boolean {
  const fault = toFault(error)
  return fault instanceof Fault && fault.message === DAMAGED
}

/** This program may not write to the store, which a newer one has closed to it. */
export class ProgramTooOld extends Fault {}

/** Whether a value must be unique, and another row has it. */
export function isDuplicate(error: unknown): boolean {
  return ['SQLITE_CONSTRAINT_UNIQUE', '23505'].includes(driverCode(error) ?? '')
}

/** numeric_value_out_of_range: no column holds such a number, so it comes from a forged cursor. */
const OUT_OF_RANGE = '22003'

/** query_canceled: the statement reached its time limit. */
const STOPPED = '57014'

export function isOverdue(deadline: Deadline | undefined): boolean {
  return deadline !== undefined && performance.now() > deadline.deadlineAt
}

export function storeClosed(): Fault {
  return new Fault('UNAVAILABLE', 'The store is closed.')
}

export function deadlineExceeded(cause?: unknown): Fault {
  return new Fault('DEADLINE_EXCEEDED', 'This takes too long to read. Request less: a page, or a narrower filter.', {
    cause,
  })
}

/** Whether the store caused the error and not the request: running it again would fail alike. */
export function isOfStore({ code }: Fault): boolean {
  return code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED'
}

/** The driver's error code, also inside Drizzle's wrapper; undefined for a Fault. */
export function driverCode(error: unknown): string | undefined {
  const origin = error instanceof DrizzleQueryError ? error.cause : error
  if (origin instanceof Fault) return undefined
  if (origin instanceof Error && 'code' in origin && typeof origin.code === 'string') return origin.code
  return undefined
}

/** Whether a PostgreSQL connection is broken or unresponsive, and must not be used again. */
export function isOfConnection(error: unknown): boolean {
  const code = driverCode(error)
  if (code !== undefined) return /^(08|57P|25P03)/.test(code)
  return error instanceof Fault && error.code === 'UNAVAILABLE' && !(error instanceof ProgramTooOld)
}

/** Maps driver errors to faults; an unexpected error is returned as it is and masked above. */
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

/** Members of driver and Drizzle errors that contain parameters or stored values. */
const QUOTING = ['params', 'detail', 'hint', 'where', 'internalQuery'] as const

/** SQLSTATE classes whose messages name only tables, privileges and connections; other messages may quote a value. */
const NAMING = /^(08|0A|23|25|26|28|3D|40|42|53|54|55|57|58|XX)/

/** Removes parameters and stored values from an error and its causes before it is logged or printed. */
export function withoutValues<E>(error: E, seen = new Set<unknown>()): E {
  if (!(error instanceof Error) || seen.has(error)) return error
  seen.add(error)
  const { message } = error
  const shown = messageWithoutValues(error)
  if (shown !== message) {
    // Read only here: V8 formats a stack when it is first read.
    const { stack = '' } = error
    error.message = shown
    // `stack` starts with the original message.
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
