import { expect, test } from 'vitest'
import type { Write } from '../../src/store/store.js'
import { Trace } from '../../src/store/writes.js'
import { openGateway } from '../support/harness.js'

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
