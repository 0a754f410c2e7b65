import { GraphQLString, getNamedType, isInputObjectType, isObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { CURSOR_CHARACTERS_MAX } from '../../src/graph/connections.js'
import { LIMITS } from '../../src/limits.js'
import { schema } from '../../src/schema.js'
import { TEXT_MAX } from '../../src/vocabulary.js'
import { type Caller, openOffice, sharedByTests } from '../support/harness.js'

test('every text that a caller can give has a bound', () => {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('_'))
  const given = types.flatMap((type) => {
    if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => ({ at: type.name, field }))
    if (!isObjectType(type)) return []
    return Object.values(type.getFields()).flatMap(({ name, args }) =>
      args.map((field) => ({ at: `${type.name}.${name}`, field })),
    )
  })
  const texts = given.filter(({ field }) => getNamedType(field.type) === GraphQLString)
  const unbounded = texts.filter(({ field: { extensions } }) => {
    const { maxLength, items } = extensions as { maxLength?: number; items?: { maxLength?: number } }
    return (maxLength ?? items?.maxLength) === undefined
  })
  expect(unbounded.map(({ at, field }) => `${at}(${field.name})`)).toEqual([])
  expect(texts.length).toBeGreaterThan(30)
})

/** The arguments in which an unknown name is refused. */
const NAMING = new Set(['project', 'owner', 'assignee', 'group'])

/** A query that passes `$x` to an argument, the argument's name, its length limit, and the equivalent in REST. */
const TEXTS: readonly [query: string, argument: string, most: number, rest?: string][] = [
  ['($x: String!) { risks(filter: { category: [$x] }) { totalCount } }', 'category', TEXT_MAX.category, 'risks'],
  ['($x: String!) { risks(filter: { project: ["APOLLO", $x] }) { nodes { id } } }', 'project', TEXT_MAX.id, 'risks'],
  ['($x: ID!) { risks(filter: { owner: [null, $x] }) { nodes { id } } }', 'owner', TEXT_MAX.email, 'risks'],
  ['($x: String!) { risks(filter: { search: $x }) { nodes { id } } }', 'search', TEXT_MAX.search, 'risks'],
  ['($x: ID!) { issues(filter: { assignee: [$x] }) { nodes { id } } }', 'assignee', TEXT_MAX.email, 'issues'],
  ['($x: String!) { issues(filter: { project: [$x] }) { nodes { id } } }', 'project', TEXT_MAX.id, 'issues'],
  ['($x: ID!) { personnel(filter: { group: [$x] }) { nodes { id } } }', 'group', TEXT_MAX.name, 'personnel'],
  ['($x: String!) { personnel(filter: { email: $x }) { nodes { id } } }', 'email', TEXT_MAX.email, 'personnel'],
  [
    '($x: String!) { personnel(filter: { externalId: $x }) { nodes { id } } }',
    'externalId',
    TEXT_MAX.externalId,
    'personnel',
  ],
  ['($x: String!) { projects(filter: { search: $x }) { nodes { id } } }', 'search', TEXT_MAX.search, 'projects'],
  ['($x: String!) { project(key: $x) { id } }', 'key', TEXT_MAX.projectKey],
  [
    '($x: String!) { projects(first: 3) { nodes { risks(filter: { category: [$x] }) { nodes { id } } } } }',
    'category',
    TEXT_MAX.category,
  ],
]

const sharedOffice = sharedByTests((atEnd) => openOffice({}, atEnd))

test.each(['person', 'project'])('an id that is too long names no %s, as a malformed one does', async (noun) => {
  const { caller } = await sharedOffice()
  const query = `query ($x: ID!) { ${noun}(id: $x) { id } }`
  expect((await caller.graphql(query, { x: 'é'.repeat(500_000) })).body).toEqual({ data: { [noun]: null } })
})

test.each(TEXTS)('query %s takes %s up to its bound, %i', async (query, argument, most, rest) => {
  const { caller } = await sharedOffice()
  const longest = 'é'.repeat(most)
  const [unknown] = (await caller.graphql(`query ${query}`, { x: longest })).body.errors ?? []
  const isNamed = NAMING.has(argument)
  expect(unknown?.message).toEqual(isNamed ? expect.stringContaining(`There is no `) : undefined)
  const { body } = await caller.graphql(`query ${query}`, { x: `${longest}é` })
  const detail = `Must be at most ${most} characters long; this is ${most + 1}.`
  const [error] = body.errors
  expect([error.message, error.extensions]).toEqual([
    `${argument}: ${detail}`,
    { code: 'BAD_REQUEST', errors: [{ parameter: argument, detail }] },
  ])
  if (!rest) return
  const path = (text: string) => `/v1/${rest}?${new URLSearchParams({ [argument]: text })}`
  const found = await caller.get(path(longest))
  expect([found.status, found.text.includes('There is no ')]).toEqual([isNamed ? 400 : 200, isNamed])
  const refused = await caller.get(path(`${longest}é`))
  expect(refused).toMatchProblem(400, 'BAD_REQUEST')
  expect(refused.body.errors).toEqual([{ parameter: argument, detail }])
})

const ids = (count: number) =>
  Array.from({ length: count }, (_, i) => `usr_01k9zq3v5rf8ta4mbw2xnc${String(i).padStart(4, '0')}`)
const owned = 'query ($x: [ID]) { risks(first: 1, filter: { owner: $x }) { nodes { id } } }'

test('a list of a filter has at most a thousand different values, however often each is repeated', async () => {
  const { caller } = await sharedOffice()
  const most = LIMITS.filterItemsMax
  expect((await caller.graphql(owned, { x: ids(most) })).body.errors).toBeUndefined()
  const { body } = await caller.graphql(owned, { x: ids(most + 1) })
  expect(body.errors[0].message).toBe(`owner: There are ${most + 1} different values; the most is ${most}.`)
  expect(body.errors[0].extensions.code).toBe('BAD_REQUEST')
  const repeated = Array.from({ length: 5 * most }, () => null)
  const once = await caller.graphql(owned, { x: [null] })
  expect((await caller.graphql(owned, { x: repeated })).body).toEqual(once.body)
})

test('in REST too', async () => {
  const { caller } = await sharedOffice()
  const path = (count: number) => `/v1/risks?limit=1&owner=${ids(count).join()}`
  expect((await caller.get(path(LIMITS.filterItemsMax))).status).toBe(200)
  const refused = await caller.get(path(LIMITS.filterItemsMax + 1))
  expect(refused).toMatchProblem(400, 'BAD_REQUEST')
  expect(refused.body.errors[0].parameter).toBe('owner')
})

test('the lists that SQL gets have no value twice', async () => {
  const { gateway, caller } = await openOffice()
  const query = 'query ($x: [OpenIssueStatus!]) { issues(first: 1, filter: { status: $x }) { nodes { id } } }'
  const mentions = async (...x: string[]) => {
    gateway.statementsWithValues()
    await caller.graphql(query, { x })
    return Math.max(
      ...gateway.statementsWithValues().map((statement) => JSON.stringify(statement).split('BLOCKED').length - 1),
    )
  }
  expect(await mentions('BLOCKED', 'BLOCKED', 'OPEN')).toBe(1)
  expect(await mentions('BLOCKED', 'OPEN')).toBe(1)
})

const REFERENCES = 'query ($x: [_Any!]!) { _entities(representations: $x) { __typename } }'
const reference = async (caller: Caller, id: string) =>
  (await caller.graphql(REFERENCES, { x: [{ __typename: 'Person', id }] })).body

test('a reference of a gateway is as long as an id may be', async () => {
  const { caller } = await openOffice()
  expect(await reference(caller, 'x'.repeat(TEXT_MAX.id))).toEqual({ data: { _entities: [null] } })
  const refused = await reference(caller, 'x'.repeat(TEXT_MAX.id + 1))
  expect(refused.errors[0].extensions.code).toBe('BAD_REQUEST')
  expect(refused.errors[0].message).toContain(`a string of at most ${TEXT_MAX.id} characters`)
})

test('a cursor has a bound as well', async () => {
  const { caller } = await openOffice()
  const query = 'query ($x: String!) { risks(first: 1, after: $x) { nodes { id } } }'
  const { body } = await caller.graphql(query, { x: 'A'.repeat(CURSOR_CHARACTERS_MAX + 1) })
  expect(body.errors[0].message).toBe('after: Must be at most 32,000 characters long; this is 32,001.')
})

const NULLS: Readonly<Record<string, string>> = {
  '@skip of a field': '($v: Boolean = false) { risks(first: 1) { nodes { id title @skip(if: $v) } } }',
  '@include at the root': '($v: Boolean = false) { risks(first: 1) @include(if: $v) { nodes { id } } }',
  '@include of a fragment': '($v: Boolean = false) { risks(first: 1) { ... @include(if: $v) { totalCount } } }',
  '@skip in several roots': '($v: Boolean = false) { apiKey { name } risks { totalCount @skip(if: $v) } }',
  'the size of a nested page': '($v: Int = 1) { projects(first: 1) { nodes { risks(first: $v) { nodes { id } } } } }',
}

describe('a null in a variable that must not be null', () => {
  test.each(Object.entries(NULLS))('%s is refused, and its default is taken', async (_, query) => {
    const { gateway, caller } = await openOffice()
    const { body } = await caller.graphql(`query ${query}`, { v: null })
    const codes = body.errors.map((error: { extensions: { code: string } }) => error.extensions.code)
    expect(new Set(codes)).toEqual(new Set(['BAD_REQUEST']))
    expect(body.errors[0].message).toMatch(/must not be null/)
    expect((await caller.graphql(`query ${query}`)).body.errors).toBeUndefined()
    expect(gateway.log.filter((line) => line.includes('"level":50'))).toEqual([])
  })
})

test('a null that introspection cannot take is an error at its field, and the others have their data', async () => {
  const { caller } = await openOffice()
  const query = 'query ($name: String = "Risk") { __type(name: $name) { name } risks { totalCount } }'
  const { body } = await caller.graphql(query, { name: null })
  expect(body.errors).toMatchObject([{ path: ['__type'], extensions: { code: 'BAD_REQUEST' } }])
  expect(body.data).toEqual({ __type: null, risks: { totalCount: expect.any(Number) } })
})

test.each(['__typename', '__schema { queryType { name } }'])('%s is never null beside data', async (field) => {
  const { caller } = await openOffice()
  const inner = Array.from({ length: 6 }).reduce<string>((deep) => `project { risks { nodes { ${deep} } } }`, 'id')
  const { body } = await caller.graphql(`{ ${field} risks { nodes { ${inner} } } }`)
  expect(body.errors[0].extensions.code).toBe('TOO_COMPLEX')
  expect(body.data).toBeNull()
})
