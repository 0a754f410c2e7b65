import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Fault } from '../../src/errors.js'
import { MESSAGE_CHARACTERS_MAX } from '../../src/graph/faults.js'
import { LIMITS } from '../../src/limits.js'
import { type Caller, openOffice, type TestResponse } from '../support/harness.js'

/** Notes the calls of a built-in function until the test ends; `noted` returns what to note of one. */
function callsOf<T>(owner: object, name: string, noted: (self: unknown, argument: unknown) => T | undefined): T[] {
  const original: (...args: unknown[]) => unknown = Reflect.get(owner, name)
  const calls: T[] = []
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
    const call = noted(this, args[0])
    if (call !== undefined) calls.push(call)
    return original.apply(this, args)
  })
  onTestFinished(() => void Reflect.set(owner, name, original))
  return calls
}

/** The texts with this beginning that are folded, to be compared. */
const foldedTexts = (start: string) =>
  callsOf(String.prototype, 'toLowerCase', (text) => (String(text).startsWith(start) ? String(text) : undefined))

const aliases = (count: number, field: string) => Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')
const codesOf = ({ body }: TestResponse) =>
  new Set(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code))

describe('references', () => {
  const resolve = (caller: Caller, x: readonly unknown[]) =>
    caller.graphql('query ($x: [_Any!]!) { _entities(representations: $x) { __typename } }', { x })
  const byEmail = (type: string, start: string) => (_: unknown, i: number) => ({
    __typename: type,
    email: `${start}${i}@example.com`,
  })

  test.each<[string, string, (_: unknown, index: number) => unknown]>([
    ['malformed', 'BAD_REQUEST', () => 1],
    ['without a key', 'BAD_REQUEST', () => ({ __typename: 'Group' })],
    ['of a type that the key may not read', 'INSUFFICIENT_SCOPE', byEmail('Person', 'unread')],
  ])('%s share their errors, of which a response lists some', async (_, code, one) => {
    const { gateway } = await openOffice()
    const caller = await gateway.as(code === 'BAD_REQUEST' ? 'personnel.read' : 'projects.read')
    const made = vi.spyOn(Fault.prototype, 'extensions', 'get')
    onTestFinished(() => made.mockRestore())
    const folded = foldedTexts('unread')
    const count = 5_000
    const { body } = await resolve(caller, Array.from({ length: count }, one))
    expect(body.data._entities).toEqual(Array(count).fill(null))
    const unlisted = count - LIMITS.errorsMax
    const last = { path: ['_entities', LIMITS.errorsMax - 1], extensions: { code } }
    expect(body.errors.at(LIMITS.errorsMax - 1)).toMatchObject(last)
    expect(body.errors.slice(LIMITS.errorsMax)).toEqual([
      { message: `${unlisted} more errors are not listed.`, extensions: { code, unlisted } },
    ])
    expect(made.mock.calls.length).toBeLessThan(2 * LIMITS.errorsMax)
    expect(folded).toEqual([])
  })

  test('that contradict themselves share an error as well', async () => {
    const { caller } = await openOffice()
    const { body: roster } = await caller.get('/v1/personnel?limit=1')
    const one = { __typename: 'Person', id: roster.data[0].id, externalId: 'Somebody else' }
    const made = vi.spyOn(Fault.prototype, 'extensions', 'get')
    onTestFinished(() => made.mockRestore())
    const { body } = await resolve(caller, Array(1_000).fill(one))
    expect(body.errors).toHaveLength(LIMITS.errorsMax + 1)
    expect(made.mock.calls.length).toBeLessThan(2 * LIMITS.errorsMax)
  })

  test('are not read in a query that has too many of them, in one list or in five', async () => {
    const { caller } = await openOffice()
    const five = [...'abcde']
    const query = `query (${five.map((one) => `$${one}: [_Any!]!`)}) {
      ${five.map((one) => `${one}: _entities(representations: $${one}) { __typename }`).join(' ')} }`
    const list = (length: number) => Array.from({ length }, byEmail('Person', 'many'))
    const lists = (length: number) => Object.fromEntries(five.map((one) => [one, list(length)]))
    expect((await caller.graphql(query, lists(LIMITS.queryItemsMax / 5))).body.errors).toBeUndefined()
    const folded = foldedTexts('many')
    const refused = [
      await caller.graphql(query, lists(LIMITS.queryItemsMax / 5 + 1)),
      await resolve(caller, Array(LIMITS.queryItemsMax + 1).fill(1)),
    ]
    for (const { body } of refused) {
      expect(body.errors[0].message).toContain(`the most in a query is ${LIMITS.queryItemsMax}`)
      expect(body.errors[0].extensions.code).toBe('TOO_COMPLEX')
    }
    expect(folded).toEqual([])
  })
})

describe('the input of a mutation', () => {
  const COUNT = 45
  const sync = `mutation ($i: SyncProjectInput!) { ${aliases(COUNT, 'syncProject(input: $i) { warnings { detail } }')} }`
  const unknown = (count: number, name = (i: number) => `guess${i}`) => ({
    i: { key: 'X', name: 'X', risks: Array.from({ length: count }, (_, i) => ({ reference: `R-${i}`, [name(i)]: 1 })) },
  })

  /** How often the members of the first record are listed, and the unknown members that are compared with known ones. */
  const work = () => ({
    reads: callsOf(Object, 'keys', (_, value) => (Object(value).reference === 'R-0' ? 'R-0' : undefined)),
    compared: foldedTexts('guess'),
  })

  test('is not looked at without the scope of its field', async () => {
    const { gateway } = await openOffice()
    const caller = await gateway.as('personnel.read')
    const right = await caller.graphql(sync, unknown(0))
    const { reads, compared } = work()
    const wrong = await caller.graphql(sync, unknown(500))
    expect(wrong.body).toEqual(right.body)
    expect(wrong.body.data.a44).toBeNull()
    expect(wrong.body.errors).toHaveLength(COUNT)
    expect([...codesOf(wrong)]).toEqual(['INSUFFICIENT_SCOPE'])
    expect([reads, compared]).toEqual([[], []])
  })

  test('is not looked at where only other fields have their scope', async () => {
    const { gateway } = await openOffice()
    const caller = await gateway.as('personnel.manage')
    const add = 'g: addGroup(input: $g) { id }'
    const both = sync.replace('($i', '($g: AddGroupInput!, $i').replace('{ a0', `{ ${add} a0`)
    const { reads } = work()
    const { body } = await caller.graphql(both, { g: { name: 5, size: 3 }, ...unknown(500) })
    expect(body.errors.at(-1).message).toMatch(/^`input` cannot be used as given\. .*size: Unknown member/)
    expect(reads).toEqual([])
  })

  test('is checked once for all fields that take it, and compared with known names a few times', async () => {
    const { caller } = await openOffice()
    const { reads, compared } = work()
    const { body } = await caller.graphql(sync, unknown(500))
    const { locations, extensions } = body.errors.at(-1)
    expect([extensions.code, extensions.errors.length, locations.length]).toEqual(['VALIDATION_FAILED', 500, COUNT])
    // To coerce it, to quote it in the error, and to find its violations.
    expect(reads.length).toBeLessThanOrEqual(3)
    expect(new Set(compared).size).toBeLessThanOrEqual(10)
    expect(extensions.errors[0].detail).toMatch(/^Unknown member\. Known members: /)
    expect(extensions.errors[499]).toEqual({ pointer: '/risks/499/guess499', detail: 'Unknown member.' })
  })

  test('has the same hint for each record with the same unknown member, in REST too', async () => {
    const { caller } = await openOffice()
    const compared = foldedTexts('titel')
    const answer = await caller.post('/v1/projects', unknown(500, () => 'titel').i)
    expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
    expect(new Set(answer.body.errors.map(({ detail }: { detail: string }) => detail))).toEqual(
      new Set(['Unknown member. Did you mean title?']),
    )
    expect(compared.length).toBeLessThan(10)
  })
})

describe('one variable in the filters of forty aliases', () => {
  const COUNT = 40
  const texts = (length: number) => Array.from({ length }, (_, i) => `c${i}`)
  /** How often a list with this text is searched for duplicates. */
  const checksOf = (text: string) => callsOf(Set.prototype, 'add', (_, value) => (value === text ? text : undefined))

  test.each([
    ['a list', '[String!]', 'filter: { category: $x }', (x: unknown) => x],
    ['a whole filter', 'RiskFilter', 'filter: $x', (category: unknown) => ({ category })],
  ])('is checked once, whether or not it is refused: %s', async (_, type, argument, variable) => {
    const { caller } = await openOffice()
    const query = `query ($x: ${type}) { ${aliases(COUNT, `risks(${argument}) { totalCount }`)} }`
    const checks = checksOf('c7')
    for (const length of [LIMITS.filterItemsMax, LIMITS.filterItemsMax + 1]) {
      checks.length = 0
      const { body } = await caller.graphql(query, { x: variable(texts(length)) })
      expect(body.errors?.length ?? 0).toBe(length > LIMITS.filterItemsMax ? COUNT : 0)
      expect(checks).toHaveLength(1)
    }
  })

  test('is not looked at if it is too long', async () => {
    const { caller } = await openOffice()
    const query = `query ($x: [String!]) { ${aliases(COUNT, 'risks(filter: { category: $x }) { totalCount }')} }`
    const checks = checksOf('c7')
    const answer = await caller.graphql(query, { x: texts(LIMITS.queryItemsMax + 1) })
    expect([...codesOf(answer)]).toEqual(['TOO_COMPLEX'])
    expect(checks).toEqual([])
  })

  test('has its names looked up once', async () => {
    const { gateway, caller } = await openOffice()
    const query = `query ($x: [ID!]) { ${aliases(COUNT, 'personnel(first: 1, filter: { group: $x }) { nodes { id } }')} }`
    gateway.statements()
    const answer = await caller.graphql(query, { x: ['No such group'] })
    expect(answer.body.errors).toHaveLength(COUNT)
    // For the name, and then for a similar one.
    expect(gateway.statements().filter((sql) => sql.includes('from "groups"'))).toHaveLength(2)
  })
})

test('a long value in the wrong place is not searched for a hint', async () => {
  const { caller } = await openOffice()
  const searched = callsOf(RegExp.prototype, 'exec', (pattern, text) => {
    const isLong = String(text).length > MESSAGE_CHARACTERS_MAX
    return isLong && (pattern as RegExp).source.includes('cannot represent') ? pattern : undefined
  })
  const value = 'ID cannot represent a non value: a '.repeat(900)
  const { body } = await caller.graphql(`{ risks(first: "${value}") { totalCount } }`)
  expect(searched).toEqual([])
  expect(body.errors[0].message).toMatch(/^Int cannot represent non-integer value: "ID .*\.\.\.$/)
})
