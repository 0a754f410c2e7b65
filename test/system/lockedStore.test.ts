import { expect, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { ada, grace } from '../support/fixtures.js'
import { openOffice } from '../support/harness.js'

test('writes that wait for a locked store fail as UNAVAILABLE, counting from when they were queued', async () => {
  const { gateway, caller } = await openOffice()
  const people = async () => (await caller.get('/v1/personnel')).body.data.map(({ name }: { name: string }) => name)
  const before = await people()
  const letGo = gateway.own.hold()
  const both = await Promise.allSettled([
    gateway.write((write) => addPerson(write, ada)),
    gateway.write((write) => addPerson(write, grace)),
  ])
  expect(both.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(['UNAVAILABLE', 'UNAVAILABLE'])
  expect(await people()).toEqual(before)
  letGo()
  await gateway.write((write) => addPerson(write, ada))
  expect(await people()).toHaveLength(before.length + 1)
})
