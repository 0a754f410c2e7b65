import { expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { addProject, addRisks, project, risk } from '../support/fixtures.js'
import { openGateway } from '../support/harness.js'
import { newStore } from '../support/stores.js'
import { PLAIN } from '../support/way.js'

const ROWS = LIMITS.sliceRows * 2 + 7

/** A compiled and an executed service on one store with more risks than are completed at once. */
async function openBoth() {
  const own = newStore()
  const compiled = openGateway({}, undefined, own)
  const executed = openGateway(PLAIN, undefined, Object.create(own, { remove: { value: () => undefined } }))
  await compiled.write(async (write) => {
    const id = await addProject(write, project())
    await addRisks(
      write,
      Array.from({ length: ROWS }, (_, i) =>
        risk(id, { reference: `R-${i}`, title: i % 2 ? '"quoted" \\ é' : 'Late' }),
      ),
    )
  })
  return { compiled, executed }
}

test('a long list that is executed in turns is byte for byte the one that the store builds', async () => {
  const { compiled, executed } = await openBoth()
  const key = await compiled.as('projects.read')
  const same = executed.with(key.authorization)
  const query = '{ risks { nodes { id title project { key } level } pageInfo { hasNextPage endCursor } } }'
  const expected = await key.graphql(query)
  expect(expected.body.data.risks.nodes).toHaveLength(ROWS)
  expect((await same.graphql(query)).text).toBe(expected.text)
  expect((await same.get('/v1/risks')).text).toBe((await key.get('/v1/risks')).text)
})

test('errors in each row of a long list come beside the data', async () => {
  const { compiled } = await openBoth()
  const key = await compiled.as('projects.read')
  const { body } = await key.graphql(
    '{ risks { edges { cursor node { id owner { name } } } } again: risks(first: 1) { totalCount } }',
  )
  expect(body.data.again.totalCount).toBe(ROWS)
  expect(body.data.risks.edges).toHaveLength(ROWS)
  expect(new Set(body.data.risks.edges.map((edge: { cursor: string }) => edge.cursor)).size).toBe(ROWS)
  // Above this number they are counted.
  expect(body.errors).toHaveLength(LIMITS.errorsMax + 1)
  const unlisted = ROWS - LIMITS.errorsMax
  expect(body.errors.at(-1)).toEqual({
    message: `${unlisted} more errors are not listed.`,
    extensions: { code: 'INSUFFICIENT_SCOPE', unlisted },
  })
  expect(body.errors[0]).toMatchObject({
    path: ['risks', 'edges', 0, 'node', 'owner'],
    extensions: { code: 'INSUFFICIENT_SCOPE' },
  })
})
