import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { bulkColumns } from '../../src/store/bulk.js'
import { postgresColumns, sqliteColumns } from '../../src/store/columns.js'
import { PERSONAL_KINDS, personalColumns } from '../../src/store/tables/personal.js'
import { defineTables, type Tables } from '../../src/store/tables.js'
import { sendWithToken } from '../api/idempotent.js'
import { openOffice } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { newFolder } from '../support/process.js'
import { synced } from '../support/syncing.js'
import { historyOf } from './erasing.js'

test.each([
  ['SQLite', sqliteColumns],
  ['PostgreSQL', postgresColumns],
])('every text column of %s says once what it may say about a person', (_, columns) => {
  const tables = defineTables(columns)
  const missing: string[] = []
  for (const name of Object.keys(tables) as (keyof Tables)[]) {
    const texts = bulkColumns(tables[name]).flatMap(({ member, type }) => (type.startsWith('text') ? member : []))
    const declared = personalColumns(name, ...PERSONAL_KINDS)
    expect([name, [...declared].sort()]).toEqual([name, [...new Set(declared)].sort()])
    missing.push(...texts.filter((member) => !declared.includes(member)).map((member) => `${name}.${member}`))
  }
  expect(missing).toEqual([])
})

test('an erased person is in no column of any table, and their runs can still be told apart', async () => {
  const { gateway, caller } = await openOffice()
  const [email, formerly, externalId] = ['ada@lovelace.example', 'Ada Byron', '18151210']
  const { id } = (await caller.post('/v1/personnel', { name: formerly, email, externalId })).body
  await caller.patch(`/v1/personnel/${id}`, { name: 'Ada Lovelace', details: [{ name: 'Illness', text: 'Ague' }] })
  await caller.patch(`/v1/personnel/${id}`, { details: [] })
  const folder = newFolder()
  const command = async (...args: string[]) => {
    const done = await runHere(folder, [...args, '--database', gateway.own.url])
    expect([args, done.code, done.stderr]).toEqual([args, 0, expect.any(String)])
    return done
  }

  // As the author of changes, in names of keys, sources and files, in accepted maps and in names of details.
  for (const by of [`oidc:https://login.example:${email}`, `host:${externalId}`, 'host:grace'])
    await gateway.store.write({ by, at: () => gateway.clock.now }, async ({ at, insertAll, nonce, t }) => {
      const change = { by, recordedAt: at, effectiveOn: at.slice(0, 10), nonce, fields: '{}' }
      await insertAll(t.change, [{ ...change, action: 'UPDATED', entity: 'PROJECT', entityId: 'prj_x' }])
    })
  await command('keys', 'create', '--name', "Ada Lovelace's tracker", '--scope', 'projects.manage')
  const names = ['byron_ada.csv', 'registers.csv']
  for (const [n, file] of names.entries()) {
    writeFileSync(join(folder, file), `Name,E-mail,Buddy\nPerson ${n},p${n}@x.example,Ada Lovelace\n`)
    const source = n === 0 ? ['--source', 'Lovelace, Ada'] : []
    await command('import', 'people', file, '--as', email, '--accept', ...source)
  }
  const details = [{ name: 'Ada Lovelace', text: 'informed' }]
  const risks = [{ reference: 'R', title: 'Fog', details: [...details, { name: 'Cost', text: '4' }] }]
  await synced(caller, { key: 'ENGINE', name: 'Engine', risks })
  await sendWithToken(caller, { method: 'PATCH', path: '/v1/risks/nowhere', body: {}, token: 'for ada lovelace' })
  const body = { name: 'Watch', description: 'Asked for by Lovelace,\nAda' }
  expect((await sendWithToken(caller, { path: '/v1/groups', body, token: 'one' })).status).toBe(201)

  const { stdout } = await command('erase', id, '--yes', '--json')

  const { unsure } = JSON.parse(stdout)
  expect(unsure.map(({ entity, field }: Row) => [entity, field])).toEqual([['GROUP', 'description']])
  const left: string[] = []
  for (const table of Object.values(gateway.store.read.t))
    for (const row of await gateway.store.read.db.select().from(table))
      for (const [member, value] of Object.entries(row))
        if (/lovelace|byron|18151210|illness|ague/i.test(String(value))) left.push(`${getTableName(table)}.${member}`)
  expect(left).toEqual(['groups.description', 'change.fields'])
  expect(getTableColumns(gateway.store.read.t.change).by.notNull).toBe(true)
  const authors = gateway.own.values("select distinct written_by from change where written_by not like 'key_%'")
  expect(authors.flat().sort()).toEqual(['cli', `erased:${id}`, 'host:grace'].sort())
  const runs = gateway.own.values("select source, file, operator from import_run where kind = 'IMPORT' order by id")
  const erased = `erased:${id}`
  expect(runs).toEqual([
    [erased, erased, erased],
    ['registers', 'registers.csv', erased],
  ])
  const [risk] = (await caller.get('/v1/risks?project=ENGINE')).body.data
  expect(risk.details).toEqual([{ name: 'Cost', text: '4' }])
  const [added, cleared] = await historyOf(caller, 'risk', risk.id)
  expect(added.fields).toContainEqual({ field: 'details.(erased)', from: null, to: '(erased)' })
  expect(cleared.fields).toEqual([{ field: 'details.(erased)', from: '(erased)', to: null }])
})

interface Row {
  readonly entity: string
  readonly field: string
}
