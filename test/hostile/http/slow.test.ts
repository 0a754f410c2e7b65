import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/limits.js'
import { reportFigure } from '../../support/figures.js'
import { type Attack, isShort, KEY, openArena, type Row, read } from '../support/arena.js'
import { BODY, getting, length, lines, OWN } from '../support/requests.js'
import { either, fine, only, problem, silence, statuses, type Verdict } from '../support/verdicts.js'
import type { Raw } from '../support/wire.js'

const arena = openArena(import.meta.url)

/** What comes before, at once, and then the rest, a byte a second. */
async function* dripping(before: string, rest: string) {
  yield before
  for (const byte of rest) {
    await sleep(1_000)
    yield byte
  }
}

const LONG = { withinMs: 45_000 }
/** How much later than its limit the server may look at its clock, and the rest of the machine at ours. */
const LATE_MS = 3_000
const late = problem('REQUEST_TIMEOUT', new RegExp(`${LIMITS.headersMs}.*${LIMITS.requestMs}`))

/** Refused when the time is over, and not much later. */
const after =
  (limitMs: number, verdict: Verdict = late): Verdict =>
  (talk) => {
    verdict(talk)
    expect(talk.ms).toBeGreaterThan(limitMs - 500)
    reportFigure('a slow sender is refused after', talk.ms, limitMs + LATE_MS, 'ms')
  }
const afterHeaders = after(LIMITS.headersMs)
const afterAll = after(LIMITS.requestMs)

const posting = (target: string, ...headers: string[]) =>
  lines(`POST ${target} HTTP/1.1`, ...OWN, 'Content-Type: application/json', ...headers)
const SLOW = ' '.repeat(60)
const announced = posting('/v1/personnel', 'Content-Length: 2000000000')
/** The response is known at once; then the rest never comes, and there must be no second response. */
const unanswered = (bytes: Raw['bytes']): Attack => ({ bytes, quietMs: 35_000, ...LONG })

const slow: Row[] = [
  ['headers of a byte a second are given up', { bytes: dripping('', getting('a')), ...LONG }, afterHeaders],
  ['headers that break off are given up', { bytes: getting('a').slice(0, 40), ...LONG }, afterHeaders],
  [
    'a connection that never sends anything is closed',
    { bytes: '', ...LONG },
    after(LIMITS.headersMs, either(late, silence)),
  ],
  ['an address of a byte a second is given up', { bytes: dripping('GET /', 'x'.repeat(60)), ...LONG }, afterHeaders],
  [
    'headers that never end are given up',
    { bytes: dripping('GET / HTTP/1.1\r\nHost: localhost\r\nX: ', 'x'.repeat(60)), ...LONG },
    afterHeaders,
  ],
  [
    'a body of a byte a second is given up by REST',
    { bytes: dripping(posting('/v1/personnel', 'Content-Length: 100'), SLOW), ...LONG },
    afterAll,
  ],
  [
    'a body of a byte a second is given up by GraphQL',
    { bytes: dripping(posting('/graphql', 'Content-Length: 100'), SLOW), ...LONG },
    afterAll,
  ],
  [
    'chunks of a byte a second are given up',
    { bytes: dripping(posting('/graphql', 'Transfer-Encoding: chunked'), '1\r\n \r\n'.repeat(10)), ...LONG },
    afterAll,
  ],
  [
    'a body that breaks off is given up',
    { bytes: `${posting('/graphql', 'Content-Length: 100')}{"query`, ...LONG },
    afterAll,
  ],
  [
    'a client that sends Expect: 100-continue and then no body is disconnected',
    { bytes: posting('/graphql', 'Expect: 100-continue', length(BODY)), ...LONG },
    afterAll,
  ],
  [
    'a second request of a byte a second is given up',
    { bytes: dripping(getting('a'), getting('b')), quietMs: 20_000, ...LONG },
    statuses(200, 408),
  ],
  ['a body that was refused, and never comes, is not refused again', unanswered(announced), statuses(413)],
  [
    'a body that was refused, and comes slowly, is not refused again',
    unanswered(dripping(announced, SLOW)),
    statuses(413),
  ],
  [
    'a body that nobody may send, and never comes, is not refused again',
    unanswered(lines('POST /graphql HTTP/1.1', 'Host: localhost', length(BODY))),
    statuses(401),
  ],
  [
    'a body that nobody reads, and never comes, does not spoil the answer',
    unanswered(getting('a', [length(BODY)])),
    statuses(200),
  ],
]

describe.skipIf(isShort).concurrent('slow senders', () => {
  test.each(slow)('%s', (name, attack, verdict) => arena.attack(name, attack, verdict))
})

const port = () => Number(new URL(arena.origin).port)

async function dial(bytes: string): Promise<Socket> {
  const socket = connect(port(), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(bytes.replaceAll(KEY, arena.authorization().slice('Bearer '.length)))
  return socket
}

const LARGE = lines('GET /v1/risks HTTP/1.1', ...OWN)
const STREAM = `${posting('/v1/projects', 'Content-Length: 15000000')}${' '.repeat(100_000)}`

/** This many concurrent connections, each of which sends these bytes and then does this. */
const CROWDS: [name: string, count: number, bytes: string, then: (socket: Socket) => void][] = [
  ['200 connections that send nothing', 200, '', () => undefined],
  ['200 connections that broke off in a header', 200, getting('a').slice(0, 40), () => undefined],
  ['200 connections that broke off in a body', 200, STREAM.slice(0, 400), () => undefined],
  ['200 connections that wait after their answer', 200, getting('a'), () => undefined],
  ['200 connections that are reset at once', 200, '', (socket) => socket.resetAndDestroy()],
  ['200 connections that are reset in a header', 200, getting('a').slice(0, 40), (socket) => socket.resetAndDestroy()],
  ['100 connections that are reset in a body', 100, STREAM, (socket) => socket.resetAndDestroy()],
  ['100 connections that are closed in a body', 100, STREAM, (socket) => socket.destroy()],
  ['100 connections that are half closed in a body', 100, STREAM, (socket) => socket.end()],
  ['100 connections that are reset before their answer', 100, LARGE, (socket) => socket.resetAndDestroy()],
  ['100 connections that do not read their answers', 100, LARGE.repeat(5), (socket) => socket.pause()],
]

test.each(CROWDS)('%s delay no other client', async (name, count, bytes, then) => {
  const sockets = await Promise.all(Array.from({ length: count }, () => dial(bytes)))
  for (const socket of sockets) then(socket)
  await arena.attack(name, read('/v1/key'), fine())
  await sleep(300)
  await arena.attack(name, read('/v1/risks?limit=1'), fine())
  for (const socket of sockets) socket.destroy()
})

test('after all this a request is served', async () => {
  expect(only(await arena.send(read('/v1/key'))).status).toBe(200)
})
