/**
 * Buffers from a read worker have spare bytes before and after the data, so that the rest of a response is written
 * around it in place: copying megabytes allocates external memory, which makes V8 run a full garbage collection.
 */
export const ROOM_BYTES = 4_096

const roomy = new WeakSet<ArrayBufferLike>()

/** Copies the bytes into a new buffer with spare room on both sides. */
export function withRoom(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes.length + 2 * ROOM_BYTES)
  whole.set(bytes, ROOM_BYTES)
  return whole.subarray(ROOM_BYTES, ROOM_BYTES + bytes.length)
}

/** Marks bytes made by `withRoom`: the memory around them is unused. */
export function noteRoom({ buffer }: Uint8Array): void {
  roomy.add(buffer)
}

/** Writes others around these bytes in place; undefined if they lack the room. */
export function framed(before: Buffer, bytes: Buffer, after: Buffer): Buffer | undefined {
  const { buffer, byteOffset, length } = bytes
  const [start, end] = [byteOffset - before.length, byteOffset + length + after.length]
  if (!roomy.has(buffer) || start < 0 || end > buffer.byteLength) return undefined
  const whole = Buffer.from(buffer, start, end - start)
  before.copy(whole)
  after.copy(whole, whole.length - after.length)
  return whole
}

/** Concatenates the parts, in place around the largest if it has the room. */
export function concatenated(parts: readonly Buffer[]): Buffer {
  const longest = Math.max(...parts.map(({ length }) => length))
  const index = parts.findIndex(({ length }) => length === longest)
  const bytes = parts[index]
  if (!bytes || longest <= ROOM_BYTES) return Buffer.concat(parts)
  const around = [parts.slice(0, index), parts.slice(index + 1)] as const
  if (around.flat().reduce((sum, { length }) => sum + length, 0) > 2 * ROOM_BYTES) return Buffer.concat(parts)
  return framed(Buffer.concat(around[0]), bytes, Buffer.concat(around[1])) ?? Buffer.concat(parts)
}
