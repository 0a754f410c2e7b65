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
  return copied(parts, Buffer.allocUnsafe(length))
}

async function copied(parts: readonly Buffer[], whole: Buffer): Promise<Buffer> {
  let end = 0
  await eachSlice(parts, (slice) => {
    end += slice.copy(whole, end)
  })
  return whole
}

/** Bytes that are appended to one buffer, so that there is no second copy of the whole. */
export class GrowingBytes {
  private buffer: Buffer
  private length = 0

  /** Memory that is never written takes none of the machine, so the expected length may be too high. */
  constructor(expectedBytes: number) {
    this.buffer = Buffer.allocUnsafe(Math.max(expectedBytes, LIMITS.sliceBytes))
  }

  async append(text: string): Promise<void> {
    const end = this.length + Buffer.byteLength(text)
    if (end > this.buffer.length) this.buffer = await copied([this.written], Buffer.allocUnsafe(2 * end))
    this.length += this.buffer.write(text, this.length)
  }

  /** What was appended; copied if most of the memory is unused, since a cache may keep it. */
  async whole(): Promise<Buffer> {
    const isUsed = 2 * this.length >= this.buffer.length
    return isUsed ? this.written : copied([this.written], Buffer.allocUnsafe(this.length))
  }

  private get written(): Buffer {
    return this.buffer.subarray(0, this.length)
  }
}

/** The SHA-256 of these bytes, in base64url. */
export async function hashOf(bytes: Buffer): Promise<string> {
  const hash = createHash('sha256')
  await eachSlice([bytes], (slice) => hash.update(slice))
  return hash.digest('base64url')
}
