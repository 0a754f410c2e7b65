import { expect, test } from 'vitest'
import { migrationsOf } from '../../src/store/migrationJournal.js'
import { migrateStore } from '../../src/store/open.js'
import { engine } from '../support/engine.js'
import { openFilled } from '../support/harness.js'

const ROWS = 'select id, entity, entity_id, project_id, fields from change order by id'
const NONCES = 'select nonce from change order by id'
const TAG = migrationsOf(engine).find(({ tag }) => tag.endsWith('change_feed'))?.tag

test('a filled history without projects and random values gets them, and keeps every change', async () => {
  const { gateway, company } = await openFilled()
  const { own } = gateway
  const before = own.rows(ROWS)
  const projects = new Set(before.map((row) => row['project_id']))
  expect(projects).toEqual(new Set([null, ...company.projectIds]))
  own.run('drop index change_by_kind; drop index change_by_project')
  own.run('alter table change drop column project_id')
  own.run('alter table change drop column nonce')
  own.run(`delete from schema_migration where tag = '${TAG}'`)
  expect((await migrateStore(own.url)).pending).toEqual([TAG])
  expect(own.rows(ROWS)).toEqual(before)
  const nonces = own.values(NONCES).map(([nonce]) => Number(nonce))
  expect(nonces.every((nonce) => nonce > 0)).toBe(true)
  expect(new Set(nonces).size).toBe(before.length)
})

test('the changes of one write share its random value, and no other write has it', async () => {
  const { gateway } = await openFilled()
  const caller = await gateway.as('personnel.manage')
  const [filled] = gateway.own.values('select min(nonce), max(nonce), count(*) from change')
  expect(filled?.[0]).toEqual(filled?.[1])
  await Promise.all(['Ada', 'Bob', 'Cyd'].map((name) => caller.post('/v1/personnel', { name, externalId: name })))
  const latest = gateway.own.values(NONCES).slice(Number(filled?.[2]))
  expect(new Set([filled?.[0], ...latest.map(([nonce]) => nonce)]).size).toBe(4)
})
