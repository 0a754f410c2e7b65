import { expect, test } from 'vitest'
import { jsonFlaw } from '../../src/http/wire/jsonFlaw.js'

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
])('%j stops being JSON at line %i, column %i', (text, line, column) => {
  expect(() => JSON.parse(text)).toThrow()
  expect(jsonFlaw(text)).toEqual({ line, column })
})

test('however deep it is', () => {
  const deep = '['.repeat(50_000)
  expect(jsonFlaw(deep)).toEqual({ line: 1, column: 50_001 })
})
