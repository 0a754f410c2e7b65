import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { SheetNoun } from '../../src/ingest/files/nouns.js'
import { importRecords } from '../../src/ingest/importers.js'
import { erasePerson } from '../../src/personnel/erasure.js'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { engine } from '../support/engine.js'
import { addGroup } from '../support/fixtures.js'
import { type Caller, type Gateway, NOW, openGateway } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { operations } from '../support/process.js'
import { synced } from '../support/syncing.js'

const LATER = new Date('2026-11-03T10:00:00.000Z')
const QUILLA = {
  name: 'Quilla Zyxwvut',
  email: 'Quilla@zyx.example',
  externalId: 'ZYX-4711',
  title: 'Xylographer',
  department: 'Qanats',
}

interface QuillasStage {
  readonly gateway: Gateway
  readonly caller: Caller
  readonly groupId: string
  readonly id: string
}

/** Quilla, who had another name before, in a group; the clock is at LATER. */
async function openWithQuilla(): Promise<QuillasStage> {
  const gateway = openGateway()
  const caller = await gateway.as('personnel.manage', 'projects.manage')
  const groupId = await gateway.write((write) => addGroup(write, { name: 'Bellfounders' }))
  const before = { ...QUILLA, name: 'Quilla Vwxyz', email: 'vwxyz@zyx.example', groupIds: [groupId] }
  const { id } = (await caller.post('/v1/personnel', before)).body
  await caller.patch(`/v1/personnel/${id}`, { name: QUILLA.name, email: QUILLA.email })
  await caller.post('/v1/personnel', { name: 'Ada', email: 'ada@example.com', groupIds: [groupId] })
  gateway.clock.now = LATER
  return { gateway, caller, groupId, id }
}

const erase = ({ gateway, id }: QuillasStage) => gateway.write((write) => erasePerson(write, id))

/** The flaws of an import of these records, which are stored if there are none. */
async function imported(
  { gateway }: QuillasStage,
  noun: SheetNoun,
  records: Record<string, unknown>[],
  project?: string,
) {
  const wording = { place: String, createProjects: '', createGroups: '', closeLimit: '' }
  const sourceRecords = records.map((values, index) => ({ index, values }))
  return gateway
    .write(async (write) => {
      const { flaws, counts } = await importRecords(write, noun, sourceRecords, {
        wording,
        project,
        createProjects: true,
        matchPeople: true,
      })
      if (flaws.length > 0) throw Object.assign(new Error('refused'), { flaws, counts })
      return { flaws, counts }
    })
    .catch((refused: { flaws: readonly object[]; counts: object }) => refused)
}

/** All stored rows except keys. */
async function traces({ gateway: { store } }: QuillasStage): Promise<unknown> {
  const { db, t } = store.read
  const tables = [t.person, t.group, t.membership, t.project, t.risk, t.issue, t.change]
  return [await store.version(), ...(await Promise.all(tables.map((table) => db.select().from(table))))]
}

async function historyOf(caller: Caller, noun: string, id: string) {
  const query = `query ($id: ID!) { ${noun}(id: $id) { history { nodes { action by recordedAt fields { field from to } } } } }`
  return (await caller.graphql(query, { id })).body.data[noun].history.nodes
}

test('an erased person is blank and in no group, keeps the id, and is off the roster', async () => {
  const stage = await openWithQuilla()
  const { gateway, caller, groupId, id } = stage
  const { code, stdout, stderr } = await operations('.', [
    'erase',
    'QUILLA@zyx.example',
    '--yes',
    '--database',
    gateway.own.url,
  ])
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toMatch(
    new RegExp(`^The person ${id} is erased: .*\nBlanked as well: 2 changes .* 0 risks and issues`),
  )
  const { body } = await caller.get(`/v1/personnel/${id}`)
  expect(body).toEqual({
    ...{ id, name: 'Erased person', status: 'INACTIVE', groups: [], details: [] },
    ...{ email: null, externalId: null, title: null, department: null },
    ...{ createdAt: NOW.toISOString(), updatedAt: expect.any(String) },
  })
  expect((await caller.get('/v1/personnel')).body.data).toMatchObject([{ name: 'Ada' }])
  expect((await caller.get(`/v1/groups/${groupId}`)).body.memberCount).toBe(1)
  for (const filter of ['search=quilla', 'email=quilla@zyx.example', 'externalId=ZYX-4711', `group=${groupId}`]) {
    const { data } = (await caller.get(`/v1/personnel?status=active,inactive&${filter}`)).body
    expect(data.filter((person: { id: string }) => person.id === id)).toEqual([])
  }
})

test('their history keeps that and when something changed, but not what', async () => {
  const stage = await openWithQuilla()
  const before = await historyOf(stage.caller, 'person', stage.id)
  await erase(stage)
  const lost = (field: string, from = true) => ({ field, from: from ? '(erased)' : null, to: '(erased)' })
  const [added, changed] = before
  expect(await historyOf(stage.caller, 'person', stage.id)).toEqual([
    {
      ...added,
      fields: [
        ...['name', 'email', 'externalId', 'title', 'department'].map((field) => lost(field, false)),
        { field: 'status', from: null, to: 'ACTIVE' },
        lost('groups', false),
      ],
    },
    { ...changed, fields: [lost('name'), lost('email')] },
    { action: 'ERASED', by: 'cli', recordedAt: LATER.toISOString(), fields: [] },
  ])
})

/** How a source record can name an owner or assignee, and whether the name is erased with Quilla. */
const NAMED: [how: string, owner: Record<string, string>, goes: boolean][] = [
  ['by name', { owner: 'Quilla Zyxwvut' }, true],
  ['by name in another case', { owner: 'QUILLA zyxwvut' }, true],
  ['by e-mail, with a name as the source writes it', { owner: 'quilla@zyx.example', ownerName: 'Q. Zyxwvut' }, true],
  ['by a name that nobody had then', { ownerName: 'Quilla Zyxwvut' }, true],
  ['by an e-mail in the place of the name', { ownerName: 'Quilla@zyx.example' }, true],
  ['by a name that she had before', { ownerName: 'Quilla Vwxyz' }, true],
  ['as someone else of the same name', { owner: 'namesake@zyx.example', ownerName: 'Quilla Zyxwvut' }, false],
  ['as someone else', { owner: 'ada@example.com', ownerName: 'A. Lovelace' }, false],
  ['as a stranger', { owner: 'Quill Zyxwvut' }, false],
]

test.each([
  ['risk', 'owner'],
  ['issue', 'assignee'],
] as const)(
  'the name is gone from each %s that she handles or is named in, and from its history',
  async (noun, attribute) => {
    const stage = await openWithQuilla()
    const { gateway, caller } = stage
    const named = (messages: Record<string, string>) =>
      Object.fromEntries(Object.entries(messages).map(([name, text]) => [name.replace('owner', attribute), text]))
    const records = NAMED.map(([how, messages], index) => ({
      reference: `${index}`,
      title: how,
      severity: 'LOW',
      ...named(messages),
    }))
    // Her name is unique during the first import; then another person has it too.
    await imported(stage, `${noun}s`, records.slice(0, 3), 'BELL')
    await caller.post('/v1/personnel', { name: 'Quilla Zyxwvut', email: 'namesake@zyx.example' })
    expect(await imported(stage, `${noun}s`, records.slice(3), 'BELL')).toMatchObject({ flaws: [] })
    const rows = async () =>
      (await gateway.store.read.db
        .select()
        .from(gateway.store.read.t[noun])
        .orderBy(gateway.store.read.t[noun].id)) as Record<string, unknown>[]
    const before = await rows()
    await erase(stage)
    const field = `${attribute}Name`
    const expected = NAMED.map(([how, messages, goes]) => {
      const name = goes ? null : (messages['ownerName'] ?? messages['owner'])
      const history = [goes ? '(erased)' : name, ...(goes ? ['(erased) > null'] : [])]
      return { how, name, history }
    })
    const found = []
    for (const row of await rows()) {
      const lines = await historyOf(caller, noun, String(row['id']))
      const changes = lines.flatMap(({ fields }: { fields: { field: string; from: string; to: string }[] }) =>
        fields.filter((one) => one.field === field).map(({ from, to }) => (from === null ? to : `${from} > ${to}`)),
      )
      found.push({ how: row['title'], name: row[field], history: changes })
    }
    expect(found).toEqual(expected)
    const rest = (all: Record<string, unknown>[]) => all.map(({ [field]: _, updatedAt: __, ...row }) => row)
    expect(rest(await rows())).toEqual(rest(before))
  },
)

test('what she handled before, and someone else does now, keeps the other name alone', async () => {
  const stage = await openWithQuilla()
  for (const who of ['quilla zyxwvut', 'ada']) {
    await synced(stage.caller, { key: 'BELL', name: 'Bell', risks: [{ reference: 'R', title: 'Crack', owner: who }] })
  }
  await erase(stage)
  const [risk] = (await stage.caller.get('/v1/risks')).body.data
  expect(risk.ownerName).toBe('ada')
  const [added, passed] = await historyOf(stage.caller, 'risk', risk.id)
  expect(added.fields).toContainEqual({ field: 'ownerName', from: null, to: '(erased)' })
  expect(passed.fields).toContainEqual({ field: 'ownerName', from: '(erased)', to: 'ada' })
})

test.runIf(engine === 'sqlite')('no byte of her name, e-mail or externalId is left in the file', async () => {
  const stage = await openWithQuilla()
  const people = Array.from({ length: 300 }, (_, index) => ({
    name: `Person ${index}`,
    email: `p${index}@example.com`,
  }))
  await imported(stage, 'people', people)
  const owners = ['Quilla Zyxwvut', 'quilla@zyx.example', 'ada']
  const risks = Array.from({ length: 300 }, (_, index) => ({
    reference: `${index}`,
    title: 'T',
    owner: owners[index % 3],
  }))
  await synced(stage.caller, { key: 'BELL', name: 'Bell', risks })
  const texts = ['quilla', 'zyxwvut', 'vwxyz', 'zyx.example', 'zyx-4711', 'xylographer', 'qanats']
  const { own, store } = stage.gateway
  const { file } = own
  const left = () => {
    const bytes = ['', '-wal'].map((suffix) => readFileSync(`${file}${suffix}`, 'latin1')).join('')
    return texts.filter((text) => bytes.toLowerCase().includes(text))
  }
  expect(left()).toEqual(texts)
  await erase(stage)
  const connection = openDatabase(file)
  connection.pragma('wal_checkpoint(truncate)')
  connection.close()
  expect(left()).toEqual([])
  expect((await store.read.db.select().from(store.read.t.person)).length).toBe(302)
})

test('nothing of anybody else changes', async () => {
  const stage = await openWithQuilla()
  await imported(stage, 'risks', [{ reference: 'R', title: 'Crack', owner: 'ada' }], 'BELL')
  const { db, t } = stage.gateway.store.read
  const others = async () => [
    (await db.select().from(t.person)).filter(({ id }) => id !== stage.id),
    (await db.select().from(t.membership)).filter(({ personId }) => personId !== stage.id),
    (await db.select().from(t.change)).filter(({ entityId }) => entityId !== stage.id),
    ...[await db.select().from(t.group), await db.select().from(t.risk), await db.select().from(t.project)],
  ]
  const before = await others()
  await erase(stage)
  expect(await others()).toEqual(before)
})

test('erasing twice, or an unknown person, gives an error and exit code 1, and changes nothing', async () => {
  const stage = await openWithQuilla()
  await erase(stage)
  const before = await traces(stage)
  const run = (id: string) => runHere('.', ['erase', id, '--yes', '--database', stage.gateway.own.url])
  const [twice, nobody] = await Promise.all([run(stage.id), run('usr_nobody')])
  const again = `This person was already erased at ${LATER.toISOString()}.\n`
  expect(twice).toEqual({ code: 1, stdout: '', stderr: again })
  expect(nobody).toEqual({
    code: 1,
    stdout: '',
    stderr: 'There is no person with the user id or e-mail "usr_nobody".\n',
  })
  expect(await traces(stage)).toEqual(before)
})

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
  ['an import', (stage) => imported(stage, 'people', [{ id: stage.id, ...QUILLA }]), { flaws: [{ field: 'id' }] }],
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
    { flaws: [{ field: 'members' }] },
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
  expect(await imported(stage, 'people', [QUILLA])).toMatchObject({ flaws: [], counts: { created: 1, updated: 0 } })
  const [again] = (await stage.caller.get('/v1/personnel?externalId=ZYX-4711')).body.data
  expect(again).toMatchObject({ ...QUILLA, status: 'ACTIVE', groups: [] })
  expect(again.id).not.toBe(stage.id)
  const risks = [{ reference: 'R', title: 'Crack', owner: QUILLA.email }]
  await synced(stage.caller, { key: 'BELL', name: 'Bell', risks })
  expect((await stage.caller.get('/v1/risks')).body.data).toMatchObject([{ ownerId: again.id }])
  expect((await stage.caller.get(`/v1/personnel/${stage.id}`)).body).toMatchObject({ name: 'Erased person' })
})
