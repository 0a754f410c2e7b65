import { expect } from 'vitest'
import type { Code } from '../../src/errors.js'
import { STATUS } from '../../src/http/wire/problems.js'
import type { TestResponse } from './harness.js'

expect.extend({
  /** A problem+json of this status and code, with its Request-Id, and without internals. */
  toMatchProblem(answer: TestResponse, status: number, code: Code) {
    const { body, headers } = answer
    const isRight =
      answer.status === status &&
      STATUS[code] === status &&
      headers.get('content-type') === 'application/problem+json' &&
      body.code === code &&
      body.status === status &&
      body.requestId === headers.get('request-id') &&
      !/sqlite|\bselect\b.+\bfrom\b|node_modules|\bat .+\.[jt]s:\d+/i.test(answer.text)
    return { pass: isRight, message: () => `expected problem ${status} ${code}, got ${answer.status} ${answer.text}` }
  },
})

interface ProblemMatchers<R> {
  toMatchProblem(status: number, code: Code): R
}

declare module 'vitest' {
  interface Matchers<T> extends ProblemMatchers<T> {}
}

// `toMatchObject` treats a RegExp as an object without members, which anything matches.
expect.addEqualityTesters([
  (actual, expected) => (expected instanceof RegExp && !(actual instanceof RegExp) ? false : undefined),
])
