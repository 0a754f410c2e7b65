import { LIMITS } from '../limits.js'

/** An answer as it went out, without what belongs to one request alone. */
export interface ReadyAnswer {
  readonly headers: readonly string[]
  readonly bytes: Buffer
  readonly etag: string | undefined
  /** The route or the name of the operation, for the log. */
  readonly operation: string | undefined
  /** What the query is charged beyond the request. */
  readonly cost: number
}

/** What an entry takes besides its texts and bytes. */
const ENTRY_BYTES = 500

interface Kept {
  readonly answer: ReadyAnswer
  readonly size: number
}

/** Answers of one version of the store, up to a number of bytes; the least recently used go first. */
export class ReadyAnswers {
  private readonly bytesMax: number
  private readonly kept = new Map<string, Kept>()
  private version = 0
  private bytes = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  find(version: number, key: string): ReadyAnswer | undefined {
    const found = version === this.version ? this.kept.get(key) : undefined
    if (found) {
      this.kept.delete(key)
      this.kept.set(key, found)
    }
    return found?.answer
  }

  /** `version` is of before anything was read for the answer, so that it is never younger than what it tells. */
  keep(version: number, key: string, answer: ReadyAnswer): void {
    const size = sizeOf(key, answer)
    // Nobody's one answer may push out what all the others have.
    if (version < this.version || size > this.bytesMax * LIMITS.readyShareMax) return
    if (version > this.version) this.begin(version)
    this.drop(key)
    this.kept.set(key, { answer: { ...answer, bytes: apart(answer.bytes) }, size })
    this.bytes += size
    for (const oldest of this.kept.keys()) {
      if (this.bytes <= this.bytesMax) return
      this.drop(oldest)
    }
  }

  private begin(version: number): void {
    this.kept.clear()
    this.bytes = 0
    this.version = version
  }

  private drop(key: string): void {
    this.bytes -= this.kept.get(key)?.size ?? 0
    this.kept.delete(key)
  }
}

/** Node cuts small buffers out of larger ones, and whoever keeps one keeps all that it was cut out of. */
function apart(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

function sizeOf(key: string, { bytes, headers }: ReadyAnswer): number {
  return ENTRY_BYTES + 2 * (key.length + headers.join().length) + bytes.length
}
