import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LIMITS } from '../../limits.js'

/** Yields to the event loop between slices: copying or hashing megabytes at once would block it for milliseconds. */
async function eachSlice(bytes: Buffer, work: (slice: Buffer) => void): Promise<void> {
  for (let start = 0; start < bytes.length; start += LIMITS.sliceBytes) {
    if (start > 0) await nextTurn()
    work(bytes.subarray(start, start + LIMITS.sliceBytes))
  }
}

/** `Buffer.concat` in slices. */
export async function joined(parts: readonly Buffer[]): Promise<Buffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length <= LIMITS.sliceBytes) return Buffer.concat(parts)
  const whole = Buffer.allocUnsafe(length)
  let end = 0
  for (const part of parts) {
    await eachSlice(part, (slice) => {
      end += slice.copy(whole, end)
    })
  }
  return whole
}

/** The SHA-256 of these bytes, in base64url. */
export async function hashOf(bytes: Buffer): Promise<string> {
  const hash = createHash('sha256')
  await eachSlice(bytes, (slice) => hash.update(slice))
  return hash.digest('base64url')
}
