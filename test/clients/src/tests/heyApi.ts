import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../generated/heyApi/client/index.js'
import type { Problem, RiskList } from '../../generated/heyApi/index.js'
import { addPerson, changePerson, getPerson, listRisks, listRisksCsv } from '../../generated/heyApi/index.js'
import { demo } from '../support/demo.js'

const clientFor = () => createClient({ baseUrl: demo().origin, auth: demo().key })

test('a list is typed, filtered and paged', async () => {
  const client = clientFor()
  const query = { level: ['HIGH', 'CRITICAL'] satisfies ('HIGH' | 'CRITICAL')[] }
  const whole = await listRisks({ client, query, throwOnError: true })
  const seen: RiskList['data'] = []
  let cursor: string | null = null
  do {
    const { data }: { data: RiskList } = await listRisks({
      client,
      query: { ...query, limit: 2, ...(cursor !== null && { cursor }) },
      throwOnError: true,
    })
    seen.push(...data.data)
    cursor = data.page.next
  } while (cursor !== null)
  assert.ok(seen.length > 2)
  assert.deepEqual(seen, whole.data.data)
})

test('a person is created once, and changed from what was read', async () => {
  const client = clientFor()
  const body = { name: 'Katherine Johnson', externalId: 'HR-1918' }
  const { data, response } = await addPerson({ client, body })
  assert.equal(response?.status, 201)
  const id = data?.id ?? ''
  const again = await addPerson({ client, body })
  const problem: Problem | undefined = again.error
  assert.equal(problem?.code, 'CONFLICT')
  assert.equal(problem.existingId, id)
  const etag = (await getPerson({ client, path: { id } })).response?.headers.get('etag') ?? ''
  const change = (title: string) =>
    changePerson({ client, path: { id }, headers: { 'If-Match': etag }, body: { title } })
  assert.equal((await change('Analyst')).data?.title, 'Analyst')
  assert.equal((await change('Engineer')).error?.code, 'PRECONDITION_FAILED')
})

test('a list as CSV is a text', async () => {
  const { data } = await listRisksCsv({ client: clientFor(), query: { limit: 1 }, throwOnError: true })
  const text: string = data
  assert.match(text, /^id,project,reference,/)
})
