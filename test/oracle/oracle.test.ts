import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openGateway } from '../support/harness.js'
import { Run, script, type Tally } from './run.js'

/** The same requests at each run of the suite; `npm run campaign -- oracle` sends others, and more. */
const { ORACLE_SEED: seed = 1, ORACLE_ROUNDS: rounds = 3, ORACLE_PATH: path } = process.env
/** A round takes a second, and far more on a busy machine. */
const ROUND_MS = 20_000
const SHRINKING_MS = 60_000

test('whatever is stored and asked, the answer is what the documents say', {
  timeout: 2 * SHRINKING_MS + Number(rounds) * ROUND_MS,
}, async () => {
  const tally: Tally = { compared: 0, tooComplex: 0 }
  const round = fc.asyncProperty(script(15), async (steps) => {
    const closing: (() => Promise<void>)[] = []
    const gateway = openGateway({}, (close) => closing.push(close))
    try {
      await new Run(gateway, tally).play(steps)
    } finally {
      for (const close of closing) await close()
    }
  })
  await fc.assert(round, {
    seed: Number(seed),
    numRuns: Number(rounds),
    // One round of a run, as a failure names it, without shrinking it again.
    ...(path !== undefined && { path, endOnFailure: true }),
    interruptAfterTimeLimit: SHRINKING_MS + Number(rounds) * ROUND_MS,
    markInterruptAsFailure: true,
  })
  expect(tally.tooComplex).toBeLessThan(tally.compared / 10)
})
