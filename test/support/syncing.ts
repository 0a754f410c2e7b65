import { expect } from 'vitest'
import type { Caller, TestResponse } from './harness.js'

const SYNC = `mutation ($input: SyncProjectInput!) { syncProject(input: $input) {
  project { key name description url status syncedAt createdAt updatedAt openRiskCount openIssueCount topRiskScore }
  risks { created updated unchanged closed } issues { created updated unchanged closed } warnings { pointer detail }
} }`

export type State = { key: string } & Record<string, unknown>

/** A project with all kinds of entries. */
export const BRIDGE = {
  key: 'BRIDGE',
  name: 'New bridge',
  description: 'Over the river.',
  url: 'https://projects.example.com/bridge',
  status: 'ON_HOLD',
  risks: [
    { reference: 'R-1', title: 'Flood', likelihood: 4, impact: 5, category: 'Weather', response: 'MITIGATE' },
    { reference: 'R-2', title: 'Strike', status: 'OCCURRED', raisedOn: '2026-01-31', reviewOn: '2026-12-01' },
  ],
  issues: [
    { reference: 'I-1', title: 'Cellar under water', severity: 'HIGH', risk: 'R-1', dueOn: '2026-12-24' },
    { reference: 'I-2', title: 'No crane', severity: 'LOW', status: 'BLOCKED' },
  ],
}

/** This many risks, or issues if `rest` has a severity. */
export const numbered = (amount: number, rest: object = {}) =>
  Array.from({ length: amount }, (_, index) => ({ reference: `R-${index}`, title: `Risk ${index}`, ...rest }))

export const counts = (created: number, updated = 0, unchanged = 0, closed = 0) => ({
  ...{ created, updated, unchanged, closed },
})

export function sync(caller: Caller, input: State): Promise<TestResponse> {
  return caller.graphql(SYNC, { input })
}

/** The result of a sync that must succeed. */
export async function synced(caller: Caller, input: State): Promise<TestResponse['body']> {
  const { body } = await sync(caller, input)
  expect(body.errors).toBeUndefined()
  return body.data.syncProject
}
