import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Fault } from '../../src/errors.js'
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
