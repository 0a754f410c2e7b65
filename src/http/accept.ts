import { Fault } from '../errors.js'

/** Refuses a caller who takes none of the media types that there are. */
export function requireAcceptable(request: Request, ...types: readonly string[]): void {
  if (!types.some((type) => accepts(request, type))) {
    throw new Fault('NOT_ACCEPTABLE', `Only ${types.join(' or ')} can be had here. Change the Accept header.`)
  }
}

export function accepts(request: Request, type: string): boolean {
  const accept = request.headers.get('accept')
  if (accept === null || accept.trim() === '') return true
  const family = `${type.split('/')[0]}/*`
  return accept.split(',').some((part) => {
    const [range = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    return !isRefused && [type, family, '*/*'].includes(range)
  })
}
