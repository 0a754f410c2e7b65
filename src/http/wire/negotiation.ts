import { Fault } from '../../errors.js'
import type { Asked } from '../asked.js'

/** The media type that a caller prefers of those that there are; refuses a caller who takes none of them. */
export function requireAcceptable<T extends string>(asked: Asked, types: readonly T[]): T {
  const type = preferredType(asked.header('accept'), types)
  if (type !== undefined) return type
  throw new Fault('NOT_ACCEPTABLE', `Only ${types.join(' or ')} can be had here. Change the Accept header.`)
}

/**
 * Chooses by quality (RFC 9110, 12.5.1); undefined where all have none. In which order the header names types says nothing,
 * so of equals the first of ours is taken.
 */
export function preferredType<T extends string>(accept: string | undefined, types: readonly T[]): T | undefined {
  // What nearly everyone sends.
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return types[0]
  const named = types.find((type) => type === accept)
  if (named !== undefined) return named
  const qualities = qualitiesIn(accept)
  const quality = (type: T) =>
    qualities.get(type) ?? qualities.get(`${type.slice(0, type.indexOf('/'))}/*`) ?? qualities.get('*/*') ?? 0
  return bestOf(types, quality)
}

/** Of content codings, the one that a caller prefers; undefined for the content as it is. */
export function preferredEncoding<T extends string>(accept: string | undefined, codings: readonly T[]): T | undefined {
  if (accept === undefined) return undefined
  const qualities = qualitiesIn(accept)
  return bestOf(codings, (coding) => qualities.get(coding) ?? 0)
}

function bestOf<T>(offers: readonly T[], quality: (offer: T) => number): T | undefined {
  let best: T | undefined
  let most = 0
  for (const offer of offers) {
    const value = quality(offer)
    if (value <= most) continue
    best = offer
    most = value
  }
  return best
}

/** What a header accepts. Parameters other than `q` are left out: there is one form of each type here. */
function qualitiesIn(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  // A quoted parameter may hold what separates the others.
  const plain = header.includes('"') ? header.replace(/"(?:[^"\\]|\\.)*"/g, '') : header
  for (const part of plain.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim())
    qualities.set(name, qualityOf(parameters.find((parameter) => parameter.startsWith('q='))))
  }
  return qualities
}

/** What is no weight at all counts as if nothing were said. */
function qualityOf(weight: string | undefined): number {
  return weight && /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 1
}
