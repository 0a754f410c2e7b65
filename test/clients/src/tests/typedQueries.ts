import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initGraphQLTada, type ResultOf } from 'gql.tada'
import { print } from 'graphql'
import type { Query, QueryGenqlSelection } from '../../generated/genql/schema.js'
import type { introspection } from '../../generated/tada.js'
import { demo } from '../support/demo.js'

// Its client is for bundlers, so Node cannot load it; only its types are tested.
test('genql types the queries', () => {
  const query = {
    risks: { __args: { first: 1 }, nodes: { id: true, level: true, project: { key: true } } },
    node: { __args: { id: 'rsk_' }, __typename: true, on_Risk: { level: true } },
  } satisfies QueryGenqlSelection
  const levels: NonNullable<Query['risks']>['nodes'][number]['level'][] = ['LOW']
  assert.deepEqual([query.risks.__args.first, levels], [1, ['LOW']])
})

const graphql = initGraphQLTada<{ introspection: introspection; scalars: { Date: string; DateTime: string } }>()

test('gql.tada types a query from its text', async () => {
  const query = graphql(`
    query ($first: Int!) {
      risks(first: $first) { nodes { level raisedOn project { key } } }
    }
  `)
  const { origin, headers } = demo()
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: print(query), variables: { first: 1 } }),
  })
  const { data } = (await response.json()) as { data: ResultOf<typeof query> }
  const level: 'UNASSESSED' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL' | undefined = data.risks?.nodes[0]?.level
  assert.ok(level)
})
