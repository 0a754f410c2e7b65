import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { storeIdempotencyRecord } from '../../src/auth/idempotencyRecords.js'
import { mintKey } from '../../src/auth/keys.js'
import { addPerson, personWith } from '../../src/personnel/people.js'
import { COUNTER_COLUMNS } from '../../src/store/changeCounters.js'
import { fillCompany } from '../support/fixtures.js'
import { openGateway } from '../support/harness.js'
import { newFolder, operations, start } from '../support/process.js'
import { newStore, type TestStore } from '../support/stores.js'
import { hangUp } from './sync.js'

const COUNTED = `select ${COUNTER_COLUMNS.join(', ')} from revision`

/** Every row of every table except the migration journal, which differs by engine, and random values. */
function dump(own: TestStore): Record<string, unknown> {
  const names = own.tables().filter((name) => name !== 'schema_migration')
  const select = (name: string) => (name === 'revision' ? COUNTED : `select * from "${name}" order by 1, 2`)
  return Object.fromEntries(names.map((name) => [name, own.rows(select(name))]))
}

const IN_USE = /^\S+ is in use: what is written to it from now on is not copied\. Stop what uses it first\.\n$/

const WAYS = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const

/** A store with something in every table. */
async function openFilled(engine: 'sqlite' | 'postgres') {
  const gateway = openGateway({}, undefined, newStore(engine))
  await gateway.write(fillCompany)
  const key = await gateway.write((write) =>
    mintKey(write, { name: 'Mine', scopes: ['personnel.manage'], expiresAt: undefined }),
  )
  await gateway.write(async (write) => {
    await addPerson(write, { name: 'O\'Neill \\ "x" {a,b} NULL 😀', externalId: 'odd' })
    await storeIdempotencyRecord(write, { keyId: key.id, token: 't', fingerprint: 'f' }, { id: 'usr_1' })
  })
  return { gateway, secret: key.secret }
}

test.each(WAYS)(
  'a store is moved whole from %s to %s: keys, history, kept answers and the version',
  async (from, to) => {
    const { gateway, secret } = await openFilled(from)
    const target = openGateway({}, undefined, newStore(to))
    const version = await gateway.store.version()
    const args = ['copy', '--from', gateway.own.url, '--to', target.own.url]
    const { code, stdout, stderr } = await operations(newFolder(), [...args, '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(IN_USE) })
    expect(dump(target.own)).toEqual(dump(gateway.own))
    expect(Number.parseInt(await target.store.version(), 10)).toBe(Number.parseInt(version, 10))
    const { tables } = JSON.parse(stdout)
    expect(tables.person).toEqual({ rows: 9, checksum: expect.stringMatching(/^[0-9a-f]{64}$/) })

    // The same key opens the same roster, and the history goes on where it stood.
    const here = gateway.with(`Bearer ${secret}`)
    const there = target.with(`Bearer ${secret}`)
    expect((await there.get('/v1/personnel')).text).toBe((await here.get('/v1/personnel')).text)
    const lines = await target.historyOf(() => there.post('/v1/personnel', { name: 'New', externalId: 'new' }))
    expect(lines).toMatchObject([{ action: 'CREATED', fields: { name: [null, 'New'] } }])

    // By then the last use of the key has been stored.
    await sleep(400)
    const before = dump(target.own)
    expect(await operations(newFolder(), args)).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringMatching(/ Stop what uses it first\.\nThe target is not empty\. [^\n]*\n$/),
    })
    expect(dump(target.own)).toEqual(before)
  },
)

test.each(WAYS)('a copy from %s to %s warns while somebody else has its source open', async (from, to) => {
  const own = newStore(from)
  const store = own.open()
  const copy = (target: TestStore) => operations(newFolder(), ['copy', '--from', own.url, '--to', target.url, '--json'])
  const targets = [newStore(to), newStore(to)] as const
  onTestFinished(() => {
    for (const used of [own, ...targets]) used.remove()
  })
  expect(await copy(targets[0])).toMatchObject({ code: 0, stderr: expect.stringMatching(IN_USE) })
  await store.close()
  hangUp(own.url)
  expect(await copy(targets[1])).toMatchObject({ code: 0, stderr: '' })
})

test.each(['SIGINT', 'SIGKILL'] as const)(
  'a copy to PostgreSQL that is ended by %s leaves the target empty',
  async (signal) => {
    const source = openGateway({}, undefined, newStore('sqlite'))
    await source.write(async (write) => {
      const many = Array.from({ length: 60_000 }, (_, i) =>
        personWith(write, undefined, { name: 'Ada', externalId: `${i}` }),
      )
      await write.insertAll(write.t.person, many)
    })
    const target = newStore('postgres')
    const { child, finished } = start(newFolder(), ['copy', '--from', source.own.url, '--to', target.url])
    while (!target.isHeld()) await sleep(20)
    await sleep(100)
    child.kill(signal)
    await new Promise((resolve) => child.on('close', resolve))
    if (signal === 'SIGINT') {
      const stderr = expect.stringMatching(/ first\.\nInterrupted: unfinished work was not stored\.\n$/)
      expect(finished()).toMatchObject({ code: 1, stderr })
    }
    while (target.isHeld()) await sleep(20)
    expect(target.values('select count(*) from person')).toEqual([[0]])
    target.remove()
  },
)

test('an address that is none is wrong usage', async () => {
  const { code, stderr } = await operations(newFolder(), ['copy', '--from', 'a.db', '--to', 'file:b.db'])
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^--from is "a.db"; it must be an address/),
  })
})
