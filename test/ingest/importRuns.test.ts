import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sourceOf } from '../../src/ingest/imports.js'
import { type Caller, openOffice } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { newFolder } from '../support/process.js'
import { BRIDGE, sync } from '../support/syncing.js'
import { lines, openDesk } from './importing.js'

const PEOPLE = lines('name,email', 'Ada,ada@example.com', 'Grace,grace@example.com')

test('each import that changes something is listed with its source, its file, its operator and its counts', async () => {
  const desk = openDesk()
  const imports = async (...args: string[]) =>
    (await runHere(desk.folder, ['imports', ...args, '--database', desk.own.url])).stdout
  desk.put('people-2026-11-17.csv', PEOPLE)
  desk.put('team.csv', lines('name,email', 'Ada King,ada@example.com'))
  const { report } = await desk.report('people', 'people-2026-11-17.csv')
  await desk.report('people', 'people-2026-11-17.csv')
  await desk.report('people', 'team.csv', '--dry-run')
  const second = await desk.report('people', 'team.csv', '--source', 'HR', '--as', 'Charles')
  const [first, renamed] = [report.files[0]?.importId, second.report.files[0]?.importId]
  const runs = JSON.parse(await imports('--json'))
  const sha256 = createHash('sha256').update(PEOPLE).digest('hex')
  const common = { kind: 'IMPORT', noun: 'people', by: 'cli', undoes: null }
  const none = { created: 0, updated: 0, unchanged: 0, closed: 0 }
  expect(runs).toMatchObject([
    { ...common, ...none, id: renamed, source: 'HR', file: 'team.csv', operator: 'Charles', updated: 1 },
    { ...common, ...none, id: first, source: 'people', file: 'people-2026-11-17.csv', sha256, created: 2 },
  ])
  expect(runs[1].operator).toBe(userInfo().username)
  expect(JSON.parse(await imports('--source', 'people', '--json'))).toEqual([runs[1]])
  expect(await imports('--limit', '1')).toMatch(
    new RegExp(`^id +time .*\n${renamed} .*  HR +team.csv  Charles +0 created, 1 u`),
  )
  expect(JSON.parse(await imports(String(first), '--json'))).toEqual({ ...runs[1], changed: { PERSON: 2 } })
  const { stderr } = await runHere(desk.folder, ['import', 'people', 'team.csv', '--database', desk.own.url])
  expect(stderr).toBe('team.csv: nothing has changed, 1 unchanged.\n')
  desk.put('team.csv', lines('name,email', 'Ada,ada@example.com'))
  const last = await runHere(desk.folder, ['import', 'people', 'team.csv', '--database', desk.own.url])
  expect(last.stderr).toMatch(
    /^team.csv: 1 updated, 0 unchanged\.\n {2}This is imp_\w{26}; to undo it: operations undo imp_/,
  )
})

test('a sync that changes something is a run of its key', async () => {
  const { gateway, caller } = await openOffice()
  await sync(caller, BRIDGE)
  await sync(caller, BRIDGE)
  const runs = gateway.own.rows('select kind, noun, source, file, operator, created from import_run')
  const source = 'personnel.manage projects.manage'
  expect(runs).toEqual([{ kind: 'SYNC', noun: 'BRIDGE', source, file: null, operator: null, created: 5 }])
  expect(gateway.own.values('select count(*) from change where import_id is not null')).toEqual([[5]])
})

test('who may manage an entity sees the import of each change, in both APIs and in the command', async () => {
  const { gateway, caller } = await openOffice()
  const { id } = (await caller.post('/v1/personnel', { name: 'Ada', email: 'ada@example.com' })).body
  const folder = newFolder()
  writeFileSync(join(folder, 'hr.csv'), lines('name,email', 'Ada King,ada@example.com'))
  const at = ['--database', gateway.own.url]
  await runHere(folder, ['import', 'people', 'hr.csv', '--as', 'Charles', ...at])
  const [{ importId }] = gateway.own.rows('select id as "importId" from import_run') as [{ importId: string }]
  const run = { id: importId, source: 'hr', file: 'hr.csv', operator: 'Charles' }
  const path = `/v1/personnel/${id}/history`
  const reader = await gateway.as('personnel.read')
  const shown = async (who: Caller) =>
    (await who.get(path)).body.data.map((one: Shown) => [one.by === null, one.import])
  expect([await shown(caller), await shown(reader)]).toEqual([
    [
      [false, null],
      [false, run],
    ],
    [
      [true, null],
      [true, null],
    ],
  ])
  const feed = (await caller.get('/v1/changes?entity=person')).body.data
  expect(feed.at(-1)).toMatchObject({ entityId: id, by: 'cli', import: run })
  const query = `{ person(id: "${id}") { history { nodes { import { id source file operator } } } } }`
  expect((await caller.graphql(query)).body.data.person.history.nodes).toEqual([{ import: null }, { import: run }])
  const refused = (await reader.graphql(query)).body
  expect(refused.data.person.history.nodes).toEqual([{ import: null }, { import: null }])
  expect(refused.errors).toMatchObject([
    { path: ['person', 'history', 'nodes', '@', 'import'], extensions: { requiredScope: 'personnel.manage' } },
  ])
  const { stdout } = await runHere(folder, ['history', id, ...at])
  expect(stdout).toMatch(
    new RegExp(`updated person Ada King, by the command line \\(import, hr.csv, Charles, ${importId}\\): `),
  )
})

interface Shown {
  readonly by: string | null
  readonly import: object | null
}

test.each([
  ['register-2026-11-17.xlsx', 'register'],
  ['inbox/Risk register 17 Nov 2026 (2).xlsx', 'Risk register'],
  ['20261117T0300Z_people.csv', 'people'],
  ['risk-register.csv', 'risk-register'],
  ['2026-11-17.csv', '2026-11-17.csv'],
  ['-', 'standard input'],
])('the source of %s is %s', (file, source) => {
  expect(sourceOf(file)).toBe(source)
})
