import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { AnyColumn } from 'drizzle-orm'
import { badArgument } from '../../errors.js'

export type Key = string | number

/** Marks a row's position in JSON built by SQL, where the response needs a cursor. */
export const CURSOR_MARK = '@cursor'

/** An opaque cursor: the list's name and a row's position, with a checksum against damage in transit. */
export function cursorAt({ name }: { name: string }, place: readonly Key[]): string {
  return encoded(Buffer.from(JSON.stringify([name, ...place])))
}

function encoded(text: Buffer): string {
  return Buffer.concat([Buffer.from(checksum(text)), text]).toString('base64url')
}

const CHECKSUM_LENGTH = 8

function checksum(text: Buffer | string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
}

export function readCursor(list: string, columns: readonly AnyColumn[], cursor: string): Key[] {
  const bytes = Buffer.from(cursor, 'base64url')
  const decoded = bytes.toString()
  const text = decoded.slice(CHECKSUM_LENGTH)
  // Node's base64 decoder skips invalid characters, so require that re-encoding gives the same text.
  if (bytes.toString('base64url') === cursor && decoded.slice(0, CHECKSUM_LENGTH) === checksum(text)) {
    const [name, ...place] = parsed(text)
    const fits = columns.every(({ dataType }, index) =>
      dataType === 'number' ? Number.isSafeInteger(place[index]) : typeof place[index] === 'string',
    )
    if (name === list && place.length === columns.length && fits) return place as Key[]
  }
  throw badArgument('after', 'This cursor was not given out for this list. Use one from a page of the same list.')
}

// The checksum is no signature: a caller can forge it, so validate the contents.
function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

// Cannot occur in a caller's text: inside a JSON string every quote is escaped.
const MARKED = Buffer.from(`["${CURSOR_MARK}",`)
const [QUOTE, BACKSLASH, END] = Buffer.from('"\\]')

/** Cursors found or encoded before yielding to the event loop. */
const STEP = 500

/** Replaces the marked positions in the JSON of rows by cursors, and yields to the event loop in between. */
export async function withCursors(rows: unknown[][]): Promise<unknown[][]> {
  for (const _ of cursorsIn(rows)) await nextTurn()
  return rows
}

/** The same, which yields after each step. */
export function* cursorsIn(rows: unknown[][]): Generator<void> {
  for (const row of rows) {
    for (const [index, value] of row.entries()) {
      if (Buffer.isBuffer(value)) row[index] = yield* replaced(value)
      else if (typeof value === 'string') row[index] = yield* replaced(Buffer.from(value))
    }
  }
}

function* replaced(json: Buffer): Generator<void, Buffer> {
  const parts: Buffer[] = []
  let from = 0
  for (let at = json.indexOf(MARKED); at >= 0; at = json.indexOf(MARKED, from)) {
    const end = endOfArray(json, at + MARKED.length)
    // The name of the list and the keys, as an array in JSON.
    const place = Buffer.concat([OPENING, json.subarray(at + MARKED.length, end)])
    parts.push(json.subarray(from, at), Buffer.from(`"${encoded(place)}"`))
    from = end
    if (parts.length % STEP === 0) yield
  }
  return from === 0 ? json : Buffer.concat([...parts, json.subarray(from)])
}

const OPENING = Buffer.from('[')

function endOfArray(json: Buffer, from: number): number {
  let isText = false
  for (let at = from; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) isText = !isText
    else if (isText && byte === BACKSLASH) at += 1
    else if (!isText && byte === END) return at + 1
  }
  return json.length
}
