import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { codeOf, compile } from './host.js'

const { folder } = inject('host')

const [preamble = ''] = codeOf('embedding.md', 'Inside your own program')
const AT_ROOT = preamble.replace(", basePath: '/ops'", '')
const BELOW_API = preamble.replace("'/ops'", "'/api/ops'")

/** As the document has it, but for the port. */
function documented(heading: string): string {
  const [code = ''] = codeOf('embedding.md', heading)
  return preamble + code
}

interface Mount {
  readonly path: string
  readonly code: string
}

const MOUNTS: Readonly<Record<string, Mount>> = {
  'node:http': { path: '/ops', code: documented('node:http') },
  Express: { path: '/ops', code: documented('Express') },
  Fastify: { path: '/ops', code: documented('Fastify') },
  Hono: { path: '/ops', code: documented('Hono') },
  'a fetch handler': { path: '/ops', code: documented('A fetch handler') },
  'node:http at the root': {
    path: '',
    code: `${AT_ROOT}import { createServer } from 'node:http'\ncreateServer(gateway.listener).listen(3000)`,
  },
  'Express at the root': {
    path: '',
    code: `${AT_ROOT}import express from 'express'\nexpress().use(gateway.listener).listen(3000)`,
  },
  'Fastify at the root': {
    path: '',
    code: documented('Fastify').replace(preamble, AT_ROOT).replace("['/ops', '/ops/*']", "['/*']"),
  },
  'Hono at the root': {
    path: '',
    code: documented('Hono').replace(preamble, AT_ROOT).replace("['/ops', '/ops/*']", "['*']"),
  },
  'a fetch handler at the root': { path: '', code: `${AT_ROOT}export default { fetch: gateway.fetch }` },
  'routers of Express inside each other': {
    path: '/api/ops',
    code: `${BELOW_API}import express from 'express'
const api = express.Router().use('/ops', gateway.listener)
express().use('/api', api).listen(3000)`,
  },
}

/** Runs all of them in one process, each at its port; what only exports a handler is served by Hono's adapter. */
const RUNNER = `
import { serve } from '@hono/node-server'
for (const [file, port] of Object.entries(JSON.parse(process.argv[2]))) {
  process.env.PORT = port
  const { default: handler } = await import(file)
  if (handler) serve({ fetch: handler.fetch, port })
}
console.log('running')
`

const names = Object.keys(MOUNTS)
let ports: number[]
let secret: string
let complaints: string[]
let child: ChildProcess | undefined

beforeAll(async () => {
  const programs = names.map((name, i) => [
    `mount${i}.ts`,
    MOUNTS[name]?.code.replaceAll('3000', "Number(process.env['PORT'])") ?? '',
  ])
  complaints = await compile(folder, Object.fromEntries(programs), true)
  const scope = ['--scope', 'personnel.manage']
  const made = execFileSync('node_modules/.bin/operations', ['keys', 'create', '--name', 'host', ...scope, '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  secret = JSON.parse(made.toString()).key
  ports = await freePorts(names.length)
  writeFileSync(join(folder, 'runner.mjs'), RUNNER)
  const files = Object.fromEntries(names.map((_, i) => [`./mount${i}.js`, ports[i]]))
  const running = spawn(process.execPath, ['runner.mjs', JSON.stringify(files)], { cwd: folder })
  child = running
  let messages = ''
  running.stderr.on('data', (chunk) => {
    messages += chunk
  })
  const ended = once(running, 'exit').then(() => Promise.reject(new Error(messages)))
  await Promise.race([once(running.stdout, 'data'), ended])
})

afterAll(() => child?.kill('SIGKILL'))

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const free = servers.map((server) => Object(server.address()).port as number)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return free
}

test('every host passes a strict type check that skips no library', () => {
  expect(complaints).toEqual([])
})

describe.each(names.map((name, i) => [name, i] as const))('in %s', (name, i) => {
  const path = MOUNTS[name]?.path ?? ''
  const call = (target: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    return fetch(`http://127.0.0.1:${ports[i]}${target}`, { headers, ...sent })
  }

  test('the gateway adds a person and finds it where it says, in REST and in GraphQL', async () => {
    const person = { name: 'Ada Lovelace', externalId: `ada-${i}` }
    const added = await call(`${path}/v1/personnel`, person)
    const location = added.headers.get('location') ?? ''
    expect([added.status, location]).toEqual([201, expect.stringMatching(`^${path}/v1/personnel/usr_\\w+$`)])
    const { id } = (await added.json()) as { id: string }
    expect(await (await call(location)).json()).toMatchObject({ ...person, id })
    const query = '{ personnel(first: 1) { nodes { name } } }'
    const found = await call(`${path}/graphql`, { query })
    expect(await found.json()).toEqual({ data: { personnel: { nodes: [{ name: 'Ada Lovelace' }] } } })
  })

  test('its pages and refusals are its own, with and without a path and a query', async () => {
    const front = await fetch(`http://127.0.0.1:${ports[i]}${path}?x=1`, { headers: { accept: 'text/html' } })
    expect([front.status, await front.text()]).toEqual([200, expect.stringContaining(`data-base-path="${path}"`)])
    const nowhere = await call(`${path}/nowhere`)
    expect([nowhere.status, await nowhere.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'NOT_FOUND', detail: expect.stringContaining(`${path}/nowhere`) }),
    ])
    const unknown = await call(`${path}/v1/personnel?colour=red`)
    expect([unknown.status, await unknown.json()]).toEqual([400, expect.objectContaining({ code: 'BAD_REQUEST' })])
  })
})
