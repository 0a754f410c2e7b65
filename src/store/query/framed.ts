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

/** Concatenates the parts in place around a long one; undefined if none has the room. */
export function framedAround(parts: readonly Buffer[]): Buffer | undefined {
  const index = parts.findIndex((part) => part.length > ROOM_BYTES && hasRoom(part))
  const bytes = parts[index]
  if (!bytes) return undefined
  const lengthOf = (some: readonly Buffer[]) => some.reduce((sum, { length }) => sum + length, 0)
  const [before, after] = [parts.slice(0, index), parts.slice(index + 1)]
  const { buffer, byteOffset, length } = bytes
  const [start, end] = [byteOffset - lengthOf(before), byteOffset + length + lengthOf(after)]
  if (start < 0 || end > buffer.byteLength) return undefined
  const whole = Buffer.from(buffer, start, end - start)
  Buffer.concat(before).copy(whole)
  Buffer.concat(after).copy(whole, byteOffset + length - start)
  return whole
}
