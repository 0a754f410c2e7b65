import { Fault } from '../errors.js'
import type { Asked } from './asked.js'

/** The media type that the caller likes best, the first of equals; refuses a caller who takes none of them. */
export function requireAcceptable<T extends string>(asked: Asked, ...types: readonly T[]): T {
  const [best] = types.toSorted((one, other) => quality(asked, other) - quality(asked, one))
  if (best !== undefined && accepts(asked, best)) return best
  throw new Fault('NOT_ACCEPTABLE', `Only ${types.join(' or ')} can be had here. Change the Accept header.`)
}

export function accepts(asked: Asked, type: string): boolean {
  return quality(asked, type) > 0
}

// The most specific range that fits decides: whoever takes everything may still refuse one type.
function quality(asked: Asked, type: string): number {
  const accept = asked.header('accept')
  if (accept === undefined || accept.trim() === '') return 1
  const ranges = new Map<string, number>()
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part
      .toLowerCase()
      .split(';')
      .map((word) => word.trim())
    const [q = '1'] = parameters.flatMap((parameter) => /^q=([\d.]+)$/.exec(parameter)?.[1] ?? [])
    ranges.set(range, Number(q))
  }
  return ranges.get(type) ?? ranges.get(`${type.split('/')[0]}/*`) ?? ranges.get('*/*') ?? 0
}
