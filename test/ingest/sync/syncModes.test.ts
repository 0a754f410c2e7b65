import { expect, test } from 'vitest'
import { openGateway } from '../../support/harness.js'
import { BRIDGE, counts, numbered, sync, synced } from '../../support/syncing.js'

test('a PARTIAL sync adds and changes what is given, and closes and reopens nothing', async () => {
  const caller = await openGateway().as('projects.manage')
  await synced(caller, { ...BRIDGE, risks: [...numbered(10), { reference: 'X', title: 'x', status: 'CLOSED' }] })
  const part = {
    ...{ key: 'BRIDGE', mode: 'PARTIAL' },
    risks: [{ reference: 'R-1', title: 'Changed' }, { reference: 'N', title: 'New' }, { reference: 'X' }],
    issues: [{ reference: 'I-9', title: 'Late', severity: 'LOW', risk: 'R-2' }],
  }
  expect(await synced(caller, part)).toMatchObject({
    risks: counts(1, 1, 1),
    issues: counts(1),
    warnings: [{ pointer: '/risks/2/reference', detail: 'It is closed and stays closed. Give a status to reopen it.' }],
    project: { openRiskCount: 11, openIssueCount: 3 },
  })
  expect(await synced(caller, part)).toMatchObject({ risks: counts(0, 0, 3), issues: counts(0, 0, 1) })
  expect(await synced(caller, { key: 'BRIDGE', mode: 'PARTIAL', risks: [] })).toMatchObject({ risks: counts(0) })
  const { body } = await caller.post('/v1/projects', { ...part, mode: 'full' })
  expect(body.errors).toMatchObject([{ pointer: '/risks' }])
})

test('a PARTIAL sync is all or nothing, too', async () => {
  const gateway = openGateway()
  const caller = await gateway.as('projects.manage')
  await synced(caller, BRIDGE)
  const before = await gateway.store.version()
  const risks = [...numbered(700), { reference: 'R-700' }]
  const { body } = await sync(caller, { key: 'BRIDGE', mode: 'PARTIAL', risks })
  expect(body.errors[0].extensions.errors).toMatchObject([{ pointer: '/risks/700/title' }])
  expect(await gateway.store.version()).toEqual(before)
})
