import { parse } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPE_NAMES } from '../../src/auth/scopes.js'
import type { Read, Store } from '../../src/store/store.js'
import { type Company, fillCompany } from '../support/fixtures.js'
import { NOW } from '../support/harness.js'
import { newStore } from '../support/stores.js'
import { dataOf, runnersFor } from './compiling.js'

let store: Store
let company: Company
let remove: () => void
let compiledTexts: string[] = []

/** Records each newly compiled statement, but not mere conditions. */
function recording(read: Read): Read {
  return {
    ...read,
    compile(statement) {
      const made = read.compile(statement)
      if (/^(select|with) /.test(made.text)) compiledTexts.push(made.text)
      return made
    },
  }
}

beforeAll(async () => {
  const own = newStore()
  const opened = own.open()
  remove = own.remove
  company = await opened.write({ by: 'cli', at: () => NOW }, fillCompany)
  // Row counts for prices have no `onStatement`.
  store = {
    ...opened,
    reading: (how) => (how.onStatement ? recording(opened.reading(how)) : opened.reading(how)),
  }
})

afterAll(async () => {
  await store.close()
  remove()
})

/** The number of statements compiled during this work. */
async function compiledBy(work: () => Promise<unknown>): Promise<number> {
  compiledTexts = []
  await work()
  return compiledTexts.length
}

const EARLIER = parse('{ personnel(first: 2) { nodes { name } } }')
const BY_EMAIL = parse('query ($email: String) { personnel(filter: { email: $email }, first: 1) { nodes { id } } }')

test('a thousand look-ups by e-mail are one statement, and those of others are still known', async () => {
  const { compiled } = runnersFor(store, SCOPE_NAMES)
  await compiled(EARLIER)
  const lookUps = async () => {
    for (let i = 0; i < 1_000; i++) await compiled(BY_EMAIL, { email: `person${i}@example.org` })
  }
  expect(await compiledBy(lookUps)).toBe(1)
  expect(await compiledBy(() => compiled(EARLIER))).toBe(0)
})

/** Filters of one shape each, with other values. */
const SHAPES: readonly { list: string; type: string; filters: (company: Company) => readonly object[] }[] = [
  { list: 'personnel', type: 'PersonFilter', filters: () => [{ search: 'a' }, { search: 'b?' }, { search: '$1' }] },
  {
    list: 'personnel',
    type: 'PersonFilter',
    filters: ({ groupIds: [a, b, c] }) => [{ group: [a, b] }, { group: [a, b, c] }],
  },
  { list: 'personnel', type: 'PersonFilter', filters: () => [{ status: ['ACTIVE'] }, { status: ['INACTIVE'] }] },
  {
    list: 'risks',
    type: 'RiskFilter',
    filters: ({ personIds: [a, b] }) => [{ owner: [a, null] }, { owner: [b, null] }],
  },
  { list: 'risks', type: 'RiskFilter', filters: () => [{ level: ['LOW'] }, { level: ['HIGH'] }] },
  {
    list: 'risks',
    type: 'RiskFilter',
    filters: () => [
      { minScore: 3, search: 'a' },
      { minScore: 9, search: 'e' },
    ],
  },
  {
    list: 'issues',
    type: 'IssueFilter',
    filters: () => [{ severity: ['LOW', 'HIGH'] }, { severity: ['MEDIUM', 'CRITICAL'] }],
  },
  {
    list: 'projects',
    type: 'ProjectFilter',
    filters: () => [{ updatedSince: '2020-01-01T00:00:00Z' }, { updatedSince: '2030-01-01T00:00:00Z' }],
  },
]

test.each(SHAPES)(
  'filters of $list that differ in their values alone are one statement, with the answer of each',
  async ({ list, type, filters }) => {
    const { compiled, same } = runnersFor(store, SCOPE_NAMES)
    const text = `query ($filter: ${type}) { ${list}(first: 3, filter: $filter) { totalCount nodes { id } } }`
    const document = parse(text)
    const sent = filters(company)
    const call = async () => {
      for (const filter of sent) expect(typeof (await compiled(document, { filter }))).toBe('object')
    }
    expect(await compiledBy(call)).toBe(1)
    for (const filter of sent) await same(text, { filter })
  },
)

test('one value and several, with or without null, are separate statements', async () => {
  const { compiled, same } = runnersFor(store, SCOPE_NAMES)
  const text = 'query ($owner: [ID]) { risks(first: 3, filter: { owner: $owner }) { nodes { id } } }'
  const document = parse(text)
  const [a = '', b = ''] = company.personIds
  const kinds = [[a], [a, b], [a, null], [a, b, null], [null]]
  const call = async () => {
    for (const owner of kinds) await compiled(document, { owner })
  }
  expect(await compiledBy(call)).toBe(kinds.length)
  expect(await compiledBy(call)).toBe(0)
  for (const owner of kinds) await same(text, { owner })
})

test('lists inside of what is looked up by a key, and pages at other places, share their statements too', async () => {
  const { compiled, same } = runnersFor(store, SCOPE_NAMES)
  const text = `query ($id: ID!, $search: String, $after: String) { group(id: $id) { members(first: 2, after: $after,
    filter: { search: $search }) { nodes { id } pageInfo { endCursor } } } }`
  const document = parse(text)
  const [a = '', b = ''] = company.groupIds
  const first = await same(text, { id: a, search: 'a' })
  const after = JSON.parse(first ? dataOf(first) : '').group.members.pageInfo.endCursor
  const [one, other] = [
    { id: a, search: 'a', after },
    { id: b, search: 'e', after },
  ]
  expect(await compiledBy(() => compiled(document, one))).toBe(1)
  expect(await compiledBy(() => compiled(document, other))).toBe(0)
  for (const sent of [one, other]) await same(text, sent)
})
