import { composeServices as composeByApollo } from '@apollo/composition'
import { composeServices as composeByGuild } from '@theguild/federation-composition'
import { buildSchema, parse } from 'graphql'
import { expect, test } from 'vitest'
import { SCOPE_NAMES } from '../../src/auth/scopes.js'
import { LIMITS } from '../../src/limits.js'
import { apiSdl, sdl } from '../../src/schema.js'
import { openFilled, openGateway } from '../support/harness.js'

const TYPES = ['Person', 'Group', 'Project', 'Risk', 'Issue'] as const

/** A caller with every scope, and one id of each type. */
async function openNodes() {
  const { gateway } = await openFilled()
  const caller = await gateway.as(...SCOPE_NAMES)
  const lists = { Person: 'personnel', Group: 'groups', Project: 'projects', Risk: 'risks', Issue: 'issues' }
  const ids: Record<string, string> = {}
  for (const type of TYPES) ids[type] = (await caller.get(`/v1/${lists[type]}?limit=1`)).body.data[0].id
  return { gateway, caller, ids }
}

test.each(TYPES)('node(id) finds a %s as its own field does', async (type) => {
  const { caller, ids } = await openNodes()
  const own = type.toLowerCase()
  const fields = '... on Node { __typename id } createdAt history(first: 2) { edges { node { id } } }'
  const { body } = await caller.graphql(
    `query ($id: ID!) { node(id: $id) { __typename ... on ${type} { ${fields} } } own: ${own}(id: $id) { ${fields} } }`,
    { id: ids[type] },
  )
  expect(body.errors).toBe(undefined)
  expect(body.data.own).toMatchObject({ __typename: type, id: ids[type] })
  expect(body.data.node).toEqual(body.data.own)
})

test.each(['', 'x', 'usr', '_', 'key_01k9zq3v5rf8ta4mbw2xnc7dhe', 'usr_nobody', 'Person:1', `usr_${'x'.repeat(200)}`])(
  'what has no such id is null, without an error: %s',
  async (id) => {
    const { caller } = await openNodes()
    const { status, body } = await caller.graphql('query ($id: ID!) { node(id: $id) { id } }', { id })
    expect([status, body]).toEqual([200, { data: { node: null } }])
  },
)

test('a nested list is paged by the id of what it is in, as Relay refetches it', async () => {
  const { caller, ids } = await openNodes()
  const query = `query ($id: ID!, $after: String) { node(id: $id) { __typename id
    ... on Project { risks(first: 1, after: $after) { edges { cursor node { id } } pageInfo { hasNextPage endCursor } } } } }`
  const all = (await caller.get(`/v1/risks?project=${ids['Project']}`)).body.data.map(({ id }: { id: string }) => id)
  const paged: string[] = []
  for (let after: string | null = null, more = true; more; ) {
    const { body } = await caller.graphql(query, { id: ids['Project'], after })
    const { edges, pageInfo } = body.data.node.risks
    paged.push(edges[0].node.id)
    after = pageInfo.endCursor
    more = pageInfo.hasNextPage
  }
  expect(all.length).toBeGreaterThan(1)
  expect(paged).toEqual(all)
})

test('several nodes in one query are a statement each, and the same one under two names is read once', async () => {
  const { gateway, caller } = await openNodes()
  const ids: string[] = (await caller.get('/v1/risks')).body.data.map(({ id }: { id: string }) => id)
  gateway.statements()
  const fields = ids.map((id, index) => `n${index}: node(id: "${id}") { ... on Risk { title } }`)
  const { body } = await caller.graphql(
    `{ ${fields.join(' ')} again: node(id: "${ids[0]}") { ... on Risk { title } } }`,
  )
  expect(body.errors).toBe(undefined)
  expect(body.data.again).toEqual(body.data.n0)
  expect(gateway.statements().filter((sql) => sql.includes('"risk"'))).toHaveLength(ids.length)
})

test('the limits hold behind node as anywhere else', async () => {
  const { caller, ids } = await openNodes()
  const refused = async (fields: string) => {
    const { body } = await caller.graphql(`{ node(id: "${ids['Project']}") { ... on Project { ${fields} } } }`)
    expect(body.data).toEqual({ node: null })
    expect(body.errors).toMatchObject([{ path: ['node'], extensions: { code: 'TOO_COMPLEX' } }])
    return body.errors[0].message
  }
  const lists = ['a', 'b', 'c', 'd'].map((name) => `${name}: history(first: 1000) { nodes { id action } }`)
  const inner = `project { risks(first: 1000) { nodes { ${lists.join(' ')} } } }`
  expect(await refused(`risks(first: 1000) { nodes { ${inner} } }`)).toMatch(
    new RegExp(`cost is \\d+; the most is ${LIMITS.queryCostMax}`),
  )
  const counts = Array.from({ length: 33 }, (_, index) => `r${index}: risks(first: 1) { totalCount }`)
  expect(await refused(counts.join(' '))).toMatch(/^The query has more than 64 fields that look up other rows\. /)
})

test('results of node are cached, and so are edges, whose member has the same name', async () => {
  const gateway = openGateway({ responseCacheBytesMax: LIMITS.responseCacheBytesMax })
  const caller = await gateway.as(...SCOPE_NAMES)
  const { id } = (await caller.post('/v1/groups', { name: 'Site team' })).body
  for (const query of [`{ node(id: "${id}") { ... on Group { name } } }`, '{ groups { edges { node { name } } } }']) {
    const first = await caller.graphql(query)
    gateway.statements()
    expect((await caller.graphql(query)).text).toBe(first.text)
    expect(gateway.statements().filter((sql) => sql.includes('"groups"'))).toEqual([])
    await caller.patch(`/v1/groups/${id}`, { name: `${query.length}` })
    expect((await caller.graphql(query)).text).toContain(`"${query.length}"`)
  }
})

test('clients see node, and gateways do not, so that a neighbour may have its own', async () => {
  const { caller } = await openNodes()
  const api = buildSchema(apiSdl())
  expect(String(api.getQueryType()?.getFields()['node']?.type)).toBe('Node')
  expect(Object.keys(api.getTypeMap()).filter((name) => /^_[^_]/.test(name))).toEqual([])
  expect(apiSdl()).not.toMatch(/@|_entities|_service/)
  const served = (await caller.graphql('{ _service { sdl } }')).body.data._service.sdl
  expect(served).toBe(sdl())
  expect(served).not.toMatch(/\bNode\b|\bnode\(/)
  const neighbour = parse(`extend schema @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key"])
    interface Node { id: ID! }
    type Task implements Node @key(fields: "id") { id: ID! }
    type Query { node(id: ID!): Node }`)
  const services = [
    { name: 'operations', url: 'http://127.0.0.1', typeDefs: parse(served) },
    { name: 'tasks', url: 'http://127.0.0.1', typeDefs: neighbour },
  ]
  expect(composeByApollo(services).errors).toBe(undefined)
  expect(composeByGuild(services)).toMatchObject({ supergraphSdl: expect.stringContaining('join__Graph') })
})
