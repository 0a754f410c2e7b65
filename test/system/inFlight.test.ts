import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { AppOptions } from '../../src/http/app.js'
import { createHttpServer } from '../../src/http/server.js'
import { personWith } from '../../src/personnel/people.js'
import type { Sent } from '../hostile/support/wire.js'
import { type Gateway, openGateway } from '../support/harness.js'
import { dial, exchange, head, largeFile, portOf, until } from '../support/sockets.js'

const MB = 1_000_000
const PEOPLE = 2_500
const BUDGET = 25 * MB

/** A served gateway whose whole roster is a response of 1.5 MB, with a small budget. */
async function openBudget(options: Partial<AppOptions> = {}) {
  const gateway = openGateway({ inFlightBytesMax: BUDGET, graphiql: true, ...options })
  await gateway.write(async (write) => {
    const title = 'Lead engineer '.repeat(14).trim()
    const rows = Array.from({ length: PEOPLE }, (_, i) =>
      personWith(write, undefined, { name: 'Ada', externalId: `${i}`, title, department: title }),
    )
    await write.insertAll(write.t.person, rows)
  })
  // A key may take a quarter of the budget, so several keys are needed to fill it.
  const keys: string[] = []
  for (let i = 0; i < 5; i++) keys.push((await gateway.as('personnel.manage', 'projects.manage')).authorization ?? '')
  const [authorization = '', ...others] = keys
  const port = await portOf(createHttpServer(gateway.app))
  const send = async (sent: Sent) => {
    const { answers } = await exchange(port, { ...sent, headers: { authorization, ...sent.headers } })
    return answers[0]
  }
  return { gateway, port, authorization, others, send }
}

/** The number of completed requests; a slow one has a second log line. */
const answered = ({ log }: Gateway) => log.filter((line) => line.includes('"msg":"request"')).length

/** An uncached list of about 9 MB: more than the kernel buffers of an unread response. */
function longList(name: string): string {
  const lists = Array.from({ length: 8 }, (_, i) => `${name}${i}: personnel { nodes { id name title department } }`)
  return JSON.stringify({ query: `{ ${lists.join(' ')} }` })
}

function posting(path: string, authorization: string, body: string, length = Buffer.byteLength(body)): string {
  const headers = { authorization, 'content-type': 'application/json', 'content-length': String(length) }
  return head(`POST ${path}`, headers) + body
}

/** A request for such a list. */
const longQuery = (key: string, name: string) => posting('/graphql', key, longList(name))

/** Sends a request and reads no more than the beginning of its response. */
async function beginResponse(port: number, bytes: string): Promise<void> {
  const socket = await dial(port, bytes)
  socket.resume()
  const [first] = await once(socket, 'data')
  socket.pause()
  expect(String(first)).toMatch(/^HTTP\/1\.1 200/)
}

const NO_ROOM = {
  status: 503,
  body: expect.objectContaining({
    code: 'UNAVAILABLE',
    detail: expect.stringMatching(/^There is no room .* moment\.$/),
  }),
}
const JSON_TYPE = { 'content-type': 'application/json' }

describe('unread responses', () => {
  test('take no more than the budget; beyond it large ones are refused, small ones and health go out', async () => {
    const { gateway, port, others, send } = await openBudget()
    const sockets = await Promise.all(others.slice(0, 2).map((key, i) => dial(port, longQuery(key, `a${i}_`))))
    await until(() => answered(gateway) === 2)
    const third = () => send({ method: 'POST', target: '/graphql', headers: JSON_TYPE, body: longList('c') })
    await until(async () => (await third())?.status === 503)
    const refused = await third()
    expect(refused).toMatchObject(NO_ROOM)
    expect(refused?.headers.get('retry-after')).toBe('1')
    expect((await send({ target: '/healthz' }))?.status).toBe(200)
    expect((await send({ target: '/readyz' }))?.status).toBe(200)
    expect((await send({ target: '/v1/personnel?limit=10' }))?.status).toBe(200)
    // One client reads its response to the end, the other disconnects: both release their budget.
    sockets[0]?.resume()
    await until(async () => (await third())?.status === 200)
    sockets[1]?.resetAndDestroy()
    await until(async () => (await Promise.all([third(), third()])).every((answer) => answer?.status === 200))
  })

  test('of one key take no more than its share, and leave room for others', async () => {
    const { port, authorization, others, send } = await openBudget()
    await dial(port, longQuery(authorization, 'a'))
    const list = (key: string) =>
      send({ method: 'POST', target: '/graphql', headers: { ...JSON_TYPE, authorization: key }, body: longList('b') })
    await until(async () => (await list(authorization))?.status === 503)
    expect((await list(others[0] ?? ''))?.status).toBe(200)
  })

  test('count once where they are the same bytes', async () => {
    const { port, send } = await openBudget()
    const file = await largeFile(port)
    const sockets: Socket[] = []
    for (let i = 0; i < 12; i++) sockets.push(await dial(port, file))
    const body = longList('a')
    expect((await send({ method: 'POST', target: '/graphql', headers: JSON_TYPE, body }))?.status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })

  test('that wait in a host program behind a request of its own give their room back with the connection', async () => {
    const { gateway, authorization, others } = await openBudget()
    // The host never responds, so that the pipelined responses behind it get no socket.
    const host = createServer((request, response) => request.url === '/host' || gateway.app.listener(request, response))
    const port = await portOf(host)
    const pipelined = others.slice(0, 2).map((key, i) => longQuery(key, `a${i}_`))
    const socket = await dial(port, head('GET /host', {}) + pipelined.join(''))
    await until(() => answered(gateway) === 2)
    const sent = { method: 'POST', target: '/graphql', headers: { authorization, ...JSON_TYPE }, body: longList('c') }
    const third = async () => (await exchange(port, sent)).answers[0]?.status
    await until(async () => (await third()) === 503)
    socket.resetAndDestroy()
    await until(async () => (await third()) === 200)
    // The budget has room again for both.
    for (const [i, key] of others.slice(0, 2).entries()) {
      await beginResponse(port, longQuery(key, `b${i}_`))
    }
  })

  test('to a change say that the change was made', async () => {
    const { port, others, send } = await openBudget()
    const [one = '', two = '', three = ''] = others
    // All three are held before the first change: a change in flight would take the room that one of them needs.
    for (const [i, key] of [one, two].entries()) await beginResponse(port, longQuery(key, `a${i}_`))
    const body = await dial(port, posting('/v1/projects', three, ' '.repeat(6 * MB), 16 * MB))
    await until(() => body.writableLength === 0)
    await sleep(300)
    const post = (target: string, body: unknown) =>
      send({ method: 'POST', target, headers: JSON_TYPE, body: JSON.stringify(body) })
    const group = await post('/v1/groups', { name: 'Riggers', description: 'Old' })
    const again = Array.from({ length: 49 }, (_, i) => `d${i}: description`).join(' ')
    const change = (description: string) => ({
      query: `mutation ($id: ID!, $input: ChangeGroupInput!) { changeGroup(id: $id, input: $input) { ${again} } }`,
      variables: { id: group?.body.id, input: { description } },
    })
    const long = (i: number) => `${i}`.padEnd(10_000, '.')
    let i = 0
    await until(async () => (await post('/graphql', change(long(++i))))?.status === 503)
    const answer = await post('/graphql', change(long(++i)))
    expect(answer?.body.detail).toMatch(/^The change is done, but there is no room to send the response/)
    expect((await send({ target: `/v1/groups/${group?.body.id}` }))?.body.description).toBe(long(i))
  })
})

describe('bodies that are held', () => {
  const held = (bytes: number) => `{"key":"A","name":"${' '.repeat(bytes)}`

  test('take no more than the budget, and give it back when they are broken off', async () => {
    const { port, others, send } = await openBudget()
    const sockets = await Promise.all(
      others.map((key) => dial(port, posting('/v1/projects', key, held(6.2 * MB), 16 * MB))),
    )
    // While they are still arriving, a sync could take the budget that one of them needs.
    await until(() => sockets.every(({ writableLength }) => writableLength === 0))
    await sleep(300)
    const sync = () =>
      send({ method: 'POST', target: '/v1/projects', headers: JSON_TYPE, body: '{"key":1}'.padEnd(2 * MB) })
    await until(async () => (await sync())?.status === 503)
    const refused = await sync()
    expect(refused).toMatchObject(NO_ROOM)
    expect(refused?.headers.get('retry-after')).toBe('1')
    const small = { method: 'POST', target: '/v1/groups', headers: JSON_TYPE, body: '{"name":"Riggers"}' }
    expect((await send(small))?.status).toBe(201)
    for (const socket of sockets) socket.destroy()
    await until(async () => (await sync())?.status === 422)
  })
})
