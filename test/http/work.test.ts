import { createServer } from 'node:http'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { LOOP_MS_FOR_ONE } from '../../src/http/access/rateLimits.js'
import { openOffice } from '../support/harness.js'
import { portOf } from '../support/sockets.js'

/** A clock that goes on by this much whenever it is read, so that each section takes as long. */
function slowClock(stepMs: number): () => number {
  let now = 0
  return () => {
    now += stepMs
    return now
  }
}

const remaining = ({ headers }: { headers: Headers }) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

test('what a request uses beyond its price is paid by the next requests of the key, refused or not', async () => {
  for (const path of ['/v1/personnel?limit=1', '/v1/personnel?limit=0']) {
    const { caller: quick } = await openOffice({ ratePerMinute: 60, monotonicMs: () => 0 })
    const { caller: slow } = await openOffice({ ratePerMinute: 60, monotonicMs: slowClock(30) })
    const spent = async (caller: typeof slow) => remaining(await caller.get(path)) - remaining(await caller.get(path))
    expect(await spent(quick)).toBe(1)
    expect(await spent(slow)).toBeGreaterThan(1)
  }
})

test('work on the event loop is charged from the first millisecond on, a quarter of it to each key', async () => {
  const stepMs = LOOP_MS_FOR_ONE / 2
  const { caller } = await openOffice({
    ratePerMinute: 600,
    monotonicMs: slowClock(stepMs),
    responseCacheBytesMax: 0,
  })
  const ROUNDS = 5
  const before = remaining(await caller.get('/v1/personnel?limit=1'))
  for (let round = 0; round < ROUNDS; round++) await caller.get('/v1/personnel?limit=1')
  // It has five sections or more, of half a token each.
  expect(before - remaining(await caller.get('/v1/personnel?limit=1'))).toBeGreaterThan(ROUNDS * 2)
})

test('an address whose requests without a key took too long waits, but for its probes and its keys', async () => {
  const { gateway, caller } = await openOffice({ ratePerMinute: 60, monotonicMs: slowClock(50) })
  const port = await portOf(createServer(gateway.app.listener))
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    await response.arrayBuffer()
    return [response.status, Number(response.headers.get('retry-after'))]
  }
  const wrong = await Promise.all(Array.from({ length: 20 }, (_, index) => get(`/v2/personel/${index}`)))
  expect([wrong[0], wrong.at(-1)]).toEqual([
    [404, 0],
    [429, expect.toSatisfy((seconds) => seconds > 0)],
  ])
  expect((await get('/'))[0]).toBe(429)
  expect((await get('/healthz'))[0]).toBe(200)
  expect((await caller.get('/v1/key')).status).toBe(200)
})

test('the debug log has each statement without a value, and the text of a query once, without its strings', async () => {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line) => lines.push(line) })
  const { caller } = await openOffice({ log, responseCacheBytesMax: 0 })
  const query =
    '{ personnel(first: 3, filter: { search: "needle", department: ["""a "needle" \\""" needle"""] }) { nodes { name } } }'
  for (const _ of [1, 2]) await caller.graphql(query)
  await caller.get('/v1/personnel?search=needle&limit=7')
  const all = lines.map((line) => JSON.parse(line))
  const ofKind = (msg: string) => all.filter((line) => line.msg === msg)
  const statements = ofKind('statement')
  expect(statements.length).toBeGreaterThan(2)
  for (const { text, where, ms, waitedMs, rows, requestId } of statements) {
    expect([text, where, requestId].map((value) => typeof value)).toEqual(['string', 'string', 'string'])
    expect([ms, waitedMs, rows].every((value) => value >= 0)).toBe(true)
  }
  expect(ofKind('query').map(({ query: text }) => text)).toEqual([
    '{ personnel(first: 3, filter: {search: "", department: [""]}) { nodes { name } } }',
  ])
  const [first, again, route] = ofKind('request').slice(-3)
  expect([first.hash, again.hash]).toEqual(Array(2).fill(ofKind('query')[0].hash))
  expect(route.parameters).toEqual(['search', 'limit'])
  expect(lines.join('')).not.toContain('needle')
})

test('the line of a request has the trace that the caller belongs to', async () => {
  const { gateway, caller } = await openOffice()
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  await caller.get('/v1/key', { traceparent: `00-${trace}-00f067aa0ba902b7-01` })
  await caller.get('/v1/key', { traceparent: 'nonsense' })
  expect(gateway.log.slice(-2).map((line) => JSON.parse(line).trace)).toEqual([trace, undefined])
})
