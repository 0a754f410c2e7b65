import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { PersistedQueries, QUERIES_KEPT_MAX } from '../../src/http/graphql/parameters.js'
import { type Caller, openOffice } from '../support/harness.js'

const GROUPS = 'query Groups($n: Int) { groups(first: $n) { nodes { name } } }'
const hashOf = (query: string) => createHash('sha256').update(query).digest('hex')
const extensionsOf = (sha256Hash: string, version = 1) => ({ persistedQuery: { version, sha256Hash } })

interface Sent {
  readonly query?: string
  readonly variables?: object
  readonly extensions?: object
}

const WAYS: [string, (caller: Caller, sent: Sent, headers?: Record<string, string>) => ReturnType<Caller['get']>][] = [
  [
    'POST',
    (caller, sent, headers = {}) =>
      caller.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(sent),
      }),
  ],
  [
    'GET',
    (caller, { query, ...rest }, headers = {}) => {
      const parameters = Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)])
      return caller.get(
        `/graphql?${new URLSearchParams([...parameters, ...(query ? [['query', query]] : [])])}`,
        headers,
      )
    },
  ],
]

const NOT_FOUND = {
  errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
}

describe.each(WAYS)('by %s', (_, send) => {
  const probe = { extensions: extensionsOf(hashOf(GROUPS)), variables: { n: 1 } }

  test.each(['application/json', 'application/graphql-response+json', '*/*'])(
    'an unknown hash is reported with HTTP 200 to a client that accepts %s',
    async (accept) => {
      const { caller } = await openOffice()
      const { status, body } = await send(caller, probe, { accept })
      expect({ status, body }).toEqual({ status: 200, body: NOT_FOUND })
    },
  )

  test('the text that follows is kept by its hash, and runs with the scopes and variables of each caller', async () => {
    const { gateway, caller } = await openOffice()
    await send(caller, probe)
    const first = await send(caller, { ...probe, query: GROUPS })
    expect(first.body.errors).toBeUndefined()
    expect(first.body.data.groups.nodes).toHaveLength(1)
    expect((await send(caller, probe)).body).toEqual(first.body)
    expect((await send(caller, { ...probe, variables: { n: 2 } })).body.data.groups.nodes).toHaveLength(2)
    const refused = (await send(await gateway.as('projects.read'), probe)).body
    expect(refused.errors[0].extensions.code).toBe('INSUFFICIENT_SCOPE')
  })

  test.each([
    ['another hash', extensionsOf('0'.repeat(64)), /not the SHA-256/],
    ['no hash', extensionsOf('x'), /64 hexadecimal digits/],
    ['a version that there is not', extensionsOf(hashOf(GROUPS), 2), /version` must be 1/],
  ])('a text with %s is refused, and not kept', async (_, extensions, message) => {
    const { caller } = await openOffice()
    const { status, body } = await send(caller, { query: GROUPS, extensions })
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST'])
    expect(body.errors[0].message).toMatch(message)
    expect((await send(caller, probe)).body).toEqual(NOT_FOUND)
  })

  test('nothing is stored for, or revealed to, a caller without a valid key', async () => {
    const { gateway, caller } = await openOffice()
    const stranger = gateway.with('Bearer ops_nonsense')
    expect((await send(stranger, { ...probe, query: GROUPS })).status).toBe(401)
    expect((await send(caller, probe)).body).toEqual(NOT_FOUND)
    expect((await send(stranger, probe)).status).toBe(401)
  })
})

test('a mutation that is known by its hash does not come in by GET', async () => {
  const { caller } = await openOffice()
  const [[, post], [, get]] = WAYS as [(typeof WAYS)[0], (typeof WAYS)[0]]
  const query = 'mutation { addGroup(input: { name: "New" }) { name } }'
  const extensions = extensionsOf(hashOf(query))
  expect((await post(caller, { query, extensions })).body).toEqual({ data: { addGroup: { name: 'New' } } })
  const { status, body } = await get(caller, { extensions })
  expect([status, body.errors[0].extensions.code]).toEqual([405, 'METHOD_NOT_ALLOWED'])
})

test('the texts are bounded, and the least recently used go first', () => {
  const queries = new PersistedQueries()
  const text = (index: number) => `{ query${index} }`
  const known = (index: number) => queries.textFor({ extensions: extensionsOf(hashOf(text(index))) })
  const keep = (index: number) => queries.textFor({ query: text(index), extensions: extensionsOf(hashOf(text(index))) })
  for (let index = 0; index < QUERIES_KEPT_MAX; index++) keep(index)
  expect(known(0)).toBe(text(0))
  keep(QUERIES_KEPT_MAX)
  expect(known(0)).toBe(text(0))
  expect(() => known(1)).toThrow('PersistedQueryNotFound')
})
