import { parse } from 'node:path'
import { monthNumber } from './files/days.js'

/** What a file comes from, the same each night: its base name without digits and dates. */
export function sourceOf(file: string): string {
  if (file === '-') return 'standard input'
  const { base, name } = parse(file.normalize())
  if (!/\d/.test(name)) return name
  const undated = name.replaceAll(/\p{L}+/gu, (word) => (isOfTime(word) ? '0' : word))
  const words = undated.replaceAll(/[^\p{L}\p{M}]+/gu, (between, at: number) => {
    if (!/\d/.test(between)) return between
    const isOutside = at === 0 || at + between.length === undated.length
    return isOutside ? '' : (/\D/.exec(between)?.[0] ?? '')
  })
  return words || base
}

/** Whether a word is of a date or of a time, as in 17-Nov-2026 and 20261117T0300Z. */
function isOfTime(word: string): boolean {
  return /^[tz]$/i.test(word) || monthNumber(['de', 'fr', 'es'], word) !== undefined
}
