import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { type Store, Undecided, type Write } from '../../src/store/store.js'
import { engine } from '../support/engine.js'
import { NOW } from '../support/harness.js'
import { newStore, type TestStore } from '../support/stores.js'

let seconds = 0
// A clock that moves: a timestamp from before the transaction would be seen.
const AS = { by: 'cli', at: () => new Date(NOW.getTime() + 1_000 * seconds++) }

let own: TestStore
let store: Store

beforeEach(() => {
  own = newStore()
  store = own.open()
})
afterEach(async () => {
  await store.close()
  own.remove()
})

const add = (write: Write, name: string) => addPerson(write, { name, externalId: name })
/** People whose timestamps are not those of their history. */
const UNLIKE = `select name from person join change on entity_id = person.id
  where action = 'CREATED' and created_at <> recorded_at`
const names = () => own.values('select name from person order by name').flat()

// PostgreSQL has no drafts.
describe.runIf(engine === 'sqlite')('a late write', () => {
  test('takes the write lock only after its work is done', async () => {
    const before = await store.versions()
    const isHeld: boolean[] = []
    const result = await store.writeLate(AS, async (write) => {
      await add(write, 'Ada')
      isHeld.push(own.isHeld())
      return 'done'
    })
    expect([result, isHeld, names()]).toEqual(['done', [false], ['Ada']])
    expect(own.values('select action, written_by from change')).toEqual([['CREATED', 'cli']])
    const after = await store.versions()
    expect([after.personnel === before.personnel, after.known === before.known]).toEqual([false, true])
  })

  const BETWEEN: Readonly<Record<string, { between: (write: Write) => Promise<unknown>; drafts: boolean[] }>> = {
    'someone is added': { between: (write) => add(write, 'Eve'), drafts: [true] },
    'someone is renamed': {
      between: (write) => write.db.update(write.t.person).set({ name: 'Eve' }),
      drafts: [true, false],
    },
    'someone gets its externalId': {
      between: (write) => addPerson(write, { name: 'Eve', externalId: 'Newcomer' }),
      drafts: [true, false],
    },
  }

  test.each(Object.entries(BETWEEN))('that is overtaken: %s', async (name, { between, drafts }) => {
    await store.write(AS, (write) => add(write, 'Ada'))
    const other = own.open()
    const seen: boolean[] = []
    await store.writeLate(AS, async (write, isDraft) => {
      seen.push(isDraft)
      const { person } = write.t
      const [known] = await write.db.select().from(person).where(eq(person.externalId, 'Newcomer'))
      if (!known) await add(write, 'Newcomer')
      if (isDraft) await other.write(AS, between)
    })
    await other.close()
    expect([name, seen]).toEqual([name, drafts])
    expect(own.values("select count(*) from person where external_id = 'Newcomer'")).toEqual([[1]])
    // Whoever follows the changes by time misses none.
    const times = own.values('select recorded_at from change order by id').flat()
    expect(times).toEqual([...times].sort())
    expect(own.values(UNLIKE)).toEqual([])
  })

  test('runs again if its draft cannot decide', async () => {
    const drafts: boolean[] = []
    await store.writeLate(AS, async (write, isDraft) => {
      drafts.push(isDraft)
      await add(write, 'Ada')
      if (isDraft) throw new Undecided()
    })
    expect([drafts, names()]).toEqual([[true, false], ['Ada']])
  })

  test('needs no lock if it changes nothing', async () => {
    const letGo = own.hold()
    const before = await store.version()
    expect(await store.writeLate(AS, (write) => write.db.$count(write.t.person))).toBe(0)
    letGo()
    expect(await store.version()).toBe(before)
  })

  test('stores nothing if its work fails', async () => {
    const failing = store.writeLate(AS, async (write) => {
      await add(write, 'Ada')
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    expect(names()).toEqual([])
  })
})
