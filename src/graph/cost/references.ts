import type { Scope } from '../../auth/scopes.js'
import type { Arguments } from '../fields.js'

/** The number of references, and of distinct ones among them. */
export interface References {
  readonly all: number
  readonly different: number
}

export function allDifferent(times: number): References {
  return { all: times, different: times }
}

/** Whether the caller has a scope. */
export type MayRead = (scope: Scope) => boolean

type Count = (variables: Arguments, mayRead: MayRead) => References

/** Counted once for each request: to suggest a page, a query is priced for many page sizes. */
export function onceFor(count: Count): Count {
  const known = new WeakMap<Arguments, References>()
  return (variables, mayRead) => {
    const found = known.get(variables) ?? count(variables, mayRead)
    known.set(variables, found)
    return found
  }
}
