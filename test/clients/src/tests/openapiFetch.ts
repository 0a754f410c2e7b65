import assert from 'node:assert/strict'
import { test } from 'node:test'
import createClient from 'openapi-fetch'
import type { components, paths } from '../../generated/openapi.js'
import { demo } from '../support/demo.js'

type Risk = components['schemas']['Risk']
type Problem = components['schemas']['Problem']

const clientFor = () => createClient<paths>({ baseUrl: demo().origin, headers: demo().headers })

test('a list is typed, and filtered by a repeated parameter', async () => {
  const { data, error } = await clientFor().GET('/v1/risks', {
    params: { query: { level: ['HIGH', 'CRITICAL'], limit: 50, total: true } },
  })
  assert.equal(error, undefined)
  const list: components['schemas']['RiskList'] = data
  const risks: readonly Risk[] = list.data
  assert.ok(risks.length > 0)
  assert.equal(list.page.total, risks.length)
  assert.deepEqual([...new Set(risks.map(({ level }) => level))].sort(), ['CRITICAL', 'HIGH'])
  // Not nullable: a risk has a project.
  const keys: string[] = risks.map(({ project }) => project.key)
  assert.ok(keys.every((key) => key.length > 0))
})

test('a list is paged by its cursor', async () => {
  const client = clientFor()
  const whole = await client.GET('/v1/personnel')
  const paged: components['schemas']['Person'][] = []
  let cursor: string | null = null
  do {
    const { data, error }: Awaited<ReturnType<typeof page>> = await page(cursor)
    if (error) assert.fail(error.detail)
    paged.push(...data.data)
    cursor = data.page.next
  } while (cursor !== null)
  assert.deepEqual(paged, whole.data?.data)

  function page(from: string | null) {
    return client.GET('/v1/personnel', { params: { query: { limit: 5, ...(from !== null && { cursor: from }) } } })
  }
})

test('a person is created once, and a conflict names who is there', async () => {
  const client = clientFor()
  const body = { name: 'Grace Hopper', email: 'grace@example.com' }
  const created = await client.POST('/v1/personnel', { body })
  assert.equal(created.response.status, 201)
  const id: string = created.data?.id ?? ''
  assert.equal(created.response.headers.get('location'), `/v1/personnel/${id}`)
  const again = await client.POST('/v1/personnel', { body })
  const problem: Problem | undefined = again.error
  assert.equal(again.response.status, 409)
  assert.equal(problem?.code, 'CONFLICT')
  assert.equal(problem.existingId, id)
})

test('a change is based on what was read, or refused with 412', async () => {
  const client = clientFor()
  const { data: list } = await client.GET('/v1/personnel', { params: { query: { limit: 1 } } })
  const id = list?.data[0]?.id ?? ''
  const read = await client.GET('/v1/personnel/{id}', { params: { path: { id } } })
  const etag = read.response.headers.get('etag') ?? ''
  const change = (title: string) =>
    client.PATCH('/v1/personnel/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body: { title } })
  const first = await change('Surveyor')
  assert.equal(first.data?.title, 'Surveyor')
  const second = await change('Foreman')
  assert.equal(second.response.status, 412)
  assert.equal(second.error?.code, 'PRECONDITION_FAILED')
})

test('a problem has a code for programs, and says which parameter is wrong', async () => {
  const { data, error, response } = await clientFor().GET('/v1/risks', { params: { query: { limit: 0 } } })
  assert.equal(data, undefined)
  assert.equal(response.headers.get('content-type'), 'application/problem+json')
  switch (error?.code) {
    case 'BAD_REQUEST':
      assert.equal(error.errors?.[0]?.parameter, 'limit')
      break
    default:
      assert.fail(error?.detail ?? 'There is no problem.')
  }
})

test('a list as CSV is a text', async () => {
  const { data } = await clientFor().GET('/v1/risks.csv', { params: { query: { limit: 2 } }, parseAs: 'text' })
  const text: string = data ?? ''
  assert.match(text, /^id,project,reference,/)
  assert.equal(text.trim().split('\r\n').length, 3)
})
