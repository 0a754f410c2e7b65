import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import { engine } from '../support/engine.js'
import { addGroup, addIssue, addProject, addRisk, issue, project, risk } from '../support/fixtures.js'
import { type Caller, openGateway } from '../support/harness.js'

const SELECTION = `__typename ... on Person { id } ... on Group { id } ... on Project { id }
  ... on Risk { id } ... on Issue { id }`

async function openReferenced() {
  const gateway = openGateway()
  const ids = await gateway.write(async (write) => {
    const team = await addGroup(write, { name: 'Straßen Team', externalId: 'dir-1', description: null })
    const other = await addGroup(write, { name: 'Others', description: null })
    const ada = await addPerson(write, { name: 'Ada', email: 'Ada.Löve@Example.com', externalId: 'HR-1' })
    const bea = await addPerson(write, { name: 'Bea', email: 'bea@example.com' })
    const apollo = await addProject(write, project({ key: 'APOLLO' }))
    const harbor = await addProject(write, project({ key: 'HARBOR-2' }))
    const entries = {
      risk: await addRisk(write, risk(apollo, { reference: 'R-1' })),
      namesake: await addRisk(write, risk(harbor, { reference: 'R-1' })),
      issue: await addIssue(write, issue(apollo, { reference: 'I-1' })),
    }
    return { team, other, ada: ada.id, bea: bea.id, apollo, harbor, ...entries }
  })
  const caller = await gateway.as('personnel.read', 'projects.read')
  return { gateway, ids, caller }
}

type Representation = Readonly<Record<string, unknown>>

function resolve(caller: Caller, representations: readonly unknown[], selection = SELECTION) {
  const query = `query ($all: [_Any!]!) { _entities(representations: $all) { ${selection} } }`
  return caller.graphql(query, { all: representations as never })
}

const person = (rest: Representation) => ({ __typename: 'Person', ...rest })
const reads = (statements: readonly string[]) =>
  statements.filter((one) => one.startsWith('select') && !/api_key|revision|from change/.test(one))

describe('every key finds its row, in the form in which it is compared', () => {
  test.each<[string, Representation, keyof Awaited<ReturnType<typeof openReferenced>>['ids']]>([
    ['a person by e-mail', person({ email: 'Ada.Löve@Example.com' }), 'ada'],
    ['a person by e-mail in any case', person({ email: ' ADA.LÖVE@example.COM ' }), 'ada'],
    ['a person by externalId', person({ externalId: 'HR-1' }), 'ada'],
    ['a group by name', { __typename: 'Group', name: 'straßen team' }, 'team'],
    ['a group by externalId', { __typename: 'Group', externalId: 'dir-1' }, 'team'],
    ['a project by key', { __typename: 'Project', key: 'apollo' }, 'apollo'],
    ['a risk by its place', { __typename: 'Risk', project: { key: 'APOLLO' }, reference: 'R-1' }, 'risk'],
    ['a namesake', { __typename: 'Risk', project: { key: 'harbor-2' }, reference: 'R-1' }, 'namesake'],
    ['an issue by its place', { __typename: 'Issue', reference: 'I-1', project: { key: 'APOLLO', id: 'x' } }, 'issue'],
  ])('%s', async (_, representation, name) => {
    const { ids, caller } = await openReferenced()
    const { body } = await resolve(caller, [representation])
    expect(body).toEqual({ data: { _entities: [{ __typename: representation['__typename'], id: ids[name] }] } })
  })

  test('also a key that looks like the mark of a cursor, beside a cursor', async () => {
    const { gateway, caller } = await openReferenced()
    const externalId = '["@cursor","risks",1]'
    const eve = await gateway.write((write) => addPerson(write, { name: 'Eve', externalId }))
    const selection = '... on Person { id risks { edges { cursor } pageInfo { endCursor } } }'
    const { body } = await resolve(caller, [person({ externalId })], selection)
    const risks = { edges: [], pageInfo: { endCursor: null } }
    expect(body).toEqual({ data: { _entities: [{ id: eve.id, risks }] } })
  })

  test('and several values of a key take one statement', async () => {
    const { gateway, ids, caller } = await openReferenced()
    const places = ['APOLLO R-1', 'HARBOR-2 R-1', 'HARBOR-2 R-2', 'NOWHERE R-1'].map((place) => {
      const [key, reference] = place.split(' ')
      return { __typename: 'Risk', project: { key }, reference }
    })
    await resolve(caller, [])
    gateway.statements()
    const { body } = await resolve(caller, places)
    const found = [ids.risk, ids.namesake].map((id) => ({ __typename: 'Risk', id }))
    expect(body).toEqual({ data: { _entities: [...found, null, null] } })
    expect(reads(gateway.statements())).toHaveLength(1)
  })
})

describe('a reference with more than one key', () => {
  test.each<[string, (ids: { ada: string; bea: string }) => Representation]>([
    ['that agree', ({ ada }) => ({ id: ada, email: 'ada.löve@example.com', externalId: 'HR-1' })],
    ['of which some are null', ({ ada }) => ({ externalId: null, id: ada, email: null })],
    ['besides what is no key', ({ ada }) => ({ name: 'Somebody', id: ada, badge: 7 })],
    ['without the first', () => ({ email: 'ada.löve@example.com', externalId: 'HR-1' })],
  ])('finds its row: keys %s', async (_, given) => {
    const { ids, caller } = await openReferenced()
    const { body } = await resolve(caller, [person(given(ids))])
    expect(body).toEqual({ data: { _entities: [{ __typename: 'Person', id: ids.ada }] } })
  })

  test('takes one statement as well', async () => {
    const { gateway, ids, caller } = await openReferenced()
    await resolve(caller, [])
    gateway.statements()
    const place = { project: { key: 'APOLLO' }, reference: 'R-1' }
    const { body } = await resolve(caller, [{ __typename: 'Risk', id: ids.risk, ...place }])
    expect(body.data._entities).toEqual([{ __typename: 'Risk', id: ids.risk }])
    expect(reads(gateway.statements())).toHaveLength(1)
  })

  test('that contradict each other is an error at its place alone', async () => {
    const { ids, caller } = await openReferenced()
    const bad = [
      person({ id: ids.ada, email: 'bea@example.com' }),
      person({ id: ids.bea, externalId: 'HR-1' }),
      person({ email: 'bea@example.com', externalId: 'HR-1' }),
      { __typename: 'Risk', id: ids.risk, project: { key: 'HARBOR-2' }, reference: 'R-1' },
      { __typename: 'Project', id: ids.apollo, key: 'HARBOR-2' },
    ]
    const good = person({ id: ids.ada })
    const { body } = await resolve(caller, [good, ...bad, good])
    expect(body.data._entities).toEqual([good, ...bad.map(() => null), good])
    expect(body.errors).toEqual(
      ['Person', 'Person', 'Person', 'Risk', 'Project'].map((type, index) => ({
        message: expect.stringMatching(
          new RegExp(`^This representation cannot be used: .* do not name the same ${type}`),
        ),
        locations: expect.any(Array),
        path: ['_entities', index + 1],
        extensions: { code: 'BAD_REQUEST' },
      })),
    )
  })

  test('of which the first names nothing is not found, whatever the others name', async () => {
    const { caller } = await openReferenced()
    const { body } = await resolve(caller, [person({ id: 'usr_nobody', email: 'bea@example.com' })])
    expect(body).toEqual({ data: { _entities: [null] } })
  })
})

describe('many references', () => {
  test('5,000 different ones are read in one statement', async () => {
    const { gateway, ids, caller } = await openReferenced()
    const many = Array.from({ length: 5_000 }, (_, index) => person({ id: index === 4_711 ? ids.ada : `usr_${index}` }))
    await resolve(caller, [])
    gateway.statements()
    const { body } = await resolve(caller, many, '... on Person { id name email externalId title department status }')
    expect(body.errors).toBeUndefined()
    expect(body.data._entities).toHaveLength(5_000)
    expect(body.data._entities.filter(Boolean)).toEqual([expect.objectContaining({ id: ids.ada, name: 'Ada' })])
    expect(reads(gateway.statements())).toHaveLength(1)
  })

  test('that repeat each other are looked up and priced once', async () => {
    const { gateway, ids, caller } = await openReferenced()
    const fields = Array.from({ length: 40 }, (_, index) => `a${index}: name`).join(' ')
    const repeats = Array(5_000).fill(person({ id: ids.ada }))
    await resolve(caller, [])
    gateway.statements()
    const { body } = await resolve(caller, repeats, `... on Person { ${fields} }`)
    expect(body.errors).toBeUndefined()
    expect(body.data._entities).toHaveLength(5_000)
    expect(body.data._entities[4_999]).toHaveProperty('a39', 'Ada')
    expect(reads(gateway.statements())).toHaveLength(1)
  })

  test('under two aliases are read once where that is known, and share a bound', async () => {
    const { gateway, ids, caller } = await openReferenced()
    const lookUp = (fields: number, all: readonly unknown[]) => {
      const selection = Array.from({ length: fields }, (_, index) => `a${index}: name`).join(' ')
      const field = `_entities(representations: $all) { ... on Person { ${selection} } }`
      return caller.graphql(`query ($all: [_Any!]!) { one: ${field} other: ${field} }`, { all: all as never })
    }
    await lookUp(1, [])
    gateway.statements()
    const { body } = await lookUp(1, [person({ id: ids.ada }), person({ id: ids.bea })])
    expect(body.data.other).toEqual([{ a0: 'Ada' }, { a0: 'Bea' }])
    // PostgreSQL gets the values of a look-up as an array, and arrays are not compared.
    expect(reads(gateway.statements())).toHaveLength(engine === 'sqlite' ? 1 : 2)

    const many = Array.from({ length: 2_500 }, (_, index) => person({ id: `usr_${index}` }))
    expect((await lookUp(15, many)).body.errors).toBeUndefined()
    const refused = (await lookUp(20, many)).body
    const cost = 2 * (1 + 2_500 * 21)
    expect(refused.data).toBeNull()
    expect(refused.errors[0]).toMatchObject({
      message: expect.stringContaining(`The query's cost is ${cost}; the most is ${LIMITS.queryCostMax}.`),
      extensions: { code: 'TOO_COMPLEX' },
    })
    expect(reads(gateway.statements()).filter((one) => one.includes('"person"')).length).toBeLessThanOrEqual(2)
  })

  test('that are written again and again have a bound of their own', async () => {
    const { ids, caller } = await openReferenced()
    const fields = Array.from({ length: 45 }, (_, index) => `a${index}: name`).join(' ')
    const { body } = await resolve(caller, Array(12_000).fill(person({ id: ids.ada })), `... on Person { ${fields} }`)
    expect(body.data).toBeNull()
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining(`the most is ${LIMITS.repeatedCostMax}`),
      extensions: { code: 'TOO_COMPLEX' },
    })
  })
})
