import { expect, test } from 'vitest'
import { Trace } from '../../src/store/writes.js'

test('a write that is over runs no more statements, and those before it are known', () => {
  const trace = new Trace()
  trace.note('select 1')
  expect(trace.hasWritten).toBe(false)
  trace.note('insert into "issue" (id) values (1)')
  trace.isOver = true
  expect(() => trace.note('delete from "person"')).toThrow(/revoked/)
  expect(trace.hasWritten).toBe(true)
  expect([...trace.changed]).toEqual(['projects'])
})
