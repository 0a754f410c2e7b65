import { expect, test } from 'vitest'
import { preferredEncoding, preferredType } from '../../src/http/wire/content.js'
import { openOffice } from '../support/harness.js'

const JSON_TYPE = 'application/json'
const GRAPHQL_TYPE = 'application/graphql-response+json'

test.each([
  [undefined, JSON_TYPE],
  ['', JSON_TYPE],
  ['*/*', JSON_TYPE],
  ['APPLICATION/JSON', JSON_TYPE],
  ['application/*', JSON_TYPE],
  ['text/csv', 'text/csv'],
  ['text/csv;q=1, application/json;q=0.999', 'text/csv'],
  ['application/json;Q=0.2,text/csv;q=0.3', 'text/csv'],
  // Equal quality: the order in the header does not matter.
  ['text/csv, application/json', JSON_TYPE],
  ['text/csv, */*', JSON_TYPE],
  // The most specific matching range decides.
  ['application/json;q=0, */*;q=0.1', 'text/csv'],
  ['text/*;q=0.4, text/csv;q=0.6, */*;q=0.5', 'text/csv'],
  // Parameters are not part of the type, and may contain commas.
  ['text/csv;header=present;q=0.9, application/json;profile="a, b;q=1";q=0.5', 'text/csv'],
  ['application/json;profile="a \\", text/csv;q=1", b";q=0.5', JSON_TYPE],
  // A quote without an end extends to the end of the header, also after an escaped one.
  ['application/json;q=0.1;profile="a, text/csv', JSON_TYPE],
  ['application/json;q=0.1;profile="\\"\\"a, text/csv', JSON_TYPE],
  ['application/json;q=0.1;profile="a, text/csv\\', JSON_TYPE],
  ['application/json;q=nonsense', JSON_TYPE],
  ['image/png', undefined],
  ['application/json;q=0', undefined],
  ['*/*;q=0.0', undefined],
])('of JSON and CSV, Accept %o gets %s', (accept, type) => {
  expect(preferredType(accept, [JSON_TYPE, 'text/csv'])).toBe(type)
})

test.each([
  [undefined, undefined],
  ['gzip', 'gzip'],
  ['gzip, br', 'br'],
  ['gzip;q=0.9, br;q=0.8', 'gzip'],
  ['br;q=0, gzip;q=0.001', 'gzip'],
  ['deflate, identity', undefined],
])('of br and gzip, Accept-Encoding %o gets %s', (accept, coding) => {
  expect(preferredEncoding(accept, ['br', 'gzip'])).toBe(coding)
})

/** As found in the source of each client. */
const CLIENTS = [
  ['curl', '*/*', JSON_TYPE],
  ['Apollo Client 4', 'application/graphql-response+json,application/json;q=0.9', GRAPHQL_TYPE],
  ['Apollo Router', 'application/json, application/graphql-response+json', GRAPHQL_TYPE],
  ['Hive Gateway', 'application/graphql-response+json, application/json, multipart/mixed', GRAPHQL_TYPE],
  [
    'urql',
    'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
    GRAPHQL_TYPE,
  ],
  ['a router of Go', 'application/json', JSON_TYPE],
  ['a router that takes callbacks', 'application/json;callbackSpec=1.0', JSON_TYPE],
  ['JSON preferred', 'application/graphql-response+json;q=0.4, application/json;q=0.5', JSON_TYPE],
  ['JSON refused', 'application/json;q=0, */*', GRAPHQL_TYPE],
] as const

test.each(CLIENTS)('%s is served in the type that it prefers', async (_, accept, type) => {
  const { gateway, caller } = await openOffice()
  const answer = await caller.request('/graphql', {
    method: 'POST',
    headers: { accept, 'content-type': JSON_TYPE },
    body: JSON.stringify({
      query: '{ personnel(first: 1) { nodes { name } } }',
      extensions: { clientLibrary: { name: '@apollo/client', version: '4.1.6' } },
    }),
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`])
  expect(gateway.statements().filter((statement) => /json_object|to_json/.test(statement))).not.toEqual([])
})

test('an Accept without a GraphQL type is refused before the key is checked', async () => {
  const { gateway } = await openOffice()
  const answer = await gateway
    .with(undefined)
    .request('/graphql?query={__typename}', { headers: { accept: 'image/png' } })
  expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([406, 'NOT_ACCEPTABLE'])
})
