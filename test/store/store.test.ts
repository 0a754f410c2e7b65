import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { type Connection, openDatabase } from '../../src/store/sqlite/driver.js'
import type { Write } from '../../src/store/store.js'
import { engine } from '../support/engine.js'
import { ada, addIssue, addProject, addRisk, grace, issue, project, risk } from '../support/fixtures.js'
import { type Gateway, NOW, openGateway } from '../support/harness.js'

async function names(gateway: Gateway): Promise<string[]> {
  const { body } = await (await gateway.as('personnel.read')).get('/v1/personnel')
  return body.data.map(({ name }: { name: string }) => name)
}

/** The message of the root cause, inside Drizzle's wrapper. */
function rootOf(error: Error): string {
  return error.cause instanceof Error ? rootOf(error.cause) : error.message
}

describe('a write', () => {
  test('that fails leaves nothing behind, and the next one goes through', async () => {
    const gateway = openGateway()
    const failing = gateway.write(async (write) => {
      await addPerson(write, ada)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    await gateway.write((write) => addPerson(write, grace))
    expect(await names(gateway)).toEqual(['Grace Hopper'])
  })

  test('waits for the one before it, however long that takes', async () => {
    const gateway = openGateway()
    const order: string[] = []
    const slow = gateway.write(async (write) => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      await addPerson(write, ada)
      order.push('slow')
    })
    const quick = gateway.write(async (write) => {
      await addPerson(write, grace)
      order.push('quick')
    })
    await Promise.all([slow, quick])
    expect(order).toEqual(['slow', 'quick'])
  })

  test('is over when its callback has settled: a late statement fails and stores nothing', async () => {
    const gateway = openGateway()
    let retained: Write | undefined
    let late: Promise<unknown> | undefined
    await gateway.write(async (write) => {
      retained = write
      const pending = write.db.insert(write.t.riskTally).values({ score: 1, live: 1 })
      // Caught at once: on a busy machine it fails before the write is stored.
      late = new Promise((resolve) => setTimeout(resolve, 5)).then(() => pending).catch(rootOf)
    })
    expect(await late).toMatch(/revoked/)
    expect(await (async () => addPerson(retained as Write, ada))().catch(rootOf)).toMatch(/revoked/)
    expect(await gateway.store.read.db.select().from(gateway.store.read.t.riskTally)).toEqual([])
    expect(await names(gateway)).toEqual([])
  })

  test('waits while another process holds the store, and reads go on meanwhile', async () => {
    const gateway = openGateway()
    const letGo = gateway.own.hold()
    const waiting = gateway.write((write) => addPerson(write, ada))
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(await gateway.store.read.db.$count(gateway.store.read.t.person)).toBe(0)
    letGo()
    await waiting
    expect(await names(gateway)).toEqual(['Ada Lovelace'])
  })

  test('gets its timestamp when it begins, not when it is queued, so that no reader of changes misses it', async () => {
    const gateway = openGateway()
    const letGo = gateway.own.hold()
    const adding = gateway.write((write) => addPerson(write, ada))
    await new Promise((resolve) => setTimeout(resolve, 40))
    gateway.clock.now = new Date(NOW.getTime() + 60_000)
    letGo()
    expect((await adding).updatedAt).toBe(gateway.clock.now.toISOString())
  })

  test('cannot go through the handle for reading, neither beside a write nor alone', async () => {
    const gateway = openGateway()
    const { db, t } = gateway.store.read
    const insert = async () => (db as Write['db']).insert(t.riskTally).values({ score: 1, live: 1 })
    await expect(insert()).rejects.toThrow()
    await gateway.write(async () => expect(insert()).rejects.toThrow())
    expect(await db.select().from(t.riskTally)).toEqual([])
  })

  test('is seen by readers once it is stored, and not before', async () => {
    const gateway = openGateway()
    const { store } = gateway
    const look = async () => [
      await store.read.db.$count(store.read.t.person),
      Number.parseInt(await store.version(), 10),
    ]
    const before = await look()
    const during = await gateway.write(async (write) => {
      await addPerson(write, ada)
      return look()
    })
    expect(during).toEqual(before)
    expect(await look()).toEqual([1, Number(before[1]) + 1])
    gateway.own.run("update person set name = 'Another'; update revision set value = value + 1")
    expect(await look()).toEqual([1, Number(before[1]) + 2])
    expect(await names(gateway)).toEqual(['Another'])
  })
})

/** Reads the file like another process. */
function inFile<T>({ own: { file } }: Gateway, look: (connection: Connection) => T): T {
  const connection = openDatabase(file)
  try {
    return look(connection)
  } finally {
    connection.close()
  }
}

// PostgreSQL batches its log writes of all connections by itself.
describe.runIf(engine === 'sqlite')('writes that wait together', () => {
  /** Twenty at once; every third is refused because its externalId exists. */
  async function addTogether(gateway: Gateway) {
    await gateway.write((write) => addPerson(write, { name: 'First', externalId: 'taken' }))
    gateway.statements()
    const added = Array.from({ length: 20 }, (_, i) =>
      gateway.write((write) => addPerson(write, { name: `P${i}`, externalId: i % 3 === 0 ? 'taken' : `e${i}` })),
    )
    const verdicts = await Promise.allSettled(added)
    return { verdicts, commits: gateway.statements().filter((statement) => statement === 'commit').length }
  }

  test('are committed together, and each has its own verdict', async () => {
    const gateway = openGateway()
    const { verdicts, commits } = await addTogether(gateway)
    expect(verdicts.map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, (_, i) => (i % 3 === 0 ? 'rejected' : 'fulfilled')),
    )
    expect(commits).toBeLessThan(5)
    const accepted = Array.from({ length: 20 }, (_, i) => i).filter((i) => i % 3 !== 0)
    expect((await names(gateway)).sort()).toEqual(['First', ...accepted.map((i) => `P${i}`)].sort())
  })

  test('are batched also when each is queued in a separate callback of one turn', async () => {
    const gateway = openGateway()
    gateway.statements()
    const sent = Array.from({ length: 20 }, (_, i) => {
      const add = () => gateway.write((write) => addPerson(write, { name: `P${i}`, externalId: `e${i}` }))
      // Like parsed requests: separate callbacks in one turn of the event loop.
      return new Promise((resolve) => setImmediate(() => resolve(add())))
    })
    await Promise.all(sent)
    expect(gateway.statements().filter((statement) => statement === 'commit')).toHaveLength(2)
    expect(await names(gateway)).toHaveLength(20)
  })

  test('resolve only after the commit, also those refused because of another', async () => {
    const gateway = openGateway()
    const seen: number[] = []
    const note = () =>
      inFile(gateway, (connection) => seen.push(connection.prepare('select 1 from person').all().length))
    const one = (name: string) => gateway.write((write) => addPerson(write, { name, externalId: 'same' }))
    await Promise.all([gateway.write(async () => undefined), one('A').then(note), one('B').catch(note)])
    expect(seen).toEqual([1, 1])
  })

  test.each([
    ['the whole transaction is rolled back, as on a full disk', "on person when new.name = 'Spoiler'", 'rollback'],
    ['one fails after it has written', "on change when new.fields like '%Spoiler%'", 'abort'],
  ])('are tried one by one when %s', async (_, insert, outcome) => {
    const gateway = openGateway()
    inFile(gateway, (connection) =>
      connection.exec(`create trigger spoil before insert ${insert} begin select raise(${outcome}, 'no room'); end`),
    )
    const first = gateway.write(async () => undefined)
    const added = ['Ada', 'Spoiler', 'Bea'].map((name) =>
      gateway.write((write) => addPerson(write, { name, externalId: name })),
    )
    expect((await Promise.allSettled([first, ...added])).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(await names(gateway)).toEqual(['Ada', 'Bea'])
  })
})

describe('the version', () => {
  test('changes with every write that can change a result, of any process, and with no other', async () => {
    const gateway = openGateway()
    const { store } = gateway
    const first = await store.version()
    expect(await store.version()).toBe(first)
    await gateway.write((write) => addPerson(write, ada))
    const second = await store.version()
    expect(second).not.toBe(first)
    await store.write({ by: 'cli', at: () => NOW, unseen: true }, async (write) => {
      await write.db.update(write.t.apiKey).set({ lastUsedAt: NOW.toISOString() })
    })
    expect(await store.version()).toBe(second)
    await expect(gateway.write((write) => addPerson(write, ada))).rejects.toThrow()
    expect(await store.version()).toBe(second)
    gateway.own.run('update revision set value = value + 1')
    expect(await store.version()).not.toBe(second)
  })
})

describe('the store', () => {
  test.runIf(engine === 'sqlite')(
    'is a file in WAL mode, so that readers and the writer do not wait for each other',
    () => {
      const gateway = openGateway()
      const other = openDatabase(gateway.own.file, { readonly: true })
      expect(other.pragma('journal_mode', { simple: true })).toBe('wal')
      other.close()
    },
  )

  const BAD_ROWS: readonly (readonly [string, string])[] = [
    [
      'a person without an e-mail or an externalId',
      'update person set email = null, email_folded = null, external_id = null',
    ],
    ['an unknown status', "update person set status = 'GONE'"],
    ['a name that is too long', `update person set name = '${'x'.repeat(201)}'`],
    ['an empty name', "update person set name = ''"],
    ['two people with one e-mail', "update person set email = 'same', email_folded = 'same'"],
    ['an instant that is none', "update person set created_at = 'yesterday'"],
    ['a likelihood between whole numbers', 'update risk set likelihood = 2.5, score = 7.5, standing = -78'],
    ['a name of blanks', "update person set name = '  '"],
    ['a project key in small letters', "update project set key = 'apollo'"],
    ['a day that has not the shape of one', "update risk set raised_on = 'not-a-day!'"],
    ['a likelihood beyond 5', 'update risk set likelihood = 6'],
    ['a likelihood without an impact', 'update risk set impact = null'],
    ['a score that is not likelihood x impact', 'update risk set score = 25'],
    ['a standing that does not follow from the score', 'update risk set standing = 0'],
    ['a live flag against the status', 'update risk set live = 0'],
    ['two risks of one reference', "update risk set reference = 'R-1'"],
    ['a risk of no project', "update risk set project_id = 'prj_none'"],
    ['an owner who is not there', "update risk set owner_id = 'usr_none'"],
    ['an issue whose standing does not follow from its severity', "update issue set severity = 'LOW'"],
    ['a closed issue that counts as open', "update issue set status = 'CLOSED'"],
    ['a second counter', 'insert into revision (id, value) values (2, 1)'],
  ]

  test.each(BAD_ROWS)('refuses %s from any writer', async (_, statement) => {
    const gateway = openGateway()
    await gateway.write(async (write) => {
      await addPerson(write, ada)
      await addPerson(write, grace)
      const id = await addProject(write, project())
      await addRisk(write, risk(id))
      await addRisk(write, risk(id, { reference: 'R-2' }))
      await addIssue(write, issue(id))
    })
    expect(() => gateway.own.run(statement)).toThrow(/constraint/i)
  })

  test('takes more ids than SQLite takes variables', async () => {
    const gateway = openGateway()
    const { read } = gateway.store
    const ids = Array.from({ length: 40_000 }, (_, index) => `usr_${index}`)
    const rows = await read.db.select({ n: sql`1` }).from(read.t.person).where(read.among(read.t.person.id, ids))
    expect(rows).toEqual([])
  })
})
