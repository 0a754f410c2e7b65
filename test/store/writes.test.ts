import { expect, test } from 'vitest'
import type { Write } from '../../src/store/store.js'
import { Trace } from '../../src/store/writes.js'
import { NOW, openGateway } from '../support/harness.js'
import { newStore } from '../support/stores.js'

test('a write that is over runs no more statements, and what it changes is known before', () => {
  const { t } = openGateway().store.read
  const trace = new Trace()
  trace.requireCurrent()
  // Nothing of the handle is used but what makes changes.
  const handle = trace.of({ db: { insert: () => undefined } } as unknown as Write)
  expect(trace.hasWritten).toBe(false)
  handle.db.insert(t.issue)
  trace.isOver = true
  expect(() => trace.requireCurrent()).toThrow(/revoked/)
  expect(trace.hasWritten).toBe(true)
  expect([...trace.changed]).toEqual(['projects'])
})

test('rows that are stored together may differ in what they leave to its default', async () => {
  const { write } = openGateway({}, undefined, newStore())
  const row = (more: object) => ({
    ...{ recordedAt: NOW.toISOString(), effectiveOn: '2026-11-02', by: 'cli', action: 'CREATED' as const },
    ...{ entity: 'GROUP' as const, entityId: 'grp_x', fields: '{}', ...more },
  })
  const stored = await write(async ({ db, t, insertAll }) => {
    await insertAll(t.change, [row({ nonce: 7 }), row({}), row({ id: 40, nonce: undefined }), row({ nonce: 8 })])
    await insertAll(t.change, [row({}), row({ nonce: 9 })])
    return db.select({ id: t.change.id, nonce: t.change.nonce }).from(t.change).orderBy(t.change.id)
  })
  expect(stored.map(({ id, nonce }) => [id, nonce])).toEqual([
    [1, 7],
    [2, 0],
    [40, 0],
    [41, 8],
    [42, 0],
    [43, 9],
  ])
})
