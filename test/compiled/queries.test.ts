import { parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPE_NAMES } from '../../src/auth/scopes.js'
import { compiledQuery } from '../../src/graph/sql/compiledQueries.js'
import { OPERATIONS } from '../../src/http/rest/operations.js'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import { schema } from '../../src/schema.js'
import type { Store } from '../../src/store/store.js'
import { addGroup, type Company, fillCompany } from '../support/fixtures.js'
import { NOW } from '../support/harness.js'
import { newStore } from '../support/stores.js'
import { idsOf, runnersFor } from './compiling.js'
import type { Single } from './randomQueries.js'

/** Why an operation is executed; undefined if it is compiled. */
function reasonOf(query: string): string | undefined {
  const compiled = compiledQuery(schema, parse(query))
  return typeof compiled === 'string' ? compiled : undefined
}

interface MembersPage {
  readonly members: {
    readonly nodes: readonly { readonly name: string }[]
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

/** What names the thing that a list of one belongs to. */
function namedIn({ personIds, groupIds, riskIds, issueIds }: Company, operation: string): object {
  if (/Project|^projectHistory/.test(operation) && operation !== 'listProjects') return { idOrKey: 'apollo' }
  if (/^listPerson(Risks|Issues)|^personHistory/.test(operation)) return { id: personIds[1] }
  if (/^listMembers|^groupHistory/.test(operation)) return { id: groupIds[0] }
  if (operation === 'riskHistory') return { id: riskIds[0] }
  return operation === 'issueHistory' ? { id: issueIds[0] } : {}
}

describe('in a company', () => {
  let store: Store
  let company: Company
  let remove: () => void

  beforeAll(async () => {
    const own = newStore()
    store = own.open()
    remove = own.remove
    company = await store.write({ by: 'cli', at: () => NOW }, fillCompany)
  })
  afterAll(async () => {
    await store.close()
    remove()
  })

  test.each(Object.entries(OPERATIONS))('the operation %s is compiled wherever it only reads', async (name, text) => {
    const isRead = text.startsWith('query')
    expect(reasonOf(text)).toBe(isRead ? undefined : 'mutation')
    if (!isRead || name === 'getKey') return
    const { same } = runnersFor(store, SCOPE_NAMES)
    if (/^list|History$/.test(name)) {
      const of = namedIn(company, name)
      const pages = [{}, { limit: 2 }, { limit: 2, total: true }, { total: true }]
      for (const given of pages) await same(text, { ...of, ...given })
      return
    }
    if (name === 'getMovements') return void (await same(text, { since: '2026-01-01' }))
    if (name === 'getRiskTrend') return void (await same(text, { from: '2026-10-01', to: '2026-12-01' }))
    if (!name.startsWith('get')) return void (await same(text, {}))
    const ids = idsOf(company)[name.slice('get'.length).toLowerCase() as Single]
    for (const id of [...ids, 'none']) await same(text, name === 'getProject' ? { idOrKey: id } : { id })
  })

  test('REST gets the parts of a list', async () => {
    const given = { limit: 3, total: true }
    const { same, executed } = runnersFor(store, SCOPE_NAMES)
    const list = (await same(OPERATIONS.listRisks, given))?.roots[0]?.list
    const { data } = await executed(OPERATIONS.listRisks, given)
    expect({ ...list, entries: undefined, nodes: JSON.parse(`[${list?.entries}]`) }).toEqual(
      JSON.parse(JSON.stringify(data?.['risks'])),
    )
  })

  test('the groups of a person are shown in the order of their names, and not of their ids', async () => {
    const own = newStore()
    const other = own.open()
    await other.write({ by: 'cli', at: () => NOW }, async (write) => {
      const groupIds: string[] = []
      for (const name of ['c', 'A', 'b', 'Z', 'ä']) groupIds.push(await addGroup(write, { name }))
      await addPerson(write, { name: 'Ada', externalId: '1', groupIds })
    })
    await runnersFor(other, SCOPE_NAMES).same('{ personnel { nodes { groups { name } } } }')
    await other.close()
    own.remove()
  })

  test('what is left out whatever the variables are is not shown', async () => {
    const { same } = runnersFor(store, SCOPE_NAMES)
    await same('{ personnel { nodes { id name @skip(if: true) ... @include(if: false) { email } } } }')
  })

  test('a project is found by its key as well, in any case', async () => {
    const { same } = runnersFor(store, SCOPE_NAMES)
    await same('{ project(key: "apollo") { id key openRiskCount openIssueCount topRiskScore } }')
    await same('{ project(id: "HARBOR-2") { id } }')
    await same('{ project(key: "NONE") { id } }')
  })

  test.each([
    '{ personnel(first: 0) { nodes { id } } }',
    '{ personnel(first: 1001) { nodes { id } } }',
    '{ personnel(after: "nonsense") { nodes { id } } }',
    '{ risks(filter: { minScore: 99 }) { nodes { id } } }',
    '{ issues(filter: { search: " " }) { nodes { id } } }',
    '{ project { id } }',
    '{ project(id: "a", key: "b") { id } }',
    'query ($first: Int!) { personnel(first: $first) { nodes { id } } }',
    `{ risks(first: 1000) { nodes { ${Array.from({ length: 40 }, (_, i) => `a${i}: owner { groups { id } }`).join(' ')} } } }`,
  ])('what is to be refused is left to execution: %s', async (query) => {
    const { compiled, executed } = runnersFor(store, SCOPE_NAMES)
    expect(await compiled(query)).toMatch(/^(bad_input|bounds)$/)
    expect((await executed(query)).errors).toHaveLength(1)
  })

  test.each(['first: 1001', 'after: "nonsense"', 'filter: { project: "NONE" }'])(
    'a list nested in movements is refused by execution, in each entry: %s',
    async (args) => {
      const query = `{ movements(since: "2020-01-01") { risks { project { risks(${args}) { nodes { id } } } } } }`
      const { compiled, executed } = runnersFor(store, SCOPE_NAMES)
      expect(await compiled(query)).toBe('bad_input')
      const codes = new Set((await executed(query)).errors?.map(({ extensions }) => extensions['code']))
      expect([...codes]).toEqual(['BAD_REQUEST'])
    },
  )

  test('a list that is too long to be shown whole is left to execution', async () => {
    const query = '{ risks { nodes { id } } }'
    const few = runnersFor(store, SCOPE_NAMES, 10)
    expect(await few.compiled(query)).toBe('bad_input')
    expect((await few.executed(query)).errors).toMatchObject([{ extensions: { code: 'TOO_COMPLEX' } }])
  })

  test.each([
    ['{ personnel { edges { cursor } } }', {}],
    ['{ personnel { totalCount } a: __typename }', {}],
    ['{ personnel(first: 2) { edges { c: cursor node { id } __typename } pageInfo { startCursor endCursor } } }', {}],
    ['{ personnel(first: 9) { nodes { groups { memberCount } } } }', {}],
    ['{ risks(first: 3) { nodes { project { topRiskScore risks(first: 2) { nodes { id } totalCount } } } } }', {}],
    ['{ personnel { nodes { id } } groups { nodes { id } } again: personnel(first: 1) { nodes { name } } }', {}],
    ['{ groups { nodes { members { totalCount } } } }', {}],
    [
      '{ groups { nodes { members(first: 2) { edges { cursor node { name } } pageInfo { hasNextPage endCursor } } } } }',
      {},
    ],
    ['{ groups { nodes { members(filter: { search: "a" }) { nodes { name groups { name } } totalCount } } } }', {}],
    ['query ($n: Int!) { projects { nodes { risks(first: $n) { totalCount nodes { owner { name } } } } } }', { n: 2 }],
    ['{ projects { nodes { issues(filter: { severity: [HIGH] }) { pageInfo { startCursor hasNextPage } } } } }', {}],
    ['{ issues { nodes { risk { project { issues(first: 1) { nodes { risk { id } } } } } } } }', {}],
    ['{ projects(first: 2) { nodes { history { nodes { id action by fields { field from to } } totalCount } } } }', {}],
    ['{ personnel { nodes { history(first: 1) { edges { cursor node { fields { to } } } } } } }', {}],
    ['{ apiKey { name scopes __typename } }', {}],
    ['{ __typename }', {}],
    ['{ _service { sdl __typename } }', {}],
    ['{ personnel @skip(if: true) { nodes { id } } }', {}],
    [
      `{ movements(since: "2020-01-01T00:00:00Z") { risks { risk { title owner { risks(first: 2) { totalCount } } } project {
        openRiskCount risks(first: 2, filter: { status: OPEN }) { totalCount edges { cursor node { title } } } } } } }`,
      {},
    ],
    [
      `query ($n: Int!) { movements(since: "2020-01-01T00:00:00Z") { issues { project { key issues(first: $n) {
        nodes { title } pageInfo { endCursor } } } } } }`,
      { n: 3 },
    ],
  ])('%s is compiled', async (query, given) => {
    expect(await runnersFor(store, SCOPE_NAMES).same(query, given)).toBeDefined()
  })

  test.each([
    '{ personnel(first: 60) { nodes { groups { memberCount } } } }',
    '{ risks(first: 300) { nodes { id project { openRiskCount } owner { name } again: project { key topRiskScore } } } }',
    '{ risks(first: 60) { nodes { owner { groups { members(first: 2) { nodes { id } } } } } } }',
    '{ risks(first: 300) { nodes { owner { risks(first: 2) { totalCount edges { cursor node { project { openRiskCount } } } } } } } }',
    '{ groups(first: 300) { nodes { members(first: 2) { edges { cursor node { history { totalCount } } } nodes { groups { memberCount } } } } } }',
    '{ issues(first: 300) { nodes { risk { title history(first: 1) { totalCount edges { cursor } } } } } }',
    '{ project(key: "APOLLO") { risks(first: 300) { nodes { project { risks(filter: { search: "a" }) { nodes { title } } } } } } }',
  ])('%s is compiled, where the same row may repeat', async (query) => {
    expect(await runnersFor(store, SCOPE_NAMES).same(query)).toBeDefined()
  })

  test('references are compiled, in whatever order they come and however often', async () => {
    const { same, compiled } = runnersFor(store, SCOPE_NAMES)
    const query = `query ($r: [_Any!]!, $n: Int!) { _entities(representations: $r) { __typename
      ... on Person { name groups { name } history(first: 1) { edges { cursor } } }
      ... on Project { key topRiskScore risks(first: $n) { nodes { owner { name } } totalCount } } ... on Risk { rank } } }`
    const { personIds, projectIds, riskIds, issueIds } = company
    const of = (__typename: string) => (id: string) => ({ __typename, id })
    const all = [
      ...projectIds.map(of('Project')),
      ...personIds.map(of('Person')),
      ...[...personIds, 'none'].reverse().map(of('Person')),
      ...riskIds.map(of('Risk')),
      ...issueIds.map(of('Issue')),
      { __typename: 'Project', key: 'apollo', id: projectIds[0] },
      { __typename: 'Project', key: 'APOLLO' },
      { __typename: 'Risk', project: { key: 'APOLLO' }, reference: 'R-1' },
    ]
    expect(await same(query, { r: all, n: 2 })).toBeDefined()
    expect(await same(query, { r: [], n: 1 })).toBeDefined()
    const repeated = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Risk { project { openRiskCount } } } }`
    const unknown = Array.from({ length: 300 }, (_, i) => ({ __typename: 'Risk', id: `rsk_${i}` }))
    expect(await same(repeated, { r: [...riskIds.map(of('Risk')), ...unknown] })).toBeDefined()
    expect(await compiled(query, { r: [{ __typename: 'Person' }], n: 1 })).toBe('bad_input')
    expect(await compiled(query, { r: [{ __typename: 'Project', key: 'APOLLO', id: projectIds[1] }], n: 1 })).toBe(
      'bad_input',
    )
    const [some] = [runnersFor(store, ['personnel.read'])]
    expect(typeof (await some.compiled(query, { r: personIds.map(of('Person')), n: 1 }))).toBe('object')
    expect(await some.compiled(query, { r: all, n: 1 })).toBe('scope')
  })

  test('node(id) is compiled, whatever type its id is of', async () => {
    const { same, compiled } = runnersFor(store, SCOPE_NAMES)
    const query = `query ($id: ID!) { node(id: $id) { __typename id ... on Person { name groups { name } }
      ... on Project { key risks(first: 1) { edges { cursor } } } ... on Risk { rank owner { name } } } __typename }`
    const { personIds, groupIds, projectIds, riskIds, issueIds } = company
    const some = [personIds, groupIds, projectIds, riskIds, issueIds].map(([id]) => id)
    for (const id of [...some, 'usr_nobody', 'none', '']) expect(await same(query, { id })).toBeDefined()
    const personnel = runnersFor(store, ['personnel.read'])
    expect(typeof (await personnel.compiled('query ($id: ID!) { node(id: $id) { id } }', { id: personIds[0] }))).toBe(
      'object',
    )
    expect(await personnel.compiled(query, { id: riskIds[0] })).toBe('scope')
    expect(await compiled('{ a: node(id: "usr_x") { id } b: node(id: "rsk_x") { id } }')).toBe('bounds')
  })

  test('a page inside another thing goes on after its cursor', async () => {
    const { same } = runnersFor(store, SCOPE_NAMES)
    const query = `query ($id: ID!, $after: String) { group(id: $id) { members(first: 1, after: $after) {
      nodes { name } pageInfo { hasNextPage hasPreviousPage endCursor } } } }`
    const given: { id: string | undefined; after: string | null } = { id: company.groupIds[0], after: null }
    const names: string[] = []
    for (let more = true; more; ) {
      const { members } = JSON.parse(String((await same(query, given))?.roots[0]?.json)) as MembersPage
      names.push(...members.nodes.map(({ name }) => name))
      given.after = members.pageInfo.endCursor
      more = members.pageInfo.hasNextPage
    }
    expect(names.length).toBeGreaterThan(1)
    expect(new Set(names).size).toBe(names.length)
  })

  test.each([
    ['{ __schema { queryType { name } } }', 'introspection'],
    ['{ personnel { nodes { id } } __type(name: "Person") { name } }', 'introspection'],
    ['mutation { addMember(groupId: "a", personId: "b") { id } }', 'mutation'],
  ])('%s is executed, for the reason %s', async (query, reason) => {
    expect(validate(schema, parse(query))).toEqual([])
    expect(await runnersFor(store, SCOPE_NAMES).compiled(query)).toBe(reason)
  })

  test('what fragments multiply is executed, and not even compiled to its end', () => {
    const times = (field: string, count: number) => Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')
    const query = `{ issue(id: "x") { ${times('risk { ...R }', 16)} } } fragment R on Risk { ${times('owner { ...O }', 16)} }
      fragment O on Person { ${times('groups { name }', 16)} }`
    expect(validate(schema, parse(query))).toEqual([])
    expect(reasonOf(query)).toBe('bounds')
    expect(reasonOf(`{ projects { nodes { ${times('openRiskCount', 16)} } } }`)).toBeUndefined()
    expect(reasonOf(`{ projects { nodes { ${times('id', LIMITS.compiledMembersMax)} } } }`)).toBeUndefined()
    expect(reasonOf(`{ projects { nodes { ${times('id', LIMITS.compiledMembersMax + 1)} } } }`)).toBe('bounds')
  })
})
