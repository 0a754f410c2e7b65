import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPE_NAMES } from '../../src/auth/scopes.js'
import { compiledQuery } from '../../src/graph/sql/compiledQueries.js'
import { schema } from '../../src/schema.js'
import type { Store } from '../../src/store/store.js'
import { fillCompany } from '../support/fixtures.js'
import { NOW } from '../support/harness.js'
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
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
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
