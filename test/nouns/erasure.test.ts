import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { engine } from '../support/engine.js'
import { NOW } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { synced } from '../support/syncing.js'
import { erase, historyOf, imported, LATER, openWithQuilla, traces } from './erasing.js'

test('an erased person is blank and in no group, keeps the id, and is off the roster', async () => {
  const stage = await openWithQuilla()
  const { gateway, caller, groupId, id } = stage
  const { code, stdout, stderr } = await runHere('.', [
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
    ...{ id, name: 'Erased person', status: 'INACTIVE', groups: [], details: [], mergedInto: null },
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
    expect(await imported(stage, `${noun}s`, records.slice(3), 'BELL')).toMatchObject({ violations: [] })
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
    stderr: 'There is no person with the user id, e-mail or externalId "usr_nobody".\n',
  })
  expect(await traces(stage)).toEqual(before)
})
