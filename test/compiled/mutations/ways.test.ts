import { describe, expect, test } from 'vitest'
import { mintKey } from '../../../src/auth/keys.js'
import type { Scope } from '../../../src/auth/scopes.js'
import type { Company } from '../../support/fixtures.js'
import { type Gateway, openFilled } from '../../support/harness.js'
import { PLAIN } from '../../support/way.js'
import { MUTATIONS, WRITES, type Written } from './requests.js'

const KEYS: readonly (readonly Scope[])[] = [
  ['personnel.manage', 'projects.manage'],
  ['personnel.manage'],
  ['personnel.read', 'projects.manage'],
  [],
]

/** A service with its own store, and its responses with random ids replaced by numbers. */
interface Way {
  readonly gateway: Gateway
  readonly company: Company
  readonly keys: readonly string[]
  readonly seen: string[]
}

async function open(isPlain: boolean): Promise<Way> {
  const { gateway, company } = await openFilled(isPlain ? PLAIN : { isCompiled: true })
  const keys = await gateway.write(async (write) => {
    const minted: string[] = []
    for (const scopes of KEYS) minted.push((await mintKey(write, { name: 'Key', scopes, expiresAt: undefined })).secret)
    return minted
  })
  return { gateway, company, keys, seen: [] }
}

const ID = /(?:usr|grp|key|prj|rsk|iss)_[0-9a-z]{26}/g

function numbered({ seen }: Way, text: string): string {
  return text.replaceAll(ID, (id) => {
    if (!seen.includes(id)) seen.push(id)
    return `${id.slice(0, 4)}${seen.indexOf(id)}`
  })
}

async function answerOf(way: Way, key: number, { method, path, headers, body }: Written) {
  const { gateway, company, keys } = way
  const response = await gateway.app.fetch(
    new Request(`http://localhost${typeof path === 'string' ? path : path(company)}`, {
      method,
      headers: {
        'request-id': 'same',
        authorization: `Bearer ${keys[key]}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: body ? JSON.stringify(body(company)) : null,
    }),
  )
  // The ETag covers the random ids.
  const { etag, ...others } = Object.fromEntries(response.headers)
  const all = { status: response.status, hasTag: etag !== undefined, headers: others, text: await response.text() }
  return JSON.parse(numbered(way, JSON.stringify(all))) as typeof all
}

/** All rows that mutations can change, in order. */
async function storedIn(way: Way): Promise<unknown> {
  const { read } = way.gateway.store
  const { person, group, membership, change } = read.t
  const rows = [
    await read.db.select().from(person).orderBy(person.nameFolded, person.email, person.externalId),
    await read.db.select().from(group).orderBy(group.nameFolded),
    // Each write has a random value.
    (await read.db.select().from(change).orderBy(change.id)).map(({ nonce: _, ...row }) => row),
    (await read.db.select().from(membership)).length,
  ]
  return JSON.parse(numbered(way, JSON.stringify(rows)))
}

const isCompiled = (sql: string) => / from "(person|groups)" "r1" where "r1"."id" = \S+$/.test(sql)

describe.each(Object.entries({ REST: WRITES, GraphQL: MUTATIONS }))('by %s', (_, all) => {
  test.each(Object.entries(all))('%s', async (_name, one) => {
    const ways = [await open(false), await open(true)] as const
    const [quick] = ways
    for (const key of KEYS.keys()) {
      for (const written of one.requests) {
        quick.gateway.statements()
        const [actual, expected] = [await answerOf(ways[0], key, written), await answerOf(ways[1], key, written)]
        expect({ key, written, ...actual }).toEqual({ key, written, ...expected })
        const statements = quick.gateway.statements().filter(isCompiled)
        if (key === 0 && written === one.requests[0]) expect(statements.length).toBe(one.compiled)
      }
    }
    expect(await storedIn(ways[0])).toEqual(await storedIn(ways[1]))
  })
})
