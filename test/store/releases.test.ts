import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open.js'
import { dropDatabase, newDatabase } from '../postgres/databases.js'
import { hangUp, rowsOf } from '../postgres/sync.js'
import { LISTS, RELEASES, releasedFile } from '../releases/releases.js'
import { engine } from '../support/engine.js'
import { openGateway } from '../support/harness.js'
import { newFolder } from '../support/process.js'
import { postgresStore, sqliteStore, type TestStore } from '../support/stores.js'

/** The store of a release, as its users have it. */
function storeOf(release: string): TestStore {
  if (engine === 'sqlite') {
    const file = join(newFolder(), 'operations.db')
    writeFileSync(file, releasedFile(release, 'store.db'))
    return sqliteStore(file)
  }
  const url = newDatabase()
  rowsOf(url, `${releasedFile(release, 'store.sql')}; set search_path to public`)
  return postgresStore(url, () => {
    hangUp(url)
    dropDatabase(url)
  })
}

test.each(RELEASES)('a store of %s keeps everything when it is upgraded, and can be written', async (release) => {
  const own = storeOf(release)
  await (await openStore(own.url)).close()
  const gateway = openGateway({}, onTestFinished, own)
  const caller = await gateway.as('personnel.manage', 'projects.manage')
  const lists = JSON.parse(releasedFile(release, 'lists.json').toString())
  for (const path of LISTS) {
    const { status, body } = await caller.get(path)
    // Later versions may show more of each entry.
    expect([path, status, body.data]).toMatchObject([path, 200, lists[path]])
    expect([path, body.data.length]).toEqual([path, lists[path].length])
  }
  const { status } = await caller.post('/v1/personnel', { name: 'Ada', email: 'ada.new@example.com' })
  expect(status).toBe(201)
  const [last] = (await caller.get('/v1/changes?entity=PERSON&limit=1000')).body.data.slice(-1)
  expect(last.title).toBe('Ada')
})
