import { Fault } from '../errors.js'

/** The media type that the caller likes best, the first of equals; refuses a caller who takes none of them. */
export function requireAcceptable<T extends string>(request: Request, ...types: readonly T[]): T {
  const [best] = types.toSorted((one, other) => quality(request, other) - quality(request, one))
  if (best !== undefined && accepts(request, best)) return best
  throw new Fault('NOT_ACCEPTABLE', `Only ${types.join(' or ')} can be had here. Change the Accept header.`)
}

export function accepts(request: Request, type: string): boolean {
  return quality(request, type) > 0
}

// The most specific range that fits decides: whoever takes everything may still refuse one type.
function quality(request: Request, type: string): number {
  const accept = request.headers.get('accept')
  if (accept === null || accept.trim() === '') return 1
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
