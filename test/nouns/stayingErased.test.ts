import { expect, test } from 'vitest'
import { synced } from '../support/syncing.js'
import { erase, imported, openWithQuilla, QUILLA, type QuillasStage, traces } from './erasing.js'

const CONFLICT = { extensions: { code: 'CONFLICT' } }

/** Every way to write about a person, with the check that refuses it. */
const WAYS: [way: string, work: (stage: QuillasStage) => Promise<unknown>, refusal: object][] = [
  [
    'PATCH',
    ({ caller, id }) => caller.patch(`/v1/personnel/${id}`, { name: 'Q', email: 'q@example.com' }),
    { status: 409 },
  ],
  [
    'changePerson',
    ({ caller, id }) => caller.graphql(`mutation { changePerson(id: "${id}", input: { status: ACTIVE }) { id } }`),
    { body: { errors: [CONFLICT] } },
  ],
  ['an import', (stage) => imported(stage, 'people', [{ id: stage.id, ...QUILLA }]), { violations: [{ field: 'id' }] }],
  ['PUT into a group', ({ caller, groupId, id }) => caller.put(`/v1/groups/${groupId}/members/${id}`), { status: 409 }],
  [
    'addMember',
    ({ caller, groupId, id }) =>
      caller.graphql(`mutation { addMember(groupId: "${groupId}", personId: "${id}") { id } }`),
    { body: { errors: [CONFLICT] } },
  ],
  [
    'an import of groups',
    (stage) => imported(stage, 'groups', [{ name: 'Bellfounders', members: [stage.id, 'ada@example.com'] }]),
    { violations: [{ field: 'members' }] },
  ],
]

test('an erased person stays erased, however they are named', async () => {
  const stage = await openWithQuilla()
  await erase(stage)
  const before = await traces(stage)
  for (const [way, work, refusal] of WAYS)
    expect({ way, outcome: await work(stage) }).toMatchObject({ way, outcome: refusal })
  expect(await traces(stage)).toEqual(before)
})

test('the same row of the HR system makes a new person, who is found by what the old one was called', async () => {
  const stage = await openWithQuilla()
  await erase(stage)
  expect(await imported(stage, 'people', [QUILLA])).toMatchObject({
    violations: [],
    counts: { created: 1, updated: 0 },
  })
  const [again] = (await stage.caller.get('/v1/personnel?externalId=ZYX-4711')).body.data
  expect(again).toMatchObject({ ...QUILLA, status: 'ACTIVE', groups: [] })
  expect(again.id).not.toBe(stage.id)
  const risks = [{ reference: 'R', title: 'Crack', owner: QUILLA.email }]
  await synced(stage.caller, { key: 'BELL', name: 'Bell', risks })
  expect((await stage.caller.get('/v1/risks')).body.data).toMatchObject([{ ownerId: again.id }])
  expect((await stage.caller.get(`/v1/personnel/${stage.id}`)).body).toMatchObject({ name: 'Erased person' })
})
