import { composeServices as composeByApollo } from '@apollo/composition'
import { composeServices as composeByGuild } from '@theguild/federation-composition'
import { parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { SCOPE_NAMES, type Scope } from '../../src/auth/scopes.js'
import { sdl } from '../../src/schema.js'
import { type Company, DEAR_PERSON } from '../support/fixtures.js'
import { type Caller, openFilled } from '../support/harness.js'
import { BADGES_SDL } from './badges.js'
import { TASKS_SDL } from './tasks.js'

const ENTITIES: readonly { type: string; read: Scope; ids: keyof Company }[] = [
  { type: 'Person', read: 'personnel.read', ids: 'personIds' },
  { type: 'Group', read: 'personnel.read', ids: 'groupIds' },
  { type: 'Project', read: 'projects.read', ids: 'projectIds' },
  { type: 'Risk', read: 'projects.read', ids: 'riskIds' },
  { type: 'Issue', read: 'projects.read', ids: 'issueIds' },
]

const IDS = ENTITIES.map(({ type }) => `... on ${type} { id }`).join(' ')

function resolve(caller: Caller, representations: unknown, selection = `__typename ${IDS}`) {
  const query = `query ($representations: [_Any!]!) { _entities(representations: $representations) { ${selection} } }`
  return caller.graphql(query, { representations: representations as never })
}

async function openCompany() {
  const { gateway, company } = await openFilled()
  return { gateway, company, caller: await gateway.as('personnel.read', 'projects.read') }
}

test('the subgraph gives a gateway exactly the printed schema', async () => {
  const { caller } = await openCompany()
  const { body } = await caller.graphql('{ _service { sdl } }')
  expect(body).toEqual({ data: { _service: { sdl: sdl() } } })
})

test.each([
  ['pages and refers to it by id', TASKS_SDL],
  ['refers to it by every other key and provides names', BADGES_SDL],
])('the subgraph composes with one that %s', (_, neighbour) => {
  const services = [
    { name: 'operations', url: 'http://operations', typeDefs: parse(sdl()) },
    { name: 'neighbour', url: 'http://neighbour', typeDefs: parse(neighbour) },
  ]
  const byApollo = composeByApollo(services)
  const warnings = (byApollo.hints ?? []).filter(({ definition }) => definition.level.name === 'WARN')
  expect({ errors: byApollo.errors ?? [], warnings }).toEqual({ errors: [], warnings: [] })
  const byGuild = composeByGuild(services)
  expect({ errors: byGuild.errors ?? [] }).toEqual({ errors: [] })
  for (const supergraph of [byApollo.supergraphSdl, byGuild.supergraphSdl]) {
    expect(supergraph).toContain('@tag(name: "personnel-read")')
  }
})

describe('references', () => {
  test('are found by each key of their type, and what is not there is null at its place', async () => {
    const { company, caller } = await openCompany()
    const known = ENTITIES.map(({ type, ids }) => ({ __typename: type, id: company[ids][1] }))
    const unknown = { __typename: 'Person', id: 'usr_nobody' }
    const { body } = await resolve(caller, [...known, unknown, { __typename: 'Project', key: 'APOLLO' }])
    const apollo = { __typename: 'Project', id: company.projectIds[0] }
    expect(body).toEqual({ data: { _entities: [...known, null, apollo] } })
  })

  test('take one statement for each type, however many they are', async () => {
    const { gateway, company, caller } = await openCompany()
    await resolve(caller, [])
    const representations = ENTITIES.flatMap(({ type, ids }) => company[ids].map((id) => ({ __typename: type, id })))
    gateway.statements()
    const { body } = await resolve(caller, representations)
    expect(body.data._entities).toEqual(representations)
    const reads = gateway
      .statements()
      .filter((one) => one.startsWith('select') && !/api_key|revision|from change/.test(one))
    expect(reads).toHaveLength(ENTITIES.length)
  })

  test.each([
    ['no type', { id: 'usr_x' }],
    ['an unknown type', { __typename: 'Planet', id: 'x' }],
    ['a type that is no entity', { __typename: 'PageInfo', id: 'x' }],
    ['no key', { __typename: 'Person' }],
    ['a key of another type', { __typename: 'Person', key: 'APOLLO' }],
    ['a key that is no string', { __typename: 'Person', id: 5 }],
    ['a key from the prototype', { __typename: 'Person', constructor: 'x' }],
    ['text', 'usr_x'],
    ['a list', ['usr_x']],
  ])('with %s are an error at their place, and the others stay', async (_, bad) => {
    const { company, caller } = await openCompany()
    const good = { __typename: 'Person', id: company.personIds[0] }
    const { body } = await resolve(caller, [good, bad, good])
    expect(body.data).toEqual({ _entities: [good, null, good] })
    expect(body.errors).toEqual([
      {
        message: expect.stringMatching(/^This representation cannot be used: .*\.$/),
        locations: expect.any(Array),
        path: ['_entities', 1],
        extensions: { code: 'BAD_REQUEST' },
      },
    ])
  })

  test('count in the price of the query', async () => {
    const { caller } = await openCompany()
    const representations = Array.from({ length: 1_000 }, (_, i) => ({ __typename: 'Person', id: `usr_${i}` }))
    const { body } = await resolve(caller, representations, `... on Person { ${DEAR_PERSON} }`)
    expect(body.errors[0].extensions.code).toBe('TOO_COMPLEX')
  })
})

describe.each(SCOPE_NAMES)('a key with %s alone', (scope) => {
  test.each(ENTITIES)(
    'gets a $type only if that grants its scope, and no hint of which ids there are',
    async (entity) => {
      const { type, read, ids } = entity
      const { gateway, company } = await openCompany()
      const caller = await gateway.as(scope)
      const known = { __typename: type, id: company[ids][0] }
      const isGranted = read.split('.')[0] === scope.split('.')[0]
      const there = (await resolve(caller, [known], '__typename')).body
      const nowhere = (await resolve(caller, [{ __typename: type, id: 'none' }], '__typename')).body
      if (isGranted) {
        expect([there, nowhere]).toEqual([
          { data: { _entities: [{ __typename: type }] } },
          { data: { _entities: [null] } },
        ])
      } else {
        expect(there).toEqual(nowhere)
        expect(there.data).toEqual({ _entities: [null] })
        expect(there.errors[0]).toMatchObject({
          path: ['_entities', 0],
          extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope: read },
        })
      }
    },
  )
})

test('a refusal is for its entry alone', async () => {
  const { gateway, company } = await openCompany()
  const caller = await gateway.as('projects.read')
  const risk = { __typename: 'Risk', id: company.riskIds[0] }
  const { body } = await resolve(caller, [{ __typename: 'Person', id: company.personIds[0] }, risk])
  expect(body.data).toEqual({ _entities: [null, risk] })
  expect(body.errors).toHaveLength(1)
})
