import fc from 'fast-check'
import { type DocumentNode, parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPE_NAMES, type Scope } from '../../src/auth/scopes.js'
import { compiledQuery } from '../../src/graph/sql/compiledQueries.js'
import { createEngine } from '../../src/http/engine.js'
import { OPERATIONS } from '../../src/http/rest/operations.js'
import { schema } from '../../src/schema.js'
import { rowCountsOf } from '../../src/store/query/rowCounts.js'
import type { Store } from '../../src/store/store.js'
import { type Company, fillCompany } from '../support/fixtures.js'
import { NOW } from '../support/harness.js'
import { runs } from '../support/properties.js'
import { newStore } from '../support/stores.js'
import { dataOf, idsOf, runnersFor } from './compiling.js'
import { LISTS, listNames, SINGLES, selectionOf, singleNames } from './randomQueries.js'

function scopesOf(document: DocumentNode, name?: string): readonly Scope[] {
  const compiled = compiledQuery(schema, document, name)
  return typeof compiled === 'string' ? [] : [...compiled.scopes]
}

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

  test('variables mean what they mean to execution, in whatever order they come', async () => {
    const values = [undefined, null, 0, 1, 2, 2.5, -1, '1', '2', 'LOW', true, false, Number.NaN, [], ['P-0'], {}]
    const named = ['limit', 'cursor', 'total', 'search', 'severity', 'updatedSince', 'unknown']
    const one = fc.tuple(fc.constantFrom(...named), fc.constantFrom(...values))
    const given = fc.array(one, { maxLength: 3 }).map((entries) => Object.fromEntries(entries))
    const { executed, compiled } = runnersFor(store, SCOPE_NAMES)
    const document = parse(OPERATIONS.listIssues)
    let answers = 0
    await fc.assert(
      fc.asyncProperty(given, async (raw) => {
        const { data, errors } = await executed(document, raw)
        const result = await compiled(document, raw)
        const answer = typeof result === 'string' ? result : dataOf(result)
        expect({ raw, answer }).toEqual({ raw, answer: errors ? 'bad_input' : JSON.stringify(data) })
        if (!errors) answers += 1
      }),
      runs(400),
    )
    expect(answers).toBeGreaterThan(20)
  })

  test.each([
    '{ personnel { nodes { id name @skip(if: true) } } }',
    '{ personnel { nodes { id ... @include(if: false) { name } } totalCount @skip(if: true) } }',
    '{ personnel { nodes { ...of @skip(if: true) id } } } fragment of on Person { name }',
  ])('what is left out for good is not shown: %s', async (query) => {
    await runnersFor(store, SCOPE_NAMES).same(query)
  })

  test('of several operations, the one that is named is compiled', async () => {
    const document = parse('query a { personnel { nodes { id } } } query b { projects { nodes { id } } }')
    expect(compiledQuery(schema, document)).toBe('bad_input')
    expect(scopesOf(document, 'a')).toEqual(['personnel.read'])
    expect(scopesOf(document, 'b')).toEqual(['projects.read'])
  })

  test('a compiled query needs exactly the scopes that execution needs', { timeout: 60_000 }, async () => {
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
      .chain(([, type, documentWith]) =>
        selectionOf(type, { depth: 2, isConditional: false }).map((selection) => documentWith(selection)),
      )
    await fc.assert(
      fc.asyncProperty(query, async (sent) => {
        const needed = scopesOf(parse(sent))
        expect(needed).not.toEqual([])
        expect((await runnersFor(store, needed).executed(sent)).errors).toBeUndefined()
        for (const missing of needed) {
          const others = SCOPE_NAMES.filter((scope) => !scope.startsWith(missing.replace(/\..*/, '')))
          const { errors } = await runnersFor(store, others).executed(sent)
          expect({ sent, missing, code: errors?.[0]?.extensions['code'] }).toEqual({
            sent,
            missing,
            code: 'INSUFFICIENT_SCOPE',
          })
        }
      }),
      runs(60),
    )
  })

  test('a list takes one statement, whatever is selected', async () => {
    let statements = 0
    const engine = createEngine({ store, clock: () => NOW, wholeListRowsMax: 1_000 })
    const principal = { keyId: 'k', name: 'k', scopes: new Set(SCOPE_NAMES), projects: null, expiresAt: null }
    const cost = async (given: Record<string, unknown>) => {
      statements = 0
      const context = engine.contextFor(principal, () => {
        statements += 1
      })
      const query = compiledQuery(schema, parse(OPERATIONS.listRisks))
      const prepared = typeof query === 'string' ? query : await query.prepare(given, rowCountsOf(store))
      if (typeof prepared !== 'string') await prepared.run(context)
      return statements
    }
    expect([await cost({}), await cost({ limit: 2 }), await cost({ total: true })]).toEqual([1, 1, 1])
    expect(await cost({ project: ['APOLLO'] })).toBe(1)
  })
})
