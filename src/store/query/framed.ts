/**
 * Buffers from a read worker have spare bytes before and after the data, so that the rest of a response is written
 * around it in place: copying megabytes allocates external memory, which makes V8 run a full garbage collection.
 */
export const ROOM_BYTES = 4_096

const roomy = new WeakSet<ArrayBufferLike>()

/** Copies the bytes into a new buffer with spare room on both sides. */
export function withRoom(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = roomFor(bytes.length)
  copy.set(bytes)
  return copy
}

/** New memory with spare room on both sides. */
export function roomFor(length: number): Buffer<ArrayBuffer> {
  const { buffer } = new Uint8Array(length + 2 * ROOM_BYTES)
  roomy.add(buffer)
  return Buffer.from(buffer, ROOM_BYTES, length)
}

export function hasRoom({ buffer }: Uint8Array): boolean {
  return roomy.has(buffer)
}

/** Marks bytes that `withRoom` made in a worker: the memory around them is unused. */
export function noteRoom({ buffer }: Uint8Array): void {
  roomy.add(buffer)
}

/** Writes others around these bytes in place; undefined if they lack the room. */
function framed(before: Buffer, bytes: Buffer, after: Buffer): Buffer | undefined {
  const { buffer, byteOffset, length } = bytes
  const [start, end] = [byteOffset - before.length, byteOffset + length + after.length]
  if (!roomy.has(buffer) || start < 0 || end > buffer.byteLength) return undefined
  const whole = Buffer.from(buffer, start, end - start)
  before.copy(whole)
  after.copy(whole, whole.length - after.length)
  return whole
}

/** Concatenates the parts in place around a long one; undefined if none has the room. */
export function framedAround(parts: readonly Buffer[]): Buffer | undefined {
  const index = parts.findIndex((part) => part.length > ROOM_BYTES && hasRoom(part))
  const bytes = parts[index]
  if (!bytes) return undefined
  const around = [parts.slice(0, index), parts.slice(index + 1)] as const
  if (around.flat().reduce((sum, { length }) => sum + length, 0) > 2 * ROOM_BYTES) return undefined
  return framed(Buffer.concat(around[0]), bytes, Buffer.concat(around[1]))
}
