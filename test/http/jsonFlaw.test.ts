import { expect, test } from 'vitest'
import { openOffice } from '../support/harness.js'

async function detailFor(body: string): Promise<string> {
  const { caller } = await openOffice()
  const headers = { 'content-type': 'application/json' }
  const answer = await caller.request('/v1/groups', { method: 'POST', headers, body })
  expect(answer).toMatchProblem(400, 'BAD_REQUEST')
  return answer.body.detail
}

test.each([
  ['{"a": 1,}', 1, 9],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ['{"a": "x\ny"}', 1, 9],
  ['{"a": "\\x"}', 1, 9],
  ['[1, 2', 1, 6],
  ["{'a': 1}", 1, 2],
  ['{"a": {"b": []}} x', 1, 18],
  ['{"a"', 1, 5],
  ['\r\n{"é😀": 1,\n\t"\\u00e9\\/" 2}', 3, 13],
  ['["\\u00e"]', 1, 8],
  ['[-1.5e+3, 1.]', 1, 13],
  ['[1.5, 2, 3]]', 1, 12],
])('%j stops being JSON at line %i, column %i', async (text, line, column) => {
  expect(await detailFor(text)).toMatch(`at line ${line}, column ${column}.`)
})

test.each([
  ['{"a": tru}', `Unexpected token '}', "{"a": tru}".`],
  ['{"name": undefined}', `Unexpected token 'u', "{"name": undefined}".`],
  ['x at position 9', `Unexpected token 'x', "x at position 9".`],
  ['["é😀\\', 'Unexpected end of JSON input.'],
  [' ', 'Unexpected end of JSON input.'],
])('%j is refused with what is unexpected', async (text, reason) => {
  expect(await detailFor(text)).toBe(`The body is not valid JSON in UTF-8: ${reason}`)
})

test('the lines of a long body are counted in slices, and others have a turn between them', async () => {
  let turns = 0
  const count = () => {
    turns += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  expect(await detailFor(`${'\n'.repeat(900_000)}{,`)).toContain('at line 900001, column 2.')
  clearImmediate(counting)
  expect(turns).toBeGreaterThanOrEqual(50)
})
