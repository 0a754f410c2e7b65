import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, connect as dial } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { VERSION } from '../../src/about.js'
import { engine } from '../support/engine.js'
import { mint, runHere } from '../support/inProcess.js'
import { newFolder, operations, serve } from '../support/process.js'
import { prepareStore } from '../support/service.js'

async function exchangeRaw(origin: string, request: string): Promise<string> {
  const socket = dial(Number(new URL(origin).port), '127.0.0.1')
  socket.write(`${request}\r\nConnection: close\r\n\r\n`)
  let received = ''
  for await (const chunk of socket) received += chunk
  return received
}

test('the demo prints links that open, a key that works, and a curl line', async () => {
  const folder = newFolder()
  const { finished, stop, origin } = await serve(folder, ['--demo'])
  const { stderr } = finished()
  const key = /ops_\w{36}/.exec(stderr)?.[0] ?? ''
  const headers = { authorization: `Bearer ${key}` }
  for (const link of stderr.match(/http:\S+(?=\s)/g) ?? []) {
    const response = await fetch(link.replaceAll('"', ''), { headers: { ...headers, accept: 'text/html, */*;q=0.8' } })
    expect({ link, status: response.status }).toEqual({ link, status: 200 })
    await response.body?.cancel()
  }
  expect(stderr).toContain(`curl -H "Authorization: Bearer ${key}" "${origin}/v1/risks?limit=3"`)
  const totals = async (path: string) => (await (await fetch(`${origin}${path}`, { headers })).json()).page.total
  expect({
    people: await totals('/v1/personnel?total=true&status=active,inactive'),
    groups: await totals('/v1/groups?total=true'),
    projects: await totals('/v1/projects?total=true'),
    risks: await totals('/v1/risks?total=true&status=open,occurred,closed'),
    issues: await totals('/v1/issues?total=true'),
  }).toEqual({ people: expect.closeTo(60, -1), groups: 8, projects: 12, risks: 90, issues: 80 })
  expect(await stop('SIGTERM')).toMatchObject({ code: 0 })
})

test('a second start of the demo keeps its data and makes a new key', async () => {
  const folder = newFolder()
  const first = await serve(folder, ['--demo'])
  const one = /ops_\w{36}/.exec((await first.stop('SIGINT')).stderr)?.[0]
  const second = await serve(folder, ['--demo'])
  const two = /ops_\w{36}/.exec(second.finished().stderr)?.[0]
  expect(two).not.toBe(one)
  const answer = await fetch(`${second.origin}/v1/groups?total=true`, { headers: { authorization: `Bearer ${two}` } })
  expect((await answer.json()).page.total).toBe(8)
})

test('SIGTERM lets a running request finish, then ends with 0', async () => {
  const folder = newFolder()
  const { key } = await mint(folder, '--name', 'a', '--scope', 'personnel.manage')
  const { origin, child } = await serve(folder)
  const body = JSON.stringify({ name: 'Ada', email: 'ada@example.com' })
  const socket = dial(Number(new URL(origin).port), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const head = [
    'POST /v1/personnel HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '\r\n',
  ].join('\r\n')
  // Pipelined in one segment: once the first request is answered, the server has read the head of the second.
  socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n${head}${body.slice(0, 10)}`)
  await expect.poll(() => received, { timeout: 10_000 }).toContain('{"status":"ok"}')
  received = ''
  child.kill('SIGTERM')
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(child.exitCode).toBe(null)
  socket.write(body.slice(10))
  await once(child, 'close')
  expect(received).toMatch(/^HTTP\/1\.1 201 /)
  expect(child.exitCode).toBe(0)
})

test('with --drain-ms SIGTERM first turns /readyz to 503, and requests are served until the listener closes', async () => {
  const folder = newFolder()
  const { key } = await mint(folder, '--name', 'a', '--scope', 'projects.read')
  const { origin, child } = await serve(folder, ['--drain-ms', '4000'])
  // Each on a connection of its own, as after a load balancer has found the server elsewhere.
  const statusOf = async (path: string) => {
    const headers = { authorization: `Bearer ${key}`, connection: 'close' }
    return fetch(`${origin}${path}`, { headers }).then(
      ({ status }) => status,
      () => 'refused',
    )
  }
  expect(await statusOf('/readyz')).toBe(200)
  child.kill('SIGTERM')
  await expect.poll(() => statusOf('/readyz')).toBe(503)
  expect([await statusOf('/healthz'), await statusOf('/v1/risks')]).toEqual([200, 200])
  await expect.poll(() => statusOf('/v1/risks'), { timeout: 15_000 }).toBe('refused')
  if (child.exitCode === null) await once(child, 'close')
  expect(child.exitCode).toBe(0)
})

test('SIGTERM ends a request that waits for a change, with an empty page', async () => {
  const folder = newFolder()
  const { key } = await mint(folder, '--name', 'a', '--scope', 'projects.read')
  const { origin, stop } = await serve(folder)
  const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`
  const socket = dial(Number(new URL(origin).port), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  // Pipelined in one segment: once the first request is answered, the server has begun the second.
  socket.write(head('/healthz') + head('/v1/changes?wait=30'))
  await expect.poll(() => received, { timeout: 10_000 }).toContain('{"status":"ok"}')
  const ended = stop('SIGTERM')
  await once(socket, 'close')
  expect(JSON.parse(received.split('\r\n\r\n').at(-1) ?? '').data).toEqual([])
  expect(await ended).toMatchObject({ code: 0 })
})

/** What a start that fails has logged. */
const STARTING = expect.stringMatching(/^\{[^\n]*"msg":"starting"\}\n$/)

test('a busy port is one sentence and exit code 1', async () => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  onTestFinished(() => {
    blocker.close()
  })
  const { port } = blocker.address() as { port: number }
  const answer = await operations(newFolder(), ['serve', '--port', String(port)])
  expect(answer).toEqual({
    code: 1,
    stdout: STARTING,
    stderr: `Port ${port} is in use on 127.0.0.1. Stop what uses it, or choose another with --port.\n`,
  })
})

test('a store that cannot be used is one sentence and exit code 1', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'notes.txt'), 'Not a database, but long enough to look like something. '.repeat(30))
  const cases = [
    ['file:./notes.txt', /is not a database/],
    ['file:./notes.txt/operations.db', /cannot be written/],
    ['file:/sys/kernel/operations.db', /cannot be written/],
    ['file:/proc/nowhere/operations.db', /cannot be written/],
  ] as const
  for (const [database, sentence] of cases) {
    const { code, stdout, stderr } = await operations(folder, ['serve', '--database', database])
    expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, stdout: STARTING, lines: 1 })
    expect(stderr).toMatch(sentence)
  }
})

test('--no-migrate refuses a store that is not ready, --demo with --database is wrong usage', async () => {
  expect(await operations(newFolder(), ['serve', '--no-migrate'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no store at .*operations migrate/),
  })
  expect(await operations(newFolder(), ['serve', '--demo', '--database', 'file:x.db'])).toMatchObject({ code: 2 })
})

test('each request is one JSON line in the log, without the key', async () => {
  const folder = newFolder()
  const { id, key } = await mint(folder, '--name', 'a', '--scope', 'personnel.read')
  const { origin, stop } = await serve(folder, ['--base-path', '/ops'])
  const headers = { authorization: `Bearer ${key}`, 'request-id': 'mine-1' }
  await fetch(`${origin}/ops/v1/personnel?search=secret-word`, { headers })
  const log = (await stop('SIGTERM')).stdout
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines[0]).toMatchObject({ version: VERSION, commit: expect.any(String), msg: 'starting' })
  expect(lines[1]).toEqual({
    level: 30,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    requestId: 'mine-1',
    keyId: id,
    method: 'GET',
    path: '/ops/v1/personnel',
    operation: 'listPersonnel',
    status: 200,
    ms: expect.any(Number),
    bytes: 45,
    parameters: ['search'],
    isCached: false,
    cost: expect.any(Number),
    // The list, and the counts that its price and its size depend on.
    statements: 3,
    storeMs: expect.any(Number),
    queuedMs: expect.any(Number),
    workMs: expect.any(Number),
    work: expect.any(Object),
    msg: 'request',
  })
  expect(log).not.toContain(key)
})

test.runIf(engine === 'sqlite').each([
  [[], ['in place', 'read worker']],
  [['--read-workers', '0'], ['in place']],
])('the log level debug has each statement, and where it ran with %j', async (args, places) => {
  const folder = newFolder()
  const { key } = await prepareStore(folder, 2_000)
  const { origin, stop } = await serve(folder, ['--log-level', 'debug', ...args])
  const headers = { authorization: `Bearer ${key}` }
  for (const query of ['?limit=1', '?search=secret-word', '']) {
    expect((await fetch(`${origin}/v1/personnel${query}`, { headers })).status).toBe(200)
  }
  const log = (await stop('SIGTERM')).stdout
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const statements = lines.filter(({ msg }) => msg === 'statement')
  expect([...new Set(statements.map(({ where }) => where))].sort()).toEqual(places)
  expect(Object.keys(statements[0])).toEqual([
    'level',
    'time',
    'requestId',
    'text',
    'where',
    'ms',
    'waitedMs',
    'rows',
    'msg',
  ])
  expect(log).not.toContain('secret-word')
})

test('a key revoked while a body is on its way writes nothing', async () => {
  const folder = newFolder()
  const { id, key } = await mint(folder, '--name', 'a', '--scope', 'personnel.manage')
  const { origin } = await serve(folder)
  const body = JSON.stringify({ name: 'Ada', email: 'ada@example.com' })
  const socket = dial(Number(new URL(origin).port), '127.0.0.1')
  const head = `POST /v1/personnel HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nConnection: close`
  socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`)
  await runHere(folder, ['keys', 'revoke', id])
  socket.write(body.slice(5))
  let received = ''
  for await (const chunk of socket) received += chunk
  expect(received).toMatch(/^HTTP\/1\.1 401 /)
})

test('a body that is streamed beyond the limit is refused with 413, not cut off', async () => {
  const folder = newFolder()
  const { key } = await mint(folder, '--name', 'a', '--scope', 'personnel.manage')
  const { origin } = await serve(folder)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (const [path, chunks] of [['/v1/personnel', 30] as const, ['/graphql', 180] as const]) {
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < chunks; i++) controller.enqueue(Buffer.alloc(100_000, ' '))
        controller.close()
      },
    })
    const init = { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit
    const response = await fetch(`${origin}${path}`, init)
    expect({ path, status: response.status }).toEqual({ path, status: 413 })
    await response.text()
  }
})

test('serving goes on when the log cannot be written', async () => {
  const { child, origin } = await serve(newFolder(), ['--demo'])
  child.stdout?.destroy()
  for (let i = 0; i < 5; i++) {
    expect((await fetch(`${origin}/healthz`)).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(child.exitCode).toBe(null)
})

describe('a raw request', () => {
  let origin: string
  const ends: (() => void)[] = []
  beforeAll(async () => {
    const atEnd = (end: () => void) => void ends.unshift(end)
    origin = (await serve(newFolder(atEnd), [], { atEnd })).origin
  })
  afterAll(() => {
    for (const end of ends) end()
  })

  test.each([
    ['GET http://127.0.0.1/healthz HTTP/1.1\r\nHost: localhost', 200],
    ['GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: miracles', 200],
  ])('%j gets %i', async (request, status) => {
    expect(await exchangeRaw(origin, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  test.each([
    ['a path of two slashes', 'GET // HTTP/1.1\r\nHost: localhost', 404],
    ['an address without a host', 'GET http:// HTTP/1.1\r\nHost: localhost', 400],
    ['a host of two words', 'GET /v1/risks HTTP/1.1\r\nHost: a b', 400],
    ['a target that is a star', 'OPTIONS * HTTP/1.1\r\nHost: localhost', 400],
    ['a path hidden in the host', 'GET /x HTTP/1.1\r\nHost: a/healthz?', 400],
    ['a method that is none', 'NONSENSE / HTTP/1.1\r\nHost: localhost', 400],
    ['a path of 20,000 letters', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost`, 431],
  ])('with %s gets problem+json', async (_, request, status) => {
    const received = await exchangeRaw(origin, request)
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(received).toMatch(/^content-type: application\/problem\+json\r$/im)
    expect(received).toMatch(/^request-id: [\w-]+\r$/im)
    expect(received).toMatch(/^x-content-type-options: nosniff\r$/im)
  })
})

test('GraphiQL is not served with --no-graphiql, nor the demo key away from loopback', async () => {
  const plain = await serve(newFolder(), ['--no-graphiql'])
  const html = { accept: 'text/html' }
  expect((await fetch(`${plain.origin}/graphql`, { headers: html })).status).toBe(406)
  const open = await serve(newFolder(), ['--demo', '--host', '0.0.0.0'])
  const key = /ops_\w{36}/.exec(open.finished().stderr)?.[0] ?? 'none'
  const page = await (await fetch(`${open.origin}/graphql`, { headers: html })).text()
  expect(page).toContain('GraphiQL')
  expect(page).not.toContain(key)
})

test('the demo shows its key only if the Host header names this machine', async () => {
  const { origin, finished } = await serve(newFolder(), ['--demo'])
  const { port, host } = new URL(origin)
  const key = /ops_\w{36}/.exec(finished().stderr)?.[0] ?? 'none'
  const page = (head: string) => exchangeRaw(origin, `${head}\r\nAccept: text/html`)
  const shown = await page(`GET /graphql HTTP/1.1\r\nHost: ${host}`)
  expect(shown).toContain(key)
  const withheld = await page('GET /graphql HTTP/1.1\r\nHost: evil.example')
  expect(withheld).toContain('GraphiQL')
  expect(withheld).not.toContain(key)
  const [, tag] = /^etag: (.+)\r$/im.exec(withheld) ?? []
  // 304 stands for the page without the key.
  const statusOf = async (head: string) => (await page(`${head}\r\nIf-None-Match: ${tag}`)).slice(9, 12)
  const hosts: [host: string, status: string][] = [
    ['localhost', '200'],
    [`LOCALHOST:${port}`, '200'],
    [`[::1]:${port}`, '200'],
    [`evil.example:${port}`, '304'],
    ['localhost.evil.example', '304'],
    ['evil.example.localhost', '304'],
    ['127.0.0.1.evil.example', '304'],
    ['192.0.2.1', '304'],
  ]
  for (const [name, status] of hosts) {
    expect([name, await statusOf(`GET /graphql HTTP/1.1\r\nHost: ${name}`)]).toEqual([name, status])
  }
  expect(await statusOf('GET /graphql HTTP/1.0')).toBe('304')
  expect(await statusOf('GET /graphql HTTP/1.0\r\nHost: localhost')).toBe('200')
})
