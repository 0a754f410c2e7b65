import { expect, test } from 'vitest'
import { RATE_UNIT_COST } from '../../src/graph/query/prices.js'
import { LIMITS } from '../../src/limits.js'
import { DEAR_PERSON } from '../support/fixtures.js'
import { openOffice } from '../support/harness.js'
import { isShort, openArena, query } from './support/arena.js'
import {
  aliases,
  DETAILED,
  deep,
  directives,
  ENTITIES,
  FLOODS,
  introspection,
  long,
  references,
  repeated,
  strangers,
  times,
  wordy,
} from './support/documents.js'
import { only, tooComplex } from './support/verdicts.js'

const arena = openArena(import.meta.url, undefined, 2)

type Query = readonly [text: string, variables?: unknown]

const named = (count: number): Query => [`{ risks(first: 1) { nodes { ${times(count - 1, (i) => `a${i}: id`)} } } }`]
const rooted = (count: number): Query => [`{ ...f } fragment f on Query { ${'__typename '.repeat(count)} }`]
/** Each limit of a query: one that keeps within it, one that is over it, the limit, and the figure of the latter. */
const QUERY_LIMITS: [limit: string, within: Query, beyond: Query, most: number, figure: number][] = [
  ['characters', [wordy(32_000)], [wordy(32_001)], LIMITS.queryCharactersMax, 32_001],
  ['tokens', [long(1_000)], [long(1_001)], LIMITS.queryTokensMax, 1_001],
  ['tokens', [long(1_000)], [long(5_000)], LIMITS.queryTokensMax, 5_000],
  ['directives', [directives(8)], [directives(9)], LIMITS.queryDirectivesMax, 9],
  ['root fields and aliases', [aliases(50)], [aliases(51)], LIMITS.queryNamesMax, 51],
  ['root fields and aliases', named(50), named(51), LIMITS.queryNamesMax, 51],
  ['root fields and aliases', rooted(50), rooted(51), LIMITS.queryNamesMax, 51],
  [
    'root fields and aliases',
    [aliases(50)],
    ['{ ...f ...f ...f } fragment f on Query { '.concat('__typename '.repeat(30), '}')],
    LIMITS.queryNamesMax,
    90,
  ],
  ['repeated fields in the same place', [repeated(200)], [repeated(201)], LIMITS.queryRepeatsMax, 201],
  ['fields of introspection', [introspection(1_000)], [introspection(1_001)], LIMITS.introspectedFieldsMax, 1_001],
  ['depth', [deep(10)], [deep(11)], LIMITS.queryDepthMax, 11],
  [
    'cost',
    ['{ personnel(first: 1000) { nodes { id name email title } } }'],
    [`{ personnel(first: 1000) { nodes { ${DEAR_PERSON} } } }`],
    LIMITS.queryCostMax,
    104_001,
  ],
  ['cost', [DETAILED, strangers(1_000)], [DETAILED, strangers(3_000)], LIMITS.queryCostMax, 138_001],
  ['items', [ENTITIES, strangers(20_000)], [ENTITIES, strangers(50_000)], LIMITS.queryItemsMax, 50_000],
  [
    'cost of repeated references',
    [DETAILED, references(1_000)],
    [DETAILED, references(12_001)],
    LIMITS.repeatedCostMax,
    540_000,
  ],
]

test.each(QUERY_LIMITS)(
  'the error for a query over its limit of %s has the limit, its value and the figure of the query (%#)',
  async (limit, within, beyond, most, figure) => {
    const { body } = only(await arena.send(query(...within)))
    expect(body.errors?.[0].extensions.code).not.toBe('TOO_COMPLEX')
    const outcome = new RegExp(`(?=.*\\b${limit})(?=.*\\b${most}\\b).*\\b${figure}\\b`)
    await arena.attack(limit, query(...beyond), tooComplex(outcome))
  },
)

test('a query that repeats its fields too often gets the limit and its own figure', async () => {
  await arena.attack('repeated fields', query(repeated(980)), tooComplex(/\b980 repeated.*the most is 200\b/))
})

test('what a query costs is charged for the operation that is run, and not for another one', async () => {
  const { caller } = await openOffice({ ratePerMinute: 6_000, monotonicMs: () => 0 })
  const people = 'personnel(first: 1000) { nodes { id name email title department status groups { id name } } }'
  const dear = `query dear { ${times(5, (i) => `a${i}: ${people}`)} }`
  const left = async (text: string, operationName?: string) => {
    const { headers } = await caller.post('/graphql', { query: text, operationName })
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  }
  const before = await left('{ __typename }')
  const between = await left(dear)
  const after = await left(`query cheap { __typename } ${dear}`, 'dear')
  const cost = Math.ceil((5 * (1 + 1_000 * 17)) / RATE_UNIT_COST)
  expect([before - between, between - after]).toEqual([cost, cost])
})

const ROUNDS = isShort ? 2 : 5

// Printed and not asserted: every figure includes other load on the machine.
test('what a refused query costs is measured as the longest wait of others', async () => {
  const costs: { flood: string; least: number; most: number }[] = []
  const measured = async (flood: string, text: string, variables?: unknown) => {
    const waits: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const since = performance.timeOrigin + performance.now()
      await arena.send(query(text, variables))
      waits.push((await arena.longestWait(since)).longestMs)
    }
    costs.push({ flood, least: Math.min(...waits), most: Math.max(...waits) })
  }
  await measured('(a query in order)', '{ __typename }')
  for (const [flood, [text, variables]] of Object.entries(FLOODS)) await measured(flood, text, variables)
  const lines = costs.map(
    ({ flood, least, most }) => `  ${flood.padEnd(45)} ${least.toFixed(1).padStart(8)} to ${most.toFixed(1)}`,
  )
  console.info(`Longest wait of others during a refused query, in ms, ${ROUNDS} rounds:\n${lines.join('\n')}`)
  const worst = costs.toSorted((one, other) => other.least - one.least)[0]
  console.info(`The worst: ${worst?.least.toFixed(1)} ms, ${worst?.flood}.`)
})
