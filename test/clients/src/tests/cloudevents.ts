import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CloudEvent, HTTP } from 'cloudevents'
import { demo } from '../support/demo.js'

test('the feed is a valid batch of CloudEvents, and the id of an event is where to resume', async () => {
  const { origin, headers } = demo()
  const read = async (query: string) => {
    const accept = 'application/cloudevents-batch+json'
    const answer = await fetch(`${origin}/v1/changes?${query}`, { headers: { ...headers, accept } })
    assert.equal(answer.status, 200)
    const events = HTTP.toEvent({ headers: Object.fromEntries(answer.headers), body: await answer.text() })
    assert.ok(Array.isArray(events))
    return events as CloudEvent<{ entity: string; title: string }>[]
  }
  const events = await read('entity=risk&limit=20')
  assert.equal(events.length, 20)
  for (const event of events) {
    assert.ok(event.validate())
    assert.match(event.type, /^operations\.risk\.(created|updated|closed)$/)
    assert.match(event.subject ?? '', /^rsk_/)
    assert.equal(event.data?.entity, 'RISK')
  }
  const rest = await read(`entity=risk&limit=10&lastEventId=${events[9]?.id}&timeout=1000`)
  assert.deepEqual(
    rest.map(({ id }) => id),
    events.slice(10).map(({ id }) => id),
  )
})
