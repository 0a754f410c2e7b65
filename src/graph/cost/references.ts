import type { Arguments } from '../fields.js'

/** The number of references, and of distinct ones among them. */
export interface References {
  readonly all: number
  readonly different: number
}

export function allDifferent(times: number): References {
  return { all: times, different: times }
}

type Count = (variables: Arguments) => References

/** Counted once for each request: to suggest a page, a query is priced for many page sizes. */
export function onceFor(count: Count): Count {
  const known = new WeakMap<Arguments, References>()
  return (variables) => {
    const found = known.get(variables) ?? count(variables)
    known.set(variables, found)
    return found
  }
}
