import { afterAll, describe, expect, test } from 'vitest'
import { SCANNED_ROWS_FOR_ONE } from '../../src/graph/query/prices.js'
import { PLANNED_FIELD_COST } from '../../src/graph/query/run.js'
import { REFUSED_BYTES_FOR_ONE, REQUEST_SHARE_MAX } from '../../src/http/access/rateLimits.js'
import { LIMITS } from '../../src/limits.js'
import { addRisks, DEAR_PERSON, risk } from '../support/fixtures.js'
import { type Caller, openGateway, openOffice, type TestResponse } from '../support/harness.js'
import { chargeOf, everything, limited, openWith, remaining, units } from './charging.js'

const TEN = 'id reference title score level status url raisedOn createdAt updatedAt'
const ROWS = 2_500
/** A service with many risks, for read-only tests. */
const many = openWith(ROWS, afterAll)

describe('a list', () => {
  test('is charged by the rows that are read: all of them, or a page', async () => {
    const { query } = await many
    expect(await query(`{ risks { nodes { ${TEN} } } }`)).toBe(units(1 + ROWS * 10))
    expect(await query(`{ risks(first: 50) { nodes { ${TEN} } } }`)).toBe(1)
    expect(await query(`{ risks(first: 1000) { nodes { ${TEN} } } }`)).toBe(units(1 + 1_000 * 10))
    expect(await query('{ risks { edges { cursor node { id } } } }')).toBe(units(1 + ROWS * 3))
  })

  test('with a filter, by the rows that match, and by those that had to be looked at', async () => {
    const { query } = await many
    const looked = ROWS / SCANNED_ROWS_FOR_ONE
    const half = `{ risks(filter: { category: ["supply"] }) { nodes { ${TEN} } } }`
    expect(await query(half)).toBe(units(1 + looked + (ROWS / 2) * 10))
    expect(await query('{ risks(filter: { search: "nothing like it" }) { nodes { id } } }')).toBe(1)
  })

  test('of which nothing is read costs next to nothing', async () => {
    const { gateway, query } = await many
    gateway.statements()
    const names = Array.from({ length: 40 }, (_, i) => `a${i}: risks { __typename pageInfo { endCursor } }`)
    expect(await query(`{ ${names.join(' ')} }`)).toBe(1)
    const read = gateway.statements().filter((sql) => sql.includes('from "risk"'))
    expect(read.every((sql) => sql.includes('limit 1') && !/group_concat|string_agg/.test(sql))).toBe(true)
    // The same fields under forty aliases are read once.
    expect(read).toHaveLength(1)
  })

  test.each(['edges { __typename }', 'nodes { id @skip(if: true) }', 'edges { cursor @skip(if: true) }'])(
    'is charged for every entry that it has, also for %s',
    async (entries) => {
      const { query } = await many
      expect(await query(`{ risks { ${entries} } }`)).toBe(units(1 + ROWS))
    },
  )

  test('without selected entries is counted without being read', async () => {
    const { gateway, query } = await many
    gateway.statements()
    const names = Array.from({ length: 40 }, (_, i) => `a${i}: risks { totalCount }`)
    const looked = ROWS / SCANNED_ROWS_FOR_ONE
    expect(await query(`{ ${names.join(' ')} }`)).toBe(units(40 + 40 * looked))
    const read = gateway.statements().filter((sql) => sql.includes('from "risk"'))
    expect(read.filter((sql) => !sql.includes('count(*)'))).toEqual([])
  })

  test('does not reveal the number of rows to a key without the scope', async () => {
    const { gateway } = await many
    const stranger = await gateway.as('personnel.read')
    // So many that they would exceed the limit for a key with the scope.
    const lists = Array.from({ length: 12 }, (_, i) => `a${i}: risks { totalCount nodes { ${TEN} } }`)
    gateway.statements()
    const answer = await stranger.graphql(`{ ${lists.join(' ')} }`)
    const messages = answer.body.errors.map(({ message }: { message: string }) => message)
    expect(new Set(messages)).toEqual(new Set(['This needs a key with the scope projects.read.']))
    expect(chargeOf(answer)).toBe(1)
    expect(gateway.statements().filter((sql) => sql.includes('"risk"'))).toEqual([])
  })

  test('costs the same in REST, as JSON and as CSV', async () => {
    const { charged } = await many
    const whole = await charged((caller) => caller.get('/v1/risks'))
    expect(whole).toBeGreaterThan(units(ROWS * 20))
    expect(await charged((caller) => caller.get('/v1/risks', { accept: 'text/csv' }))).toBe(whole)
    const page = await charged((caller) => caller.get('/v1/risks?limit=50'))
    expect(page).toBe(1)
    expect(await charged((caller) => caller.get('/v1/risks?limit=50', { accept: 'text/csv' }))).toBe(page)
    expect(await charged((caller) => caller.get('/v1/risks?limit=50&total=true'))).toBe(page + 1)
  })

  test('costs the same when cached, and a tenth when not modified', async () => {
    const { charged } = await many
    let tag = ''
    const call = (headers = {}) =>
      charged(async (caller) => {
        const answer = await caller.get('/v1/risks', headers)
        tag = answer.headers.get('etag') ?? ''
        return answer
      })
    const first = await call()
    expect(await call()).toBe(first)
    expect(await call({ 'if-none-match': '*' })).toBe(first)
    expect(await call({ 'if-none-match': tag })).toBe(Math.ceil(first / 10))
  })

  test('costs more once there is more, and never more than a quarter of what may be spent at once', async () => {
    const { gateway, charged } = await openWith(100)
    const whole = () => charged((caller) => caller.get('/v1/risks'))
    const before = await whole()
    await gateway.write(async (write) => {
      const [{ id } = { id: '' }] = await write.db.select().from(write.t.project)
      await addRisks(
        write,
        Array.from({ length: 900 }, (_, i) => risk(id, { reference: `N-${i}` })),
      )
    })
    expect(await whole()).toBeGreaterThan(5 * before)
    const dear =
      'a: risks { nodes { id } } b: risks { nodes { id title score } } c: risks(first: 1000) { nodes { id } }'
    const small = openGateway(limited({ ratePerMinute: 48 }))
    const caller = await everything(small)
    const answer = await caller.graphql(`{ ${dear} }`)
    expect([answer.status, remaining(answer)]).toEqual([200, 8 - 8 * REQUEST_SHARE_MAX + 1])
  })
})

describe('the limit', () => {
  const NESTED = '{ projects { nodes { key risks { totalCount nodes { id title } } } } }'

  test('counts an unpaged list by what is there, so that what people type first works', async () => {
    const { caller } = await openOffice()
    for (const query of [NESTED, NESTED.replace('projects', 'projects(first: 1000)')]) {
      expect((await caller.graphql(query)).body.errors).toBeUndefined()
    }
  })

  test('counts a list in a list as no more than there is, where each row can come only once', async () => {
    const { query } = await many
    await query(`{ projects { nodes { key risks(first: 1000) { totalCount nodes { ${TEN} } } } } }`)
    await query(`{ risks { edges { node { title history { nodes { action } } issues: history { totalCount } } } } }`)
  })

  test.each([
    '{ risks { nodes { project { risks { nodes { id title } } } } } }',
    '{ risks(first: 1000) { nodes { project { risks(first: 1) { totalCount } } } } }',
    '{ risks(first: 1000) { edges { node { project { risks(first: 1, filter: { search: "x" }) { nodes { id } } } } } } }',
  ])('counts it once for each that refers to what it is in: %s', async (query) => {
    const { gateway } = await many
    const caller = await everything(gateway)
    const { body } = await caller.graphql(query)
    expect(body.errors[0].extensions.code).toBe('TOO_COMPLEX')
    const paged = await caller.graphql(query.replace(/risks(\(first: 1000\))?/, 'risks(first: 20)'))
    expect(paged.body.errors).toBe(undefined)
  })

  test('is known in no time where fragments stand in each other twice, many deep, which is planned once', async () => {
    const { caller } = await openOffice()
    const fragments = Array.from({ length: 40 }, (_, i) => {
      const next = i < 39 ? `...f${i + 1}` : 'risks { totalCount }'
      return `fragment f${i} on Project { ${next} ${next} }`
    })
    const answer = await caller.graphql(`{ projects { nodes { ...f0 } } } ${fragments.join(' ')}`)
    const once = await caller.graphql('{ projects { nodes { risks { totalCount } } } }')
    expect([answer.body.errors, answer.body, chargeOf(answer)]).toEqual([undefined, once.body, chargeOf(once)])
  })

  test('counts it as a thousand rows at the most, so that a whole list is never too much', async () => {
    const { query } = await many
    const all = `${TEN} description category likelihood impact rank response ownerId ownerName reviewOn project { key }`
    expect(ROWS * 20 * 2).toBeGreaterThan(LIMITS.queryCostMax / 2)
    await query(`{ a: risks { nodes { ${all} owner { ${'id name email title department status '} } } } }`)
    await query(`{ a: risks { nodes { ${all} } } b: risks { edges { node { ${all} } } } }`)
  })

  test.each([
    'risks(first: -2147483648) { nodes { id } }',
    'projects(first: 1) { nodes { risks(first: -2147483648) { nodes { id } } } }',
  ])('is not moved by a page of less than none: %s', async (negative) => {
    const { caller } = await openOffice()
    const { body } = await caller.graphql(`{ a: ${negative} b: personnel(first: 1000) { nodes { ${DEAR_PERSON} } } }`)
    expect(body.errors[0].extensions.code).toBe('TOO_COMPLEX')
  })

  test('is charged before a row is read', async () => {
    const { gateway } = await openWith(10)
    const caller = await everything(gateway)
    gateway.statements()
    const names = Array.from({ length: 50 }, (_, i) => `a${i}: risks(first: 1000) { nodes { id title score } }`)
    const { body } = await caller.graphql(`{ ${names.join(' ')} }`)
    expect(body.errors[0].extensions.code).toBe('TOO_COMPLEX')
    expect(gateway.statements().filter((sql) => sql.includes('from "risk"'))).toEqual([])
    expect(remaining(await caller.get('/v1/key'))).toBe(LIMITS.rateBurst - 2)
  })
})

test('a query that is too dear for what is left is not run, and costs no more than the request', async () => {
  const { gateway, caller } = await openOffice(limited({ ratePerMinute: 48 }))
  for (let i = 0; i < 7; i++) await caller.get('/v1/key')
  gateway.statements()
  const { status, headers } = await caller.graphql('{ personnel(first: 1000) { nodes { id name email } } }')
  expect({ status, retry: headers.get('retry-after') }).toEqual({ status: 429, retry: '2' })
  expect(gateway.statements().filter((sql) => sql.includes('"person"'))).toEqual([])
})

test('a new query is charged by its fields, before its SQL is built', async () => {
  const { gateway } = await openOffice(limited({ ratePerMinute: 480 }))
  const caller = await everything(gateway)
  const roots = Array.from({ length: 45 }, (_, i) => `r${i}: risks(first: 1) { ...page }`)
  const page = 'fragment page on RiskConnection { nodes { ...of } edges { node { ...of } } }'
  const query = `{ ${roots.join(' ')} } ${page} fragment of on Risk { ${TEN} }`
  const fields = 45 * (1 + 2 + 1 + 2 * 10)
  const first = remaining(await caller.get('/v1/key'))
  const answer = await caller.graphql(query)
  expect(answer.body.errors).toBeUndefined()
  expect(first - remaining(answer)).toBe(units(fields * PLANNED_FIELD_COST))
  while (remaining(await caller.get('/v1/key')) > 2);
  gateway.statements()
  expect((await caller.graphql(`query Other ${query}`)).status).toBe(429)
  expect(gateway.statements().filter((sql) => sql.includes('"risk"'))).toEqual([])
})

test.each([
  ['cost', `{ personnel(first: 1000) { nodes { ${DEAR_PERSON} } } }`],
  ['depth', `{ ${'risks(first: 1) { nodes { project { '.repeat(4)} id ${'} } } '.repeat(4)} }`],
])('a query that is refused for its %s costs one', async (_, query) => {
  const { caller } = await openOffice(limited())
  const answer = await caller.graphql(query)
  expect([answer.body.errors[0].extensions.code, chargeOf(answer)]).toEqual(['TOO_COMPLEX', 1])
})

describe('a refused request', () => {
  const SYNC = 'mutation ($input: SyncProjectInput!) { syncProject(input: $input) { project { key } } }'
  const padded = (bytes: number) => ({ key: 'X', colour: 'x'.repeat(bytes) })
  const expected = (bytes: number) => units(bytes / REFUSED_BYTES_FOR_ONE)

  test.each<[string, (caller: Caller, bytes: number) => Promise<TestResponse>]>([
    ['by its schema, in REST', (caller, bytes) => caller.post('/v1/projects', padded(bytes))],
    ['by its types, in GraphQL', (caller, bytes) => caller.graphql(SYNC, { input: padded(bytes) })],
    ['by its query', (caller, bytes) => caller.graphql('{ nothing }', { input: padded(bytes) })],
    ['by its JSON', (caller, bytes) => caller.post('/v1/projects', `${'x'.repeat(bytes)}`)],
    [
      'by its cost',
      (caller, bytes) => caller.graphql(`{ personnel(first: 1000) { nodes { ${DEAR_PERSON} } } }`, padded(bytes)),
    ],
  ])('is charged by its body: %s', async (_, send) => {
    const { gateway } = await openOffice(limited())
    for (const [bytes, charge] of [
      [100, 1],
      [500_000, expected(500_000) + 1],
    ] as const) {
      const answer = await send(await everything(gateway), bytes)
      expect(answer.body.errors ?? answer.body.code).toBeTruthy()
      expect(chargeOf(answer)).toBe(charge)
    }
  })

  test('is charged without the scope as well', async () => {
    const { gateway } = await openOffice(limited())
    const answer = await (await gateway.as('personnel.read')).graphql(SYNC, { input: padded(500_000) })
    expect([answer.body.errors[0].extensions.code, chargeOf(answer)]).toEqual([
      'INSUFFICIENT_SCOPE',
      expected(500_000) + 1,
    ])
  })

  test('takes what is left, and no more', async () => {
    const { gateway } = await openOffice(limited({ ratePerMinute: 48 }))
    const caller = await everything(gateway)
    for (let i = 0; i < 6; i++) await caller.get('/v1/key')
    const refused = await caller.post('/v1/projects', padded(500_000))
    expect([refused.status, remaining(refused)]).toEqual([422, 0])
    expect((await caller.get('/v1/key')).status).toBe(429)
  })
})
