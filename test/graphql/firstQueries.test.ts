import { afterAll, expect, test } from 'vitest'
import { prepareDemo } from '../../src/cli/serve/demo.js'
import { NOW, openGateway } from '../support/harness.js'
import { FIRST_QUERIES } from './firstQueries.js'

/** The demo, with a read-only key. */
async function openDemo() {
  const gateway = openGateway({}, afterAll)
  await prepareDemo(gateway.store, () => NOW)
  const caller = await gateway.as('personnel.read', 'projects.read')
  const { body } = await caller.graphql('{ risks { nodes { ownerId } } }')
  const [id] = body.data.risks.nodes.flatMap(({ ownerId }: { ownerId: string | null }) => ownerId ?? [])
  return { gateway, caller, id }
}
const demo = openDemo()

test.each(Object.entries(FIRST_QUERIES))(
  'the demo runs %s in one request, by one statement for each root field',
  async (_, query) => {
    const { gateway, caller, id } = await demo
    // Keys and versions are looked up before, and row counts kept.
    const isOfData = (sql: string) => /json_object|to_json/.test(sql)
    gateway.statements()
    const variables = query.includes('$id') ? { id } : {}
    const { status, body } = await caller.graphql(query, variables)
    expect([status, body.errors]).toEqual([200, undefined])
    for (const found of Object.values(body.data)) expect(found).toBeTruthy()
    expect(gateway.statements().filter(isOfData)).toHaveLength(Object.keys(body.data).length)
  },
)
