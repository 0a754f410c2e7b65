import { expect, test } from 'vitest'
import { importRecords } from '../../src/ingest/importers.js'
import { erasePerson } from '../../src/personnel/erasure.js'
import { addMember, addPerson, changePerson, removeMember } from '../../src/personnel/people.js'
import { inOneWrite } from '../../src/store/shortWrites.js'
import type { Write } from '../../src/store/store.js'
import { addGroup } from '../support/fixtures.js'
import { openGateway } from '../support/harness.js'

const COUNTS = '{ groups { nodes { name memberCount members { totalCount } } } }'

test('a group counts those of its members who are on the roster, whichever way they come, leave and return', async () => {
  const gateway = openGateway()
  const caller = await gateway.as('personnel.read')
  const groupId = await gateway.write((write) => addGroup(write, { name: 'Divers' }))
  const counted = async (work: (write: Write) => Promise<unknown>) => {
    await gateway.write(work)

    const [{ memberCount, members }] = (await caller.graphql(COUNTS)).body.data.groups.nodes
    expect(memberCount).toBe(members.totalCount)
    return memberCount
  }
  const ids: string[] = []
  const add = (name: string) => async (write: Write) => {
    ids.push((await addPerson(write, { name, externalId: name, groupIds: [groupId] })).id)
  }
  const change = (person: number, status: 'ACTIVE' | 'INACTIVE') => (write: Write) =>
    changePerson(write, ids[person] ?? '', { status })
  const wording = { place: String, createProjects: '', createGroups: '', closeLimit: '' }
  const importPerson = (values: Record<string, unknown>) => async (write: Write) => {
    const { violations } = await importRecords(write, 'people', [{ index: 0, values }], { wording })
    expect(violations).toEqual([])
  }

  expect([await counted(add('A')), await counted(add('B'))]).toEqual([1, 2])
  expect([await counted(change(0, 'INACTIVE')), await counted(change(0, 'INACTIVE'))]).toEqual([1, 1])
  expect(await counted((write) => removeMember(write, groupId, ids[0] ?? ''))).toBe(1)
  expect(await counted((write) => addMember(write, groupId, ids[0] ?? ''))).toBe(1)
  expect(await counted(change(0, 'ACTIVE'))).toBe(2)
  expect(await counted(importPerson({ externalId: 'B', status: 'INACTIVE' }))).toBe(1)
  expect(await counted(importPerson({ externalId: 'B', status: 'ACTIVE', groups: ['Divers'] }))).toBe(2)
  expect(await counted(importPerson({ name: 'C', externalId: 'C', status: 'INACTIVE', groups: ['Divers'] }))).toBe(2)
  expect(await counted(importPerson({ externalId: 'C', status: 'ACTIVE' }))).toBe(3)
  expect(await counted((write) => erasePerson(inOneWrite(write), ids[0] ?? ''))).toBe(2)
})
