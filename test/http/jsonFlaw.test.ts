import { expect, test } from 'vitest'
import { jsonFlaw } from '../../src/http/wire/jsonFlaw.js'
import { LIMITS } from '../../src/limits.js'

test.each([
  ['{"a": 1,}', 1, 9],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ['{"a": tru}', 1, 7],
  ['{"a": "x\ny"}', 1, 9],
  ['{"a": "\\x"}', 1, 8],
  ['[1, 2', 1, 6],
  ["{'a': 1}", 1, 2],
  ['{"a": {"b": []}} x', 1, 18],
  ['', 1, 1],
  ['{"a"', 1, 5],
  ['\r\n{"é😀": 1,\n\t"\\u00e9\\/", 2}', 3, 12],
  ['["\\u00e"]', 1, 3],
  ['[-1.5e+3, 1.]', 1, 11],
  ['[1.5, 2, 3]]', 1, 12],
  ['["é😀\\', 1, 6],
])('%j stops being JSON at line %i, column %i', async (text, line, column) => {
  expect(() => JSON.parse(text)).toThrow()
  expect(await jsonFlaw(Buffer.from(text))).toEqual({ line, column })
})

test('however deep it is', async () => {
  const deep = '['.repeat(50_000)
  expect(await jsonFlaw(Buffer.from(deep))).toEqual({ line: 1, column: 50_001 })
})

test('a long text is read in slices, and others have a turn between them', async () => {
  const slices = 8
  let turns = 0
  const count = () => {
    turns += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const text = Buffer.alloc(slices * LIMITS.sliceBytes, '\n')
  expect(await jsonFlaw(text)).toEqual({ line: text.length + 1, column: 1 })
  clearImmediate(counting)
  expect(turns).toBeGreaterThanOrEqual(slices - 1)
})
