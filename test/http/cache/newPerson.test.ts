import { describe, expect, test } from 'vitest'
import { addPerson } from '../../../src/personnel/people.js'
import { type Caller, openFilled, type TestResponse } from '../../support/harness.js'
import { reads } from './reads.js'

async function openCompany() {
  const { gateway, company } = await openFilled()
  return { gateway, company, caller: await gateway.as('personnel.manage', 'projects.read') }
}

describe('what a new person does not change', () => {
  const KNOWN: [string, (caller: Caller, id: string) => Promise<TestResponse>][] = [
    ['risks with their owners', (caller) => caller.get('/v1/risks')],
    ['a query of issues', (caller) => caller.graphql('{ issues { nodes { assignee { name groups { name } } } } }')],
    ['a person by id', (caller, id) => caller.get(`/v1/personnel/${id}`)],
    ['a query of a person by id', (caller, id) => caller.graphql(`{ person(id: "${id}") { name groups { name } } }`)],
  ]

  describe.each(KNOWN)('%s', (_, call) => {
    test('stays cached', async () => {
      const { gateway, caller, company } = await openCompany()
      const [id = ''] = company.personIds
      const first = await call(caller, id)
      await gateway.write((write) => addPerson(write, { name: 'Aaron', externalId: 'first of all' }))
      let again: TestResponse | undefined
      expect(await reads(gateway, async () => (again = await call(caller, id)))).toEqual([])
      expect(again?.text).toBe(first.text)
    })

    test('is read anew once someone is renamed', async () => {
      const { caller, company } = await openCompany()
      const [id = ''] = company.personIds
      await call(caller, id)
      for (const one of company.personIds) await caller.patch(`/v1/personnel/${one}`, { name: 'Renamed' })
      expect((await call(caller, id)).text).toContain('"name":"Renamed"')
    })
  })

  test('is a group, and not who is found by an id that was not there', async () => {
    const { gateway, caller } = await openCompany()
    const id = 'usr_01m6dsg7e0fqc9fdb5y0rgqath'
    const look = async () => (await caller.graphql(`{ person(id: "${id}") { name } }`)).body.data.person
    expect(await look()).toBe(null)
    const groups = () => caller.graphql('{ groups { nodes { name } } }')
    await groups()
    const { person } = gateway.store.read.t
    const [known] = await gateway.store.read.db.select().from(person).limit(1)
    if (!known) throw new Error('The company has people.')
    const newcomer = { ...known, id, name: 'Zoe', email: null, emailFolded: null, externalId: 'last of all' }
    await gateway.write((write) => write.insertAll(person, [newcomer]))
    expect(await look()).toEqual({ name: 'Zoe' })
    expect(await reads(gateway, groups)).toEqual([])
  })

  test('changes with a membership', async () => {
    const { caller, company } = await openCompany()
    const [id = ''] = company.personIds
    const groupsOf = async () => (await caller.get(`/v1/personnel/${id}`)).body.groups
    expect(await groupsOf()).not.toEqual([])
    for (const { id: group } of await groupsOf())
      await caller.request(`/v1/groups/${group}/members/${id}`, { method: 'DELETE' })
    expect(await groupsOf()).toEqual([])
  })
})
