import { expect, onTestFinished, test } from 'vitest'
import type { Scope } from '../../src/auth/scopes.js'
import { type Code, Fault } from '../../src/errors.js'
import { requireScope } from '../../src/graph/builder.js'
import type { Gate, Protocol } from '../../src/http/gate.js'
import { createMetrics } from '../../src/http/observe/metrics.js'
import type { AppOptions } from '../../src/http/options.js'
import { PROTOCOLS } from '../../src/http/protocols.js'
import { Content, respond } from '../../src/http/wire/content.js'
import { faultHeaders, STATUS } from '../../src/http/wire/problems.js'
import { openGateway } from '../support/harness.js'
import { newStore } from '../support/stores.js'

const NOTE = 'application/note+json'
const REFUSAL = 'application/refusal+json'
const NOTE_BYTES_MAX = 40

/** A protocol that puts notes, with media types of its own, also for what it refuses. */
function createNotes({ admit, readJson }: Gate): Protocol {
  return {
    serves: (path) => path.startsWith('/notes/'),
    async handle(exchange, path) {
      const { request, record } = exchange
      record.path = '/notes/{name}'
      const admitted = await admit(exchange)
      if (path !== '/notes/today') throw new Fault('NOT_FOUND', 'There is no such note.')
      if (request.method !== 'PUT') throw new Fault('METHOD_NOT_ALLOWED', 'Notes are put.')
      record.operation = 'putNote'
      requireScope(admitted.principal, 'personnel.manage')
      const { body, identified } = await readJson(admitted, NOTE_BYTES_MAX, [NOTE])
      const put = { by: identified.principal.name, note: body }
      return respond(request, new Content(NOTE, Buffer.from(JSON.stringify(put))))
    },
    refuse: ({ request }, fault) => {
      const content = new Content(REFUSAL, Buffer.from(JSON.stringify({ refused: fault.code })))
      return respond(request, content, { status: STATUS[fault.code], headers: faultHeaders(fault) })
    },
  }
}

interface Sent {
  readonly path?: string
  readonly method?: string
  readonly type?: string
  readonly body?: string
  readonly scope?: Scope
  readonly isAnonymous?: boolean
}

/** A gateway whose registry has this protocol too, and what it last logged about a note. */
async function openNotes(sent: Sent, options: Partial<AppOptions> = {}) {
  const { path = '/notes/today', method = 'PUT', type = NOTE, body = '"Rigged."', scope = 'personnel.manage' } = sent
  const gateway = openGateway(options, onTestFinished, newStore(), [createNotes, ...PROTOCOLS])
  const caller = sent.isAnonymous ? gateway.with(undefined) : await gateway.as(scope)
  const put = async () => {
    const response = await caller.request(path, { method, headers: { 'content-type': type }, body })
    const line = JSON.parse(gateway.log.findLast((one) => one.includes('"msg":"request"')) ?? '{}')
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: response.body,
      logged: { path: line.path, operation: line.operation, code: line.code },
      headers: response.headers,
    }
  }
  return { gateway, put }
}

test('a protocol has keys, rate limits, bodies, log lines and metrics from the gate', async () => {
  const metrics = createMetrics(newStore().open())
  const { put } = await openNotes({}, { ratePerMinute: 600, onFinished: metrics.onFinished })
  const { headers, ...response } = await put()
  expect(response).toEqual({
    status: 200,
    type: NOTE,
    body: { by: 'personnel.manage', note: 'Rigged.' },
    logged: { path: '/notes/{name}', operation: 'putNote' },
  })
  expect(headers.get('ratelimit-policy')).toBe('"key";q=600;w=60')
  expect(await metrics.text()).toContain('duration_seconds_count{operation="putNote",method="PUT",status="200"} 1\n')
})

const REFUSALS: [what: string, status: number, code: Code, sent: Sent][] = [
  ['no key', 401, 'UNAUTHENTICATED', { isAnonymous: true }],
  ['a key without the scope', 403, 'INSUFFICIENT_SCOPE', { scope: 'personnel.read' }],
  ['a path where nothing is', 404, 'NOT_FOUND', { path: '/notes/yesterday' }],
  ['another method', 405, 'METHOD_NOT_ALLOWED', { method: 'POST' }],
  ['a body above its limit', 413, 'PAYLOAD_TOO_LARGE', { body: JSON.stringify('.'.repeat(NOTE_BYTES_MAX)) }],
  ['another media type', 415, 'UNSUPPORTED_MEDIA_TYPE', { type: 'application/json' }],
]

const refused = (code: Code) => ({ status: STATUS[code], type: REFUSAL, body: { refused: code } })

test.each(REFUSALS)('%s is a %i in the form of the protocol, and logged', async (_, status, code, sent) => {
  const { put } = await openNotes(sent)
  const { logged, ...response } = await put()
  expect(response).toMatchObject({ ...refused(code), status })
  expect(logged).toMatchObject({ path: '/notes/{name}', code })
})

test('a rate limit is exceeded in the form of the protocol', async () => {
  const { put } = await openNotes({}, { ratePerMinute: 1, monotonicMs: () => 0 })
  expect((await put()).status).toBe(200)
  const { headers, ...response } = await put()
  expect(response).toMatchObject(refused('RATE_LIMITED'))
  expect(headers.get('retry-after')).toBe('60')
})

test('a store that is away is reported in the form of the protocol', async () => {
  const { gateway, put } = await openNotes({})
  const versions = () => Promise.reject(new Fault('UNAVAILABLE', 'The store is away.'))
  Object.assign(gateway.store, { versions })
  expect(await put()).toMatchObject(refused('UNAVAILABLE'))
})
