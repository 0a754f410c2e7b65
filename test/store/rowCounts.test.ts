import { expect, test } from 'vitest'
import { groups } from '../../src/personnel/groups.js'
import { addPerson, changePerson, personnel } from '../../src/personnel/people.js'
import { issues } from '../../src/projects/issues.js'
import { projects } from '../../src/projects/projects.js'
import { risks } from '../../src/projects/risks.js'
import { RowCounts } from '../../src/store/query/rowCounts.js'
import { ada } from '../support/fixtures.js'
import { type Gateway, openFilled } from '../support/harness.js'

/** The counting statements since the last call. */
const countsIn = (gateway: Gateway) => gateway.statements().filter((sql) => sql.includes('count(')).length

test('a list has as many live rows as it shows without a filter, counted once while nothing changes', async () => {
  const { gateway } = await openFilled()
  const caller = await gateway.as('personnel.read', 'projects.read')
  const shown = async (path: string) => (await caller.get(path)).body.data.length
  const expected = {
    personnel: await shown('/v1/personnel'),
    groups: await shown('/v1/groups'),
    projects: await shown('/v1/projects'),
    risks: await shown('/v1/risks'),
    issues: await shown('/v1/issues'),
  }
  const counts = new RowCounts(gateway.store)
  const counted = async () => ({
    personnel: await counts.of(personnel),
    groups: await counts.of(groups),
    projects: await counts.of(projects),
    risks: await counts.of(risks),
    issues: await counts.of(issues),
  })
  gateway.statements()
  expect(await counted()).toEqual(expected)
  expect(countsIn(gateway)).toBe(5)
  expect(await counted()).toEqual(expected)
  expect(countsIn(gateway)).toBe(0)
})

test('a write causes only lists of its change counter to be counted again', async () => {
  const { gateway } = await openFilled()
  const counts = new RowCounts(gateway.store)
  const [people, riskCount] = [await counts.of(personnel), await counts.of(risks)]
  await gateway.write((write) => addPerson(write, ada))
  gateway.statements()
  expect(await counts.of(risks)).toBe(riskCount)
  expect(countsIn(gateway)).toBe(0)
  expect(await counts.of(personnel)).toBe(people + 1)
  expect(countsIn(gateway)).toBe(1)
})

test('a count by a name is counted again when what the name stands for has changed', async () => {
  const { gateway, company } = await openFilled()
  const counts = new RowCounts(gateway.store)
  const [owner = '', other = ''] = company.personIds
  const emails = ['p0@example.com']
  const before = await counts.of(risks, { owner: emails })
  await gateway.write(async (write) => {
    await changePerson(write, owner, { email: 'moved@example.com' })
    await changePerson(write, other, { email: emails[0] })
  })
  expect(before).toBe(await counts.of(risks, { owner: [owner] }))
  expect(await counts.of(risks, { owner: emails })).toBe(await counts.of(risks, { owner: [other] }))
  expect(await counts.of(risks, { owner: emails })).not.toBe(before)
})
