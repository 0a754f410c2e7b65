import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { AnyColumn } from 'drizzle-orm'
import { badArgument } from '../../errors.js'

export type Key = string | number

/** Marks a row's position in JSON built by SQL, where the response needs a cursor. */
export const CURSOR_MARK = '@cursor'

/** An opaque cursor: the list's name and a row's position, with a checksum against damage in transit. */
export function cursorAt({ name }: { name: string }, place: readonly Key[]): string {
  return encoded(JSON.stringify([name, ...place]))
}

function encoded(text: string): string {
  return Buffer.from(checksum(text) + text).toString('base64url')
}

const CHECKSUM_LENGTH = 8

function checksum(text: string): string {
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
  throw badArgument(
    'after',
    'This cursor was not given out for this list. Use one from a page of the same list in the same order.',
  )
}

/** The position in a cursor of ours. */
export function keysIn(cursor: string): readonly unknown[] {
  return parsed(Buffer.from(cursor, 'base64url').toString().slice(CHECKSUM_LENGTH)).slice(1)
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
const MARKED = `["${CURSOR_MARK}",`
const [QUOTE, BACKSLASH, END] = Buffer.from('"\\]')

/** Cursors written before yielding to the event loop. */
const STEP = 250

/** Replaces the marked positions in the JSON of rows by cursors, and yields to the event loop in between. */
export async function withCursors(rows: unknown[][]): Promise<unknown[][]> {
  for (const row of rows) {
    for (let cell = 0; cell < row.length; cell++) {
      const writer = writerFor(row[cell])
      while (writer?.hasMore()) await nextTurn()
      if (writer) row[cell] = writer.json()
    }
  }
  return rows
}

/** Writes cursors in JSON; undefined for a value without any. */
export function writerFor(value: unknown): CursorWriter | undefined {
  if (typeof value === 'string') return value.includes(CURSOR_MARK) ? new CursorWriter(Buffer.from(value)) : undefined
  return Buffer.isBuffer(value) && value.includes(CURSOR_MARK) ? new CursorWriter(value) : undefined
}

/** Writes the cursors of one text, in steps. */
class CursorWriter {
  private readonly marked: Buffer
  private readonly parts: Buffer[] = []
  private from = 0

  constructor(marked: Buffer) {
    this.marked = marked
  }

  /** Takes a step; false after the last one. */
  hasMore(): boolean {
    for (let written = 0; written < STEP; written++) {
      const at = this.marked.indexOf(MARKED, this.from)
      if (at < 0) return false
      const end = endOfArray(this.marked, at + MARKED.length)
      // The name of the list and the keys, as an array in JSON.
      const place = `[${this.marked.toString('utf8', at + MARKED.length, end)}`
      this.parts.push(this.marked.subarray(this.from, at), Buffer.from(`"${encoded(place)}"`))
      this.from = end
    }
    return true
  }

  json(): Buffer {
    return Buffer.concat([...this.parts, this.marked.subarray(this.from)])
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
