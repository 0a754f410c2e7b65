import { describe, expect, onTestFinished, test } from 'vitest'
import { NESTED_LIST_COST, SCANNED_ROWS_FOR_ONE } from '../../src/graph/query/prices.js'
import { RECORD_BYTES, RECORD_COST } from '../../src/graph/query/run.js'
import { personWith } from '../../src/personnel/people.js'
import type { Write } from '../../src/store/store.js'
import { TEXT_MAX } from '../../src/vocabulary.js'
import { engine } from '../support/engine.js'
import { addProject, addRisks, DEAR_PERSON, project, risk } from '../support/fixtures.js'
import { openGateway, openOffice } from '../support/harness.js'
import { newStore, type TestStore } from '../support/stores.js'
import { everything, limited, openWith, remaining, units } from './charging.js'

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
