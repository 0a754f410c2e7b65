import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { type Store, Undecided, type Write } from '../../src/store/store.js'
import { engine } from '../support/engine.js'
import { NOW } from '../support/harness.js'
import { newStore, type TestStore } from '../support/stores.js'

const AS = { by: 'cli', at: () => NOW }

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

  test('runs again in the transaction if something else was written meanwhile', async () => {
    const other = own.open()
    const drafts: boolean[] = []
    await store.writeLate(AS, async (write, isDraft) => {
      drafts.push(isDraft)
      const { person } = write.t
      const count = await write.db.$count(person)
      await add(write, `After ${count}`)
      if (isDraft) await other.write(AS, (between) => add(between, 'Between'))
    })
    await other.close()
    expect([drafts, names()]).toEqual([
      [true, false],
      ['After 1', 'Between'],
    ])
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

  test('is given up after its time if another process keeps the lock', { timeout: 20_000 }, async () => {
    const letGo = own.hold()
    await expect(store.writeLate(AS, (write) => add(write, 'Ada'))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    letGo()
    expect(names()).toEqual([])
  })
})
