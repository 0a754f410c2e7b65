import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stitchSchemas } from '@graphql-tools/stitch'
import fastify from 'fastify'
import { buildSchema, type DocumentNode, execute, GraphQLError, parse, validate } from 'graphql'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  checkKey,
  contextFor,
  createGateway,
  Fault,
  type Gateway,
  maskError,
  mintKey,
  openStore,
  type Scope,
  type Store,
  schema,
} from '../../src/index.js'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { createMigrated } from '../support/stores.js'

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com' }
const ADD = 'mutation ($input: AddPersonInput!) { addPerson(input: $input) { name } }'
const COUNTS = 'personnel { totalCount } risks { totalCount }'
const NAMES = '{ personnel { nodes { name } } }'

/** Without a file `openStore` creates one; a copy of a migrated one takes less time. */
async function openOwnStore({ isNew = false, lacking = '' } = {}): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'operations-'))
  const file = join(folder, 'operations.db')
  if (!isNew) createMigrated(file)
  const store = await openStore(`file:${file}`)
  if (lacking) openDatabase(file).exec(`alter table ${lacking} rename to gone`).close()
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  return store
}

type Send = (path: string, init?: RequestInit) => Promise<Response>

/** Each way to mount the gateway at `/ops`, in a host that serves everything else itself. */
const HOSTS: Readonly<Record<string, (gateway: Gateway) => Promise<Send>>> = {
  async 'node:http'(gateway) {
    const server = createServer((request, response) => {
      if (/^\/ops(?=[/?]|$)/.test(request.url ?? '')) gateway.listener(request, response)
      else response.end('the host')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init)
  },

  async 'what Express makes of a request'(gateway) {
    const server = createServer((request, response) => {
      const { url = '' } = request
      if (!/^\/ops(?=[/?]|$)/.test(url)) return response.end('the host')
      const rest = url.slice('/ops'.length)
      const cut = rest.startsWith('/') ? rest : `/${rest}`
      gateway.listener(Object.assign(request, { originalUrl: url, baseUrl: '/ops', url: cut }), response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init)
  },

  async Fastify(gateway) {
    const host = fastify()
    host.get('*', () => 'the host')
    host.post('/echo', ({ body }) => body)
    host.register(async (ops) => {
      // The gateway reads the body itself: Fastify must not parse it, here and nowhere else.
      ops.removeAllContentTypeParsers()
      ops.addContentTypeParser('*', (_request, _payload, done) => done(null))
      for (const path of ['/ops', '/ops/*']) {
        ops.all(path, (request, reply) => {
          reply.hijack()
          gateway.listener(request.raw, reply.raw)
        })
      }
    })
    const origin = await host.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => host.close())
    return (path, init) => fetch(origin + path, init)
  },

  async 'a fetch handler'(gateway) {
    return async (path, init) => {
      const request = new Request(`http://localhost${path}`, init)
      return /^\/ops(?=\/|$)/.test(new URL(request.url).pathname) ? gateway.fetch(request) : new Response('the host')
    }
  },
}

const jsonPost = (headers: Record<string, string>, body: unknown): RequestInit => ({
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

test('a host that has already responded is not brought down', async () => {
  const store = await openOwnStore()
  const gateway = createGateway({ store })
  const outcomes: unknown[] = []
  const server = createServer((request, response) => {
    const answered = gateway.listener(request, response)
    response.writeHead(503).end('too late')
    answered.then(
      () => outcomes.push('done'),
      (error: unknown) => outcomes.push(error),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/v1/risks`)
  expect([answer.status, await answer.text()]).toEqual([503, 'too late'])
  await expect.poll(() => outcomes).toEqual(['done'])
})

test.each(['/graphql', '/v1/personnel'])(
  '%s refuses a body that the host has read before, and waits for nothing',
  async (path) => {
    const store = await openOwnStore()
    const { secret } = await mintKey(store, { name: 'host', scopes: ['personnel.manage'] })
    const gateway = createGateway({ store })
    const server = createServer((request, response) => {
      request.resume().once('end', () => gateway.listener(request, response))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    const sent = jsonPost({ authorization: `Bearer ${secret}` }, { query: NAMES })
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...sent, signal: AbortSignal.timeout(5_000) })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('The body broke off')])
  },
)

describe.each(Object.entries(HOSTS))('mounted at /ops in %s', (_, mount) => {
  async function open() {
    const store = await openOwnStore()
    const { secret } = await mintKey(store, { name: 'host', scopes: ['personnel.manage'] })
    return { send: await mount(createGateway({ store, basePath: '/ops' })), key: { authorization: `Bearer ${secret}` } }
  }

  test('what a key or a mount cannot be made of is refused in a sentence', async () => {
    const store = await openOwnStore()
    await expect(mintKey(store, { name: ' ', scopes: ['everything' as Scope] })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      violations: [{ pointer: '/name' }, { pointer: '/scopes' }],
    })
    expect(() => createGateway({ store, basePath: 'ops' })).toThrow(
      /basePath is "ops"; it must be a path such as \/ops/,
    )
  })

  test('the gateway adds a person and finds it where it says, in REST and in GraphQL', async () => {
    const { send, key } = await open()
    const added = await send('/ops/v1/personnel', jsonPost(key, ADA))
    const location = added.headers.get('location') ?? ''
    expect([added.status, location]).toEqual([201, expect.stringMatching(/^\/ops\/v1\/personnel\/\w+$/)])
    expect(await added.json()).toMatchObject(ADA)
    expect(await (await send(location, { headers: key })).json()).toMatchObject(ADA)
    const sent = await send('/ops/graphql', jsonPost(key, { query: NAMES }))
    expect(await sent.json()).toEqual({ data: { personnel: { nodes: [{ name: ADA.name }] } } })
  })

  test('its refusals are its own problem documents', async () => {
    const { send, key } = await open()
    const refused = await send('/ops/v1/personnel', jsonPost(key, { name: '' }))
    expect([refused.status, refused.headers.get('content-type')]).toEqual([422, 'application/problem+json'])
    expect(await (await send('/ops/nowhere')).json()).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(await (await send('/ops/v1/personnel')).json()).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
  })

  test('every other path stays with the host', async () => {
    const { send } = await open()
    expect(await (await send('/')).text()).toBe('the host')
    expect(await (await send('/opsy')).text()).toBe('the host')
  })
})

describe('a host that authenticates its callers itself', () => {
  /** Sessions by the header `x-session`; `lost` is an error of the host. */
  async function open(scopes: Scope[] = ['personnel.manage']) {
    const sessions = new Map([
      ['s1', 'ada'],
      ['s2', 'bea'],
      ['s0', ''],
      ['s-1', 'ad\ud83d'],
    ])
    const store = await openOwnStore()
    const gateway = createGateway({
      store,
      ratePerMinute: 600,
      authenticate(request) {
        const session = request instanceof Request ? request.headers.get('x-session') : request.headers['x-session']
        if (session === null || session === undefined) return undefined
        const id = sessions.get(String(session))
        if (id === undefined) throw new Fault('UNAUTHENTICATED', 'Your session is over: sign in again.')
        return { id, scopes, projects: ['Apollo'] }
      },
    })
    const send = (path: string, init: RequestInit = {}) => gateway.fetch(new Request(`http://localhost${path}`, init))
    const as = (session: string) => ({ 'x-session': session })
    return { store, gateway, sessions, send, as }
  }

  test('has the whole service for them: history, cache, limits, projects, idempotency', async () => {
    const { send, as } = await open(['personnel.manage', 'projects.manage'])
    const once = (session: string) => jsonPost({ ...as(session), 'idempotency-key': 'k' }, ADA)
    const added = await send('/v1/personnel', once('s1'))
    expect([added.status, added.headers.get('ratelimit')]).toEqual([201, expect.stringContaining('"key";r=')])
    const again = await send('/v1/personnel', once('s1'))
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    expect((await send('/v1/personnel', once('s2'))).status).toBe(409)
    const changes = await (await send('/v1/changes', { headers: as('s2') })).json()
    expect(changes.data).toMatchObject([{ by: 'host:ada', action: 'CREATED' }])
    expect(await (await send('/v1/key', { headers: as('s1') })).json()).toMatchObject({
      name: 'ada',
      projects: ['APOLLO'],
    })
    const sync = (key: string) => send('/v1/projects', jsonPost(as('s1'), { key, name: 'x' }))
    expect([(await sync('APOLLO')).status, (await sync('ZEUS')).status]).toEqual([200, 403])
  })

  test('refuses them in its own words, and API keys work beside them', async () => {
    const { store, send, as } = await open()
    const refused = await send('/v1/personnel', { headers: as('gone') })
    expect(await refused.json()).toMatchObject({ status: 401, detail: 'Your session is over: sign in again.' })
    expect(await (await send('/v1/personnel')).json()).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    const { secret } = await mintKey(store, { name: 'nightly', scopes: ['personnel.read'] })
    expect((await send('/v1/personnel', { headers: { authorization: `Bearer ${secret}` } })).status).toBe(200)
    // Without an id callers would share what belongs to one.
    for (const session of ['s0', 's-1'])
      expect((await send('/v1/personnel', { headers: as(session) })).status).toBe(500)
  })

  test('gets the request of node:http as it is, with what a middleware has put on it', async () => {
    const gateway = createGateway({
      store: await openOwnStore(),
      authenticate: (request) =>
        'user' in request ? { id: String(request.user), scopes: ['personnel.read'] } : undefined,
    })
    const server = createServer((request, response) => gateway.listener(Object.assign(request, { user: 7 }), response))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    expect(await (await fetch(`http://127.0.0.1:${port}/v1/key`)).json()).toMatchObject({ name: '7' })
  })

  test('ends a wait for changes when the session is over', async () => {
    const { send, as, sessions } = await open()
    const { page } = await (await send('/v1/changes', { headers: as('s1') })).json()
    const waiting = send(`/v1/changes?wait=20&cursor=${page.next}`, { headers: as('s1') })
    await new Promise((resolve) => setTimeout(resolve, 300))
    sessions.delete('s1')
    await send('/v1/personnel', jsonPost(as('s2'), ADA))
    expect((await waiting).status).toBe(401)
  })
})

test('Fastify parses the bodies of its other routes as before', async () => {
  const send = await HOSTS['Fastify']?.(createGateway({ store: await openOwnStore(), basePath: '/ops' }))
  expect(await (await send?.('/echo', jsonPost({}, ADA)))?.json()).toEqual(ADA)
})

test('two gateways in one process have each their own people and their own keys', async () => {
  const openWith = async (person: typeof ADA) => {
    const store = await openOwnStore({ isNew: true })
    const gateway = createGateway({ store })
    const { secret } = await mintKey(store, { name: 'each', scopes: ['personnel.manage'] })
    const key = { authorization: `Bearer ${secret}` }
    await gateway.fetch(new Request('http://localhost/v1/personnel', jsonPost(key, person)))
    const call = (headers: Record<string, string>) =>
      gateway.fetch(new Request('http://localhost/graphql', jsonPost(headers, { query: NAMES })))
    return { key, call }
  }
  const ours = await openWith(ADA)
  const theirs = await openWith({ name: 'Grace Hopper', email: 'grace@example.com' })
  const namesOf = (...names: string[]) => ({ data: { personnel: { nodes: names.map((name) => ({ name })) } } })
  expect(await (await ours.call(ours.key)).json()).toEqual(namesOf('Ada Lovelace'))
  expect(await (await theirs.call(theirs.key)).json()).toEqual(namesOf('Grace Hopper'))
  expect((await ours.call(theirs.key)).status).toBe(401)
})

describe('a key', () => {
  test('that was made here shows its holder', async () => {
    const store = await openOwnStore()
    const expiresAt = new Date(Date.now() + 60_000)
    const { secret, id } = await mintKey(store, { name: 'nightly', scopes: ['projects.read'], expiresAt })
    const scopes = new Set(['projects.read'])
    const holder = { keyId: id, name: 'nightly', scopes, projects: null, expiresAt: expiresAt.toISOString() }
    expect(await checkKey(store, secret)).toEqual(holder)
  })

  test('that is limited to a project is so wherever its holder is passed on', async () => {
    const store = await openOwnStore()
    const drafted = { name: 'tracker', scopes: ['projects.manage'], projects: [' apollo '] } as const
    const { secret, projects } = await mintKey(store, drafted)
    expect(projects).toEqual(['APOLLO'])
    const document = parse(
      'mutation ($key: String!) { syncProject(input: { key: $key, name: "x" }) { project { key } } }',
    )
    const holder = await checkKey(store, secret)
    for (const caller of [holder, { scopes: holder.scopes, projects: ['Apollo'] }]) {
      const sync = (key: string) =>
        execute({ schema, document, variableValues: { key }, contextValue: contextFor(store, caller) })
      expect((await sync('APOLLO')).errors).toBeUndefined()
      expect((await sync('ZEUS')).errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }])
    }
    await expect(mintKey(store, { ...drafted, projects: ['A B'] })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
    await expect(mintKey(store, { ...drafted, projects: [] })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
    expect(() => contextFor(store, { scopes: ['personel.read' as Scope] })).toThrow(
      'There is no scope "personel.read".',
    )
  })

  test.each(['unknown', 'expired', 'empty'])('that is %s is refused with a Fault', async (kind) => {
    const store = await openOwnStore()
    const there = kind === 'expired' ? store : await openOwnStore()
    const { secret } = await mintKey(there, { name: 'old', scopes: [], expiresAt: new Date(0) })
    const refusal = await checkKey(store, kind === 'empty' ? '' : secret).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(Fault)
    expect(refusal).toMatchObject({ code: 'UNAUTHENTICATED' })
  })
})

test.each(['postgress://u:hunter2@db/ops', 'mysql://x', './operations.db', ':memory:', 'file::memory:'])(
  'a store is not made at an address that is none: %s',
  async (address) => {
    const refusal = await openStore(address).catch((error: Error) => error.message)
    expect(refusal).toMatch(/^A store is opened by an address such as file:/)
  },
)

describe('maskError', () => {
  test.each([
    ['a stranger', new Error('password is hunter2'), 'Something went wrong on our side.', 'INTERNAL'],
    ['a text', 'password is hunter2', 'Something went wrong on our side.', 'INTERNAL'],
    ['a refusal', new Fault('NOT_FOUND', 'There is no such person.'), 'There is no such person.', 'NOT_FOUND'],
  ])('of %s is what callers may see, at its place', (_, thrown, message, code) => {
    expect(maskError(thrown).toJSON()).toEqual({ message, extensions: { code } })
    const originalError = thrown instanceof Error ? thrown : new Error(thrown)
    const located = new GraphQLError(originalError.message, { path: ['person'], originalError })
    expect(maskError(located).toJSON()).toEqual({ message, path: ['person'], extensions: { code } })
  })

  test('leaves what GraphQL and the host say themselves', () => {
    const [invalid] = validate(schema, parse('{ nothing }'))
    const own = new GraphQLError('No.', { originalError: new GraphQLError('No.', { extensions: { code: 'OWN' } }) })
    expect([maskError(invalid), maskError(own)]).toEqual([invalid, own])
  })
})

describe('the schema without keys', () => {
  interface ExecutorRequest {
    readonly document: DocumentNode
    readonly variables?: Record<string, unknown>
    readonly context: { readonly scopes: readonly Scope[] }
  }
  const runnerOf =
    (store: Store) =>
    ({ document, variables: variableValues = {}, context }: ExecutorRequest) =>
      execute({ schema, document, variableValues, contextValue: contextFor(store, { ...context, id: 'portal' }) })
  const extensions = { code: 'INSUFFICIENT_SCOPE', requiredScope: 'projects.read' }
  const refused = [expect.objectContaining({ path: ['risks'], extensions })]

  test('runs with the scopes that the host gives its caller, and refuses what they do not grant', async () => {
    const run = runnerOf(await openOwnStore())
    const adding = { document: parse(ADD), variables: { input: ADA } }
    expect((await run({ ...adding, context: { scopes: ['personnel.read'] } })).data).toEqual({ addPerson: null })
    const added = await run({ ...adding, context: { scopes: ['personnel.manage'] } })
    expect(added).toEqual({ data: { addPerson: { name: ADA.name } } })
    const read = await run({ document: parse(`{ ${COUNTS} }`), context: { scopes: ['personnel.read'] } })
    expect(read.data).toEqual({ personnel: { totalCount: 1 }, risks: null })
    expect(JSON.parse(JSON.stringify(read.errors))).toEqual(refused)
  })

  test('hides internal failures from clients, and passes them to the log of the host', async () => {
    const store = await openOwnStore({ lacking: 'person' })
    const answer = await runnerOf(store)({ document: parse(NAMES), context: { scopes: ['personnel.read'] } })
    const hidden = { message: 'Something went wrong on our side.', extensions: { code: 'INTERNAL' } }
    expect(JSON.parse(JSON.stringify(answer.errors))).toEqual([expect.objectContaining(hidden)])
    const [error] = answer.errors ?? []
    expect(error?.originalError?.cause).toMatchObject({ message: expect.stringContaining('no such table') })
  })

  test('is stitched into the schema of the host, and a missing scope costs its part alone', async () => {
    const run = runnerOf(await openOwnStore())
    // The stitching types leave result and context open.
    const operations = { schema, executor: (request: unknown) => run(request as ExecutorRequest) as never }
    const stitched = stitchSchemas({ subschemas: [operations, buildSchema('type Query { motto: String }')] })
    const caller = { rootValue: { motto: 'Per aspera' }, contextValue: { scopes: ['personnel.read'] } }
    const answer = await execute({ schema: stitched, document: parse(`{ motto ${COUNTS} }`), ...caller })
    expect(answer.data).toEqual({ motto: 'Per aspera', personnel: { totalCount: 0 }, risks: null })
    expect(JSON.parse(JSON.stringify(answer.errors))).toEqual(refused)
  })
})
