import { Fault } from '../../errors.js'
import type { HttpRequest } from './request.js'

/** The type that `Accept` prefers of those that are available; throws a 406 if it accepts none. */
export function requireAcceptable<T extends string>(request: HttpRequest, types: readonly T[]): T {
  const type = preferredType(request.header('accept'), types)
  if (type !== undefined) return type
  throw new Fault('NOT_ACCEPTABLE', `Only ${types.join(' or ')} is available here. Change the Accept header.`)
}

/**
 * Chooses by quality (RFC 9110, 12.5.1); undefined if no type is acceptable. The order in the header means nothing, so
 * among equals the first of `types` wins.
 */
export function preferredType<T extends string>(accept: string | undefined, types: readonly T[]): T | undefined {
  // Fast path for what nearly all clients send.
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return types[0]
  const named = types.find((type) => type === accept)
  if (named !== undefined) return named
  const qualities = qualitiesIn(accept)
  const quality = (type: T) =>
    qualities.get(type) ?? qualities.get(`${type.slice(0, type.indexOf('/'))}/*`) ?? qualities.get('*/*') ?? 0
  return bestOf(types, quality)
}

/** The content coding that `Accept-Encoding` prefers; undefined for no coding. */
export function preferredEncoding<T extends string>(accept: string | undefined, codings: readonly T[]): T | undefined {
  if (accept === undefined) return undefined
  const qualities = qualitiesIn(accept)
  return bestOf(codings, (coding) => qualities.get(coding) ?? 0)
}

function bestOf<T>(offers: readonly T[], quality: (offer: T) => number): T | undefined {
  const acceptable = offers.filter((offer) => quality(offer) > 0)
  return acceptable.sort((one, other) => quality(other) - quality(one))[0]
}

/**
 * A quoted parameter, which may contain commas and semicolons. One without an end extends to that of the header: were it
 * no match, the search would start again at each escaped quote in it.
 */
const QUOTED = /"(?:[^"\\]|\\.?)*"?/g

/** The quality of each value in a header. Parameters other than `q` are ignored: each type has only one form here. */
function qualitiesIn(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  const plain = header.includes('"') ? header.replace(QUOTED, '') : header
  for (const part of plain.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim())
    qualities.set(name, qualityOf(parameters.find((parameter) => parameter.startsWith('q='))))
  }
  return qualities
}

/** An invalid weight is ignored, as if it were absent. */
function qualityOf(weight: string | undefined): number {
  return weight && /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 1
}
