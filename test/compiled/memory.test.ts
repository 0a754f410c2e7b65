import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPE_NAMES } from '../../src/auth/scopes.js'
import { compiledQuery } from '../../src/graph/sql/compiledQueries.js'
import { personWith } from '../../src/personnel/people.js'
import { schema } from '../../src/schema.js'
import type { Store } from '../../src/store/store.js'
import { fillCompany } from '../support/fixtures.js'
import { NOW, openGateway } from '../support/harness.js'
import { newStore } from '../support/stores.js'
import { runnersFor } from './compiling.js'

describe('what is remembered of compiled queries is bounded', { timeout: 60_000 }, () => {
  let store: Store
  let remove: () => void

  beforeAll(async () => {
    const own = newStore()
    store = own.open()
    remove = own.remove
    await store.write({ by: 'cli', at: () => NOW }, fillCompany)
  })
  afterAll(async () => {
    await store.close()
    remove()
  })

  const heapBytes = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }

  test('a name that no operation has is not remembered', () => {
    const document = parse('query a { personnel { nodes { id } } }')
    const before = heapBytes()
    for (let i = 0; i < 100; i++) {
      expect(compiledQuery(schema, document, Buffer.alloc(1_000_000, `no ${i} `).toString('latin1'))).toBe('bad_input')
    }
    expect(heapBytes() - before).toBeLessThan(20_000_000)
  })

  test('however many filters come with however many queries', async () => {
    const groups = Array.from({ length: 15 }, (_, i) => `a${i}: groups { name }`).join(' ')
    const text = `query ($filter: PersonFilter) { personnel(first: 1, filter: $filter) { nodes { ${groups} } } }`
    const documents = Array.from({ length: 50 }, () => parse(text, { noLocation: true }))
    const { compiled } = runnersFor(store, SCOPE_NAMES)
    for (const document of documents) await compiled(document)
    const before = heapBytes()
    for (const document of documents) {
      for (let i = 0; i < 80; i++) await compiled(document, { filter: { email: `${i}`.padEnd(900) } })
    }
    expect(heapBytes() - before).toBeLessThan(15_000_000)
  })

  test('however many ways directives leave for however many queries', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const sent = names.map((name) => `${name}: groups @include(if: $${name}) { name }`).join(' ')
    const declaring = names.map((name) => `$${name}: Boolean!`).join(' ')
    const text = `query (${declaring}) { personnel(first: 1) { nodes { id ${sent} } } }`
    const documents = Array.from({ length: 10 }, () => parse(text, { noLocation: true }))
    const { compiled } = runnersFor(store, SCOPE_NAMES)
    const before = heapBytes()
    for (const document of documents) {
      for (let way = 0; way < 2 ** names.length; way++) {
        const given = Object.fromEntries(names.map((name, bit) => [name, Boolean(way & (1 << bit))]))
        expect(typeof (await compiled(document, given))).toBe('object')
      }
    }
    expect(heapBytes() - before).toBeLessThan(15_000_000)
  })
})

test('the rows of a request are not kept alive by its filter, which is cached', { timeout: 60_000 }, async () => {
  const gateway = openGateway({ responseCacheBytesMax: 0, ratePerMinute: 6_000_000 })
  await gateway.write(async (write) => {
    const title = 'x'.repeat(180)
    const rows = Array.from({ length: 5_000 }, (_, i) =>
      personWith(write, undefined, { name: 'Ada', externalId: `${i}`, title }),
    )
    await write.insertAll(write.t.person, rows)
  })
  const caller = await gateway.as('personnel.read')
  const list = (second: number) => caller.get(`/v1/personnel?updatedSince=2001-01-01T00:00:${10 + second}Z`)
  const { text } = await list(0)
  const before = await externalBytes()
  for (let i = 1; i <= 20; i++) expect((await list(i)).status).toBe(200)
  expect((await externalBytes()) - before).toBeLessThan(5 * text.length)
})

/** The memory outside the heap of V8, such as that of buffers. */
async function externalBytes(): Promise<number> {
  // What a response is made of is released in several turns.
  for (let i = 0; i < 3; i++) {
    await nextTurn()
    collectGarbage()
  }
  return process.memoryUsage().external
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
