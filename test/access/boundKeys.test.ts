import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import { SCOPE_NAMES, type Scope } from '../../src/auth/scopes.js'
import { LIMITS } from '../../src/limits.js'
import { type Caller, type Gateway, openGateway } from '../support/harness.js'
import { mint, runHere } from '../support/inProcess.js'
import { newFolder } from '../support/process.js'
import { BRIDGE, counts, numbered, sync, synced } from '../support/syncing.js'

/** A caller whose key changes only these projects. */
async function boundTo(gateway: Gateway, projects: readonly string[], ...more: Scope[]): Promise<Caller> {
  const scopes: Scope[] = ['projects.manage', ...more]
  const key = await gateway.write((write) => mintKey(write, { name: 'Bound', scopes, projects, expiresAt: undefined }))
  return gateway.with(`Bearer ${key.secret}`)
}

async function traces({ store }: Gateway): Promise<unknown> {
  const { db, t } = store.read
  const tables = [t.project, t.risk, t.issue, t.riskTally, t.change]
  return [await store.version(), ...(await Promise.all(tables.map((table) => db.select().from(table))))]
}

const refusal = (message: string) => ({
  data: { syncProject: null },
  errors: [
    {
      message,
      path: ['syncProject'],
      locations: expect.any(Array),
      extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope: 'projects.manage' },
    },
  ],
})

test('a key that is bound to ALPHA and BETA brings in those, in any case', async () => {
  const caller = await boundTo(openGateway(), ['ALPHA', 'BETA'])
  expect(await synced(caller, { ...BRIDGE, key: ' Beta ' })).toMatchObject({
    project: { key: 'BETA' },
    risks: counts(2),
  })
  expect(await synced(caller, { ...BRIDGE, key: 'ALPHA' })).toMatchObject({
    project: { key: 'ALPHA' },
    risks: counts(2),
  })
  expect(await synced(caller, { ...BRIDGE, key: 'alpha' })).toMatchObject({ risks: counts(0, 0, 2) })
})

test('and no other, be it there or not, whatever is wrong with it, and changes nothing', async () => {
  const gateway = openGateway()
  const caller = await boundTo(gateway, ['ALPHA', 'BETA'])
  await synced(await gateway.as('projects.manage'), BRIDGE)
  const before = await traces(gateway)
  for (const state of [
    BRIDGE,
    { ...BRIDGE, key: 'GAMMA' },
    { key: 'bridge', name: '' },
    { key: 'ALPHA BETA' },
    { key: '' },
  ]) {
    const { status, body } = await sync(caller, state)
    expect([status, body]).toEqual([200, refusal('This key may change only ALPHA, BETA.')])
  }
  expect(await traces(gateway)).toEqual(before)
})

test('it reads everything, and shows its bound projects', async () => {
  const gateway = openGateway()
  const [caller, free] = [await boundTo(gateway, ['ALPHA'], 'personnel.read'), await gateway.as('projects.manage')]
  await synced(free, BRIDGE)
  for (const path of ['/v1/projects', '/v1/risks', '/v1/issues', '/v1/projects/BRIDGE']) {
    expect((await caller.get(path)).body).toEqual((await free.get(path)).body)
  }
  const query = '{ apiKey { scopes projects } }'
  const scopes = ['projects.manage', 'personnel.read']
  expect((await caller.graphql(query)).body).toEqual({ data: { apiKey: { scopes, projects: ['ALPHA'] } } })
  expect((await free.graphql(query)).body.data.apiKey.projects).toBe(null)
})

test('what the key may do besides is not bound', async () => {
  const gateway = openGateway()
  const caller = await boundTo(gateway, ['ALPHA'], 'personnel.manage')
  expect((await caller.post('/v1/personnel', { name: 'Ada', email: 'ada@example.com' })).status).toBe(201)
})

test('a key without projects.manage syncs nothing', async () => {
  const gateway = openGateway()
  const caller = await gateway.as(...SCOPE_NAMES.filter((scope) => scope !== 'projects.manage'))
  const before = await traces(gateway)
  expect((await sync(caller, BRIDGE)).body).toEqual(refusal('This needs a key with the scope projects.manage.'))
  expect(await traces(gateway)).toEqual(before)
})

const BOUND = ['--scope', 'projects.manage', '--project', 'alpha', '--project', 'BETA-2']

test('keys create binds a key, and list and rotate keep and show it', async () => {
  const folder = newFolder()
  const made = await mint(folder, '--name', 'feeder', ...BOUND, '--expires', '90d')
  expect(made).toMatchObject({ name: 'feeder', scopes: ['projects.manage'], projects: ['ALPHA', 'BETA-2'] })
  const rotated = await runHere(folder, ['keys', 'rotate', made.id])
  expect(rotated).toMatchObject({ code: 0, stderr: expect.stringContaining('changes only ALPHA, BETA-2') })
  const [list, json] = await Promise.all([
    runHere(folder, ['keys', 'list']),
    runHere(folder, ['keys', 'list', '--json']),
  ])
  expect(list.stdout.match(/\[projects\.manage; changes only ALPHA, BETA-2\]/g)).toHaveLength(2)
  expect(JSON.parse(json.stdout)).toMatchObject(Array(2).fill({ projects: ['ALPHA', 'BETA-2'] }))
})

test('keys create warns that a sync matches no person without personnel.read, and its help shows both scopes', async () => {
  const folder = newFolder()
  const made = (...scopes: string[]) =>
    runHere(folder, ['keys', 'create', '--name', 'x', ...scopes.flatMap((scope) => ['--scope', scope])])
  const hint = /^Without personnel\.read, a sync with this key does not match owners/m
  expect((await made('projects.manage')).stderr).toMatch(hint)
  for (const other of ['personnel.read', 'personnel.manage'])
    expect((await made('projects.manage', other)).stderr).not.toMatch(hint)
  expect((await made('projects.read')).stderr).not.toMatch(hint)
  expect((await runHere(folder, ['keys', 'create', '--help'])).stdout).toContain(
    '--scope projects.manage --scope personnel.read --project APOLLO',
  )
})

test('keys create refuses a project without projects.manage, and a key that is none, with exit code 2', async () => {
  const folder = newFolder()
  const cases: [args: string[], sentence: RegExp][] = [
    [['--scope', 'projects.read', '--project', 'ALPHA'], /--project goes with .*projects\.manage/],
    [['--scope', 'personnel.manage', '--project', 'ALPHA'], /--project goes with .*projects\.manage/],
    [['--scope', 'projects.manage', '--project', 'ALPHA', '--project', '1 b'], /--project is "1 b".*capitals/],
  ]
  const run = ([args]: [string[], RegExp]) => runHere(folder, ['keys', 'create', '--name', 'a', ...args])
  expect(await Promise.all(cases.map(run))).toEqual(
    cases.map(([, sentence]) => ({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) })),
  )
  expect(existsSync(join(folder, 'data'))).toBe(false)
})

/** A sync of about this many bytes. */
const large = (bytes: number) => ({
  ...BRIDGE,
  risks: numbered(Math.ceil(bytes / 10_000), { description: 'd'.repeat(9_900) }),
})

test('a large sync is taken from a key that may change things, and from no other, whose body is refused unread', async () => {
  const gateway = openGateway()
  const [feeder, clerk] = [await gateway.as('projects.manage'), await gateway.as('personnel.read', 'projects.read')]
  const state = large(10_000_000)
  const before = await traces(gateway)
  const refused = await sync(clerk, state)
  expect([refused.status, refused.body]).toEqual([
    413,
    {
      errors: [{ message: expect.stringContaining('larger than 1 MB'), extensions: { code: 'PAYLOAD_TOO_LARGE' } }],
    },
  ])
  expect(await traces(gateway)).toEqual(before)
  expect(await synced(feeder, state)).toMatchObject({ risks: counts(state.risks.length) })
  const tooLarge = await sync(feeder, { ...state, description: 'x'.repeat(LIMITS.syncBodyBytesMax) })
  expect([tooLarge.status, tooLarge.body.errors[0].extensions.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  expect(tooLarge.body.errors[0].message).toContain('in smaller parts: risks and issues with `mode: PARTIAL`')
})
