import { DrizzleQueryError } from 'drizzle-orm'
import { Fault } from '../errors.js'

const UNAVAILABLE: Record<string, string> = {
  SQLITE_BUSY: 'The store is busy. Try again in a moment.',
  SQLITE_LOCKED: 'The store is busy. Try again in a moment.',
  SQLITE_FULL: 'The disk of the store is full, so nothing can be written.',
  SQLITE_READONLY: 'The store cannot be written.',
  SQLITE_IOERR: 'The store cannot be reached.',
  SQLITE_CANTOPEN: 'The store cannot be opened.',
  SQLITE_NOTADB: 'The store is damaged.',
  SQLITE_CORRUPT: 'The store is damaged.',
}

/** The driver's error code, wherever Drizzle has wrapped it. */
export function driverCode(error: unknown): string | undefined {
  const origin = error instanceof DrizzleQueryError ? error.cause : error
  if (origin instanceof Error && 'code' in origin && typeof origin.code === 'string') return origin.code
  return undefined
}

/** What the driver says, as the program says it; anything unforeseen stays as it is and is masked above. */
export function toFault(error: unknown): unknown {
  const code = driverCode(error)
  if (code === undefined) return error
  const family = Object.keys(UNAVAILABLE).find((known) => code.startsWith(known))
  return family === undefined ? error : new Fault('UNAVAILABLE', UNAVAILABLE[family] ?? '', { cause: error })
}
