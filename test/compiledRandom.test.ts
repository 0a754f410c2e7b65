import fc from 'fast-check'
import { test } from 'vitest'
import { SCOPE_NAMES } from '../src/auth/scopes.js'
import { asking, declared, idsOf, variables } from './compiling.js'
import { engine } from './engine.js'
import { NOW } from './harness.js'
import { anyCompany, fillAny } from './randomCompanies.js'
import { listQuery, singleQuery } from './randomQueries.js'
import { newStore } from './stores.js'

/** Where the store reads; a server has nothing but its own threads. */
const PLACES = [
  { place: 'in place', options: {}, numRuns: 12 },
  ...(engine === 'sqlite' ? [{ place: 'in read workers', options: { inPlaceRowsMax: 0 }, numRuns: 3 }] : []),
]

test.each(PLACES)(
  'what the store tells $place is, byte for byte, what execution answers, whatever is stored and asked',
  {
    timeout: 120_000,
  },
  async ({ options, numRuns }) => {
    const asked = fc.record({
      company: anyCompany,
      lists: fc.array(listQuery, { minLength: 8, maxLength: 12 }),
      singles: fc.array(singleQuery, { minLength: 4, maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ company, lists, singles }) => {
        const own = newStore()
        const store = own.open(options)
        try {
          const ids = idsOf(await store.write({ by: 'cli', at: () => NOW }, (write) => fillAny(write, company)))
          const { same } = asking(store, SCOPE_NAMES)
          for (const { list, selection, parts, filter, first, isNext, alias } of lists) {
            const [around, place] = parts
            const page = around.toSpliced(place, 0, `nodes { ${selection} }`).join(' ')
            const uses = '__typename @include(if: $yes) __typename @skip(if: $no)'
            const query = `query ($first: Int, $after: String, ${declared}) {
            ${alias}${list}(first: $first, after: $after, filter: { ${filter} }) { ${page} ${uses} }
          }`
            const answer = await same(query, { ...variables, first })
            const after = answer?.roots[0]?.list?.pageInfo.endCursor
            if (isNext && after) await same(query, { ...variables, first, after })
          }
          for (const { single, selection, which, alias } of singles) {
            const id = ids[single][which] ?? `none_${which}`
            const used = '__typename @include(if: $yes) __typename @skip(if: $no)'
            await same(`query ($id: ID!, ${declared}) { ${alias}${single}(id: $id) { ${selection} ${used} } }`, {
              ...variables,
              id,
            })
          }
        } finally {
          await store.close()
          own.remove()
        }
      }),
      { numRuns },
    )
  },
)
