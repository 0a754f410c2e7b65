import { expect, test } from 'vitest'
import { SLICE_ROWS } from '../../src/http/rest/csv.js'
import { addProject, addRisks, project, risk } from '../support/fixtures.js'
import { openGateway } from '../support/harness.js'

/** More than two slices. */
const ROWS = SLICE_ROWS * 2 + 7

test('a field that is refused in a long list has one error beside all of the data', async () => {
  const gateway = openGateway()
  await gateway.write(async (write) => {
    const id = await addProject(write, project())
    const risks = Array.from({ length: ROWS }, (_, i) => risk(id, { reference: `R-${i}`, title: '"quoted" \\ é' }))
    await addRisks(write, risks)
  })
  const key = await gateway.as('projects.read')
  const { body } = await key.graphql(
    '{ risks { edges { cursor node { id title owner { name } } } } again: risks(first: 1) { totalCount } }',
  )
  expect(body.data.again.totalCount).toBe(ROWS)
  expect(body.data.risks.edges).toHaveLength(ROWS)
  expect(new Set(body.data.risks.edges.map((edge: { cursor: string }) => edge.cursor)).size).toBe(ROWS)
  expect(body.data.risks.edges[ROWS - 1].node).toMatchObject({ title: '"quoted" \\ é', owner: null })
  expect(body.errors).toMatchObject([
    {
      path: ['risks', 'edges', '@', 'node', 'owner'],
      extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope: 'personnel.read' },
    },
  ])
})
