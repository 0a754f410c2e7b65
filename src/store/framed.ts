/**
 * Bytes that a read worker hands over have room before and behind them, so that the rest of an answer is written around
 * them: a copy of megabytes would take memory outside the heap, and V8 answers to that by collecting all of its garbage.
 */
export const ROOM_BYTES = 4_096

const roomy = new WeakSet<ArrayBufferLike>()

/** The same bytes in memory of their own, with room around them. */
export function withRoom(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes.length + 2 * ROOM_BYTES)
  whole.set(bytes, ROOM_BYTES)
  return whole.subarray(ROOM_BYTES, ROOM_BYTES + bytes.length)
}

/** Notes that these are bytes that `withRoom` has made: nobody else uses what lies around them. */
export function noteRoom({ buffer }: Uint8Array): void {
  roomy.add(buffer)
}

/** These bytes with others around them, in place where they have the room; undefined where they do not. */
export function framed(before: Buffer, bytes: Buffer, after: Buffer): Buffer | undefined {
  const { buffer, byteOffset, length } = bytes
  const [start, end] = [byteOffset - before.length, byteOffset + length + after.length]
  if (!roomy.has(buffer) || start < 0 || end > buffer.byteLength) return undefined
  const whole = Buffer.from(buffer, start, end - start)
  before.copy(whole)
  after.copy(whole, whole.length - after.length)
  return whole
}

/** These parts, one after the other: around the largest of them, where it has the room. */
export function concatenated(parts: readonly Buffer[]): Buffer {
  const longest = Math.max(...parts.map(({ length }) => length))
  const index = parts.findIndex(({ length }) => length === longest)
  const bytes = parts[index]
  if (!bytes || longest <= ROOM_BYTES) return Buffer.concat(parts)
  const around = [parts.slice(0, index), parts.slice(index + 1)] as const
  if (around.flat().reduce((sum, { length }) => sum + length, 0) > 2 * ROOM_BYTES) return Buffer.concat(parts)
  return framed(Buffer.concat(around[0]), bytes, Buffer.concat(around[1])) ?? Buffer.concat(parts)
}
