import type { GraphQLError } from 'graphql'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { openOffice } from '../support/harness.js'

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ')
const ids = (count: number) => times(count, () => 'id')
const risks = (selection: string) => `{ risks(first: 1) { nodes { ${selection} } } }`
const MOST = LIMITS.queryRepeatsMax

describe('fields that are selected more than once in the same place are counted', () => {
  const REPEATED: [where: string, query: string, count: number][] = [
    ['in one selection', risks(ids(880)), 880],
    ['in inline fragments', risks(times(8, () => `... on Risk { ${ids(97)} }`)), 776],
    ['in fragments', `${risks('...A ...B')} ${times(2, (i) => `fragment ${'AB'[i]} on Risk { ${ids(101)} }`)}`, 202],
    ['in fields that are merged', risks(times(21, () => 'project { id name }')), 21 + 2 * 21],
    ['in several places', risks(times(5, (i) => `... { ${'abcde'[i]}: project { ${ids(45)} } }`)), 225],
  ]

  test.each(REPEATED)('%s', async (_, query, count) => {
    const { caller } = await openOffice()
    const { body } = await caller.graphql(query)
    const refusal = { code: 'TOO_COMPLEX' }
    const message = `The query has ${count} repeated fields in the same place; the most is ${MOST}. Split the query.`
    if (count > MOST) expect(body.errors).toEqual([{ message, extensions: refusal }])
    else expect(body.errors).toBeUndefined()
  })

  test('but not those in different places, nor a fragment that is spread again', async () => {
    const { caller } = await openOffice()
    const query = `${risks(`...A ...A project { risks(first: 1) { nodes { ...A } } }`)} fragment A on Risk { ${ids(60)} }`
    expect((await caller.graphql(query)).body.errors).toBeUndefined()
  })
})

test('fields are counted with their fragments expanded, before they are compared', async () => {
  const { caller } = await openOffice()
  const fields = ['project', 'owner', 'details', 'history', 'title', 'cause', 'impact', 'category']
  const fragments = times(
    10,
    (i) => `fragment F${i} on Risk { ${fields.map((field) => `${field} { ...F${i + 1} }`).join(' ')} }`,
  )
  const { body } = await caller.graphql(`${risks('...F0')} ${fragments} fragment F10 on Risk { id }`)
  const most = LIMITS.queryFieldsMax
  expect(body.errors.map(({ message }: GraphQLError) => message)).toEqual([
    `The query has ${most + 1} fields with its fragments expanded; the most is ${most}. Split the query.`,
  ])
})

test('a fragment inside itself is reported as such', async () => {
  const { caller } = await openOffice()
  const { body } = await caller.graphql(`${risks('...F')} fragment F on Risk { project { risks { nodes { ...F } } } }`)
  expect(body.errors.map(({ message }: GraphQLError) => message)).toEqual(['Cannot spread fragment "F" within itself.'])
})

test('at most twenty errors of a document are searched for and explained', async () => {
  const { caller } = await openOffice()
  const { body } = await caller.graphql(risks(times(900, (i) => `unknown${i}`)))
  expect(body.errors).toHaveLength(LIMITS.violationsMax + 1)
})
