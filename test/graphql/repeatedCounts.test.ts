import { expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { openOffice } from '../support/harness.js'

test('a count under many aliases is made once', async () => {
  const { gateway, caller } = await openOffice()
  const countsFor = async (query: string) => {
    gateway.statements()
    expect((await caller.graphql(query)).body.errors).toBeUndefined()
    return gateway.statements().filter((sql) => sql.includes('count(*)')).length
  }
  // Rows are counted for the price, once until something changes.
  expect(await countsFor('{ risks(first: 1) { totalCount } }')).toBe(2)
  const names = Array.from({ length: 20 }, (_, index) => `a${index}: totalCount`)
  const lists = Array.from({ length: 20 }, (_, index) => `b${index}: risks(first: ${index + 1}) { totalCount }`)
  expect(await countsFor(`{ risks(first: 1) { ${names.join(' ')} } ${lists.join(' ')} }`)).toBe(1)
})

test('of a body with thousands of violations the first ones are reported', async () => {
  const { gateway } = await openOffice()
  const caller = await gateway.as('projects.manage')
  const answer = await caller.post('/v1/projects', { key: 'X', risks: Array(LIMITS.syncRecordsMax).fill({}) })
  expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
  expect(answer.body.errors).toHaveLength(LIMITS.syncViolationsMax)
})

test('a missing scope is reported before anything else wrong with the request', async () => {
  const { gateway } = await openOffice()
  const reader = await gateway.as('projects.read')
  expect(await reader.post('/v1/personnel', { nonsense: 1 })).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
  expect(await reader.get('/v1/personnel?limit=x')).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
})

test('a filter may name the same thing a thousand times', async () => {
  const { caller } = await openOffice()
  const once = await caller.get('/v1/risks?level=low')
  const often = await caller.get(`/v1/risks?level=${Array(1_500).fill('low').join(',')}`)
  expect(often.body).toEqual(once.body)
})

test.each(['email', 'externalId'])('an empty %s finds nobody, and not everybody', async (name) => {
  const { caller } = await openOffice()
  const { body } = await caller.graphql(`{ personnel(filter: { ${name}: "" }) { nodes { id } } }`)
  expect(body).toEqual({ data: { personnel: { nodes: [] } } })
})

test('an empty search is refused by both APIs', async () => {
  const { caller } = await openOffice()
  expect(await caller.get('/v1/risks?search=')).toMatchProblem(400, 'BAD_REQUEST')
  const { body } = await caller.graphql('{ risks(filter: { search: "" }) { totalCount } }')
  expect(body.errors[0].extensions).toEqual({
    code: 'BAD_REQUEST',
    errors: [{ parameter: 'search', detail: 'Must not be empty.' }],
  })
})

test('an instant beyond the year 9999 is refused, and does not sort before all others', async () => {
  const { caller } = await openOffice()
  const path = `/v1/personnel?updatedSince=${encodeURIComponent('9999-12-31T23:59:59-01:00')}`
  expect(await caller.get(path)).toMatchProblem(400, 'BAD_REQUEST')
})

test('a query of many characters is refused however few its tokens', async () => {
  const { caller } = await openOffice()
  const { body } = await caller.graphql(`{ __typename } # ${'x'.repeat(LIMITS.queryCharactersMax)}`)
  expect(body.errors[0].extensions.code).toBe('TOO_COMPLEX')
})

test.each([
  ['br;q=0.1, gzip;q=1', 'gzip'],
  ['gzip, br', 'br'],
  ['br;q=0, gzip;q=0', null],
])('Accept-Encoding: %s gets %s', async (accepted, encoding) => {
  const { caller } = await openOffice()
  const { headers } = await caller.request('/v1/risks', { method: 'HEAD', headers: { 'accept-encoding': accepted } })
  expect(headers.get('content-encoding')).toBe(encoding)
})

test('e-mails that differ only in how a letter is composed are one', async () => {
  const { caller } = await openOffice()
  expect((await caller.post('/v1/personnel', { name: 'A', email: 'ǰan@example.com' })).status).toBe(201)
  expect(await caller.post('/v1/personnel', { name: 'B', email: 'J̌an@example.com' })).toMatchProblem(409, 'CONFLICT')
})
