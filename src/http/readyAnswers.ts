import { LIMITS } from '../limits.js'
import type { Register, Versions } from '../store/registers.js'

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
  /** Grows with every use of any answer. */
  usedAt: number
}

/** Answers that were read from the same registers, and so fall together; the least recently used stands first. */
interface Shelf {
  readonly registers: readonly Register[]
  readonly kept: Map<string, Kept>
  versions: Versions
}

/** Under what an answer is kept. */
interface Place {
  readonly key: string
  /** Of before anything was read for it, so that they are never younger than what it tells. */
  readonly versions: Versions
  /** All that it was read from. */
  readonly reads: ReadonlySet<Register>
}

/** Answers that stand as long as what they were read from, up to a number of bytes; the least recently used go first. */
export class ReadyAnswers {
  private readonly bytesMax: number
  private readonly shelves = new Map<string, Shelf>()
  private bytes = 0
  private uses = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  find(versions: Versions, key: string): ReadyAnswer | undefined {
    for (const shelf of this.shelves.values()) {
      const found = this.bringTo(shelf, versions) ? shelf.kept.get(key) : undefined
      if (!found) continue
      shelf.kept.delete(key)
      this.put(shelf, key, found)
      return found.answer
    }
    return undefined
  }

  keep({ key, versions, reads }: Place, answer: ReadyAnswer): void {
    const size = sizeOf(key, answer)
    const shelf = this.shelfOf(reads, versions)
    // Nobody's one answer may push out what all the others have.
    if (size > this.bytesMax * LIMITS.readyShareMax || !this.bringTo(shelf, versions)) return
    this.drop(shelf, key)
    this.put(shelf, key, { answer: { ...answer, bytes: apart(answer.bytes) }, size, usedAt: 0 })
    this.bytes += size
    while (this.bytes > this.bytesMax) this.dropOldest()
  }

  private shelfOf(reads: ReadonlySet<Register>, versions: Versions): Shelf {
    const registers = [...reads].sort()
    const shelf = this.shelves.get(registers.join()) ?? { registers, kept: new Map(), versions }
    this.shelves.set(registers.join(), shelf)
    return shelf
  }

  /** Drops what stands there of versions found before these; false where it is of ones found later. */
  private bringTo(shelf: Shelf, versions: Versions): boolean {
    if (versions === shelf.versions) return true
    const isSame = shelf.registers.every((register) => versions[register] === shelf.versions[register])
    // Another request may have found later ones while this one was looking.
    if (versions.order < shelf.versions.order) return isSame
    if (!isSame) this.clear(shelf)
    shelf.versions = versions
    return true
  }

  private put(shelf: Shelf, key: string, kept: Kept): void {
    this.uses += 1
    kept.usedAt = this.uses
    shelf.kept.set(key, kept)
  }

  private clear({ kept }: Shelf): void {
    for (const { size } of kept.values()) this.bytes -= size
    kept.clear()
  }

  private dropOldest(): void {
    const oldest = [...this.shelves.values()].flatMap((shelf) => {
      const [first] = shelf.kept
      return first ? [{ shelf, key: first[0], usedAt: first[1].usedAt }] : []
    })
    const [next] = oldest.sort((one, other) => one.usedAt - other.usedAt)
    if (next) this.drop(next.shelf, next.key)
  }

  private drop({ kept }: Shelf, key: string): void {
    this.bytes -= kept.get(key)?.size ?? 0
    kept.delete(key)
  }
}

/** Of the bytes of an answer that is kept, what may lie unused around them: a read worker leaves room. */
const SLACK_SHARE = 1 / 8

/** Node cuts small buffers out of larger ones, and whoever keeps one keeps all that it was cut out of. */
function apart(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength - bytes.length <= SLACK_SHARE * bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

function sizeOf(key: string, { bytes, headers }: ReadyAnswer): number {
  return ENTRY_BYTES + 2 * (key.length + headers.join().length) + bytes.length
}
