import { describe, expect, test } from 'vitest'
import { Buckets, type Level } from '../../src/http/access/rateLimits.js'

const MINUTE = 60_000

describe('a bucket', () => {
  const buckets = (keptMax = 10) => new Buckets(60, 10, keptMax)
  const full: Level = { isAllowed: true, remaining: 10, fullInSeconds: 0, retryInSeconds: 0 }

  test('gives its burst at once, and no more; what is refused costs nothing', () => {
    const one = buckets()
    const levels = Array.from({ length: 10 }, () => one.spend('a', 1, 0))
    expect(levels).toEqual(levels.map((_, index) => ({ ...full, remaining: 9 - index, fullInSeconds: index + 1 })))
    const refused = { isAllowed: false, remaining: 0, fullInSeconds: 10, retryInSeconds: 1 }
    expect([one.spend('a', 1, 0), one.spend('a', 1, 0)]).toEqual([refused, refused])
    expect(one.spend('a', 3, 0)).toEqual({ ...refused, retryInSeconds: 3 })
  })

  test('fills steadily, and never beyond its burst', () => {
    const one = buckets()
    one.spend('a', 10, 0)
    expect(one.spend('a', 1, 999)).toMatchObject({ isAllowed: false, retryInSeconds: 1 })
    expect(one.spend('a', 1, 1_000)).toEqual({ ...full, remaining: 0, fullInSeconds: 10 })
    expect(one.spend('a', 0, 3_500)).toEqual({ ...full, remaining: 2, fullInSeconds: 8 })
    expect(one.spend('a', 0, MINUTE)).toEqual(full)
    expect(one.spend('a', 10, 60 * MINUTE)).toEqual({ ...full, remaining: 0, fullInSeconds: 10 })
  })

  test('refuses until the announced time, and no longer', () => {
    for (const perMinute of [1, 7, 60, 6_000]) {
      const one = new Buckets(perMinute, 5)
      one.spend('a', 5, 0)
      const { retryInSeconds } = one.spend('a', 3, 0)
      const enoughAt = (3 * MINUTE) / perMinute
      expect(retryInSeconds).toBe(Math.ceil(enoughAt / 1000))
      expect(one.spend('a', 3, enoughAt - 1)).toMatchObject({ isAllowed: false })
      expect(one.spend('a', 3, retryInSeconds * 1000)).toMatchObject({ isAllowed: true })
    }
  })

  test('is one per name, and the least recently used is evicted first', () => {
    const some = buckets(2)
    some.spend('a', 10, 0)
    some.spend('b', 10, 1)
    expect(some.spend('a', 1, 2)).toMatchObject({ isAllowed: false })
    some.spend('c', 10, 3)
    expect([some.spend('a', 1, 4).isAllowed, some.spend('c', 1, 4).isAllowed]).toEqual([false, false])
    expect(some.spend('b', 1, 4)).toEqual({ ...full, remaining: 9, fullInSeconds: 1 })
  })

  test('neither fills nor empties while the clock steps back, and fills again from there', () => {
    const one = buckets()
    one.spend('a', 8, MINUTE)
    expect(one.spend('a', 0, 0)).toEqual({ ...full, remaining: 2, fullInSeconds: 8 })
    expect(one.spend('a', 0, 3_000)).toEqual({ ...full, remaining: 5, fullInSeconds: 5 })
  })

  test('lets through what is dearer than itself when it is full, and is in debt then', () => {
    const one = buckets()
    one.spend('a', 1, 0)
    expect(one.spend('a', 25, 0)).toEqual({ isAllowed: false, remaining: 9, fullInSeconds: 1, retryInSeconds: 1 })
    expect(one.spend('a', 25, 1_000)).toEqual({ ...full, remaining: 0, fullInSeconds: 25 })
    expect(one.spend('a', 1, 1_000)).toEqual({
      isAllowed: false,
      remaining: 0,
      fullInSeconds: 25,
      retryInSeconds: 16,
    })
    expect(one.spend('a', 1, 17_000)).toEqual({ ...full, remaining: 0, fullInSeconds: 10 })
  })

  test('takes back what was not needed, up to its burst', () => {
    const one = buckets()
    one.spend('a', 5, 0)
    expect(one.spend('a', -2, 0)).toEqual({ ...full, remaining: 7, fullInSeconds: 3 })
    expect(one.spend('a', -20, 0)).toEqual(full)
  })

  test('takes back what was not needed, even in debt', () => {
    const one = buckets()
    one.spend('a', 25, 0)
    expect(one.spend('a', -1, 0)).toEqual({ ...full, remaining: 0, fullInSeconds: 24 })
  })
})
