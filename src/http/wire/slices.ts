import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Bytes that are copied, hashed or scanned before other requests are served. */
export const SLICE_BYTES = 262_144

/** Yields to the event loop between slices: copying or hashing megabytes at once would block it for milliseconds. */
async function eachSlice(parts: readonly Buffer[], work: (slice: Buffer) => void): Promise<void> {
  let worked = 0
  for (const part of parts) {
    for (let start = 0; start < part.length; start += SLICE_BYTES) {
      const slice = part.subarray(start, start + SLICE_BYTES)
      worked += slice.length
      if (worked > SLICE_BYTES) {
        await nextTurn()
        worked = slice.length
      }
      work(slice)
    }
  }
}

/** `Buffer.concat`, in slices if it is long. */
export async function joined(parts: readonly Buffer[]): Promise<Buffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length <= SLICE_BYTES) return Buffer.concat(parts)
  const whole = Buffer.allocUnsafe(length)
  let end = 0
  await eachSlice(parts, (slice) => {
    end += slice.copy(whole, end)
  })
  return whole
}

/** The SHA-256 of these bytes, in base64url. */
export async function hashOf(bytes: Buffer): Promise<string> {
  const hash = createHash('sha256')
  await eachSlice([bytes], (slice) => hash.update(slice))
  return hash.digest('base64url')
}
