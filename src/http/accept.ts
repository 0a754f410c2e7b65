import { Fault } from '../errors.js'

/** Refuses a caller who takes none of the media types that there are. */
export function requireAcceptable(request: Request, ...types: readonly string[]): void {
  if (!types.some((type) => accepts(request, type))) {
    throw new Fault('NOT_ACCEPTABLE', `Only ${types.join(' or ')} can be had here. Change the Accept header.`)
  }
}

// The most specific range that fits decides: whoever takes everything may still refuse one type.
export function accepts(request: Request, type: string): boolean {
  const accept = request.headers.get('accept')
  if (accept === null || accept.trim() === '') return true
  const ranges = new Map<string, boolean>()
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    ranges.set(range, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
  }
  return ranges.get(type) ?? ranges.get(`${type.split('/')[0]}/*`) ?? ranges.get('*/*') ?? false
}
