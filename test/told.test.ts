import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPE_NAMES } from '../src/auth/scopes.js'
import { tellerOf } from '../src/graph/tellers.js'
import { createEngine } from '../src/http/engine.js'
import { OPERATIONS } from '../src/http/operations.js'
import { addPerson } from '../src/personnel/people.js'
import { schema } from '../src/schema.js'
import { rowCountsOf } from '../src/store/rowCounts.js'
import type { Store } from '../src/store/store.js'
import { addGroup, type Company, fillCompany } from './fixtures.js'
import { NOW } from './harness.js'
import { newStore } from './stores.js'
import { asking, idsOf } from './telling.js'
import { LISTS, listNames, SINGLES, type Single, selectionOf, singleNames } from './toldQueries.js'

describe('in a company', () => {
  let store: Store
  let company: Company
  let remove: () => void

  beforeAll(async () => {
    const own = newStore()
    store = own.open()
    remove = own.remove
    company = await store.write({ by: 'cli', at: () => NOW }, fillCompany)
  })
  afterAll(async () => {
    await store.close()
    remove()
  })

  test.each(Object.entries(OPERATIONS))('the operation %s is told wherever it only reads', async (name, text) => {
    const isTold = /^(list|get)/.test(name) && name !== 'getKey'
    expect(tellerOf(schema, parse(text)) !== undefined).toBe(isTold)
    if (!isTold) return
    const { same } = asking(store, SCOPE_NAMES)
    if (name.startsWith('list')) {
      for (const given of [{}, { limit: 2 }, { limit: 2, total: true }, { total: true }]) await same(text, given)
      return
    }
    const ids = idsOf(company)[name.slice('get'.length).toLowerCase() as Single]
    for (const id of [...ids, 'none']) await same(text, name === 'getProject' ? { idOrKey: id } : { id })
  })

  test('REST gets the parts of a list', async () => {
    const { told, executed } = asking(store, SCOPE_NAMES)
    const given = { limit: 3, total: true }
    const list = (await told(OPERATIONS.listRisks, given))?.list
    const { data } = await executed(OPERATIONS.listRisks, given)
    expect({
      nodes: JSON.parse(`[${list?.entries}]`),
      pageInfo: { hasNextPage: list?.hasNext, endCursor: list?.endCursor() },
      totalCount: list?.totalCount,
    }).toEqual(JSON.parse(JSON.stringify(data?.['risks'])))
  })

  test('the groups of a person are told in the order of their names, and not of their ids', async () => {
    const own = newStore()
    const other = own.open()
    await other.write({ by: 'cli', at: () => NOW }, async (write) => {
      const groupIds: string[] = []
      for (const name of ['c', 'A', 'b', 'Z', 'ä']) groupIds.push(await addGroup(write, { name }))
      await addPerson(write, { name: 'Ada', externalId: '1', groupIds })
    })
    await asking(other, SCOPE_NAMES).same('{ personnel { nodes { groups { name } } } }')
    await other.close()
    own.remove()
  })

  test('what is left out whatever the variables are is not told', async () => {
    const { same } = asking(store, SCOPE_NAMES)
    await same('{ personnel { nodes { id name @skip(if: true) ... @include(if: false) { email } } } }')
  })

  test('a project is told by its key as well, in any case', async () => {
    const { same } = asking(store, SCOPE_NAMES)
    await same('{ project(key: "apollo") { id key openRiskCount openIssueCount topRiskScore } }')
    await same('{ project(id: "HARBOR-2") { id } }')
    await same('{ project(key: "NONE") { id } }')
  })

  test.each([
    '{ personnel(first: 0) { nodes { id } } }',
    '{ personnel(first: 1001) { nodes { id } } }',
    '{ personnel(after: "nonsense") { nodes { id } } }',
    '{ risks(filter: { minScore: 99 }) { nodes { id } } }',
    '{ issues(filter: { search: " " }) { nodes { id } } }',
    '{ project { id } }',
    '{ project(id: "a", key: "b") { id } }',
    'query ($first: Int!) { personnel(first: $first) { nodes { id } } }',
    `{ risks(first: 1000) { nodes { ${Array.from({ length: 40 }, (_, i) => `a${i}: owner { groups { id } }`).join(' ')} } } }`,
  ])('what is to be refused is left to execution: %s', async (query) => {
    const { told, executed } = asking(store, SCOPE_NAMES)
    expect(await told(query)).toBeUndefined()
    expect((await executed(query)).errors).toHaveLength(1)
  })

  test('a list that is too long to be told whole is left to execution', async () => {
    const query = '{ risks { nodes { id } } }'
    const few = asking(store, SCOPE_NAMES, 10)
    expect(await few.told(query)).toBeUndefined()
    expect((await few.executed(query)).errors).toMatchObject([{ extensions: { code: 'TOO_COMPLEX' } }])
  })

  test.each([
    '{ personnel { edges { cursor } } }',
    '{ personnel { totalCount } }',
    '{ personnel { nodes { groups { memberCount } } } }',
    '{ risks { nodes { project { topRiskScore } } } }',
    '{ personnel { nodes { id } } groups { nodes { id } } }',
    '{ groups { nodes { members { totalCount } } } }',
    '{ projects { nodes { risks { totalCount } } } }',
    '{ person(id: "x") { history { totalCount } } }',
    '{ apiKey { name } }',
    '{ __typename }',
    '{ __schema { queryType { name } } }',
    '{ _service { sdl } }',
    '{ _entities(representations: []) { ... on Person { id } } }',
    'mutation { addMember(groupId: "a", personId: "b") { id } }',
  ])('what the store cannot tell has no teller: %s', (query) => {
    expect(validate(schema, parse(query))).toEqual([])
    expect(tellerOf(schema, parse(query))).toBeUndefined()
  })

  test('what fragments multiply has no teller, and is not even planned to its end', () => {
    const times = (field: string) => Array.from({ length: 16 }, (_, i) => `a${i}: ${field}`).join(' ')
    const query = `{ issue(id: "x") { ${times('risk { ...R }')} } } fragment R on Risk { ${times('owner { ...O }')} }
      fragment O on Person { ${times('groups { name }')} }`
    expect(validate(schema, parse(query))).toEqual([])
    expect(tellerOf(schema, parse(query))).toBeUndefined()
    expect(tellerOf(schema, parse(`{ projects { nodes { ${times('openRiskCount')} } } }`))).toBeDefined()
  })

  test('variables mean what they mean to execution, in whatever order they come', async () => {
    const values = [undefined, null, 0, 1, 2, 2.5, -1, '1', '2', 'LOW', true, false, Number.NaN, [], ['P-0'], {}]
    const named = ['limit', 'cursor', 'total', 'search', 'severity', 'updatedSince', 'unknown']
    const one = fc.tuple(fc.constantFrom(...named), fc.constantFrom(...values))
    const given = fc.array(one, { maxLength: 3 }).map((entries) => Object.fromEntries(entries))
    const { executed, told } = asking(store, SCOPE_NAMES)
    const document = parse(OPERATIONS.listIssues)
    let answers = 0
    await fc.assert(
      fc.asyncProperty(given, async (raw) => {
        const { data, errors } = await executed(document, raw)
        const answer = (await told(document, raw))?.data().toString()
        expect({ raw, answer }).toEqual({ raw, answer: errors ? undefined : JSON.stringify(data) })
        if (answer) answers += 1
      }),
      { numRuns: 400 },
    )
    expect(answers).toBeGreaterThan(20)
  })

  test.each([
    '{ personnel { nodes { id name @skip(if: true) } } }',
    '{ personnel { nodes { id ... @include(if: false) { name } } totalCount @skip(if: true) } }',
    '{ personnel { nodes { ...of @skip(if: true) id } } } fragment of on Person { name }',
  ])('what is left out for good is not told: %s', async (query) => {
    await asking(store, SCOPE_NAMES).same(query)
  })

  test('of several operations, the one that is named is told', async () => {
    const document = parse('query a { personnel { nodes { id } } } query b { projects { nodes { id } } }')
    expect(tellerOf(schema, document)).toBeUndefined()
    expect([...(tellerOf(schema, document, 'a')?.scopes ?? [])]).toEqual(['personnel.read'])
    expect([...(tellerOf(schema, document, 'b')?.scopes ?? [])]).toEqual(['projects.read'])
  })

  describe('what is remembered is bounded', { timeout: 60_000 }, () => {
    const heapBytes = () => {
      setFlagsFromString('--expose-gc')
      runInNewContext('gc')()
      return process.memoryUsage().heapUsed
    }

    test('a name that no operation has is not remembered', () => {
      const document = parse('query a { personnel { nodes { id } } }')
      const before = heapBytes()
      for (let i = 0; i < 100; i++) {
        expect(tellerOf(schema, document, Buffer.alloc(1_000_000, `no ${i} `).toString('latin1'))).toBeUndefined()
      }
      expect(heapBytes() - before).toBeLessThan(20_000_000)
    })

    test('however many filters come with however many queries', async () => {
      const groups = Array.from({ length: 15 }, (_, i) => `a${i}: groups { name }`).join(' ')
      const text = `query ($filter: PersonFilter) { personnel(first: 1, filter: $filter) { nodes { ${groups} } } }`
      const documents = Array.from({ length: 50 }, () => parse(text, { noLocation: true }))
      const { told } = asking(store, SCOPE_NAMES)
      for (const document of documents) await told(document)
      const before = heapBytes()
      for (const document of documents) {
        for (let i = 0; i < 80; i++) await told(document, { filter: { email: `${i}`.padEnd(900) } })
      }
      expect(heapBytes() - before).toBeLessThan(15_000_000)
    })

    test('however many ways directives leave for however many queries', async () => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
      const asked = names.map((name) => `${name}: groups @include(if: $${name}) { name }`).join(' ')
      const declaring = names.map((name) => `$${name}: Boolean!`).join(' ')
      const text = `query (${declaring}) { personnel(first: 1) { nodes { id ${asked} } } }`
      const documents = Array.from({ length: 10 }, () => parse(text, { noLocation: true }))
      const { told } = asking(store, SCOPE_NAMES)
      const before = heapBytes()
      for (const document of documents) {
        for (let way = 0; way < 2 ** names.length; way++) {
          const given = Object.fromEntries(names.map((name, bit) => [name, Boolean(way & (1 << bit))]))
          expect(await told(document, given)).toBeDefined()
        }
      }
      expect(heapBytes() - before).toBeLessThan(15_000_000)
    })
  })

  test('a teller knows exactly what execution asks of a key', { timeout: 60_000 }, async () => {
    const roots = [
      ...listNames.map(
        (list) => [list, LISTS[list], (fields: string) => `{ ${list}(first: 50) { nodes { ${fields} } } }`] as const,
      ),
      ...singleNames.map((single) => {
        const id = idsOf(company)[single][0]
        return [single, SINGLES[single], (fields: string) => `{ ${single}(id: "${id}") { ${fields} } }`] as const
      }),
    ]
    const query = fc
      .constantFrom(...roots)
      .chain(([, type, ask]) =>
        selectionOf(type, { depth: 2, isConditional: false }).map((selection) => ask(selection)),
      )
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const needed = [...(tellerOf(schema, parse(asked))?.scopes ?? [])]
        expect(needed).not.toEqual([])
        expect((await asking(store, needed).executed(asked)).errors).toBeUndefined()
        for (const missing of needed) {
          const others = SCOPE_NAMES.filter((scope) => !scope.startsWith(missing.replace(/\..*/, '')))
          const { errors } = await asking(store, others).executed(asked)
          expect({ asked, missing, code: errors?.[0]?.extensions['code'] }).toEqual({
            asked,
            missing,
            code: 'INSUFFICIENT_SCOPE',
          })
        }
      }),
      { numRuns: 60 },
    )
  })

  test('an answer takes one statement, and one more to count', async () => {
    let statements = 0
    const engine = createEngine({ store, clock: () => NOW, wholeListRowsMax: 1_000 })
    const principal = { keyId: 'k', name: 'k', scopes: new Set(SCOPE_NAMES), projects: null, expiresAt: null }
    const cost = async (given: Record<string, unknown>) => {
      statements = 0
      const context = engine.contextFor(principal, () => {
        statements += 1
      })
      const teller = tellerOf(schema, parse(OPERATIONS.listRisks))
      await (await teller?.prepare(given, rowCountsOf(store)))?.tell(context)
      return statements
    }
    expect([await cost({}), await cost({ limit: 2 }), await cost({ total: true })]).toEqual([1, 1, 2])
    expect(await cost({ project: ['APOLLO'] })).toBe(1)
  })
})
