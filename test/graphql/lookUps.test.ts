import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { answering } from '../support/answering.js'
import { openFilled, openOffice } from '../support/harness.js'

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ')

/** Two look-ups each: a page, and its count. */
const pages = (count: number) => times(count, (i) => `p${i}: risks(first: 1) { totalCount }`)

test('a root field may have 64 look-ups, and one more is refused at every root field', async () => {
  const { caller } = await openOffice()
  const send = (more: string) =>
    caller.graphql(`{ project(key: "APOLLO") { ${pages(LIMITS.lookUpsMax / 2)} ${more} } apiKey { name } }`)
  expect((await send('key')).body.errors).toBeUndefined()
  const { status, body } = await send('openRiskCount')
  expect([status, body.data]).toEqual([200, { project: null, apiKey: null }])
  const message = 'The query has more than 64 fields that look up other rows. Select fewer, or send several queries.'
  expect(body.errors).toMatchObject(
    ['project', 'apiKey'].map((key) => ({ message, path: [key], extensions: { code: 'TOO_COMPLEX' } })),
  )
})

test('look-ups are counted for each root field, with fragments expanded', async () => {
  const { caller } = await openOffice()
  const half = pages(12)
  const query = (used: string) =>
    `{ a: project(key: "APOLLO") { ${used} } b: project(key: "OLD") { ${used} } }
    fragment Half on Project { ${half} } fragment Issues on Project { issues(first: 1) { nodes { project { ...Half } } } }`
  expect((await caller.graphql(query('...Half ...Half ...Issues'))).body.errors).toBeUndefined()
  const { body } = await caller.graphql(
    query('...Half ...Issues more: issues(first: 2) { nodes { project { ...Half } } }'),
  )
  expect(body.errors).toMatchObject([
    { path: ['a'], extensions: { code: 'TOO_COMPLEX' } },
    { path: ['b'], extensions: { code: 'TOO_COMPLEX' } },
  ])
})

test('an object may have 500 fields, and one more is refused', async () => {
  const { gateway } = await openFilled()
  const answer = answering(gateway.store)
  const query = (count: number) => parse(`{ project(key: "APOLLO") { ${times(count, (i) => `k${i}: key`)} } }`)
  const { data } = await answer(query(LIMITS.membersMax))
  expect(Object.keys(Object(data.project))).toHaveLength(LIMITS.membersMax)
  const { errors } = await answer(query(LIMITS.membersMax + 1))
  expect(errors.map(({ message }) => message)).toEqual([
    'The query has more than 500 fields of one object. Select fewer, or send several queries.',
  ])
})
