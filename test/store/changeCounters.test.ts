import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { mintKey, revokeKey } from '../../src/auth/keys.js'
import { erasePerson } from '../../src/personnel/erasure.js'
import { addMember, addPerson, changePerson } from '../../src/personnel/people.js'
import { CHANGE_COUNTERS, type ChangeCounter } from '../../src/store/changeCounters.js'
import { inOneWrite } from '../../src/store/shortWrites.js'
import type { Write } from '../../src/store/store.js'
import { anyQuery, EVERYTHING_STORED, type RandomQuery } from '../oracle/queries.js'
import { ada, addGroup, addIssue, addProject, addRisk, issue, project, risk } from '../support/fixtures.js'
import { type Caller, type Gateway, openFilled, openGateway, type TestResponse } from '../support/harness.js'
import type { TestStore } from '../support/stores.js'

async function openCompany() {
  const { gateway, company } = await openFilled()
  const [personId = '', projectId = '', groupId = ''] = [
    company.personIds[6],
    company.projectIds[0],
    company.groupIds[2],
  ]
  await gateway.write((write) => addRisk(write, risk(projectId, { ownerId: personId, ownerName: 'Chen Li' })))
  const key = await gateway.write((write) => mintKey(write, { name: 'Old', scopes: [], expiresAt: undefined }))
  return { gateway, ids: { personId, projectId, groupId, keyId: key.id } }
}

type Ids = Awaited<ReturnType<typeof openCompany>>['ids']

/** Every kind of change, and the change counters that it raises. */
const CHANGES = {
  'a new person': { changes: ['personnel', 'history'], make: (write) => addPerson(write, ada) },
  'a new name': {
    changes: ['personnel', 'personnelUpdates', 'history'],
    make: (write, { personId }) => changePerson(write, personId, { name: 'New' }),
  },
  'a new group': { changes: ['personnelUpdates', 'history'], make: (write) => addGroup(write, { name: 'New' }) },
  'a new member': {
    changes: ['personnel', 'personnelUpdates', 'history'],
    make: (write, { groupId, personId }) => addMember(write, groupId, personId),
  },
  'an erased owner': {
    changes: ['personnel', 'personnelUpdates', 'projects', 'history'],
    make: (write, { personId }) => erasePerson(inOneWrite(write), personId),
  },
  'a new project': { changes: ['projects', 'history'], make: (write) => addProject(write, project({ key: 'NEW' })) },
  'a new risk': {
    changes: ['projects', 'history'],
    make: (write, { projectId }) => addRisk(write, risk(projectId, { reference: 'NEW' })),
  },
  'a new issue': {
    changes: ['projects', 'history'],
    make: (write, { projectId }) => addIssue(write, issue(projectId)),
  },
  'a new key': {
    changes: ['keys'],
    make: (write) => mintKey(write, { name: 'New', scopes: [], expiresAt: undefined }),
  },
  'a revoked key': { changes: ['keys'], make: (write, { keyId }) => revokeKey(write, keyId) },
} satisfies Record<string, { changes: readonly ChangeCounter[]; make: Make }>
type Change = keyof typeof CHANGES
type Make = (write: Write, ids: Ids) => Promise<unknown>
const making = (change: Change): Make => CHANGES[change].make

const countOf = (version: string) => Number(version.split('-')[0])
const nonceOf = (version: string) => Number(version.split('-')[1])

test.each(Object.entries(CHANGES))('%s raises the change counters that it affects', async (_, { changes, make }) => {
  const { gateway, ids } = await openCompany()
  const before = await gateway.store.versions()
  await gateway.write<unknown>((write) => make(write, ids))
  const after = await gateway.store.versions()
  expect(CHANGE_COUNTERS.filter((counter) => after[counter] !== before[counter])).toEqual(changes)
  expect(countOf(after.all)).toBe(countOf(before.all) + 1)
})

test('a refused write of a batch raises no counter', async () => {
  const { gateway, ids } = await openCompany()
  const before = await gateway.store.versions()
  const refused = (write: Write) => addRisk(write, risk('prj_none'))
  await Promise.allSettled([
    gateway.write((write) => CHANGES['a new key'].make(write)),
    gateway.write(refused),
    gateway.write((write) => CHANGES['a new name'].make(write, ids)),
  ])
  const { keys, personnel, projects } = await gateway.store.versions()
  expect([keys, personnel].map(countOf)).toEqual([before.keys, before.personnel].map((one) => countOf(one) + 1))
  expect(projects).toBe(before.projects)
  // They are two writes, although committed together.
  expect(nonceOf(keys)).not.toBe(nonceOf(personnel))
})

/** Random queries that name nobody, and everything that is stored. */
const ASKED: readonly RandomQuery[] = [
  ...EVERYTHING_STORED,
  ...fc.sample(anyQuery, { seed: 7, numRuns: 60 }).filter((one) => !JSON.stringify(one).includes('«')),
]

test('after a change no response is served that was stored before it', async () => {
  const { gateway, ids } = await openCompany()
  const sameStore: TestStore = Object.assign(Object.create(gateway.own), { remove: () => undefined })
  const uncached = openGateway({ responseCacheBytesMax: 0 }, onTestFinished, sameStore)
  const { authorization } = await gateway.as('personnel.manage', 'projects.manage')
  const responses = (of: Gateway) =>
    Promise.all(
      ASKED.map(async ({ query, variables }) => (await of.with(authorization).graphql(query, variables)).text),
    )
  await responses(gateway)
  for (const { make } of Object.values<{ make: Make }>(CHANGES)) {
    await gateway.write((write) => make(write, ids))
    expect(await responses(gateway)).toEqual(await responses(uncached))
  }
})

/** Requests, changes that they cannot show, and changes that they may. */
const QUESTIONS: [string, (caller: Caller) => Promise<TestResponse>, Change, Change][] = [
  ['risks', (caller) => caller.graphql('{ risks { nodes { ownerId } } }'), 'a new person', 'a new risk'],
  ['movements', (caller) => caller.get('/v1/movements?since=2026-01-01'), 'a new key', 'a new risk'],
  ['overdue', (caller) => caller.get('/v1/overdue?on=2040-01-01'), 'a new person', 'a new risk'],
  ['risks with their owners', (caller) => caller.get('/v1/risks'), 'a new key', 'a new name'],
  ['issues', (caller) => caller.graphql('{ issues { nodes { assigneeId } } }'), 'a new person', 'a new issue'],
  ['projects', (caller) => caller.get('/v1/projects'), 'a new member', 'a new issue'],
  ['people', (caller) => caller.get('/v1/personnel'), 'a new risk', 'a new member'],
  ['groups', (caller) => caller.get('/v1/groups'), 'a new issue', 'a new group'],
  ['owners', (caller) => caller.graphql('{ risks { nodes { owner { name } } } }'), 'a new key', 'a new name'],
  [
    'owners, by edges',
    (caller) => caller.graphql('{ risks { edges { node { owner { name } } } } }'),
    'a new key',
    'a new name',
  ],
  [
    'lines of history',
    (caller) => caller.graphql('{ risks(first: 1) { nodes { history { nodes { action } } } } }'),
    'a new key',
    'a new person',
  ],
  [
    'people as CSV',
    (caller) => caller.request('/v1/personnel', { headers: { accept: 'text/csv' } }),
    'a new risk',
    'a new name',
  ],
]

test.each(QUESTIONS)(
  '%s stay cached after changes that they cannot show, and are read again after others',
  async (...row) => {
    const [, call, unseen, seen] = row
    const { gateway, ids } = await openCompany()
    const caller = await gateway.as('personnel.read', 'projects.read')
    const statements = async () => {
      expect((await call(caller)).status).toBe(200)
      return JSON.parse(gateway.log.at(-1) ?? '').statements as number
    }
    expect(await statements()).toBeGreaterThan(0)
    await gateway.write((write) => making(unseen)(write, ids))
    expect(await statements()).toBe(0)
    await gateway.write((write) => making(seen)(write, ids))
    expect(await statements()).toBeGreaterThan(0)
  },
)

test('a key is looked up again after a change of the keys alone', async () => {
  const { gateway, ids } = await openCompany()
  const caller = await gateway.as('personnel.read')
  await caller.get('/v1/key')
  const lookUps = async (change: Change) => {
    await gateway.write((write) => making(change)(write, ids))
    gateway.statements()
    await caller.get('/v1/key')
    // The last use of a key is stored later, at any time.
    return gateway.statements().filter((one) => one.startsWith('select') && one.includes('api_key')).length
  }
  expect([await lookUps('a new person'), await lookUps('a new key')]).toEqual([0, 1])
})
