import { expect, onTestFinished, test, vi } from 'vitest'
import { openOffice } from '../support/harness.js'

/** How many pieces a text is cut into at most from now on. */
function watchPieces(): () => number {
  const split = vi.spyOn(String.prototype, 'split')
  onTestFinished(() => split.mockRestore())
  return () => Math.max(...split.mock.results.map(({ value }) => value.length))
}

test.each(['/v1', ''])('an unknown path of 7,750 steps below %o is not cut into all of them', async (root) => {
  const { caller } = await openOffice()
  const most = watchPieces()
  const answer = await caller.get(`${root}/risk${'/a'.repeat(7_750)}`)
  expect(answer).toMatchProblem(404, 'NOT_FOUND')
  expect(most()).toBeLessThan(100)
})

test('its first steps still say what is meant', async () => {
  const { caller } = await openOffice()
  expect((await caller.get('/api/v2/project/A/log/2/3/4/5/6/7')).body.detail).toContain(
    'Did you mean /v1/projects/A/history?',
  )
})

test('a body of a million line breaks is not cut into lines', async () => {
  const { caller } = await openOffice()
  const most = watchPieces()
  const headers = { 'content-type': 'application/json' }
  const answer = await caller.request('/v1/groups', { method: 'POST', headers, body: `${'\n'.repeat(999_990)}{,` })
  expect(answer).toMatchProblem(400, 'BAD_REQUEST')
  expect(answer.body.detail).toContain('at line 999991, column 2.')
  expect(most()).toBeLessThan(100)
})
