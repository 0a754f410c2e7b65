import { Fault } from '../../errors.js'
import type { Asked } from '../asked.js'

/** The media type that a caller prefers of those that there are; refuses a caller who takes none of them. */
export function requireAcceptable<T extends string>(asked: Asked, types: readonly T[]): T {
  const type = preferredType(asked.header('accept'), types)
  if (type !== undefined) return type
  throw new Fault('NOT_ACCEPTABLE', `Only ${types.join(' or ')} can be had here. Change the Accept header.`)
}

/**
 * Chooses by quality (RFC 9110, 12.5.1). The header says no more than that, so of equals one that it names comes before
 * one that a wildcard covers, then the one that it names first, then the first of ours.
 */
export function preferredType<T extends string>(accept: string | undefined, types: readonly T[]): T | undefined {
  // What nearly everyone sends.
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return types[0]
  const named = types.find((type) => type === accept)
  if (named !== undefined) return named
  const ranges = weightsIn(accept)
  let best: { readonly type: T; readonly weight: Weight; readonly isNamed: boolean } | undefined
  for (const type of types) {
    const exact = ranges.get(type)
    const weight = exact ?? ranges.get(`${type.slice(0, type.indexOf('/'))}/*`) ?? ranges.get('*/*')
    const candidate = weight && { type, weight, isNamed: exact !== undefined }
    if (candidate && candidate.weight.quality > 0 && (!best || isBetter(candidate, best))) best = candidate
  }
  return best?.type
}

/** Of content codings, the one that a caller prefers; undefined for the content as it is. */
export function preferredEncoding<T extends string>(accept: string | undefined, codings: readonly T[]): T | undefined {
  if (accept === undefined) return undefined
  const weights = weightsIn(accept)
  let best: T | undefined
  const quality = (coding: T | undefined) => (coding && weights.get(coding)?.quality) ?? 0
  for (const coding of codings) if (quality(coding) > quality(best)) best = coding
  return best
}

interface Candidate {
  readonly weight: Weight
  readonly isNamed: boolean
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.weight.quality !== other.weight.quality) return one.weight.quality > other.weight.quality
  if (one.isNamed !== other.isNamed) return one.isNamed
  return one.weight.position < other.weight.position
}

interface Weight {
  readonly quality: number
  readonly position: number
}

/** What a header accepts. Parameters other than `q` are left out: there is one form of each type here. */
function weightsIn(header: string): Map<string, Weight> {
  const weights = new Map<string, Weight>()
  // A quoted parameter may hold what separates the others.
  const plain = header.includes('"') ? header.replace(/"(?:[^"\\]|\\.)*"/g, '') : header
  for (const [position, part] of plain.toLowerCase().split(',').entries()) {
    const [name = '', ...parameters] = part.split(';')
    const weight = parameters.find((parameter) => parameter.trim().startsWith('q='))?.trim()
    weights.set(name.trim(), { quality: weight === undefined ? 1 : qualityOf(weight), position })
  }
  return weights
}

/** What is no weight at all counts as if nothing were said. */
function qualityOf(weight: string): number {
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 1
}
