import { crc32 } from 'node:zlib'
import type { AnyColumn } from 'drizzle-orm'
import { badArgument } from '../errors.js'

export type Key = string | number

/** What an SQL statement writes in front of a row's place, where the response is to have a cursor. */
export const CURSOR_MARK = '@cursor'

/** Opaque to callers: the list's name and a row's place, with a checksum against damage in transit. */
export function cursorAt({ name }: { name: string }, place: readonly Key[]): string {
  return encoded(JSON.stringify([name, ...place]))
}

function encoded(text: string): string {
  return Buffer.from(`${checksum(text)}${text}`).toString('base64url')
}

const CHECKSUM_LENGTH = 8

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
}

export function readCursor(list: string, columns: readonly AnyColumn[], cursor: string): Key[] {
  const bytes = Buffer.from(cursor, 'base64url')
  const decoded = bytes.toString()
  const text = decoded.slice(CHECKSUM_LENGTH)
  // Decoding passes over what is no base64, so the cursor must also be what we would have written.
  if (bytes.toString('base64url') === cursor && decoded.slice(0, CHECKSUM_LENGTH) === checksum(text)) {
    const [name, ...place] = parsed(text)
    const fits = columns.every(({ dataType }, index) =>
      dataType === 'number' ? Number.isSafeInteger(place[index]) : typeof place[index] === 'string',
    )
    if (name === list && place.length === columns.length && fits) return place as Key[]
  }
  throw badArgument('after', 'This cursor was not given out for this list. Use one from a page of the same list.')
}

// A checksum can be forged, so what follows it may still be anything.
function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

// No text of a caller can hold this: inside a JSON string every quote has a backslash before it.
const MARKED = Buffer.from(`["${CURSOR_MARK}",`)
const [QUOTE, BACKSLASH, END] = Buffer.from('"\\]')

/** Cursors that are made before whoever makes very many of them can let others have their turn. */
const CURSORS_PER_STEP = 100

/** The JSON that a database has built, with each marked place as its cursor, in steps. */
export function* cursorSteps(json: Buffer): Generator<void, Buffer> {
  const parts: Buffer[] = []
  let from = 0
  for (let at = json.indexOf(MARKED); at >= 0; at = json.indexOf(MARKED, from)) {
    if (parts.length > 0 && parts.length % (2 * CURSORS_PER_STEP) === 0) yield
    const end = endOfArray(json, at + MARKED.length)
    const text = `[${json.toString('utf8', at + MARKED.length, end)}`
    parts.push(json.subarray(from, at), Buffer.from(`"${encoded(text)}"`))
    from = end
  }
  return parts.length === 0 ? json : Buffer.concat([...parts, json.subarray(from)])
}

/** The same at once, of a page's own few. */
export function withCursors(json: Buffer): Buffer {
  const steps = cursorSteps(json)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

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
