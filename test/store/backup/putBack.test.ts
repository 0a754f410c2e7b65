import { copyFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/store/sqlite/driver.js'
import { openSqlite } from '../../../src/store/sqlite/store.js'
import { engine } from '../../support/engine.js'
import { openGateway } from '../../support/harness.js'
import { newFolder } from '../../support/process.js'
import { remember } from './putBack.js'

/** Copies a store over a file, as `.backup` and `.restore` of the sqlite3 shell do. */
async function copyInto(source: string, target: string): Promise<void> {
  const connection = openDatabase(source)
  await connection.backup(target)
  connection.close()
}

test.runIf(engine === 'sqlite')('a file that is restored in place under a running server is read anew', async () => {
  const gateway = openGateway()
  const saved = join(newFolder(), 'saved.db')
  const { storeOthers, expectForgotten } = await remember(gateway, () => copyInto(gateway.own.file, saved))
  await copyInto(saved, gateway.own.file)
  const other = openSqlite(gateway.own.file)
  await storeOthers(other)
  await other.close()
  await expectForgotten()
})

test.runIf(engine === 'sqlite')('a file that is put in its place is not served from the old one', async () => {
  const gateway = openGateway()
  const saved = join(newFolder(), 'saved.db')
  await remember(gateway, () => copyInto(gateway.own.file, saved))
  const caller = await gateway.as('personnel.read')
  expect((await caller.get('/v1/personnel')).status).toBe(200)
  copyFileSync(saved, `${gateway.own.file}-new`)
  renameSync(`${gateway.own.file}-new`, gateway.own.file)
  for (const path of ['/v1/personnel', '/v1/key', '/readyz'])
    expect(await caller.get(path)).toMatchProblem(503, 'UNAVAILABLE')
  expect((await caller.get('/v1/personnel')).body.detail).toBe(
    "The store's file was moved or replaced. Restart the server.",
  )
})
