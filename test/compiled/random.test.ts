import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SCOPE_NAMES } from '../../src/auth/scopes.js'
import { engine } from '../support/engine.js'
import { NOW } from '../support/harness.js'
import { runs } from '../support/properties.js'
import { newStore } from '../support/stores.js'
import { declared, idsOf, runnersFor, variables } from './compiling.js'
import { anyCompany, fillAny } from './randomCompanies.js'
import { listQuery, movementsQuery, mutationQuery, referencesQuery, SINGLES, singleQuery } from './randomQueries.js'

/** Where SQLite reads: in place or in workers; PostgreSQL has only one way. */
const PLACES = [
  { place: 'in place', options: {}, numRuns: 12 },
  ...(engine === 'sqlite' ? [{ place: 'in read workers', options: { inPlaceRowsMax: 0 }, numRuns: 3 }] : []),
]

test.each(PLACES)(
  'what is compiled and read $place is, byte for byte, what execution answers, whatever is stored and asked',
  { timeout: 120_000 },
  async ({ options, numRuns }) => {
    let compiled = 0
    let all = 0
    const sent = fc.record({
      company: anyCompany,
      lists: fc.array(listQuery, { minLength: 6, maxLength: 9 }),
      singles: fc.array(singleQuery, { minLength: 3, maxLength: 5 }),
      movements: fc.array(movementsQuery, { minLength: 2, maxLength: 3 }),
      references: referencesQuery,
      mutations: fc.array(mutationQuery, { minLength: 2, maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(sent, async ({ company, lists, singles, movements, references, mutations }) => {
        const own = newStore()
        const store = own.open(options)
        try {
          const ids = idsOf(await store.write({ by: 'cli', at: () => NOW }, (write) => fillAny(write, company)))
          const { same, sameMutation } = runnersFor(store, SCOPE_NAMES)
          const compare = async (query: string, given: Record<string, unknown>) => {
            const answer = await same(query, given, true)
            all += 1
            if (answer) compiled += 1
            return answer
          }
          const uses = '__typename @include(if: $yes) __typename @skip(if: $no)'
          const fieldOf = ({ list, selection, isEdges, parts: [around, place], filter }: (typeof lists)[number]) => {
            const entries = isEdges ? `edges { cursor node { ${selection} } }` : `nodes { ${selection} }`
            const page = around.toSpliced(place, 0, entries).join(' ')
            return `${list}(first: $first, after: $after, filter: { ${filter} }) { ${page} ${uses} }`
          }
          const declaring = `query ($first: Int, $after: String, ${declared})`
          for (const one of lists) {
            const query = `${declaring} { ${one.alias}${fieldOf(one)} }`
            const answer = await compare(query, { ...variables, first: one.first })
            const after = answer?.roots[0]?.list?.pageInfo.endCursor
            if (one.isNext && after) await compare(query, { ...variables, first: one.first, after })
          }
          const roots = lists.slice(0, 3).map((one, index) => `a${index}: ${fieldOf(one)}`)
          await compare(`${declaring} { ${roots.join(' ')} }`, { ...variables, first: 2 })
          for (const { single, selection, which, alias } of singles) {
            const id = ids[single][which] ?? `none_${which}`
            await compare(`query ($id: ID!, ${declared}) { ${alias}${single}(id: $id) { ${selection} ${uses} } }`, {
              ...variables,
              id,
            })
          }
          for (const selection of movements) {
            const view = `movements(since: "2020-01-01T00:00:00Z") { ${selection} ${uses} }`
            await compare(`query (${declared}) { ${view} }`, variables)
          }
          const r = references.places.map(([single, place]) => ({
            __typename: SINGLES[single],
            id: ids[single][place] ?? 'none',
          }))
          const merged = `query ($r: [_Any!]!) { _entities(representations: $r) { ${references.selection} } }`
          await compare(merged, { r })
          // Nothing is changed, so that both ways find the same rows.
          const changes = mutations.map(({ mutation, single, selection, which }, index) => {
            const id = ids[single][which] ?? `none_${which}`
            return `a${index}: ${mutation}(id: "${id}", input: {}) { ${selection} ${uses} }`
          })
          all += 1
          if (await sameMutation(`mutation (${declared}) { ${changes.join(' ')} }`, variables)) compiled += 1
        } finally {
          await store.close()
          own.remove()
        }
      }),
      runs(numRuns),
    )
    expect(compiled / all).toBeGreaterThan(0.5)
  },
)
