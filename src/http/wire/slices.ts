import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LIMITS } from '../../limits.js'

/** Yields to the event loop between slices: copying or hashing megabytes at once would block it for milliseconds. */
async function eachSlice(parts: readonly Buffer[], work: (slice: Buffer) => void): Promise<void> {
  let worked = 0
  for (const part of parts) {
    for (let start = 0; start < part.length; start += LIMITS.sliceBytes) {
      const slice = part.subarray(start, start + LIMITS.sliceBytes)
      worked += slice.length
      if (worked > LIMITS.sliceBytes) {
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
  if (length <= LIMITS.sliceBytes) return Buffer.concat(parts)
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
