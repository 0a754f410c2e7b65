import { expect, test } from 'vitest'
import { openOffice } from '../support/harness.js'

const accept = 'application/cloudevents-batch+json'

test('the feed as CloudEvents has the same entries, each with where to resume as its id', async () => {
  const { caller } = await openOffice()
  const { body: plain } = await caller.get('/v1/changes?limit=60')
  const { body, headers } = await caller.get('/v1/changes?limit=60', { accept })
  expect(headers.get('content-type')).toBe(accept)
  expect(headers.get('link')).toMatch(/cursor=.*rel="next"/)
  const [first] = body
  expect(first).toEqual({
    ...{ specversion: '1.0', id: plain.data[0].cursor, source: '/v1/changes', type: 'operations.group.created' },
    ...{ time: plain.data[0].recordedAt, subject: plain.data[0].entityId, datacontenttype: 'application/json' },
    data: plain.data[0],
  })
  expect(body.map(({ data }: { data: object }) => data)).toEqual(plain.data)
  const resumed = await caller.get(`/v1/changes?lastEventId=${body[9].id}&limit=50&timeout=0`, { accept })
  expect(resumed.body).toEqual(body.slice(10))
  expect(resumed.headers.get('link')).not.toContain('lastEventId')
  const { body: none } = await caller.get(`/v1/changes?lastEventId=${body[9].id}&entity=group&timeout=1`, { accept })
  expect(none).toEqual([])
})

test('lastEventId and cursor together are refused, and so is another type', async () => {
  const { caller } = await openOffice()
  const { next } = (await caller.get('/v1/changes?limit=1')).body.page
  expect(await caller.get(`/v1/changes?cursor=${next}&lastEventId=${next}`)).toMatchProblem(400, 'BAD_REQUEST')
  expect(await caller.get('/v1/changes', { accept: 'application/cloudevents+json' })).toMatchProblem(
    406,
    'NOT_ACCEPTABLE',
  )
})
