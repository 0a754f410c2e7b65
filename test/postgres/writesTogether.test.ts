import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import { BUSY, UNREACHABLE } from '../../src/store/faults.js'
import type { Authorship, Store, Write } from '../../src/store/store.js'
import { newStore } from '../support/stores.js'

const CALLERS = 16
const CALLER: Authorship = { by: 'key_test', at: () => new Date() }

type Work = (write: Write) => Promise<unknown>

function open() {
  const own = newStore('postgres')
  const statements: string[] = []
  const store = own.open({ onStatement: (sql) => void statements.push(sql) })
  onTestFinished(async () => {
    await store.close()
    own.remove()
  })
  const stored = () => own.values('select external_id from person order by 1').map(([id]) => String(id))
  const history = () =>
    own.values("select fields::json -> 'externalId' ->> 1 from change order by id").map(([id]) => String(id))
  const commits = () => statements.filter((sql) => /\bcommit$/.test(sql)).length
  return { own, store, stored, history, commits }
}

const adding =
  (externalId: string): Work =>
  (write) =>
    addPerson(write, { name: 'Ada', externalId })

/** Sixteen writes that wait for the lock at the same time; some do not add a person. */
async function together({ own, store }: ReturnType<typeof open>, others: Readonly<Record<number, Work>>) {
  const letGo = own.hold()
  const writes = Array.from({ length: CALLERS }, (_, i) => store.write(CALLER, others[i] ?? adding(nameOf(i))))
  await sleep(30)
  letGo()
  const settled = await Promise.allSettled(writes)
  return settled.map((one) => (one.status === 'fulfilled' ? 'stored' : String(one.reason.message)))
}

const nameOf = (i: number) => `e${String(i).padStart(2, '0')}`
const but = (...left: number[]) =>
  Array.from({ length: CALLERS }, (_, i) => i)
    .filter((i) => !left.includes(i))
    .map(nameOf)
const saying = (others: Readonly<Record<number, unknown>>) =>
  Array.from({ length: CALLERS }, (_, i) => others[i] ?? 'stored')

/** Writes, and then throws. */
const refused: Work = async (write) => {
  await adding('refused')(write)
  throw new Error('changed my mind')
}

test('writes that wait together are committed together, and a refused one leaves nothing behind', async () => {
  const stage = open()
  expect(await together(stage, { 9: adding('e03') })).toEqual(saying({ 9: expect.stringMatching(/already there/) }))
  expect(stage.commits()).toBeLessThan(5)
  expect(stage.stored()).toEqual(but(9))
  expect(stage.history()).toEqual(but(9))
})

test.each([0, 5])('nor does one that has written before it throws (number %i)', async (which) => {
  const stage = open()
  expect(await together(stage, { [which]: refused })).toEqual(saying({ [which]: 'changed my mind' }))
  expect(stage.stored()).toEqual(but(which))
  expect(stage.history()).toEqual(but(which))
})

test('each reads what it and those before it have written', async () => {
  const stage = open()
  const found: unknown[] = []
  const reading =
    (i: number): Work =>
    async (write) => {
      await adding(nameOf(i))(write)
      const text = 'select (select count(*) from change)::int, (select count(*) from person)::int'
      found[i] = (await write.rows({ text, values: [] }))[0]
    }
  const works = Object.fromEntries(Array.from({ length: CALLERS }, (_, i) => [i, reading(i)]))
  expect(await together(stage, works)).toEqual(saying({}))
  expect(found).toEqual(Array.from({ length: CALLERS }, (_, i) => [i + 1, i + 1]))
  expect(stage.commits()).toBeLessThan(5)
})

test('one whose last statement fails is not stored, and the others are', async () => {
  const stage = open()
  const failing: Work = async (write) => {
    await adding('failing')(write)
    return write.rows({ text: 'select 1 / 0', values: [] })
  }
  const messages = await together(stage, { 3: failing })
  expect(messages).toEqual(saying({ 3: expect.stringMatching(/SQLSTATE 22012/) }))
  expect(stage.stored()).toEqual(but(3))
  expect(stage.history()).toEqual(but(3))
})

test('nothing can be written after its work is done', async () => {
  const { store, stored } = open()
  let late: Promise<unknown> = Promise.resolve()
  await store.write(CALLER, async (write) => {
    late = sleep(50).then(() => adding('late')(write))
    late.catch(() => undefined)
  })
  await expect(late).rejects.toThrow(/the write is over/)
  expect(stored()).toEqual([])
})

test('one that returns its query without waiting for it runs it once', async () => {
  const { own, store } = open()
  const returning: Work = ({ db, t }) => db.insert(t.riskTally).values({ score: 7, live: 1 })
  await store.write(CALLER, returning)
  expect(own.values('select live from risk_tally where score = 7')).toEqual([[1]])
})

test('one that fails in the database fails alone, also when its work does not wait for that', async () => {
  const stage = open()
  const failing: Work = async ({ db, t }) => {
    await db.insert(t.riskTally).values({ score: -1, live: -1 })
    return 'fine'
  }
  const messages = await together(stage, { 7: failing })
  expect(messages[7]).toMatch(/violates check constraint/)
  expect(messages.filter((one) => one !== 'stored')).toHaveLength(1)
  expect(stage.stored()).toEqual(but(7))
})

test('many rows among others are stored in a transaction of their own', async () => {
  const stage = open()
  const line = { effectiveOn: '2026-11-16', by: CALLER.by, action: 'CREATED', entity: 'PERSON', fields: '{}' } as const
  const many: Work = (write) =>
    write.insertAll(
      write.t.change,
      Array.from({ length: 200 }, (_, i) => ({
        ...line,
        recordedAt: write.at,
        nonce: write.nonce,
        entityId: `usr_${i}`,
      })),
    )
  const messages = await together(stage, { 4: many })
  expect(messages.filter((one) => one !== 'stored')).toEqual([])
  expect(stage.stored()).toEqual(but(4))
  expect(stage.own.values('select count(*) from change')).toEqual([[215]])
  expect(stage.commits()).toBeGreaterThan(1)
})

test('a backend that is killed in the middle has stored none of them, as each error says; others go on', async () => {
  const stage = open()
  const killing: Work = async (write) => {
    // Of this database alone: other test files use the same server.
    stage.own.run(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`)
    await adding('killed')(write)
    await write.db.$count(write.t.person)
  }
  const messages = await together(stage, { 6: killing })
  expect(messages).toEqual(saying(Object.fromEntries([0, 1, 2, 3, 4, 5, 6].map((i) => [i, UNREACHABLE]))))
  expect(stage.stored()).toEqual(but(0, 1, 2, 3, 4, 5, 6))
})

test('a write that timed out as busy is not stored later', async () => {
  const { store, stored } = open()
  let proceed = () => {}
  const held = new Promise<void>((resolve) => {
    proceed = resolve
  })
  const slow = store.write(CALLER, async (write) => {
    await held
    return adding('slow')(write)
  })
  const late = store.write({ ...CALLER, waitingSince: performance.now() - LIMITS.storeBusyMs }, adding('late'))
  // While the other one is still being written.
  await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE', message: BUSY })
  proceed()
  await slow
  await store.write(CALLER, adding('after'))
  expect(stored()).toEqual(['after', 'slow'])
})

test('changes become visible in the order of their ids, also while two copies write at once', async () => {
  const { own, store } = open()
  const copy = own.open()
  let isOver = false
  const write = async (to: Store, name: string) => {
    for (let i = 0; !isOver; i++) await to.write(CALLER, adding(`${name}-${i}`))
  }
  const writing = [store, copy].flatMap((to, at) => Array.from({ length: 8 }, (_, i) => write(to, `${at}-${i}`)))
  const followed: number[] = []
  while (followed.length < 200) {
    const text = 'select id from change where id > $1 order by id'
    const rows = await store.read.rows({ text, values: [followed.at(-1) ?? 0], hasStablePlan: true })
    followed.push(...rows.map(([id]) => Number(id)))
  }
  isOver = true
  await Promise.all(writing)
  await copy.close()
  const all = own.values('select id, recorded_at from change order by id')
  expect(all.map(([id]) => Number(id)).slice(0, followed.length)).toEqual(followed)
  const timestamps = all.map(([, at]) => String(at))
  expect(timestamps).toEqual([...timestamps].sort())
})
