import { expect } from 'vitest'
import { CATALOGUE, type Code } from '../../../src/errors.js'
import { STATUS } from '../../../src/http/wire/problems.js'
import type { Answer } from '../../support/harness.js'
import type { Talk } from './wire.js'

/** Says whether what came back is right. */
export type Verdict = (talk: Talk) => void

/** What no answer may hold, whatever was sent. */
const INSIDE: Readonly<Record<string, RegExp>> = {
  stack: /\bat (async )?[\w.<>[\] ]+ \(|node:internal|node_modules|\.[cm]?[jt]s:\d+/,
  sql: /sqlite|\bselect\b.+\bfrom\b|insert into|no such (table|column)|constraint failed/i,
  file: /\/(tmp|home|work|root|usr|var|dist|src)\/|operations\.db/,
  key: /ops_[0-9A-Za-z]{30}/,
}

/** How much of an answer is looked through and shown. */
const SHOWN = 2_000

/** What holds for every answer, whatever was sent. */
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

/** The one answer there is; a second one, or anything after it, would be taken for the answer to another request. */
export function only({ answers, rest, end }: Talk): Answer {
  const [answer] = answers
  if (!answer) throw new Error(`There is no answer; the connection is ${end}: ${rest.slice(0, SHOWN)}`)
  expect({ answers: answers.map(({ status }) => status), rest }).toEqual({ answers: [answer.status], rest: '' })
  return answer
}

/** A refusal of the REST door, or of whatever stands before both doors. */
export function problem(code: Code, detail = /./): Verdict {
  return (talk) => {
    const answer = only(talk)
    expect(answer).toMatchProblem(STATUS[code], code)
    expect(answer.body).toMatchObject({ title: CATALOGUE[code], detail: expect.stringMatching(detail) })
  }
}

/** A 422 that points at this member. */
export function flawAt(pointer: string): Verdict {
  return (talk) => {
    const answer = only(talk)
    expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
    const pointers: string[] = answer.body.errors.map((flaw: { pointer: string }) => flaw.pointer)
    expect(pointers.filter((one) => one === pointer || one.startsWith(`${pointer}/`))).not.toEqual([])
  }
}

/** A 422 that tells exactly these flaws. */
export function flaws(...expected: { pointer: string; detail: string }[]): Verdict {
  return (talk) => {
    const answer = only(talk)
    expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
    expect(answer.body.errors).toEqual(expected)
  }
}

/** A refusal of the GraphQL door: the first error has this code, and nothing was answered beside it. */
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

/** What is wrong with the text of a query, which older clients are told with 200. */
export const wrongDocument = (message?: RegExp) => refused('BAD_REQUEST', 200, message)
export const tooComplex = (message?: RegExp) => refused('TOO_COMPLEX', 200, message)
/** What is wrong before there is a query. */
export const wrongRequest = (message?: RegExp) => refused('BAD_REQUEST', 400, message)

/** An answer as if nothing were odd; `data` without errors, where it is GraphQL. */
export function fine(status = 200, check: (answer: Answer) => void = () => undefined): Verdict {
  return (talk) => {
    const answer = only(talk)
    expect(answer.status, answer.text.slice(0, SHOWN)).toBe(status)
    expect(answer.body?.errors).toBe(undefined)
    check(answer)
  }
}

/** One answer for each request, in their order. */
export function inOrder(...ids: string[]): Verdict {
  return ({ answers, rest }) => {
    expect({ ids: answers.map(({ headers }) => headers.get('request-id')), rest }).toEqual({ ids, rest: '' })
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200))
  }
}

/** The connection is closed, and nothing is said. */
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

/** What is no HTTP: one problem, and the connection is closed, since nobody knows where the next request begins. */
export const unreadable: Verdict = (talk) => {
  problem('BAD_REQUEST', /cannot be read as an HTTP/)(talk)
  expect(talk.end).toBe('closed')
}

/** Answers of these statuses, one for each request, in their order. */
export function statuses(...expected: number[]): Verdict {
  return ({ answers, rest }) => {
    expect({ answers: answers.map(({ status }) => status), rest }).toEqual({ answers: expected, rest: '' })
  }
}
