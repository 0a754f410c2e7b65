import { expect, test } from 'vitest'
import type { Scope } from '../../src/auth/scopes.js'
import { LIMITS } from '../../src/limits.js'
import { engine } from '../support/engine.js'
import { ada, addGroup } from '../support/fixtures.js'
import { type Caller, openGateway } from '../support/harness.js'

const JSON_TYPE = { 'content-type': 'application/json' }
const PATCH_TYPES = 'application/merge-patch+json, application/json'

async function openEmpty() {
  const gateway = openGateway()
  const id = await gateway.write((write) => addGroup(write, { name: 'Divers' }))
  return { gateway, caller: await gateway.as('personnel.manage'), path: `/v1/groups/${id}` }
}

test.each<Record<string, string>>([
  { 'content-type': 'application/merge-patch+json' },
  { 'content-type': 'application/json' },
  { 'content-type': 'Application/Merge-Patch+JSON; charset="utf-8"' },
])('a patch is taken as %j', async (headers) => {
  const { caller, path } = await openEmpty()
  const answer = await caller.request(path, { method: 'PATCH', headers, body: '{"name":"Climbers"}' })
  expect([answer.status, answer.body.name]).toEqual([200, 'Climbers'])
})

test.each<[Record<string, string>, RegExp]>([
  [{}, /`Content-Type: application\/merge-patch\+json` or `application\/json`, in UTF-8/],
  [{ 'content-type': 'application/json-patch+json' }, /`Content-Type: application\/merge-patch\+json` or /],
  [{ 'content-type': 'text/plain' }, /merge-patch/],
  [{ 'content-type': 'application/merge-patch+json; charset=latin1' }, /UTF-8/],
  [{ 'content-type': 'application/merge-patch+json', 'content-encoding': 'gzip' }, /uncompressed/],
])('a patch sent with %j is refused with the accepted type', async (headers, detail) => {
  const { caller, path } = await openEmpty()
  for (const at of [path, '/v1/personnel/usr_x']) {
    const answer = await caller.request(at, { method: 'PATCH', headers, body: '{"name":"Climbers"}' })
    expect(answer).toMatchProblem(415, 'UNSUPPORTED_MEDIA_TYPE')
    expect(answer.body.detail).toMatch(detail)
    expect(answer.headers.get('accept-patch')).toBe(PATCH_TYPES)
  }
  expect((await caller.get(path)).body.name).toBe('Divers')
})

test('only PATCH accepts a merge patch, and only there it is advertised', async () => {
  const { caller } = await openEmpty()
  const headers = { 'content-type': 'application/merge-patch+json' }
  for (const path of ['/v1/groups', '/v1/personnel']) {
    const answer = await caller.request(path, { method: 'POST', headers, body: JSON.stringify(ada) })
    expect(answer).toMatchProblem(415, 'UNSUPPORTED_MEDIA_TYPE')
    expect(answer.body.detail).toBe('Send the body as `Content-Type: application/json`, in UTF-8.')
    expect(answer.headers.get('accept-patch')).toBeNull()
  }
})

test.each([
  ['/v1/personnel/usr_x', PATCH_TYPES],
  ['/v1/groups/grp_x', PATCH_TYPES],
  ['/v1/groups', null],
  ['/v1/groups/grp_x/members/usr_x', null],
])('OPTIONS %s says of patches: %s', async (path, types) => {
  const { status, headers } = await openGateway().with(undefined).request(path, { method: 'OPTIONS' })
  expect([status, headers.get('accept-patch')]).toEqual([204, types])
})

test.each(['{', '', '{"name":}', 'null}'])('the patch %j is malformed', async (body) => {
  const { caller, path } = await openEmpty()
  const headers = { 'content-type': 'application/merge-patch+json' }
  expect(await caller.request(path, { method: 'PATCH', headers, body })).toMatchProblem(400, 'BAD_REQUEST')
})

const ADD = 'mutation ($input: AddGroupInput!) { addGroup(input: $input) { name } }'

/** Adds a group through either API with a body of exactly this many bytes. */
const APIS: Record<string, (caller: Caller, bytes: number) => Promise<[number, string]>> = {
  async REST(caller, bytes) {
    const text = JSON.stringify({ name: 'Riggers' }).padEnd(bytes)
    const { status, body } = await caller.request('/v1/groups', { method: 'POST', headers: JSON_TYPE, body: text })
    return [status, body.detail ?? body.name]
  },
  async GraphQL(caller, bytes) {
    const text = JSON.stringify({ query: ADD, variables: { input: { name: 'Welders' } } }).padEnd(bytes)
    const { status, body } = await caller.request('/graphql', { method: 'POST', headers: JSON_TYPE, body: text })
    return [status, body.errors?.[0].message ?? body.data.addGroup.name]
  },
}

test.each<[Scope[], number]>([
  [['personnel.manage'], LIMITS.syncBodyBytesMax],
  [['personnel.manage', 'projects.manage'], LIMITS.syncBodyBytesMax],
])('a key with %j may send bodies of up to %i bytes to GraphQL, and of 1 MB to a route', async (scopes, ofGraphql) => {
  const { gateway } = await openEmpty()
  const caller = await gateway.as(...scopes)
  for (const [api, add] of Object.entries(APIS)) {
    const most = api === 'REST' ? LIMITS.bodyBytesMax : ofGraphql
    const how = api === 'REST' ? '' : ': risks and issues with `mode: PARTIAL`, people without `leavers`'
    const sentence = `The body is larger than ${most / 1_000_000} MB. Send it in smaller parts${how}.`
    expect([api, ...(await add(caller, most + 1))]).toEqual([api, 413, sentence])
    const [status, name] = api === 'REST' ? [201, 'Riggers'] : [200, 'Welders']
    expect([api, ...(await add(caller, most))]).toEqual([api, status, name])
  }
})

test('a route that takes a whole project takes 16 MB from a key that may sync one', async () => {
  const { gateway } = await openEmpty()
  const sync = async (caller: Caller, bytes: number) => {
    const body = JSON.stringify({ key: 'APOLLO', name: 'Apollo' }).padEnd(bytes)
    return (await caller.request('/v1/projects', { method: 'POST', headers: JSON_TYPE, body })).status
  }
  const feeder = await gateway.as('projects.manage')
  expect(await sync(feeder, LIMITS.syncBodyBytesMax)).toBe(200)
  expect(await sync(feeder, LIMITS.syncBodyBytesMax + 1)).toBe(413)
  expect(await sync(await gateway.as('projects.read'), LIMITS.syncBodyBytesMax)).toBe(403)
})

test('a body that says it is too large is refused unread', async () => {
  const { gateway, path } = await openEmpty()
  const caller = await gateway.as('personnel.manage', 'projects.manage')
  const headers = { ...JSON_TYPE, 'content-length': String(LIMITS.bodyBytesMax + 1) }
  const answer = await caller.request(path, { method: 'PATCH', headers, body: '{}' })
  expect(answer).toMatchProblem(413, 'PAYLOAD_TOO_LARGE')
  expect(answer.body.detail).toContain('larger than 1 MB')
})

test.each(['/v1/projects', '/graphql'])(
  'a large body at %s waits for another no longer than its deadline',
  async (path) => {
    const gateway = openGateway({ deadlineMs: 1_000 })
    const [first, second] = [await gateway.as('projects.manage'), await gateway.as('projects.manage')]
    const large = (input: object) => JSON.stringify(input).padEnd(LIMITS.bodyBytesMax + 1)
    const state = { key: 'BRIDGE', name: 'Bridge' }
    const send = (caller: Caller, at: string, body: object) =>
      caller.request(at, { method: 'POST', headers: JSON_TYPE, body: large(body) })
    // Another process holds the write lock, so the first request waits.
    const letGo = gateway.own.hold()
    const holding = send(first, '/v1/projects', state)
    const query = 'mutation ($input: SyncProjectInput!) { syncProject(input: $input) { project { key } } }'
    const waiting = send(second, path, path === '/graphql' ? { query, variables: { input: state } } : state)
    const earlier = await Promise.race([
      holding.then(() => 'the one that holds'),
      waiting.then(() => 'the one that waits'),
    ])
    // On PostgreSQL both end at about the same time: a write waits for the lock until the deadline of its request.
    if (engine === 'sqlite') expect(earlier).toBe('the one that waits')
    const { status, headers, body } = await waiting
    letGo()
    expect([status, body.code ?? body.errors[0].extensions.code]).toEqual([503, 'UNAVAILABLE'])
    expect(headers.get('retry-after')).toMatch(/^\d+$/)
    expect(engine === 'sqlite' ? [200] : [200, 503]).toContain((await holding).status)
    // An aborted request has left the queue. On a busy machine it may take several tries within that deadline.
    const next = async () => (await send(second, '/v1/projects', state)).status
    await expect.poll(next, { timeout: 20_000 }).toBe(200)
  },
)
