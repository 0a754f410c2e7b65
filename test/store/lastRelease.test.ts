import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mintKey, revokeKey } from '../../src/auth/keys.js'
import { erasePerson } from '../../src/personnel/erasure.js'
import { JOURNAL_TABLE, migrationsOf } from '../../src/store/migrationJournal.js'
import { inOneWrite } from '../../src/store/shortWrites.js'
import { sendWithToken } from '../api/idempotent.js'
import { dropDatabase, newDatabase } from '../postgres/databases.js'
import { hangUp } from '../postgres/sync.js'
import { engine } from '../support/engine.js'
import { fillCompany } from '../support/fixtures.js'
import { type Caller, openGateway } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { newFolder } from '../support/process.js'
import { postgresStore, sqliteStore, type TestStore } from '../support/stores.js'
import { counts, synced } from '../support/syncing.js'

/** The last migration of the release that users have. */
const LAST = engine === 'sqlite' ? '0006_live_memberships' : '0003_live_memberships'
const KNOWN = migrationsOf(engine)
const NEW_TAGS = KNOWN.map(({ tag }) => tag).filter((tag) => tag > LAST)

/** What a store has, in the order of foreign keys. */
const TABLES = [
  ...['person', 'groups', 'membership', 'project', 'risk', 'risk_tally', 'issue', 'api_key', 'change', 'kept_answer'],
  'revision',
]
const COLUMNS =
  engine === 'sqlite'
    ? 'select name from pragma_table_info'
    : 'select attname from pg_attribute where attnum > 0 and attrelid = to_regclass'

const ending: (() => unknown)[] = []
const atEnd = (end: () => unknown) => void ending.unshift(end)
afterAll(async () => {
  for (const end of ending) await end()
})

/** An empty store as that release made it. */
function oldStore(): TestStore {
  const url = engine === 'postgres' ? newDatabase() : ''
  const remove = () => {
    hangUp(url)
    dropDatabase(url)
  }
  const own = url ? postgresStore(url, remove) : sqliteStore(join(newFolder(atEnd), 'operations.db'))
  own.run(JOURNAL_TABLE)
  for (const { tag, hash, statements } of KNOWN.filter((one) => !NEW_TAGS.includes(one.tag))) {
    for (const statement of statements) own.run(statement)
    own.run(`insert into schema_migration values ('${tag}', '${hash}', '2026-10-01T00:00:00.000Z')`)
  }
  return own
}

/** Columns that the upgrade fills. */
const DERIVED = [
  'nonce',
  'project_id',
  'state_from',
  'state_to',
  'known',
  'known_nonce',
  'department_folded',
  'title_folded',
  'due_key',
  'least_version',
  'import_id',
]

const literal = (value: unknown) => (value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`)

/** Copies a store into an old one, which has a place for everything in it but what the feed and the trend need. */
function copy(from: TestStore, to: TestStore): void {
  for (const table of TABLES) {
    const columns = to.values(`${COLUMNS}('${table}')`).map(String)
    const rows = from.rows(`select * from ${table}`)
    const lost = rows.flatMap((row) => Object.keys(row).filter((name) => row[name] !== null && !columns.includes(name)))
    expect(lost.filter((name) => !DERIVED.includes(name))).toEqual([])
    const values = rows.map((row) => `(${columns.map((column) => literal(row[column])).join(', ')})`)
    to.run(`insert into ${table} (${columns.join(', ')}) values ${values.join(', ')}`)
  }
  if (engine === 'postgres') to.run("select setval('change_id_seq', (select max(id) from change))")
}

const ADDED = {
  path: '/v1/personnel',
  body: { name: 'Émile O’Neill', email: 'emile@example.com', department: 'ÉTUDES Ｂau' },
}
const scored = (reference: string, likelihood: number | null) => ({
  ...{ reference, title: `Risk ${reference}`, likelihood, impact: likelihood, description: 'It\'s 100 % \\ "q"\nx' },
})
const issue = (reference: string, rest: object = {}) => ({ reference, title: 'No crane', severity: 'LOW', ...rest })

/** Every kind of row, most of them changed several times, on several days, by several keys. */
async function fill() {
  const gateway = openGateway({}, atEnd)
  const at = (day: number) => {
    gateway.clock.now = new Date(`2026-11-0${day}T12:00:00.000Z`)
  }
  at(1)
  const { personIds, groupIds } = await gateway.write((write) => fillCompany(write, true))
  const caller = await gateway.as('personnel.manage', 'projects.manage')
  const other = await gateway.as('projects.manage')
  const scopes = ['personnel.read'] as const
  const revoked = await gateway.write((write) => mintKey(write, { name: 'Old', scopes, expiresAt: undefined }))
  await gateway.write((write) => revokeKey(write, revoked.id))
  const added = await sendWithToken(caller, ADDED)
  await synced(other, { key: 'QUAY', name: 'Quay', risks: [scored('A', 2), scored('B', null), scored('C', 3)] })
  at(2)
  await caller.patch(`/v1/personnel/${added.body.id}`, { title: 'Welder', status: 'INACTIVE' })
  await caller.patch(`/v1/personnel/${added.body.id}`, { title: null, status: 'ACTIVE' })
  await caller.put(`/v1/groups/${groupIds[2]}/members/${added.body.id}`)
  await caller.patch(`/v1/groups/${groupIds[2]}`, { name: 'No longer empty' })
  const late = { risk: 'A', dueOn: '2026-12-01', assignee: 'bea' }
  await synced(caller, { key: 'QUAY', issues: [issue('I'), issue('J', late)], risks: [scored('A', 5), scored('B', 4)] })
  at(3)
  await synced(other, { key: 'QUAY', status: 'ON_HOLD', issues: [issue('J', { severity: 'HIGH' })] })
  await gateway.write((write) => erasePerson(inOneWrite(write), personIds[3] ?? ''))
  at(4)
  // The last release recorded no runs.
  gateway.own.run('update change set import_id = null')
  return { gateway, caller, added, revoked: `Bearer ${revoked.secret}` }
}

type Stage = Awaited<ReturnType<typeof fill>> & { readonly old: TestStore; readonly upgraded: Caller }
let stage: Stage

beforeAll(async () => {
  const filled = await fill()
  const old = oldStore()
  copy(filled.gateway.own, old)
  const args = ['migrate', '--json', '--database', old.url]
  const { code, stdout, stderr } = await runHere(newFolder(atEnd), args)
  const said = Array.from(stderr.matchAll(/^Migration (\S+) .* steps done\.$/gm), ([, tag]) => tag)
  const { applied } = JSON.parse(stdout)
  expect({ code, said: [...new Set(said)], applied }).toEqual({ code: 0, said: NEW_TAGS, applied: NEW_TAGS })
  expect(stderr.split('\n').length).toBe(said.length + 1)
  const upgraded = openGateway({}, atEnd, old).with(filled.caller.authorization)
  stage = { ...filled, old, upgraded }
}, 60_000)

const HISTORY = 'id history(first: 20) { nodes { id action by recordedAt effectiveOn fields { field from to } } }'
const SHOWN: readonly string[] = [
  '/v1/personnel?status=active,inactive',
  `/v1/personnel?department=${encodeURIComponent('études BAU')}`,
  '/v1/groups',
  '/v1/projects',
  '/v1/risks?status=open,occurred,closed',
  '/v1/issues?total=true',
  '/v1/key',
  '/v1/risks/matrix',
  '/v1/issues/counts',
  '/v1/movements?since=2026-11-02&until=2026-11-03',
  '/v1/movements?since=2026-11-02&project=QUAY',
  '/v1/risks/trend?from=2026-10-31&to=2026-11-04',
  `{ personnel(filter: { status: [ACTIVE, INACTIVE] }, first: 20) { nodes { ${HISTORY} } } }`,
  `{ groups(first: 20) { nodes { ${HISTORY} } } projects(first: 20) { nodes { ${HISTORY} } } }`,
  `{ risks(filter: { status: [OPEN, OCCURRED, CLOSED] }, first: 50) { nodes { ${HISTORY} } } }`,
  `{ issues(first: 50) { nodes { ${HISTORY} } } }`,
]

test('what the upgrade has derived is what a check derives', async () => {
  expect(await runHere(newFolder(), ['check', '--database', stage.old.url])).toMatchObject({ code: 0, stderr: '' })
})

test('everything is there as before, the past included', async () => {
  const { caller, upgraded } = stage
  for (const shown of SHOWN) {
    const ask = async (one: Caller) => (shown.startsWith('/') ? one.get(shown) : one.graphql(shown))
    const [before, after] = [await ask(caller), await ask(upgraded)]
    expect(before.body.errors).toBeUndefined()
    expect({ shown, status: after.status, body: after.body }).toEqual({ shown, status: 200, body: before.body })
  }
})

test('the migrations derive from old changes what a write stores with new ones', () => {
  const derived = 'select id, project_id, state_from, state_to from change order by id'
  expect(stage.old.rows(derived)).toEqual(stage.gateway.own.rows(derived))
  expect(stage.old.values('select 1 from change where nonce = 0')).toEqual([])
})

test('the departments of old people are folded as a write folds them', () => {
  const folded = 'select id, department_folded from person order by id'
  expect(stage.old.rows(folded)).toEqual(stage.gateway.own.rows(folded))
  expect(stage.old.values('select department_folded from person where department is not null')).toEqual([
    ['études bau'],
  ])
})

test('what the release did not have is null or empty', async () => {
  const { upgraded } = stage
  const { data } = (await upgraded.get('/v1/risks?status=open,occurred,closed')).body
  const blank = {
    ...{ mitigation: null, cause: null, dueOn: null, scoreGiven: null, details: [] },
    ...{ residualLikelihood: null, residualImpact: null, residualScore: null, residualLevel: null },
  }
  expect(data).toEqual(data.map((row: object) => ({ ...row, ...blank })))
  for (const path of ['/v1/personnel?status=active,inactive', '/v1/projects', '/v1/issues']) {
    const rows: { details: unknown }[] = (await upgraded.get(path)).body.data
    expect(new Set(rows.map(({ details }) => JSON.stringify(details)))).toEqual(new Set(['[]']))
  }
})

test('keys, and a request that was answered before, are known', async () => {
  const { gateway, upgraded, revoked, added } = stage
  expect(await sendWithToken(upgraded, ADDED)).toMatchObject({ status: 201, text: added.text })
  const refused = await gateway.with(revoked).get('/v1/personnel')
  expect(await openGateway({}, undefined, lent(stage.old)).with(revoked).get('/v1/personnel')).toMatchObject({
    status: 401,
    body: { ...refused.body, requestId: expect.any(String) },
  })
})

/** Not removed with its service. */
const lent = (own: TestStore): TestStore => Object.create(own, { remove: { value: () => undefined } })

type Entry = { readonly id: string; readonly cursor: string; readonly import: unknown }
/** The random values in cursors are new, and that release did not record its imports. */
const withoutCursor = ({ cursor: _, import: __, ...entry }: Entry) => entry

test('the feed has every old change, page by page, by kind and by project, and goes on with new ones', async () => {
  const { caller, upgraded, old } = stage
  const all = old.values('select id from change order by id').map(([id]) => String(id))
  expect(all.length).toBeGreaterThan(100)
  for (const which of ['', '&project=QUAY', '&entity=risk,person', '&project=QUAY,APOLLO&entity=issue']) {
    const before: Entry[] = (await caller.get(`/v1/changes?limit=1000${which}`)).body.data
    const entries: Entry[] = []
    let cursor = ''
    for (let more = true; more; ) {
      const { body } = await upgraded.get(`/v1/changes?limit=40${which}${cursor}`)
      entries.push(...body.data)
      more = body.page.more
      cursor = `&cursor=${body.page.next}`
    }
    expect(entries.map(withoutCursor)).toEqual(before.map(withoutCursor))
    if (which !== '') continue
    expect(entries.map(({ id }) => id)).toEqual(all)
    await upgraded.post('/v1/groups', { name: 'Riggers' })
    const { data } = (await upgraded.get(`/v1/changes?limit=40${cursor}`)).body
    expect(data).toMatchObject([{ action: 'CREATED', entity: 'GROUP', title: 'Riggers' }])
    const other = await caller.get(`/v1/changes?${cursor.slice(1)}`)
    expect(other).toMatchProblem(410, 'CURSOR_GONE')
  }
})

test.each([
  ['risk_score', 'update risk set score = score + 1, standing = standing - 10 where likelihood > 0'],
  ['risk_standing', 'update risk set standing = standing - 1'],
  ['risk_score_given', 'update risk set score_given = 26, score = 26, standing = -260 where likelihood is null'],
  ['risk_score_needed', 'update risk set score_given = score where likelihood > 0'],
  ['risk_residual_likelihood', 'update risk set residual_likelihood = 6, residual_impact = 1'],
  ['risk_residual_assessed', 'update risk set residual_impact = 2'],
  ['risk_due_on', "update risk set due_on = 'soon', due_key = 'soon'"],
  ['risk_mitigation_text', "update risk set mitigation = ' padded '"],
  ['risk_cause_text', "update risk set cause = ''"],
  ...['person', 'project', 'risk', 'issue'].map((name) => [`${name}_details`, `update ${name} set details = '[]'`]),
])('the rule %s holds', (rule, statement) => {
  expect(() => stage.old.run(statement)).toThrow(new RegExp(`check constraint.*${rule}\\b`, 'i'))
})

test('a sync sets the new fields of old rows, once', async () => {
  const { upgraded } = stage
  const details = [{ name: 'Cost', text: '7' }]
  const facts = {
    ...{ mitigation: 'A second mill.', cause: 'One mill.', dueOn: '2027-01-31', details },
    ...{ residualLikelihood: 1, residualImpact: 2 },
  }
  const state = { key: 'QUAY', details, mode: 'PARTIAL', issues: [{ reference: 'J', details }] }
  const risks = [
    { reference: 'A', ...facts },
    { reference: 'B', likelihood: null, impact: null, scoreGiven: 24 },
  ]
  expect(await synced(upgraded, { ...state, risks })).toMatchObject({ risks: counts(0, 2), issues: counts(0, 1) })
  expect(await synced(upgraded, { ...state, risks })).toMatchObject({ risks: counts(0, 0, 2), issues: counts(0, 0, 1) })
  const [second, first] = (await upgraded.get('/v1/risks?project=QUAY&limit=2')).body.data.toReversed()
  expect(first).toMatchObject({ reference: 'A', ...facts, score: 25, rank: 1, residualScore: 2, residualLevel: 'LOW' })
  expect(second).toMatchObject({ reference: 'B', scoreGiven: 24, score: 24, rank: 2, level: 'CRITICAL' })
  const history = 'history { nodes { fields { field from to } } }'
  const { body } = await upgraded.graphql(`{ risk(id: "${first.id}") { ${history} } }`)
  expect(body.data.risk.history.nodes.at(-1).fields).toContainEqual({ field: 'details.Cost', from: null, to: '7' })
})
