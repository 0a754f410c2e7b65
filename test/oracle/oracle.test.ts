import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openGateway } from '../support/harness.js'
import { Run, script, type Tally } from './run.js'

const seed = Number(process.env['ORACLE_SEED'] ?? 1)
const numRuns = Number(process.env['ORACLE_ROUNDS'] ?? 8)

test('whatever is stored and asked, the answer is what the documents say', {
  timeout: 10_000 + numRuns * 20_000,
}, async () => {
  const tally: Tally = { compared: 0, tooComplex: 0 }
  await fc.assert(
    fc.asyncProperty(script(20), async (steps) => {
      const closing: (() => Promise<void>)[] = []
      const gateway = openGateway({}, (close) => closing.push(close))
      try {
        await new Run(gateway, tally).play(steps)
      } finally {
        for (const close of closing) await close()
      }
    }),
    { seed, numRuns, endOnFailure: process.env['ORACLE_QUICK'] === '1' },
  )
  expect(tally.tooComplex).toBeLessThan(tally.compared / 10)
})
