import { expect, test } from 'vitest'
import { syncPersonnel } from '../../../src/ingest/sync.js'
import { LIMITS } from '../../../src/limits.js'
import type { StatementRun } from '../../../src/store/store.js'
import { type Gateway, type Office, openGateway, type TestResponse } from '../../support/harness.js'
import { counts } from '../../support/syncing.js'

const PATH = '/v1/personnel/batch'
const NONE = { people: counts(0), groups: counts(0), warnings: [] }

const people = (amount: number, from = 0) =>
  Array.from({ length: amount }, (_, n) => ({ name: `Person ${from + n}`, externalId: `HR-${from + n}` }))

async function open(): Promise<Office> {
  const gateway = openGateway()
  return { gateway, caller: await gateway.as('personnel.manage') }
}

/** Everything that a sync could store. */
async function traces({ store }: Gateway): Promise<unknown> {
  const { db, t } = store.read
  const tables = [t.person, t.group, t.membership, t.change]
  return [await store.version(), ...(await Promise.all(tables.map((table) => db.select().from(table))))]
}

const named = async ({ caller }: Office, path: string) =>
  (await caller.get(path)).body.data.map(({ name }: TestResponse['body']) => name)

test('people and groups come in, matched by externalId or e-mail, and again without a change', async () => {
  const office = await open()
  const { gateway, caller } = office
  await caller.post('/v1/personnel', { name: 'Ada', email: 'ada@example.com' })
  const input = {
    groups: [{ name: 'Divers', externalId: 'DIR-1' }, { name: 'Climbers' }],
    people: [
      { name: 'Ada Lovelace', email: 'ADA@example.com', externalId: 'HR-1', groups: ['divers', 'Climbers'] },
      { name: 'Bea', externalId: 'HR-2', title: 'Rigger', groups: ['DIR-1'] },
    ],
  }
  const first = await caller.post(PATH, input)
  expect([first.status, first.body]).toEqual([200, { people: counts(1, 1), groups: counts(2), warnings: [] }])
  const [ada, bea] = (await caller.get('/v1/personnel')).body.data
  expect([ada, bea]).toMatchObject([
    { name: 'Ada Lovelace', externalId: 'HR-1', groups: [{ name: 'Climbers' }, { name: 'Divers' }] },
    { name: 'Bea', title: 'Rigger', groups: [{ name: 'Divers' }] },
  ])
  const before = await traces(gateway)
  const again = await caller.post(PATH, input)
  expect(again.body).toEqual({ people: counts(0, 0, 2), groups: counts(0, 0, 2), warnings: [] })
  expect(((await traces(gateway)) as unknown[]).slice(1)).toEqual((before as unknown[]).slice(1))
  const renamed = { people: [{ externalId: 'HR-2', email: 'bea@example.com', title: null }] }
  expect((await caller.post(PATH, renamed)).body).toEqual({ ...NONE, people: counts(0, 1) })
  expect((await caller.get(`/v1/personnel/${bea.id}`)).body).toMatchObject({ ...renamed.people[0], name: 'Bea' })
})

test('groups are looked up by what the sync gives of them, never all of them', async () => {
  const { gateway } = await open()
  const statements: string[] = []
  const as = { by: 'test', at: () => new Date(), onStatement: ({ text }: StatementRun) => statements.push(text) }
  await gateway.store.write(as, (write) => syncPersonnel(write, { groups: [{ name: 'Divers', externalId: 'DIR-1' }] }))
  const lookUps = statements.filter((text) => /^select .* from "groups"/.test(text))
  expect(lookUps.length).toBeGreaterThan(0)
  expect(lookUps.filter((text) => !text.includes(' where '))).toEqual([])
})

test('groups may list their members instead, also those who come with them', async () => {
  const office = await open()
  const members = { groups: [{ name: 'Divers', members: ['HR-0', 'HR-1'] }], people: people(3) }
  expect((await office.caller.post(PATH, members)).body).toEqual({ people: counts(3), groups: counts(1), warnings: [] })
  expect(await named(office, '/v1/personnel?group=divers')).toEqual(['Person 0', 'Person 1'])
  const fewer = { groups: [{ name: 'DIVERS', members: ['HR-2'] }] }
  expect((await office.caller.post(PATH, fewer)).body).toEqual({ ...NONE, groups: counts(0, 1) })
  expect(await named(office, '/v1/personnel?group=divers')).toEqual(['Person 2'])
})

test('leavers become INACTIVE if they came from keys of the same name, under the limit, all or nothing', async () => {
  const office = await open()
  const { gateway, caller } = office
  const other = await gateway.as('personnel.manage', 'projects.read')
  await caller.post(PATH, { people: people(10) })
  await other.post('/v1/personnel', { name: 'Visitor', externalId: 'X-1' })
  expect((await caller.post(PATH, { people: people(8) })).body).toEqual({ ...NONE, people: counts(0, 0, 8) })
  const before = await traces(gateway)
  const refused = await caller.post(PATH, { people: people(7).concat(people(1, 50)).slice(1), leavers: 'inactive' })
  const detail =
    '4 of 10 active people are missing; at most 3 are set INACTIVE at once. ' +
    'Is the list complete? If so, allow it with leaverLimit: 4.'
  expect([refused.status, refused.body.errors]).toEqual([422, [{ pointer: '/people', detail }]])
  expect(await traces(gateway)).toEqual(before)
  const left = await caller.post(PATH, { people: people(8), leavers: 'INACTIVE' })
  const warning = 'One active person is not in the list, and left as they are: this source has never written them.'
  expect(left.body).toEqual({
    ...{ people: counts(0, 0, 8, 2), groups: counts(0) },
    warnings: [{ pointer: '/people', detail: warning }],
  })
  expect(await named(office, '/v1/personnel?status=INACTIVE')).toEqual(['Person 8', 'Person 9'])
  const back = await caller.post(PATH, { people: people(9), leavers: 'INACTIVE', leaverLimit: 0 })
  expect(back.body.people).toEqual(counts(0, 1, 8))
})

const MANY = Array(LIMITS.syncMembershipsMax / 2).fill('x')

const BAD: [input: Record<string, unknown>, pointers: string][] = [
  [{ people: [...people(600), { name: 'x', email: 'nobody' }] }, '/people/600/email'],
  [{ people: [{ name: 'x' }] }, '/people/0/email'],
  [{ people: [...people(2), ...people(1)] }, '/people/2/externalId'],
  [{ people: [{ externalId: 'HR-1', groups: ['Nowhere'] }] }, '/people/0/name /people/0/groups'],
  [{ groups: [{ name: 'Divers' }, { name: 'DIVERS' }] }, '/groups/1/name'],
  [{ groups: [{ name: 'Divers', members: ['Nemo'] }] }, '/groups/0/members'],
  // What follows from another violation is left out.
  [{ groups: [{ name: '' }], people: [{ ...people(1)[0], groups: ['Divers'] }] }, '/groups/0/name'],
  [{ groups: [{ name: 'Divers', members: ['HR-0'] }], people: [{ externalId: 'HR-0' }] }, '/people/0/name'],
  [{ groups: [{ name: 'Divers', members: [] }], people: [{ ...people(1)[0], groups: [] }] }, '/groups'],
  [{ leavers: 'INACTIVE' }, '/leavers'],
  [{ people: people(1), leavers: 'INACTIVE', leaverLimit: -1 }, '/leaverLimit'],
  [{ people: people(1), leavers: 'FIRED' }, '/leavers'],
  [{ persons: [] }, '/persons'],
  [{ people: Array(LIMITS.syncRecordsMax + 1).fill({}) }, '/people'],
  [{ people: people(3).map((one) => ({ ...one, groups: MANY })) }, '/people'],
  [{ groups: ['A', 'B', 'C'].map((name) => ({ name, members: MANY })) }, '/groups'],
]

test('a bad record is refused by its pointer, and nothing is stored', async () => {
  const { gateway, caller } = await open()
  const before = await traces(gateway)
  for (const [input, pointers] of BAD) {
    const { status, body } = await caller.post(PATH, input)
    const found = body.errors?.map(({ pointer }: { pointer: string }) => pointer)
    expect({ input: JSON.stringify(input).slice(0, 99), status, found }).toEqual({
      ...{ input: JSON.stringify(input).slice(0, 99), status: 422, found: pointers.split(' ') },
    })
  }
  expect(await traces(gateway)).toEqual(before)
})

test('an Idempotency-Key is honoured, and GraphQL does the same', async () => {
  const { caller } = await open()
  const send = () =>
    caller.request(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'batch-1' },
      body: JSON.stringify({ people: people(2) }),
    })
  const [first, second] = [await send(), await send()]
  expect([first.body, second.body]).toEqual([first.body, { ...NONE, people: counts(2) }])
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  const query = `mutation ($input: SyncPersonnelInput!) { syncPersonnel(input: $input) {
    people { created unchanged } groups { created } warnings { pointer detail } } }`
  const { body } = await caller.graphql(query, { input: { people: people(3) } })
  expect(body).toEqual({
    data: { syncPersonnel: { people: { created: 1, unchanged: 2 }, groups: { created: 0 }, warnings: [] } },
  })
})

test('a large batch is stored at once, and other requests are served meanwhile', async () => {
  const { caller } = await open()
  const answer = caller.post(PATH, { people: people(5_000) })
  let reads = 0
  let isOver = false
  const over = answer.then(() => {
    isOver = true
  })
  while (!isOver) {
    expect((await caller.get('/v1/key')).status).toBe(200)
    if (!isOver) reads += 1
    await new Promise(setImmediate)
  }
  await over
  expect((await answer).body.people).toEqual(counts(5_000))
  expect(reads).toBeGreaterThan(5)
})
