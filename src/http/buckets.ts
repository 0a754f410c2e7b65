import { LRUCache } from 'lru-cache'

/** What is left in a bucket, and how long until it is as asked. */
export interface Level {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Until it is full again. */
  readonly fullInSeconds: number
  /** Until as much is in it as was asked for; 0 when it was allowed. */
  readonly retryInSeconds: number
}

interface Bucket {
  level: number
  at: number
}

interface BucketsOptions {
  readonly perMinute: number
  readonly burst: number
  /** How many are remembered; whoever was here longest ago is forgotten first, and so begins with a full one. */
  readonly keptMax: number
}

/** Token buckets, one for each name: each fills steadily, and is emptied by what is spent. */
export class Buckets {
  readonly perMinute: number
  readonly burst: number
  private readonly buckets: LRUCache<string, Bucket>

  constructor({ perMinute, burst, keptMax }: BucketsOptions) {
    this.perMinute = perMinute
    this.burst = burst
    this.buckets = new LRUCache({ max: keptMax })
  }

  /**
   * Takes the amount out, if there is as much. A negative amount gives back.
   * `before` is what the same request has taken already.
   */
  spend(name: string, amount: number, now: number, before = 0): Level {
    const bucket = this.filled(name, now)
    // What is dearer than a whole bucket is let through by a full one, or nobody could ever ask for it.
    const enough = Math.min(amount, this.burst - before)
    const isAllowed = amount <= 0 || bucket.level >= enough
    if (isAllowed) bucket.level = Math.min(this.burst, bucket.level - amount)
    const missing = isAllowed ? 0 : enough - bucket.level
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor(bucket.level)),
      fullInSeconds: this.secondsFor(this.burst - bucket.level),
      retryInSeconds: this.secondsFor(missing),
    }
  }

  private filled(name: string, now: number): Bucket {
    const known = this.buckets.get(name) ?? { level: this.burst, at: now }
    // A clock that steps back fills nothing, and takes nothing away.
    const elapsedMs = Math.max(0, now - known.at)
    const level = Math.min(this.burst, known.level + (elapsedMs * this.perMinute) / 60_000)
    const bucket = { level, at: now }
    this.buckets.set(name, bucket)
    return bucket
  }

  private secondsFor(amount: number): number {
    return Math.max(0, Math.ceil((amount * 60) / this.perMinute))
  }
}
