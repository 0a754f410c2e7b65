import { chanceOf } from '../support/chance.js'

const at = process.argv.indexOf('--seed')

/** The seed of this campaign: that of `--seed N`, else another one each time. */
export const seed = at === -1 ? Math.floor(Math.random() * 1e6) : Number(process.argv[at + 1])
console.log(`seed ${seed}`)

const chance = chanceOf(seed)

/** A whole number from `min`, or 0, up to but not including `max`. */
export function randomInt(min: number, max?: number): number {
  const [from, to] = max === undefined ? [0, min] : [min, max]
  return from + Math.floor(chance() * (to - from))
}
