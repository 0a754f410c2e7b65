/** What a natural question is, and the ways to say what its answer should mean. */

/** A question of a newcomer; `<person>`, `<group>`, `<project>`, `<risk>` and `<issue>` stand for ids of the demo. */
export interface Question {
  readonly words: string
  readonly graphql?: string
  readonly variables?: Record<string, unknown>
  /** A REST request: "GET /v1/risks", GET when no method is named. */
  readonly rest?: string
  readonly body?: string
  readonly headers?: Record<string, string>
  /** The HTTP status a REST request expects; 200 when `meant` is given and no status is. */
  readonly status?: number
  /** What the answer must be. */
  readonly meant?: Check
  /** What the refusal must say, so that the next try is right. */
  readonly says?: RegExp
  /** What must not be in a refusal. */
  readonly never?: RegExp
}

/** Returns what is wrong, or nothing. */
export type Check = (answer: unknown, headers: Headers, text: string) => string | undefined

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined

/** The value at a dotted path, such as `risks.nodes.0.title`. */
export const at = (value: unknown, path: string): unknown =>
  path === '' ? value : path.split('.').reduce<unknown>(field, value)

const shown = (value: unknown): string => JSON.stringify(value) ?? 'undefined'

export const is =
  (path: string, wanted: unknown): Check =>
  (answer) =>
    shown(at(answer, path)) === shown(wanted) ? undefined : `${path} is ${shown(at(answer, path))}`

export const like =
  (path: string, wanted: RegExp): Check =>
  (answer) =>
    wanted.test(String(at(answer, path))) ? undefined : `${path} is ${shown(at(answer, path))}`

const entries = (answer: unknown, path: string): readonly unknown[] => {
  const found = at(answer, path)
  return Array.isArray(found) ? found : []
}

/** The list has entries, at least so many. */
export const some =
  (path: string, atLeast = 1): Check =>
  (answer) =>
    entries(answer, path).length >= atLeast ? undefined : `${path} has ${entries(answer, path).length} entries`

export const count =
  (path: string, wanted: number): Check =>
  (answer) =>
    entries(answer, path).length === wanted ? undefined : `${path} has ${entries(answer, path).length} entries`

/** The list has entries, and each one's field is the value, or one of several. */
export const each =
  (path: string, inner: string, ...wanted: readonly unknown[]): Check =>
  (answer) => {
    const found = entries(answer, path).map((entry) => at(entry, inner))
    if (found.length === 0) return `${path} is empty`
    const wrong = found.filter((value) => !wanted.some((one) => shown(one) === shown(value)))
    return wrong.length === 0 ? undefined : `${path} holds ${shown(wrong[0])} in ${inner}`
  }

/** Each entry's field passes. */
export const every =
  (path: string, inner: string, passes: (value: unknown) => boolean): Check =>
  (answer) => {
    const found = entries(answer, path).map((entry) => at(entry, inner))
    if (found.length === 0) return `${path} is empty`
    const wrong = found.filter((value) => !passes(value))
    return wrong.length === 0 ? undefined : `${path} holds ${shown(wrong[0])} in ${inner}`
  }

/** Some entry's field is the value. */
export const holds =
  (path: string, inner: string, wanted: unknown): Check =>
  (answer) =>
    entries(answer, path).some((entry) => shown(at(entry, inner)) === shown(wanted))
      ? undefined
      : `${path} has no ${inner} ${shown(wanted)}`

/** The list's numbers never rise. */
export const falling =
  (path: string, inner: string): Check =>
  (answer) => {
    const found = entries(answer, path).map((entry) => Number(at(entry, inner)))
    if (found.length === 0) return `${path} is empty`
    return found.every((value, index) => index === 0 || value <= (found[index - 1] ?? 0))
      ? undefined
      : `${path} is not ranked by ${inner}`
  }

export const header =
  (name: string, wanted: RegExp): Check =>
  (_answer, headers) =>
    wanted.test(headers.get(name) ?? '') ? undefined : `${name}: ${headers.get(name)}`

export const text =
  (wanted: RegExp): Check =>
  (_answer, _headers, body) =>
    wanted.test(body) ? undefined : `the text begins ${shown(body.slice(0, 200))}`

export const both =
  (...checks: readonly Check[]): Check =>
  (answer, headers, body) =>
    checks.map((check) => check(answer, headers, body)).find((wrong) => wrong !== undefined)
