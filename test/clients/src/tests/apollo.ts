import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client'
import { CombinedGraphQLErrors } from '@apollo/client/errors'
import { AddDocument, OwnDocument, RefetchedDocument, TopRisksDocument } from '../../generated/codegen.js'
import { demo } from '../support/demo.js'

function clientFor() {
  const { origin, headers } = demo()
  const possibleTypes = { Node: ['Person', 'Group', 'Project', 'Risk', 'Issue'] }
  return new ApolloClient({
    link: new HttpLink({ uri: `${origin}/graphql`, headers }),
    cache: new InMemoryCache({ possibleTypes }),
  })
}

test('a list is read page by page, and a thing again by its id', async () => {
  const client = clientFor()
  const { data } = await client.query({ query: TopRisksDocument, variables: { first: 2, level: ['CRITICAL', 'HIGH'] } })
  const { edges, pageInfo, totalCount } = data?.risks ?? assert.fail('There are no risks.')
  assert.ok(totalCount > 2)
  assert.equal(pageInfo.hasNextPage, true)
  const next = await client.query({
    query: TopRisksDocument,
    variables: { first: 2, after: pageInfo.endCursor, level: ['CRITICAL', 'HIGH'] },
  })
  const ids = [...edges, ...(next.data?.risks?.edges ?? [])].map(({ node }) => node.id)
  assert.equal(new Set(ids).size, ids.length)
  const again = await client.query({ query: RefetchedDocument, variables: { id: ids[0] ?? '' } })
  const node = again.data?.node
  if (node?.__typename !== 'Risk') assert.fail(`It is a ${node?.__typename}.`)
  assert.equal(node.title, edges[0]?.node.title)
  assert.ok(node.history?.nodes.length)
})

test('a mutation is made, and an error carries its code', async () => {
  const client = clientFor()
  const input = { name: 'Radia Perlman', externalId: 'HR-1951' }
  const { data } = await client.mutate({ mutation: AddDocument, variables: { input } })
  assert.equal(data?.addPerson?.status, 'ACTIVE')
  await assert.rejects(client.mutate({ mutation: AddDocument, variables: { input } }), (error: unknown) => {
    assert.ok(CombinedGraphQLErrors.is(error))
    assert.equal(error.errors[0]?.extensions?.['code'], 'CONFLICT')
    return true
  })
})

test('the own key is read', async () => {
  const { data } = await clientFor().query({ query: OwnDocument })
  assert.ok(data?.apiKey?.scopes.includes('personnel.manage'))
})
