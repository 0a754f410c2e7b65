import { expect, test } from 'vitest'
import { addRisks, risk } from '../support/fixtures.js'
import { openFilled } from '../support/harness.js'

const NOTHING = [null, 'n/a', 'N.A.', 'None', 'TBD.', 'tbd?', '-', '—', '…', '???']
const SOMETHING = ['TBD: ask the mill', 'None of the mills delivers: a second one is on contract.', 'x', '0']

test('only words and marks for nothing are no mitigation', async () => {
  const { gateway, company } = await openFilled()
  const [projectId = ''] = company.projectIds
  const texts = [...NOTHING, ...SOMETHING]
  await gateway.write((write) =>
    addRisks(
      write,
      texts.map((mitigation, index) => risk(projectId, { reference: `MIT-${index}`, mitigation })),
    ),
  )
  const caller = await gateway.as('projects.read')
  for (const [isMitigated, expected] of [[false, NOTHING] as const, [true, SOMETHING] as const]) {
    const { body } = await caller.get(`/v1/risks?search=MIT-&mitigated=${isMitigated}`)
    const found = body.data.map(({ mitigation }: { mitigation: string | null }) => mitigation)
    expect(found.sort()).toEqual([...expected].sort())
  }
})
