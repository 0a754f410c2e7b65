import { isDeepStrictEqual } from 'node:util'
import { OPAQUE } from './pages.js'

/** Compares an answer with the oracle's: data exactly but for opaque values, and errors as a set. */

export interface Answer {
  readonly data?: unknown
  readonly errors?: readonly AnswerError[] | undefined
}
interface AnswerError {
  readonly path?: readonly (string | number)[] | undefined
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** What the service calls a cursor, a change or a run, by the oracle's name of it, and the other way round. */
export class Opaque {
  private readonly known = new Map<string, string>()
  private readonly ids = new Map<string, string>()

  /** The service's word for the oracle's, or that itself. */
  actual(ours: string): string {
    return this.known.get(ours) ?? ours
  }

  /** Whether a value can stand for the oracle's: the number of a change, or the id of a run, is always the same. */
  learn(ours: string, theirs: unknown): boolean {
    if (typeof theirs !== 'string' || theirs === '') return false
    this.known.set(ours, theirs)
    if (!['change ', 'import '].some((one) => ours.startsWith(OPAQUE + one))) return true
    const isSame = (this.ids.get(ours) ?? theirs) === theirs && (this.ids.get(theirs) ?? ours) === ours
    this.ids.set(ours, theirs).set(theirs, ours)
    return isSame
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Where two values differ first; undefined if they do not. */
export function difference(actual: unknown, expected: unknown, opaque: Opaque, path = 'data'): string | undefined {
  if (typeof expected === 'string' && expected.startsWith(OPAQUE)) {
    return opaque.learn(expected, actual) ? undefined : `${path}: ${JSON.stringify(actual)} is not ${expected.slice(1)}`
  }
  if (!isObject(actual) || !isObject(expected) || Array.isArray(actual) !== Array.isArray(expected)) {
    return actual === expected ? undefined : `${path}: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`
  }
  const [names, wanted] = [Object.keys(actual), Object.keys(expected)]
  if (!isDeepStrictEqual(names, wanted)) {
    const shown = Array.isArray(actual) ? [actual, expected] : [names, wanted]
    return `${path}: ${JSON.stringify(shown[0])}, expected ${JSON.stringify(shown[1])}`
  }
  for (const name of wanted) {
    const found = difference(actual[name], expected[name], opaque, `${path}.${name}`)
    if (found) return found
  }
  return undefined
}

/** An error without its sentence. */
function errorOf({ path = [], extensions = {} }: AnswerError): string {
  const { code, requiredScope } = extensions
  return JSON.stringify({ code, path, requiredScope })
}

/** The first difference between two answers. */
export function differenceOf(actual: Answer, expected: Answer, opaque: Opaque): string | undefined {
  const inData = difference(actual.data ?? null, expected.data ?? null, opaque)
  if (inData) return inData
  const [found = [], wanted = []] = [actual, expected].map(({ errors = [] }) => errors.map(errorOf).sort())
  return isDeepStrictEqual(found, wanted) ? undefined : `errors: ${found.join()}, expected ${wanted.join()}`
}
