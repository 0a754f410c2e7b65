import { expect, test } from 'vitest'
import { openOffice } from '../../support/harness.js'

test('the names in one record are looked up in slices of so many characters, so that others are served in between', async () => {
  const { gateway, caller } = await openOffice()
  const groups = Array.from({ length: 1_000 }, (_, n) => `${n}`.padEnd(200, '\ufdfa'))
  gateway.statements()
  const { status, body } = await caller.post('/v1/personnel/batch', {
    people: [{ name: 'A', externalId: 'A', groups }],
  })
  expect([status, body.errors[0].detail]).toEqual([422, expect.stringContaining('There is no group "0')])
  const lookUps = gateway.statements().filter((sql) => /^select .* from "groups" where \(/.test(sql))
  expect(lookUps).toHaveLength(4)
})
