import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { Documents } from '../src/http/documents.js'

test('parsed queries are kept up to a number of characters, and the latest used longest', () => {
  const documents = new Documents(100)
  const text = (i: number) => `{ query${i} }`.padEnd(25, '#')
  const keep = (query: string) => documents.set(query, parse(query))
  const kept = () => [0, 1, 2, 3, 4].filter((i) => documents.get(text(i)) !== undefined)
  for (let i = 0; i < 4; i++) keep(text(i))
  documents.get(text(0))
  keep(text(4))
  expect(kept()).toEqual([0, 2, 3, 4])
  for (let i = 0; i < 10; i++) keep(text(3))
  expect(kept()).toEqual([0, 2, 3, 4])
  keep('{ long }'.padEnd(101, '#'))
  expect(kept()).toEqual([])
  keep(text(1))
  expect(kept()).toEqual([1])
})
