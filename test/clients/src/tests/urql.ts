import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { Client, cacheExchange, type Exchange, fetchExchange } from '@urql/core'
import { cacheExchange as graphcache } from '@urql/exchange-graphcache'
import { AddDocument, OwnDocument, RefetchedDocument, TopRisksDocument } from '../../generated/codegen.js'
import introspection from '../../generated/introspection.json' with { type: 'json' }
import { demo } from '../support/demo.js'

function clientWith(cache: Exchange) {
  const { origin, headers } = demo()
  return new Client({ url: `${origin}/graphql`, exchanges: [cache, fetchExchange], fetchOptions: { headers } })
}

/** As docs/graphql.md says: objects without an id are embedded in their parent. */
const EMBEDDED = ['FieldChange', 'ApiKey', 'SyncResult', 'SyncCounts', 'SyncWarning']
const keys = Object.fromEntries(EMBEDDED.map((name) => [name, () => null]))

test('a list is read page by page', async () => {
  const client = clientWith(cacheExchange)
  const first = await client.query(TopRisksDocument, { first: 2 })
  const { edges, pageInfo } = first.data?.risks ?? assert.fail(first.error?.message)
  const second = await client.query(TopRisksDocument, { first: 2, after: pageInfo.endCursor })
  const ids = [...edges, ...(second.data?.risks?.edges ?? [])].map(({ node }) => node.id)
  assert.equal(new Set(ids).size, 4)
})

test('a mutation is made, and an error carries its code', async () => {
  const client = clientWith(cacheExchange)
  const input = { name: 'Barbara Liskov', externalId: 'HR-1939' }
  assert.equal((await client.mutation(AddDocument, { input })).data?.addPerson?.name, input.name)
  const { error } = await client.mutation(AddDocument, { input })
  assert.equal(error?.graphQLErrors[0]?.extensions['code'], 'CONFLICT')
})

test('graphcache normalises everything that has a key, and has nothing to warn of', async () => {
  const warn = mock.method(console, 'warn', () => undefined)
  const error = mock.method(console, 'error', () => undefined)
  const client = clientWith(graphcache({ schema: introspection, keys }))
  const { data } = await client.query(TopRisksDocument, { first: 2 })
  const id = data?.risks?.edges[0]?.node.id ?? ''
  const refetched = await client.query(RefetchedDocument, { id })
  assert.equal(refetched.data?.node?.id, id)
  const own = await client.query(OwnDocument, {})
  assert.equal(own.error, undefined)
  const again = await client.query(TopRisksDocument, { first: 2 }, { requestPolicy: 'cache-only' })
  assert.deepEqual(again.data, data)
  assert.deepEqual(
    [...warn.mock.calls, ...error.mock.calls].map(({ arguments: given }) => given),
    [],
  )
})
