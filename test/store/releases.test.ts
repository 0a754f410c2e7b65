import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { migrationsOf } from '../../src/store/migrationJournal.js'
import { migrateStore, openStore } from '../../src/store/open.js'
import { dropDatabase, newDatabase } from '../postgres/databases.js'
import { hangUp, rowsOf } from '../postgres/sync.js'
import { LISTS, RELEASES, releasedFile } from '../releases/releases.js'
import { engine } from '../support/engine.js'
import { openGateway } from '../support/harness.js'
import { newFolder } from '../support/process.js'
import { postgresStore, sqliteStore, type TestStore } from '../support/stores.js'

/** Where there is no store yet. */
function emptyAddress(): string {
  if (engine === 'sqlite') return `file:${newFolder()}/operations.db`
  const url = newDatabase()
  onTestFinished(() => dropDatabase(url))
  return url
}

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

test('an upgrade says each migration, and how far it is while one takes long; a new store is made without a word', async () => {
  const own = storeOf('0.1.0')
  const later = migrationsOf(engine).slice(own.rows('select * from schema_migration').length)
  // Each step takes a second.
  let nowMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_000))
  onTestFinished(() => clock.mockRestore())
  const notices: string[] = []
  const onNotice = (sentence: string) => void notices.push(sentence)
  await migrateStore(own.url, onNotice)
  const steps = later.flatMap(({ tag, statements }, place) =>
    [...statements].map(
      (_, index, all) => `Migration ${tag} (${place + 1} of ${later.length}): ${index} of ${all.length} steps done.`,
    ),
  )
  expect(steps.length).toBeGreaterThan(later.length)
  expect(notices).toEqual(steps)
  await migrateStore(own.url, onNotice)
  await migrateStore(emptyAddress(), onNotice)
  expect(notices).toEqual(steps)
})
