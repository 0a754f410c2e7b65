import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { answering } from '../support/answering.js'
import type { Company } from '../support/fixtures.js'
import { openFilled } from '../support/harness.js'

async function openCounting() {
  const { gateway, company } = await openFilled()
  let compiled = 0
  const answer = answering({
    ...gateway.store,
    reading(how) {
      const read = gateway.store.reading(how)
      // Row counts for prices are of no request, and so without a limit of bytes.
      if (how.bytesMax === undefined) return read
      return {
        ...read,
        compile(statement) {
          const made = read.compile(statement)
          // Not a mere condition.
          if (/^(select|with) /.test(made.text)) compiled += 1
          return made
        },
      }
    },
  })
  /** The number of statements that are newly compiled for these variables, one query each. */
  const compiledFor = async (query: string, variables: readonly Record<string, unknown>[]) => {
    const document = parse(query)
    compiled = 0
    for (const given of variables) expect((await answer(document, given)).errors).toEqual([])
    return compiled
  }
  return { company, compiledFor }
}

const SHAPES: readonly { list: string; type: string; filters: (company: Company) => readonly object[] }[] = [
  { list: 'personnel', type: 'PersonFilter', filters: () => [{ search: 'a' }, { search: 'b?' }, { search: '$1' }] },
  {
    list: 'personnel',
    type: 'PersonFilter',
    filters: ({ groupIds: [a, b, c] }) => [{ group: [a, b] }, { group: [a, b, c] }],
  },
  {
    list: 'personnel',
    type: 'PersonFilter',
    filters: () => Array.from({ length: 50 }, (_, i) => ({ email: `person${i}@example.org` })),
  },
  { list: 'risks', type: 'RiskFilter', filters: ({ personIds }) => personIds.map((id) => ({ owner: [id, null] })) },
  {
    list: 'issues',
    type: 'IssueFilter',
    filters: () => [{ severity: ['LOW', 'HIGH'] }, { severity: ['MEDIUM', 'LOW'] }],
  },
]

test.each(SHAPES)('filters of $list that differ in their values alone are one statement', async (shape) => {
  const { company, compiledFor } = await openCounting()
  const query = `query ($filter: ${shape.type}) { ${shape.list}(first: 3, filter: $filter) { totalCount nodes { id } } }`
  const variables = shape.filters(company).map((filter) => ({ filter }))
  expect(await compiledFor(query, variables)).toBe(1)
})

test('one value and several, with or without null, are separate statements', async () => {
  const { company, compiledFor } = await openCounting()
  const query = 'query ($owner: [ID]) { risks(first: 3, filter: { owner: $owner }) { nodes { id } } }'
  const [a = '', b = ''] = company.personIds
  const kinds = [[a], [a, b], [a, null], [a, b, null], [null]].map((owner) => ({ owner }))
  expect(await compiledFor(query, [...kinds, ...kinds])).toBe(kinds.length)
})

test('lists inside of what is looked up by a key share their statements too', async () => {
  const { company, compiledFor } = await openCounting()
  const query = `query ($id: ID!, $search: String) { group(id: $id) {
    members(first: 2, filter: { search: $search }) { nodes { id } pageInfo { endCursor } } } }`
  const [a = '', b = ''] = company.groupIds
  const variables = [
    { id: a, search: 'a' },
    { id: b, search: 'e' },
  ]
  expect(await compiledFor(query, variables)).toBe(1)
})
