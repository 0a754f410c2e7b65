import { parse } from 'graphql'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Documents } from '../../src/http/graphql/handler.js'
import { openOffice } from '../support/harness.js'

test('parsed queries are kept up to a number of characters, and the latest used longest', () => {
  const documents = new Documents(100, 100)
  const text = (i: number) => `{ query${i} }`.padEnd(25, '#')
  const keep = (query: string) => documents.set(query, parse(query))
  const retained = () => [0, 1, 2, 3, 4].filter((i) => documents.get(text(i)) !== undefined)
  for (let i = 0; i < 4; i++) keep(text(i))
  documents.get(text(0))
  keep(text(4))
  expect(retained()).toEqual([0, 2, 3, 4])
  for (let i = 0; i < 10; i++) keep(text(3))
  expect(retained()).toEqual([0, 2, 3, 4])
  // A document larger than the whole cache is not cached, and evicts nothing.
  keep('{ long }'.padEnd(101, '#'))
  expect(retained()).toEqual([0, 2, 3, 4])
  keep(text(1))
  expect(retained()).toEqual([1, 2, 3, 4])
})

test('parsed queries are kept up to a number, however short they are', () => {
  const documents = new Documents(1_000, 3)
  const texts = ['{ a }', '{ b }', '{ c }', '{ d }']
  for (const text of texts) documents.set(text, parse(text))
  expect(texts.filter((text) => documents.get(text) !== undefined)).toEqual(['{ b }', '{ c }', '{ d }'])
})

test.each([
  ['one of a list', '{ personnel { nodes { id } } }'],
  ['one of the key itself', '{ apiKey { name } }'],
  ['one that leaves open what to run', 'query a { __typename } query b { __typename }'],
  ['one that is not valid', '{ salaries }'],
  ['what is no GraphQL', '{ personnel'],
  ['one that is too long', `{ ${'a '.repeat(1_000)}}`],
])('a query is parsed once: %s', async (_, query) => {
  const { caller } = await openOffice()
  // The parser checks this cache first.
  const looked = vi.spyOn(Documents.prototype, 'get')
  onTestFinished(() => looked.mockRestore())
  await caller.graphql(query)
  expect(looked.mock.calls).toEqual([[query]])
})
