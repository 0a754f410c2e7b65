import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { NESTED_LIST_COST, RATE_UNIT_COST, SCANNED_ROWS_FOR_ONE } from '../../src/graph/query/prices.js'
import { PLANNED_FIELD_COST, RECORD_BYTES, RECORD_COST } from '../../src/graph/query/run.js'
import { REFUSED_BYTES_FOR_ONE, REQUEST_SHARE_MAX } from '../../src/http/access/rateLimits.js'
import type { AppOptions } from '../../src/http/app.js'
import { LIMITS } from '../../src/limits.js'
import { addPerson, personWith } from '../../src/personnel/people.js'
import type { Write } from '../../src/store/store.js'
import { TEXT_MAX } from '../../src/vocabulary.js'
import { engine } from '../support/engine.js'
import { addProject, addRisks, DEAR_PERSON, project, risk } from '../support/fixtures.js'
import { type Caller, type Gateway, openGateway, openOffice, type TestResponse } from '../support/harness.js'
import { newStore, type TestStore } from '../support/stores.js'

/** The clock is stopped, so that buckets do not refill. */
const limited = (options: Partial<AppOptions> = {}) => ({
  ratePerMinute: LIMITS.ratePerMinute,
  monotonicMs: () => 0,
  ...options,
})

const remaining = ({ headers }: TestResponse) => Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1])

/** The charge of a request to a fresh key. */
const chargeOf = (answer: TestResponse) => LIMITS.rateBurst - remaining(answer)

const everything = (gateway: Gateway) => gateway.as('personnel.manage', 'projects.manage')

/** A service with this many live risks, and the charge of a request to a fresh key. */
async function openWith(risks: number, atEnd = onTestFinished, people = 0) {
  const gateway = openGateway(limited(), atEnd)
  await gateway.write(async (write) => {
    for (let i = 0; i < people; i++) await addPerson(write, { name: `Person ${i}`, externalId: `P-${i}` })
    const id = await addProject(write, project())
    const drafts = Array.from({ length: risks }, (_, i) =>
      risk(id, { reference: `R-${i}`, category: i % 2 ? 'Supply' : 'Weather' }),
    )
    await addRisks(write, drafts)
  })
  const charged = async (call: (caller: Awaited<ReturnType<typeof everything>>) => Promise<TestResponse>) => {
    const answer = await call(await everything(gateway))
    expect([200, 304]).toContain(answer.status)
    expect(answer.body?.errors).toBeUndefined()
    return chargeOf(answer)
  }
  return { gateway, charged, query: (text: string) => charged((caller) => caller.graphql(text)) }
}

/** The units of a cost. */
const units = (cost: number) => Math.ceil(cost / RATE_UNIT_COST)
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

describe('mutations', () => {
  const FIELDS = Array.from({ length: 25 }, (_, i) => `f${i}: name`)
  const add = (name: string, selection = 'id') => `${name}: addGroup(input: { name: "${name}" }) { ${selection} }`

  test('are charged each for itself, with what is selected of it', async () => {
    const people = 600
    const { query } = await openWith(0, onTestFinished, people)
    expect(await query(`mutation { ${add('a')} }`)).toBe(1)
    expect(await query(`mutation { ${add('b')} ${add('c')} ${add('d')} }`)).toBe(3)
    const dear = `id members(first: 100) { nodes { ${FIELDS.join(' ')} } }`
    const cost = 1 + 1 + 1 + NESTED_LIST_COST + people / SCANNED_ROWS_FOR_ONE + FIELDS.length * 100
    expect(units(cost)).toBe(2)
    expect(await query(`mutation { ${add('e', dear)} ${add('f')} }`)).toBe(units(cost) + 1)
  })

  // PostgreSQL reads it beside other writers.
  test.runIf(engine === 'sqlite')('are refused where they select too much of what they change', async () => {
    const { gateway } = await openWith(0, onTestFinished, 600)
    const caller = await everything(gateway)
    const selection = 'id members(first: 1000) { nodes { id } }'
    const { body } = await caller.graphql(`mutation { ${add('a', selection)} ${add('b')} }`)
    expect(body.data).toEqual({ a: null, b: { id: expect.any(String) } })
    expect(body.errors).toMatchObject([{ path: ['a'], extensions: { code: 'TOO_COMPLEX' } }])
    expect(body.errors[0].message).toMatch(
      /^This selects too much of what it changes\. Select its id and a few fields, /,
    )
    expect((await caller.get('/v1/groups')).body.data).toMatchObject([{ name: 'b' }])
  })

  test.runIf(engine === 'sqlite')('are never refused for a count by an index, which REST bodies have', async () => {
    const own = newStore()
    const counting: TestStore = { ...own, open: (options) => own.open({ ...options, inPlaceRowsMax: 20 }) }
    const gateway = openGateway({}, onTestFinished, counting)
    const caller = await everything(gateway)
    const { id } = (await caller.post('/v1/groups', { name: 'Divers' })).body
    const projectId = await gateway.write((write) => addProject(write, project()))
    const risks = Array.from({ length: 2_500 }, (_, i) => risk(projectId, { reference: `R-${i}` }))
    const people = (write: Write) =>
      risks.map((_, i) => personWith(write, undefined, { name: 'Ada', externalId: `${i}` }))
    await gateway.write(async (write) => {
      await addRisks(write, risks)
      await write.insertAll(write.t.person, people(write))
    })
    own.run(`insert into membership (person_id, group_id, live) select id, '${id}', 1 from person`)
    const changed = await caller.patch(`/v1/groups/${id}`, { description: 'Below' })
    expect([changed.status, changed.body.memberCount]).toEqual([200, risks.length])
    const synced = await caller.post('/v1/projects', { key: 'APOLLO', name: 'Apollo' })
    expect([synced.status, synced.body.project?.openRiskCount]).toEqual([200, risks.length])
  })

  test('are charged by what their variables select, each time anew', async () => {
    const { charged } = await openWith(0, onTestFinished, 600)
    const query = `mutation ($name: String!, $withMembers: Boolean!) {
      addGroup(input: { name: $name }) { id members(first: 100) @include(if: $withMembers) { nodes { ${FIELDS.join(' ')} } } } }`
    const charge = (name: string, withMembers: boolean) =>
      charged((caller) => caller.graphql(query, { name, withMembers }))
    expect(await charge('a', false)).toBe(1)
    expect(await charge('b', true)).toBeGreaterThan(1)
    expect(await charge('c', false)).toBe(1)
  })

  test('are refused for their cost, and then nothing is done', async () => {
    const { gateway } = await openWith(0, onTestFinished, 200)
    const caller = await everything(gateway)
    const selection = `members(first: 1000) { nodes { ${DEAR_PERSON} } }`
    const { body } = await caller.graphql(
      `mutation { ${'abcdef'
        .split('')
        .map((name) => add(name, selection))
        .join(' ')} }`,
    )
    expect(body.errors[0].extensions.code).toBe('TOO_COMPLEX')
    expect((await caller.get('/v1/groups')).body.data).toEqual([])
  })

  test('are not done where they are too dear for what is left', async () => {
    const gateway = openGateway(limited({ ratePerMinute: 48 }))
    const caller = await everything(gateway)
    for (let i = 0; i < 7; i++) await caller.get('/v1/key')
    const { status } = await caller.graphql(`mutation { ${add('a')} ${add('b')} }`)
    expect(status).toBe(429)
    expect((await (await everything(gateway)).get('/v1/groups')).body.data).toEqual([])
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

test('what a change stores, its history and the response to repeat, is charged to the next requests', async () => {
  const { gateway } = await openOffice(limited())
  const caller = await everything(gateway)
  const text = 'x'.repeat(TEXT_MAX.description)
  const spent = async (headers: Record<string, string>, change: () => string) => {
    const before = remaining(await caller.get('/v1/key'))
    const query = `mutation { ${change()} }`
    const body = JSON.stringify({ query })
    const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }
    expect((await caller.request('/graphql', sent)).body.errors).toBeUndefined()
    return before - remaining(await caller.get('/v1/key')) - 1
  }
  let id = ''
  const add = `addGroup(input: { name: "Long", description: "${text}" }) { id }`
  await caller.graphql(`mutation { ${add} }`).then(({ body }) => ({ id } = body.data.addGroup))
  const change =
    (input: string, shown = 'id') =>
    () =>
      `changeGroup(id: "${id}", input: { ${input} }) { ${shown} }`
  expect(await spent({}, change(''))).toBe(1)
  const [one, other] = ['y', 'z'].map((letter) => letter.repeat(TEXT_MAX.description))
  expect(await spent({}, change(`description: "${one}"`))).toBe(2)
  expect(await spent({}, change(`description: "${other}"`))).toBe(2)
  const shown = Array.from({ length: 6 }, (_, i) => `a${i}: description`).join(' ')
  expect(await spent({}, change('', shown))).toBe(1)
  expect(await spent({ 'idempotency-key': 'kept' }, change('', shown))).toBe(6)
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

test('what is brought in is charged by its records, in GraphQL and in REST', async () => {
  const records = 500
  const risks = Array.from({ length: records }, (_, i) => ({
    reference: `R-${i}`,
    title: 'Late',
    raisedOn: '2026-01-01',
  }))
  const input = { key: 'APOLLO', name: 'Apollo', risks }
  const { charged } = await openWith(0)
  const expected = units(1 + records * RECORD_COST)
  expect(await charged((caller) => caller.post('/v1/projects', input))).toBe(expected)
  const query = 'mutation ($input: SyncProjectInput!) { syncProject(input: $input) { project { key } } }'
  expect(await charged((caller) => caller.graphql(query, { input }))).toBe(expected)
  expect(
    await charged((caller) => caller.post('/v1/projects', { ...input, key: 'ZEUS', risks: risks.slice(0, 1) })),
  ).toBe(1)
})

test('what is brought in is charged by its bytes, if its records are long', async () => {
  const description = '€'.repeat(TEXT_MAX.description)
  const risks = Array.from({ length: 20 }, (_, i) => ({ reference: `R-${i}`, title: 'Late', description }))
  const input = { key: 'APOLLO', name: 'Apollo', risks }
  const { charged } = await openWith(0)
  const bytes = risks.length * Buffer.byteLength(description)
  const expected = units(1 + (bytes / RECORD_BYTES) * RECORD_COST)
  expect(expected).toBeGreaterThan(5)
  expect(await charged((caller) => caller.post('/v1/projects', input))).toBe(expected)
  const query = 'mutation ($input: SyncProjectInput!) { syncProject(input: $input) { project { key } } }'
  expect(await charged((caller) => caller.graphql(query, { input }))).toBe(expected)
})
