import { type DocumentNode, execute, parse, validate } from 'graphql'
import { expect } from 'vitest'
import type { Scope } from '../../src/auth/scopes.js'
import type { Context } from '../../src/graph/builder.js'
import { type CompiledResult, compiledQuery } from '../../src/graph/sql/compiledQueries.js'
import { runMutation } from '../../src/graph/sql/mutations/operations.js'
import { createEngine } from '../../src/http/engine.js'
import { schema } from '../../src/schema.js'
import { rowCountsOf } from '../../src/store/query/rowCounts.js'
import type { Store } from '../../src/store/store.js'
import type { Company } from '../support/fixtures.js'
import { NOW } from '../support/harness.js'
import type { Single } from './randomQueries.js'

/** The JSON of a compiled result. */
export function dataOf({ data }: CompiledResult): string {
  return Buffer.concat(data).toString()
}

/** Runs operations both ways, as a key with these scopes. */
export function runnersFor(store: Store, scopes: readonly Scope[], wholeListRowsMax = 1_000) {
  const engine = createEngine({ store, clock: () => NOW, wholeListRowsMax })
  const principal = { keyId: 'key_1', name: 'test', scopes: new Set(scopes), projects: null, expiresAt: null }
  const context = (): Context => engine.contextFor(principal, () => undefined)
  const executed = async (query: string | DocumentNode, variableValues: Record<string, unknown> = {}) => {
    const document = typeof query === 'string' ? parse(query) : query
    expect(validate(schema, document)).toEqual([])
    return execute({ schema, document, variableValues, contextValue: context() })
  }
  /** The result of SQL, or why the operation must be executed. */
  const compiled = async (
    query: string | DocumentNode,
    variables: Record<string, unknown> = {},
  ): Promise<CompiledResult | string> => {
    const found = compiledQuery(schema, typeof query === 'string' ? parse(query) : query)
    const prepared = typeof found === 'string' ? found : await found.prepare(variables, rowCountsOf(store))
    return typeof prepared === 'string' ? prepared : prepared.run(context())
  }
  return {
    executed,
    compiled,
    /** A mutation that changes nothing, executed and compiled; false if it cannot be compiled. */
    async sameMutation(query: string, variableValues: Record<string, unknown>): Promise<boolean> {
      const document = parse(query)
      const expected = await executed(document, variableValues)
      const actual = await runMutation({ schema, document, variableValues, contextValue: context() })
      if (typeof actual !== 'string') expect(JSON.stringify(actual)).toBe(JSON.stringify(expected))
      return typeof actual !== 'string'
    },
    /** Runs both ways and compares; both refuse what is too expensive, and `isBounded` may exceed the compiler's limits. */
    async same(query: string, variables: Record<string, unknown> = {}, isBounded = false) {
      const { data, errors } = await executed(query, variables)
      const answer = await compiled(query, variables)
      if (isBounded && answer === 'bounds') return undefined
      const isTooDear = errors?.[0]?.extensions['code'] === 'TOO_COMPLEX'
      const expected = isTooDear ? 'bad_input' : JSON.stringify(data)
      const actual = typeof answer === 'string' ? answer : dataOf(answer)
      expect({ query, variables, data: actual }).toEqual({ query, variables, data: expected })
      if (!isTooDear) expect(errors).toBeUndefined()
      return typeof answer === 'string' ? undefined : answer
    },
  }
}

export const idsOf = (company: Company): Record<Single, readonly string[]> => ({
  person: company.personIds,
  group: company.groupIds,
  project: company.projectIds,
  risk: company.riskIds,
  issue: company.issueIds,
})

/** The variables of random queries, and their declarations. */
export const variables = { yes: true, no: false }
export const declared = '$yes: Boolean = true, $no: Boolean!'
