import type { LRUCache } from 'lru-cache'
import { growingCache } from '../../lruCache.js'

/** The state of a bucket after an attempt to spend. */
export interface Level {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Until the bucket is full again. */
  readonly fullInSeconds: number
  /** Until the attempt would be allowed; 0 if it was. */
  readonly retryInSeconds: number
}

interface Bucket {
  level: number
  at: number
}

interface BucketsOptions {
  readonly perMinute: number
  readonly burst: number
  /** How many buckets are kept. The least recently used is evicted first, and starts full when it is needed again. */
  readonly keptMax: number
}

/** Token buckets by name: each refills at a constant rate up to its burst. */
export class Buckets {
  readonly perMinute: number
  readonly burst: number
  private readonly buckets: LRUCache<string, Bucket>

  constructor({ perMinute, burst, keptMax }: BucketsOptions) {
    this.perMinute = perMinute
    this.burst = burst
    this.buckets = growingCache(keptMax)
  }

  /**
   * Takes the amount if the bucket holds it; a negative amount refunds.
   * `before` is what the same request has taken already.
   */
  spend(name: string, amount: number, now: number, before = 0): Level {
    const bucket = this.filled(name, now)
    // A full bucket allows a cost above its burst; otherwise such a request could never succeed.
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
    // If the clock steps back, the level stays as it is.
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
