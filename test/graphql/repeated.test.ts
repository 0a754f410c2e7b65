import { expect, test } from 'vitest'
import { type Caller, openFilled, type TestResponse } from '../support/harness.js'

const PEOPLE = 'query people($first: Int) { personnel(first: $first) { nodes { id name } pageInfo { endCursor } } }'
const TWO = 'query one { groups { totalCount } } query two { personnel { totalCount } }'
const ADD = 'mutation add($name: String!) { addGroup(input: { name: $name }) { name } }'
const OF_KEY = '{ apiKey { name } }'
const OF_SCHEMA = '{ __schema { queryType { name } } }'
const WITHHELD = '{ risks { nodes { id } } personnel { totalCount } }'

const byPost = (params: object) => (caller: Caller) => caller.post('/graphql', params)
const byGet = (query: string, variables: object) => (caller: Caller) =>
  caller.get(`/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`)

/** Sent first, so that each text has been validated. */
const KNOWN = [
  byPost({ query: PEOPLE }),
  byPost({ query: TWO, operationName: 'one' }),
  byPost({ query: ADD, variables: { name: 'Early' } }),
  ...[OF_KEY, OF_SCHEMA, WITHHELD].map((query) => byPost({ query })),
]

const REQUESTS: Record<string, (caller: Caller) => Promise<TestResponse>> = {
  'a query': byPost({ query: PEOPLE, variables: { first: 2 } }),
  'a query by GET': byGet(PEOPLE, { first: 2 }),
  'no variables': byPost({ query: PEOPLE, variables: null }),
  'variables of the wrong type': byPost({ query: PEOPLE, variables: { first: 'two' } }),
  'variables that are no object': byPost({ query: PEOPLE, variables: [2] }),
  'too large a page': byPost({ query: PEOPLE, variables: { first: 1_000_000 } }),
  extensions: byPost({ query: PEOPLE, extensions: { client: 'x' } }),
  'extensions that are no object': byPost({ query: PEOPLE, extensions: 'x' }),
  'an unknown member': byPost({ query: PEOPLE, queryId: 'x' }),
  'one operation of two': byPost({ query: TWO, operationName: 'two' }),
  'neither of two': byPost({ query: TWO }),
  'an unknown operation': byPost({ query: TWO, operationName: 'three' }),
  'data about the key': byPost({ query: OF_KEY }),
  introspection: byPost({ query: OF_SCHEMA }),
  'fields that the key may not read': byPost({ query: WITHHELD }),
  'a mutation': byPost({ query: ADD, variables: { name: 'New' } }),
  'a mutation without its variable': byPost({ query: ADD }),
  'a mutation by GET': byGet(ADD, { name: 'New' }),
}

test.each(Object.entries(REQUESTS))('a validated text gets the response of a new one: %s', async (_, send) => {
  const shown = async (before: readonly ((caller: Caller) => Promise<TestResponse>)[]) => {
    const { gateway } = await openFilled({ responseCacheBytesMax: 0 })
    const caller = await gateway.as('personnel.manage')
    for (const sendFirst of before) expect((await sendFirst(caller)).status).toBe(200)
    const { status, headers, text } = await send(caller)
    const { 'request-id': __, ...others } = Object.fromEntries(headers)
    const { operation } = JSON.parse(gateway.log.at(-1) ?? '')
    return { status, others, text, operation }
  }
  expect(await shown(KNOWN)).toEqual(await shown([]))
})

test.each([
  ['a query', PEOPLE, { first: 2 }],
  ['a mutation', ADD, { name: 'New' }],
])('a text that another key has sent needs the scope of each key: %s', async (_, query, variables) => {
  const { gateway } = await openFilled({ responseCacheBytesMax: 0 })
  const send = async (caller: Caller) => (await caller.graphql(query, variables)).body
  expect(await send(await gateway.as('personnel.manage'))).not.toHaveProperty('errors')
  const { errors, data } = await send(await gateway.as('projects.manage'))
  expect([errors[0].extensions.code, ...Object.values(data ?? {})]).toEqual(['INSUFFICIENT_SCOPE', null])
})
