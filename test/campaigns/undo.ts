/**
 * Imports, syncs, merges, edits and erasures at random, which are undone and redone, next to a replay of the history.
 *
 *   npm run campaign -- undo [--rounds 2000] [--seed 1]
 */
import { parseArgs } from 'node:util'
import { type Figures, undoRound } from '../ingest/undo/rounds.js'

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } })
const first = Number(values.seed ?? Math.floor(Math.random() * 1e9))
const rounds = Number(values.rounds ?? 2000)
const STEPS = 30

const figures: Figures = {}
const began = performance.now()
let failed = 0
for (let round = 0; round < rounds && failed < 5; round++) {
  try {
    await undoRound(first + round, STEPS, figures)
  } catch (error) {
    failed++
    console.error(error)
  }
}
const seconds = Math.round((performance.now() - began) / 1000)
const sum = Object.entries(figures).map(([name, count]) => `${count} ${name}`)
console.log(`Seed ${first}: ${rounds} rounds of ${STEPS} steps in ${seconds} s, ${failed} wrong. ${sum.join(', ')}.`)
if (failed > 0) process.exitCode = 1
