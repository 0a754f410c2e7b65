import type { Band, Scalar } from '../mapping.js'

// 0.35, 0,35, 1,000.5 and 35 %
const NUMBER = /^([+-]?)(?:([1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?)|(\d+(?:[.,]\d+)?))\s*(%?)$/

/** The value of the first band that a number fits in, or why there is none. */
export function bandOf(text: string, bands: readonly Band[]): { value: Scalar } | { flaw: string } {
  const last = bands.at(-1)?.[0] ?? 0
  const number = numberIn(text, last)
  if (number === undefined) return { flaw: 'Must be a number or a percentage, for the bands of the map.' }
  const band = bands.find(([bound]) => number <= bound)
  return band ? { value: band[1] } : { flaw: `Must be at most ${last}, where the last band of the map ends.` }
}

function numberIn(text: string, last: number): number | undefined {
  const [, sign, grouped, plain = '', percent] = NUMBER.exec(text.trim()) ?? []
  if (sign === undefined) return undefined
  const number = Number(`${sign}${grouped?.replaceAll(',', '') ?? plain.replace(',', '.')}`)
  // Bands that end at 1 are fractions; all others count percentages as they are written.
  return percent && last <= 1 ? number / 100 : number
}
