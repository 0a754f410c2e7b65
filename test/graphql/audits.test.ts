import { serverAudits } from 'graphql-http'
import { afterAll, expect, test } from 'vitest'
import { openGateway } from '../support/harness.js'

/** The number of audits in the "GraphQL over HTTP" suite. */
const AUDITS = 61

const gateway = openGateway({}, afterAll)
const { authorization = '' } = await gateway.as()

const audits = serverAudits({
  url: 'http://localhost/graphql',
  fetchFn: (url: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', authorization)
    return gateway.app.fetch(new Request(url, { ...init, headers }))
  },
})

test('every audit is run', () => {
  expect(new Set(audits.map(({ id }) => id)).size).toBe(AUDITS)
})

test.each(audits)('$id: $name', async ({ id, name, fn }) => {
  const result = await fn()
  const seen = result.status === 'ok' ? undefined : await result.response.clone().text()
  expect({ ...result, seen }).toEqual({ id, name, status: 'ok', seen: undefined })
})
