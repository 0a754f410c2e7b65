import { expect, test } from 'vitest'
import { RECORD_COST } from '../../src/graph/query/run.js'
import { endMemberships, removeGroup, resumeWrites } from '../../src/personnel/removedGroups.js'
import type { Store } from '../../src/store/store.js'
import { NOW, openOffice } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'

test('a removed group is gone: its members have left, its name is free, and its history tells its end', async () => {
  const { gateway, caller } = await openOffice()
  const named = { name: 'Divers', externalId: 'DIR-7' }
  const { id } = (await caller.post('/v1/groups', named)).body
  const { id: ada } = (await caller.post('/v1/personnel', { name: 'Ada', email: 'ada@x.org', groupIds: [id] })).body
  const { id: left } = (await caller.post('/v1/personnel', { name: 'Bob', email: 'bob@x.org', groupIds: [id] })).body
  await caller.patch(`/v1/personnel/${left}`, { status: 'INACTIVE' })
  const { body: before } = await caller.get('/v1/groups')

  expect((await caller.delete(`/v1/groups/${id}`)).status).toBe(204)
  expect((await caller.get(`/v1/groups/${id}`)).status).toBe(404)
  expect((await caller.delete(`/v1/groups/${id}`)).status).toBe(404)
  expect((await caller.get('/v1/groups')).body.data).toEqual(before.data.filter((one: { id: string }) => one.id !== id))
  expect((await caller.get('/v1/personnel?group=Divers')).status).toBe(400)
  expect((await caller.get(`/v1/personnel/${ada}`)).body.groups).toEqual([])
  const query = `{ group(id: "${id}") { id } _entities(representations: [{ __typename: "Group", id: "${id}" }]) { __typename } }`
  expect((await caller.graphql(query)).body).toEqual({ data: { group: null, _entities: [null] } })

  const feed = (await caller.get('/v1/changes?entity=person,group')).body.data.slice(-3)
  const leaves = { action: 'UPDATED', entity: 'PERSON', fields: [{ field: 'groups', from: 'Divers', to: null }] }
  const fields = [
    { field: 'name', from: 'Divers', to: null },
    { field: 'externalId', from: 'DIR-7', to: null },
  ]
  expect(feed).toMatchObject([
    { action: 'REMOVED', entity: 'GROUP', entityId: id, title: 'Divers', fields },
    { ...leaves, entityId: ada },
    { ...leaves, entityId: left },
  ])
  const changes = `{ changes(first: 100, filter: { entity: GROUP }) { nodes { action group { id } title } } }`
  const { nodes } = (await caller.graphql(changes)).body.data.changes
  expect(nodes.at(-1)).toEqual({ action: 'REMOVED', group: null, title: 'Divers' })
  const { stdout } = await runHere('.', ['history', id, '--database', gateway.own.url])
  expect(stdout).toMatch(/ {2}removed group Divers, by key .*: name Divers → nothing, externalId DIR-7 → nothing\n$/)
  expect((await caller.post('/v1/groups', named)).status).toBe(201)
})

test('a group is removed by its name too, with all of its members', async () => {
  const { gateway, caller } = await openOffice()
  const people = Array.from({ length: 1_201 }, (_, n) => ({ name: `P${n}`, externalId: `P${n}`, groups: ['Crew'] }))
  await caller.post('/v1/personnel/batch', { groups: [{ name: 'Crew' }], people })
  const { body } = await caller.graphql('mutation { removeGroup(id: "crew") { id name } }')
  expect(body).toEqual({ data: { removeGroup: { id: expect.stringMatching(/^grp_/), name: 'Crew' } } })
  const id = body.data.removeGroup.id
  expect(gateway.own.values(`select count(*) from membership where group_id = '${id}'`)).toEqual([[0]])
  expect(gateway.own.values("select count(*) from change where action = 'UPDATED'")).toEqual([[1_201]])
})

test('a removal that ends in the middle hides the group at once, and is finished once by the next server', async () => {
  const { gateway, caller } = await openOffice()
  const people = Array.from({ length: 251 }, (_, n) => ({
    name: `P${n}`,
    externalId: `P${n}`,
    groups: ['Crew', 'Staff'],
  }))
  await caller.post('/v1/personnel/batch', { groups: [{ name: 'Crew' }, { name: 'Staff' }], people })
  const { store } = gateway
  let writes = 0
  // As if the process ended after two of the writes.
  const ended = new Error('ended')
  const ending: Store = {
    ...store,
    write: (as, work) => (++writes > 2 ? Promise.reject(ended) : store.write(as, work)),
  }
  const { id } = await ending.write({ by: 'key_x', at: () => NOW }, (write) => removeGroup(write, 'crew'))
  await expect(endMemberships(ending, () => NOW)).rejects.toThrow(ended)

  const members = `select count(*) from membership where group_id = '${id}'`
  expect(gateway.own.values(members)).toEqual([[151]])
  expect((await caller.get('/v1/groups?search=crew')).body.data).toEqual([])
  const groupsOf = async () => {
    const { data } = (await caller.get('/v1/personnel?search=p250')).body
    return data[0].groups.map(({ name }: { name: string }) => name)
  }
  expect(await groupsOf()).toEqual(['Staff'])
  expect((await caller.post('/v1/groups', { name: 'Crew' })).status).toBe(201)

  for (let starts = 0; starts < 2; starts++) {
    resumeWrites(store, () => NOW)
    await expect.poll(() => gateway.own.values(members)).toEqual([[0]])
  }
  expect(await groupsOf()).toEqual(['Staff'])
  const left = gateway.own.values(
    "select written_by, fields from change where action = 'UPDATED' and entity = 'PERSON'",
  )
  expect(left).toEqual(Array(251).fill(['key_x', '{"groups":[["Crew","Staff"],["Staff"]]}']))
  expect(gateway.own.values("select count(*) from change where action = 'REMOVED'")).toEqual([[1]])
})

test('a removal is charged for the members who leave', async () => {
  const { gateway, caller } = await openOffice()
  const people = Array.from({ length: 1_000 }, (_, n) => ({ name: `P${n}`, externalId: `P${n}`, groups: ['Crew'] }))
  await caller.post('/v1/personnel/batch', { groups: [{ name: 'Crew' }, { name: 'Few' }], people })
  const cost = async (path: string) => {
    gateway.log.splice(0)
    expect((await caller.delete(path)).status).toBe(204)
    return JSON.parse(gateway.log.at(-1) ?? '{}').cost
  }
  expect((await cost('/v1/groups/crew')) - (await cost('/v1/groups/few'))).toBe(1_000 * RECORD_COST)
})
