import { expect } from 'vitest'
import { CATALOGUE, type Code } from '../../../src/errors.js'
import { STATUS } from '../../../src/http/wire/problems.js'
import type { TestResponse } from '../../support/harness.js'
import { INSIDE } from './inside.js'
import type { Talk } from './wire.js'

/** Says whether what came back is right. */
export type Verdict = (talk: Talk) => void

/** How much of a response is searched and shown. */
const SHOWN = 2_000

/** Checks for every response. */
export function requireClean({ answers }: Talk): void {
  for (const { status, headers, text } of answers) {
    const shown = text.slice(0, SHOWN)
    expect(status, shown).toBeLessThan(500)
    const all = `${JSON.stringify([...headers])} ${text}`
    for (const [what, pattern] of Object.entries(INSIDE)) {
      expect(pattern.exec(all)?.[0], `${what} in ${shown}`).toBe(undefined)
    }
  }
}

/** The only response; a second one, or anything after it, would be taken as the response to another request. */
export function only({ answers, rest, end }: Talk): TestResponse {
  const [answer] = answers
  if (!answer) throw new Error(`There is no answer; the connection is ${end}: ${rest.slice(0, SHOWN)}`)
  expect({ answers: answers.map(({ status }) => status), rest }).toEqual({ answers: [answer.status], rest: '' })
  return answer
}

/** An error of the REST API, or of the checks before both APIs. */
export function problem(code: Code, detail = /./): Verdict {
  return (talk) => {
    const answer = only(talk)
    expect(answer).toMatchProblem(STATUS[code], code)
    expect(answer.body).toMatchObject({ title: CATALOGUE[code], detail: expect.stringMatching(detail) })
  }
}

/** A 422 that points at this member. */
export function violationAt(pointer: string): Verdict {
  return (talk) => {
    const answer = only(talk)
    expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
    const pointers: string[] = answer.body.errors.map((violation: { pointer: string }) => violation.pointer)
    expect(pointers.filter((one) => one === pointer || one.startsWith(`${pointer}/`))).not.toEqual([])
  }
}

/** A 422 with exactly these violations. */
export function violations(...expected: { pointer: string; detail: string }[]): Verdict {
  return (talk) => {
    const answer = only(talk)
    expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
    expect(answer.body.errors).toEqual(expected)
  }
}

/** An error of the GraphQL API: the first error has this code, and there is no data. */
export function refused(code: Code, status: number, message = /./): Verdict {
  return (talk) => {
    const answer = only(talk)
    expect(answer.status, answer.text.slice(0, SHOWN)).toBe(status)
    expect(answer.headers.get('request-id')).toMatch(/^[\w.:-]{1,100}$/)
    const { errors, data } = answer.body
    expect(errors[0]).toMatchObject({ message: expect.stringMatching(message), extensions: { code } })
    for (const error of errors) expect(CATALOGUE).toHaveProperty(error.extensions.code)
    expect(leaves(data).filter((leaf) => leaf !== null)).toEqual([])
  }
}

function leaves(value: unknown): unknown[] {
  return Object(value) === value ? Object.values(value as object).flatMap(leaves) : [value ?? null]
}

/** An invalid query, which clients of application/json get with status 200. */
export const wrongDocument = (message?: RegExp) => refused('BAD_REQUEST', 200, message)
export const tooComplex = (message?: RegExp) => refused('TOO_COMPLEX', 200, message)
/** What is wrong before there is a query. */
export const wrongRequest = (message?: RegExp) => refused('BAD_REQUEST', 400, message)

/** A successful response; in GraphQL `data` without errors. */
export function fine(status = 200, check: (answer: TestResponse) => void = () => undefined): Verdict {
  return (talk) => {
    const answer = only(talk)
    expect(answer.status, answer.text.slice(0, SHOWN)).toBe(status)
    expect(answer.body?.errors).toBe(undefined)
    check(answer)
  }
}

/** One response for each request, in order. */
export function inOrder(...ids: string[]): Verdict {
  return ({ answers, rest }) => {
    expect({ ids: answers.map(({ headers }) => headers.get('request-id')), rest }).toEqual({ ids, rest: '' })
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200))
  }
}

/** The connection is closed without a response. */
export const silence: Verdict = ({ answers, rest, end }) => {
  expect({ answers: answers.length, rest, isOpen: end === 'open' }).toEqual({ answers: 0, rest: '', isOpen: false })
}

/** Either is right, where the standard leaves it open. */
export function either(...verdicts: Verdict[]): Verdict {
  return (talk) => {
    const failures = verdicts.flatMap((verdict) => {
      try {
        verdict(talk)
        return []
      } catch (error) {
        return [error]
      }
    })
    if (failures.length === verdicts.length) throw failures[0]
  }
}

/** Invalid HTTP: one problem, and the connection is closed, since the start of the next request is unknown. */
export const unreadable: Verdict = (talk) => {
  problem('BAD_REQUEST', /cannot be read as an HTTP/)(talk)
  expect(talk.end).toBe('closed')
}

/** Responses of these statuses, one for each request, in order. */
export function statuses(...expected: number[]): Verdict {
  return ({ answers, rest }) => {
    expect({ answers: answers.map(({ status }) => status), rest }).toEqual({ answers: expected, rest: '' })
  }
}
