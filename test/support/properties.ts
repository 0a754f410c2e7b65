import fc from 'fast-check'

/** The same values in every run of the tests; the campaign `properties` sets another seed, and more rounds. */
const SEED = Number(process.env['TEST_SEED'] ?? 1)
const ROUNDS = Number(process.env['TEST_ROUNDS'] ?? 1)

fc.configureGlobal({ seed: SEED })

/** How many values a property is tried with: in `npm test` as many as stated. */
export const runs = (count: number) => ({ numRuns: count * ROUNDS })
