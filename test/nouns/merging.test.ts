import { expect, test } from 'vitest'
import { lines, openDesk } from '../ingest/importing.js'
import { openOffice } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { synced } from '../support/syncing.js'

async function open() {
  const { gateway, caller } = await openOffice()
  const group = async (name: string) => (await caller.post('/v1/groups', { name })).body.id
  const [divers, welders] = [await group('Divers'), await group('Welders')]
  const add = async (body: object) => (await caller.post('/v1/personnel', body)).body.id as string
  const old = await add({ name: 'A. King', email: 'king@example.com', externalId: 'HR-9', groupIds: [divers] })
  const ada = await add({ name: 'Ada King', email: 'ada@example.com', groupIds: [divers, welders] })
  const project = {
    ...{ key: 'PIER', name: 'Pier' },
    risks: [
      { reference: 'R-1', title: 'Flood', owner: 'king@example.com' },
      { reference: 'R-2', title: 'Fog', owner: 'HR-9', status: 'CLOSED' },
    ],
    issues: [{ reference: 'I-1', title: 'No crane', severity: 'LOW', assignee: old }],
  }
  await synced(caller, { ...project, mode: 'PARTIAL' })
  const command = (...args: string[]) => runHere('.', [...args, '--database', gateway.own.url])
  const owners = () =>
    gateway.own.values(`select risk.reference, owner_id, assignee_id from risk join project on project.id = risk.project_id
      left join issue on issue.project_id = project.id where key = 'PIER' order by 1`)
  return { gateway, caller, old, ada, divers, project, command, owners }
}

test('what one record of a person has moves to the other, the old id stays and says where, and it can be undone', async () => {
  const { caller, old, ada, project, command, owners } = await open()
  const before = [await owners(), (await caller.get(`/v1/personnel/${old}`)).body]
  const { code, stdout } = await command('merge', 'HR-9', 'INTO', 'ADA@example.com', '--as', 'Grace', '--json')
  const merged = JSON.parse(stdout)
  expect([code, merged]).toEqual([0, { id: old, mergedInto: ada, importId: expect.any(String), risks: 2, issues: 1 }])
  expect(owners()).toEqual([
    ['R-1', ada, ada],
    ['R-2', ada, ada],
  ])
  const shown = (await caller.get(`/v1/personnel/${old}`)).body
  expect(shown).toMatchObject({ status: 'INACTIVE', groups: [], mergedInto: { id: ada, name: 'Ada King' } })
  const query = `{ person(id: "${old}") { mergedInto { id mergedInto { id } } history { nodes { import { operator } fields { field from to } } } } }`
  const { mergedInto, history } = (await caller.graphql(query)).body.data.person
  expect(mergedInto).toEqual({ id: ada, mergedInto: null })
  expect(history.nodes.at(-1)).toEqual({
    import: { operator: 'Grace' },
    fields: [
      { field: 'status', from: 'ACTIVE', to: 'INACTIVE' },
      { field: 'mergedInto', from: null, to: ada },
      { field: 'groups', from: 'Divers', to: null },
    ],
  })

  const misspelt = await caller.get('/v1/risks?owner=a.%20kin')
  expect(misspelt.body.detail).toMatch(/^owner: There is no person 'a\. kin'\. (?!.*A\. King)/)

  // The source still names the old one by e-mail and externalId.
  await synced(caller, { ...project, issues: null, mode: 'PARTIAL' })
  await caller.post('/v1/personnel/batch', { people: [{ externalId: 'HR-9', status: 'ACTIVE', title: 'Fellow' }] })
  expect(owners().map(([, owner]) => owner)).toEqual([ada, ada])
  expect((await caller.patch(`/v1/personnel/${old}`, { status: 'ACTIVE' })).status).toBe(409)
  expect((await caller.get(`/v1/personnel/${old}`)).body).toMatchObject({ status: 'INACTIVE', title: null })

  await command('undo', merged.importId, '--yes')
  expect([await owners(), (await caller.get(`/v1/personnel/${old}`)).body]).toEqual([
    before[0],
    { ...before[1], updatedAt: expect.any(String) },
  ])
  expect((await command('check')).code).toBe(0)
})

test('two who were merged one way and then the other are never merged into each other', async () => {
  const { gateway, old, ada, command, owners } = await open()
  const merge = async (...[one, other]: string[]) =>
    JSON.parse((await command('merge', one ?? '', 'into', other ?? '', '--json')).stdout).importId as string
  const undo = async (id: string) => JSON.parse((await command('undo', id, '--yes', '--json')).stdout)
  const first = await undo(await merge(old, ada))
  const second = await merge(ada, old)
  const refused = await undo(first.importId)
  expect(refused).toMatchObject({ restored: 0, closed: 0, left: expect.any(Number) })
  expect(JSON.stringify(refused.entities)).toContain(`status: Ada King (${ada}) was merged or erased since.`)
  const people = () =>
    gateway.own.values(`select id, status, merged_into from person where id in ('${old}', '${ada}') order by 1`)
  expect(people()).toEqual([
    [old, 'ACTIVE', null],
    [ada, 'INACTIVE', old],
  ])
  expect(owners().map(([, owner]) => owner)).toEqual([old, old])
  expect((await command('check')).code).toBe(0)
  await undo(second)
  await undo(first.importId)
  expect(people()).toEqual([
    [old, 'INACTIVE', ada],
    [ada, 'ACTIVE', null],
  ])
  expect(owners().map(([, owner]) => owner)).toEqual([ada, ada])
})

test('lists and registers that still name the old record take nothing from the new one, and both are erased together', async () => {
  const desk = openDesk()
  const put = (noun: string, ...given: string[]) => desk.importSheet(noun, desk.put(`${noun}.csv`, lines(...given)))
  const command = (...args: string[]) => runHere(desk.folder, [...args, '--database', desk.own.url])
  await put('people', 'externalId,name,email', 'E1,A. King,king@example.com', 'E2,Ada Byron,ada@example.com')
  await desk.importSheet('projects', desk.put('projects.csv', lines('key,name', 'PIER,Pier')))
  const risks = ['project,reference,title,owner', 'PIER,R-1,Flood,A. King']
  await put('risks', ...risks)
  await command('merge', 'E1', 'into', 'E2')
  const [ada] = desk.list("select id from person where external_id = 'E2'")
  expect(await put('risks', ...risks)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('nothing has changed'),
  })
  expect(desk.list('select owner_id from risk')).toEqual([ada])

  desk.put('hr.csv', lines('externalId,name,email,title', 'E1,A. King,king@example.com,Fellow'))
  const listed = await desk.importSheet('people', 'hr.csv', '--missing', 'inactive')
  expect(listed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`A. King is merged into ${ada}: the row is left out.`),
  })
  expect(desk.rows('select status, title from person order by external_id')).toEqual([
    ['INACTIVE', null],
    ['ACTIVE', null],
  ])
  expect(await put('people', 'externalId,name,email', 'E2,Ada Byron,king@example.com')).toMatchObject({ code: 0 })
  expect((await command('erase', 'E2', '--yes')).code).toBe(0)
  expect(desk.rows('select distinct email, external_id from person')).toEqual([[null, null]])
})

test('a merge into oneself, of someone erased or of someone merged already is refused with words', async () => {
  const { gateway, old, ada, command } = await open()
  const [[eve] = []] = gateway.own.values(`select id from person where id not in ('${old}', '${ada}')`)
  await command('erase', String(eve), '--yes')
  await command('merge', old, 'into', ada)
  const stored = gateway.own.dump()
  const refusals = [
    [['merge', ada, 'into', 'ada@example.com'], 1, `Both are the same person, Ada King (${ada}).`],
    [['merge', String(eve), 'into', ada], 1, `The person ${eve} was erased at `],
    [['merge', old, 'into', ada], 1, `A. King (${old}) was merged into ${ada} already. Name that one.`],
    [['merge', ada, 'into', old], 1, `A. King (${old}) was merged into ${ada} already. Name that one.`],
    [['merge', 'nobody', 'into', ada], 1, 'There is no person with the user id, e-mail or externalId "nobody".'],
    [['merge', ada, 'onto', old], 2, 'Write: operations merge OLD into NEW.'],
  ] as const
  for (const [args, code, words] of refusals) {
    expect(await command(...args)).toEqual({ code, stdout: '', stderr: expect.stringContaining(words) })
  }
  expect(gateway.own.dump()).toEqual(stored)
})
