import { expect, test } from 'vitest'
import { inTurns } from '../../src/graph/turns.js'

/** Keeps the event loop busy, as completing an entry does. */
function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** How often the event loop ran during the work. */
async function turnsOfOthers(during: Promise<unknown>): Promise<number> {
  let turns = 0
  let timer = setImmediate(function count() {
    turns += 1
    timer = setImmediate(count)
  })
  await during
  clearImmediate(timer)
  return turns
}

test('a long list by itself lets others have their turn again and again', async () => {
  const entries = inTurns({}, [...Array(200).keys()])
  const done = Promise.all(entries.map((entry) => Promise.resolve(entry).then(() => work(0.5))))
  // 100 ms of work; a slice may hold two steps of ten entries.
  expect(await turnsOfOthers(done)).toBeGreaterThan(5)
})

test('and a short one is completed at once', () => {
  const entries = [1, 2, 3]
  expect(inTurns({}, entries)).toBe(entries)
})
