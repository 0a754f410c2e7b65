import { expect, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { ada, grace } from '../support/fixtures.js'
import { type Caller, type Gateway, openGateway } from '../support/harness.js'
import { BRIDGE, counts, type State, synced } from '../support/syncing.js'

const NOT_LOOKED_UP = 'Nobody was looked up on the roster, because this key lacks the scope personnel.read.'
const WARNINGS = [
  { pointer: '/risks', detail: `${NOT_LOOKED_UP} Each owner is kept as ownerName.` },
  { pointer: '/issues', detail: `${NOT_LOOKED_UP} Each assignee is kept as assigneeName.` },
]

/** A project of which someone is the owner of the risk and the assignee of the issue. */
const heldBy = (who: string | null | undefined): State => ({
  ...BRIDGE,
  risks: [{ reference: 'R-1', title: 'Flood', owner: who }],
  issues: [{ reference: 'I-1', title: 'Cellar under water', severity: 'HIGH', assignee: who }],
})

const CHANGES = 'history(first: 9) { nodes { action fields { field from to } } }'
const READ = `{ risks(first: 9) { nodes { id ownerId ownerName updatedAt ${CHANGES} owner { id } } }
  issues(first: 9) { nodes { id assigneeId assigneeName updatedAt ${CHANGES} } } projects(first: 9) { nodes { key syncedAt ${CHANGES} } } }`

/** Everything that a caller can see of a sync in either API and of its effects, without generated ids. */
async function seenBy(caller: Caller, state: State): Promise<string> {
  const answers = [
    await caller.post('/v1/projects', state),
    await caller.graphql(READ),
    await caller.get('/v1/risks'),
    await caller.get('/v1/issues'),
    { body: await synced(caller, state) },
    { body: await synced(caller, { ...state, name: 'Renamed' }) },
    await caller.post('/v1/projects', { ...state, risks: [{ reference: 'R-1', owner: 'x'.repeat(201) }] }),
  ]
  const text = JSON.stringify(answers.map(({ body }) => ({ ...body, requestId: undefined })))
  return text.replaceAll(/\b(rsk|iss|prj)_[0-9a-z]{26}/g, '$1')
}

async function openWith(people: readonly (typeof ada)[]): Promise<{ gateway: Gateway; caller: Caller; ids: string[] }> {
  const gateway = openGateway()
  const ids = await gateway.write(async (write) => {
    const added = []
    for (const person of people) added.push((await addPerson(write, person)).id)
    return added
  })
  return { gateway, caller: await gateway.as('projects.manage'), ids }
}

test('a sync by a key without personnel.read is the same whether or not the roster knows who is named', async () => {
  const namesake = { ...ada, email: 'ada2@example.com' }
  const full = await openWith([grace, ada, namesake])
  const [id = ''] = full.ids
  const texts = ['grace@EXAMPLE.com', 'HR-7', id, 'Grace Hopper', 'Ada Lovelace', 'usr_nobody']
  for (const who of texts) {
    const known = await openWith([grace, ada, namesake])
    const empty = await openWith([])
    expect(await seenBy(known.caller, heldBy(who))).toBe(await seenBy(empty.caller, heldBy(who)))
  }
  full.gateway.statements()
  await seenBy(full.caller, heldBy(id))
  // No roster table was read, so response times reveal nothing.
  expect(full.gateway.statements().filter((statement) => /"(person|membership)"/.test(statement))).toEqual([])
})

test('it keeps the sent text as the name, warns once that no person was looked up, and repeats without a change', async () => {
  const { caller } = await openWith([grace])
  for (const who of ['grace@example.com', 'Grace Hopper']) {
    expect((await synced(caller, heldBy(` ${who} `))).warnings).toEqual(WARNINGS)
    expect((await caller.get('/v1/risks')).body.data).toMatchObject([{ ownerId: null, ownerName: who }])
    expect((await caller.get('/v1/issues')).body.data).toMatchObject([{ assigneeId: null, assigneeName: who }])
    const again = { risks: counts(0, 0, 1), issues: counts(0, 0, 1), warnings: WARNINGS }
    expect(await synced(caller, heldBy(who))).toMatchObject(again)
  }
  expect((await synced(caller, heldBy(undefined))).warnings).toEqual([])
  expect((await caller.get('/v1/risks')).body.data).toMatchObject([{ ownerName: 'Grace Hopper' }])
  expect((await synced(caller, heldBy(null))).warnings).toEqual([])
  expect((await caller.get('/v1/risks')).body.data).toMatchObject([{ ownerId: null, ownerName: null }])
})

test.each(['personnel.read', 'personnel.manage'] as const)('with %s people are found', async (scope) => {
  const { gateway, ids } = await openWith([grace])
  const caller = await gateway.as('projects.manage', scope)
  expect((await synced(caller, heldBy('grace@example.com'))).warnings).toEqual([])
  expect((await caller.get('/v1/risks')).body.data).toMatchObject([{ ownerId: ids[0], ownerName: null }])
})

test('a link that another key made stays only where the entry shows the very text that is sent', async () => {
  const { gateway, caller, ids } = await openWith([
    grace,
    { ...grace, name: 'Other', email: 'o@x.org', externalId: 'O' },
  ])
  const able = await gateway.as('projects.manage', 'personnel.read')
  const ownerOf = async () => {
    const [{ ownerId, ownerName }] = (await caller.get('/v1/risks')).body.data
    return [ownerId, ownerName]
  }
  const cases: [linked: string, sent: string | undefined, kept: unknown[], updated: number][] = [
    ['Grace Hopper', 'Grace Hopper', [ids[0], 'Grace Hopper'], 0],
    ['grace@example.com', undefined, [ids[0], null], 0],
    // The result is the same for the owner's own e-mail, another person's or an unknown one.
    ['grace@example.com', 'grace@example.com', [null, 'grace@example.com'], 1],
    ['grace@example.com', 'o@x.org', [null, 'o@x.org'], 1],
    ['grace@example.com', 'nobody@example.com', [null, 'nobody@example.com'], 1],
    ['Grace Hopper', 'grace hopper', [null, 'grace hopper'], 1],
  ]
  for (const [linked, sent, retained, updated] of cases) {
    await synced(able, heldBy(linked))
    const expected = { risks: counts(0, updated, 1 - updated), issues: counts(0, updated, 1 - updated) }
    expect({ linked, sent, ...(await synced(caller, heldBy(sent))) }).toMatchObject({ linked, sent, ...expected })
    expect({ linked, sent, kept: await ownerOf() }).toEqual({ linked, sent, kept: retained })
  }
})
