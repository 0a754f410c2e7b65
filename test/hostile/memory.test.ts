import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { SCOPE_NAMES } from '../../src/auth/scopes.js'
import { planFor } from '../../src/graph/query/plan.js'
import { operationIn } from '../../src/graph/query/selections.js'
import { LIMITS } from '../../src/limits.js'
import { personWith } from '../../src/personnel/people.js'
import { schema } from '../../src/schema.js'
import { answering } from '../support/answering.js'
import { openFilled, openGateway } from '../support/harness.js'

const heapBytes = () => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

describe('what is remembered of planned queries is bounded', { timeout: 60_000 }, () => {
  test('however many filters come with however many queries', async () => {
    const { gateway } = await openFilled()
    const answer = answering(gateway.store)
    const groups = Array.from({ length: 15 }, (_, i) => `a${i}: groups { name }`).join(' ')
    const text = `query ($filter: PersonFilter) { personnel(first: 1, filter: $filter) { nodes { ${groups} } } }`
    const documents = Array.from({ length: 50 }, () => parse(text, { noLocation: true }))
    for (const document of documents) await answer(document)
    const before = heapBytes()
    for (const document of documents) {
      for (let i = 0; i < 30; i++) await answer(document, { filter: { email: `${i}`.padEnd(190, 'x') } })
      gateway.statements()
    }
    expect(heapBytes() - before).toBeLessThan(15_000_000)
  })

  test('however long its filters are, whose rows are counted', async () => {
    const { gateway } = await openFilled()
    const answer = answering(gateway.store)
    const document = parse('query ($of: [String!]) { risks(filter: { category: $of }) { nodes { id } } }')
    const before = heapBytes()
    for (let i = 0; i < 100; i++) {
      const of = Array.from({ length: LIMITS.filterItemsMax }, (_, at) => `${i} ${at} `.padEnd(200, 'x'))
      expect((await answer(document, { of })).errors).toEqual([])
      gateway.statements()
    }
    expect(heapBytes() - before).toBeLessThan(5_000_000)
  })

  test('however many fields its fragments expand to, accepted or refused by its cost', async () => {
    const { gateway } = await openFilled()
    const answer = answering(gateway.store)
    const roots = (first: number) => Array.from({ length: 45 }, (_, i) => `r${i}: risks(first: ${first}) { ...page }`)
    const scalars = 'id title score level status url raisedOn createdAt updatedAt description category cause response'
    const documents = Array.from({ length: 40 }, (_, i) =>
      parse(`{ ${roots(i % 2 === 0 ? 1 : 1_000).join(' ')} }
        fragment page on RiskConnection { nodes { ...risk } edges { node { ...risk } } }
        fragment risk on Risk { ${scalars} project { id key name url status } owner { id name title } }`),
    )
    const [first] = documents
    if (first) await answer(first)
    const before = heapBytes()
    for (const document of documents) await answer(document)
    gateway.statements()
    expect(heapBytes() - before).toBeLessThan(15_000_000)
  })

  test('however many variants directives leave of however many queries', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const sent = names.map((name) => `${name}: groups @include(if: $${name}) { name }`).join(' ')
    const declaring = names.map((name) => `$${name}: Boolean!`).join(' ')
    const text = `query (${declaring}) { personnel(first: 1) { nodes { id ${sent} } } }`
    const operations = Array.from({ length: 10 }, () => operationIn(schema, parse(text, { noLocation: true })))
    const scopes = new Set(SCOPE_NAMES)
    const before = heapBytes()
    for (const operation of operations) {
      for (let variant = 0; variant < 2 ** names.length; variant++) {
        const given = Object.fromEntries(names.map((name, bit) => [name, Boolean(variant & (1 << bit))]))
        const plan = operation && (await planFor(schema, operation, given, scopes))
        plan?.keep?.()
        expect(plan?.roots).toHaveLength(1)
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
