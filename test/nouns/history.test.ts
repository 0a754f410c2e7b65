import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { importRecords } from '../../src/ingest/importers.js'
import { addPerson } from '../../src/personnel/people.js'
import type { NounPlural } from '../../src/vocabulary.js'
import { ada, grace } from '../support/fixtures.js'
import { type Caller, type Gateway, NOW, openFilled } from '../support/harness.js'
import { BRIDGE, numbered, sync, synced } from '../support/syncing.js'

const LATER = new Date('2026-11-03T23:59:59.999Z')

interface TrackedStage {
  readonly gateway: Gateway
  readonly caller: Caller
  /** The ids of some people and groups. */
  readonly p: readonly string[]
  readonly g: readonly string[]
}

async function openTracked(): Promise<TrackedStage> {
  const { gateway, company } = await openFilled()
  const { personIds: p, groupIds: g } = company
  const caller = await gateway.as('personnel.manage', 'projects.manage')
  gateway.clock.now = LATER
  return { gateway, caller, p, g }
}

type Entity = Record<string, unknown>

/** Derived fields, and fields that the history does not record. */
const UNTRACKED = /^(id|projectId|live|sortKey|dueKey|erasedAt|syncedAt|createdAt|updatedAt|\w+Folded)$/

/** Every entity by its id, with all fields that its history records. */
async function entities({ store }: Gateway): Promise<Map<string, Entity>> {
  const { db, t } = store.read
  const memberships = await db.select().from(t.membership)
  const groups = await db.select().from(t.group).orderBy(t.group.nameFolded)
  const groupsOf = (id: string) =>
    groups.filter((group) => memberships.some((one) => one.groupId === group.id && one.personId === id))
  const tables = [t.person, t.group, t.project, t.risk, t.issue]
  const rows: Entity[] = (await Promise.all(tables.map((table) => db.select().from(table)))).flat()
  return new Map(
    rows.map((row) => {
      const outcome = Object.entries(row).filter(([name]) => !UNTRACKED.test(name))
      const id = String(row['id'])
      return [
        id,
        Object.fromEntries(
          id.startsWith('usr_') ? [...outcome, ['groups', groupsOf(id).map(({ name }) => name)]] : outcome,
        ),
      ]
    }),
  )
}

const isNothing = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)

/** The history rows expected from the difference between two states, by entity. */
function differences(before: Map<string, Entity>, after: Map<string, Entity>): Record<string, object> {
  const lines = [...after].flatMap(([id, now]) => {
    const was = before.get(id)
    const fields = Object.entries(now).flatMap(([name, to]) => {
      const from = was ? was[name] : Array.isArray(to) ? [] : null
      const isSame = JSON.stringify(from) === JSON.stringify(to) || (!was && isNothing(to))
      return isSame ? [] : [[name, [from, to]]]
    })
    return fields.length === 0 ? [] : [[id, { isNew: !was, fields: Object.fromEntries(fields) }]]
  })
  return Object.fromEntries(lines)
}

async function historyRows({ store }: Gateway) {
  return store.read.db.select().from(store.read.t.change).orderBy(store.read.t.change.id)
}

const KINDS: Record<string, string> = { usr: 'PERSON', grp: 'GROUP', prj: 'PROJECT', rsk: 'RISK', iss: 'ISSUE' }

/** Runs work and checks that the history has exactly one row for each entity that changed. */
async function outcomeOf(
  { gateway }: TrackedStage,
  work: () => Promise<unknown>,
): Promise<{ actions: string[]; by: string[] }> {
  const [before, known] = [await entities(gateway), (await historyRows(gateway)).length]
  await work()
  const rows = (await historyRows(gateway)).slice(known)
  const expected = differences(before, await entities(gateway))
  const lines = rows.map(({ entityId, action, fields }) => [
    entityId,
    { isNew: action === 'CREATED', fields: JSON.parse(fields) },
  ])
  expect(Object.fromEntries(lines)).toEqual(expected)
  expect(rows.length).toBe(Object.keys(expected).length)
  for (const { entity, entityId, recordedAt, effectiveOn } of rows) {
    const at = gateway.clock.now.toISOString()
    expect({ entity, recordedAt, effectiveOn }).toEqual({
      ...{ entity: KINDS[entityId.slice(0, 3)], recordedAt: at, effectiveOn: at.slice(0, 10) },
    })
  }
  return { actions: rows.map(({ action }) => action), by: [...new Set(rows.map(({ by }) => by.slice(0, 4)))] }
}

const WORDING = { place: String, createProjects: '', createGroups: '', closeLimit: '' }

/** As the command does: with violations, nothing is stored. */
function imported(
  { gateway }: TrackedStage,
  noun: NounPlural,
  records: Entity[],
  options: object = {},
): Promise<unknown> {
  const sourceRecords = records.map((values, index) => ({ index, values }))
  return gateway.write(async (write) => {
    const { violations } = await importRecords(write, noun, sourceRecords, {
      wording: WORDING,
      matchPeople: true,
      ...options,
    })
    if (violations.length > 0) throw new Error('refused')
  })
}

const mutate = ({ caller }: TrackedStage, field: string) => caller.graphql(`mutation { ${field} { id } }`)
const whole = { project: 'NEW', createProjects: true, closeMissing: true, closeLimit: 99 }
const assessed = { reference: 'R-0', title: 'Wind', likelihood: 2, impact: 5 }
const NEXT = {
  ...{ key: 'BRIDGE', name: 'Old bridge', closeLimit: 9, risks: [{ reference: 'R-2', likelihood: 3, impact: 3 }] },
  issues: [{ reference: 'I-2' }, { reference: 'I-3', title: 'New', severity: 'LOW' }],
}
const PILOTS = [
  { ...grace, groups: 'Pilots' },
  { email: 'p1@example.com', title: 'Pilot', groups: 'Pilots' },
]

/** Every kind of change, with its history rows. */
const WAYS: [way: string, writes: string, work: (stage: TrackedStage) => Promise<unknown>][] = [
  ['POST a person', 'CREATED', ({ caller, g }) => caller.post('/v1/personnel', { ...ada, groupIds: g })],
  [
    'PATCH a person',
    'UPDATED',
    ({ caller, p }) => caller.patch(`/v1/personnel/${p[0]}`, { title: 'Lead', email: 'x@y' }),
  ],
  ['POST a group', 'CREATED', ({ caller }) => caller.post('/v1/groups', { name: 'Divers' })],
  ['PATCH a group', 'UPDATED', ({ caller, g }) => caller.patch(`/v1/groups/${g[0]}`, { description: 'Deep.' })],
  ['PUT a member', 'UPDATED', ({ caller, g, p }) => caller.put(`/v1/groups/${g[2]}/members/${p[0]}`)],
  ['DELETE a member', 'UPDATED', ({ caller, g, p }) => caller.delete(`/v1/groups/${g[0]}/members/${p[0]}`)],
  ['addPerson', 'CREATED', (stage) => mutate(stage, 'addPerson(input: { name: "Lin", email: "lin@x.org" })')],
  ['changePerson', 'UPDATED', (stage) => mutate(stage, `changePerson(id: "${stage.p[1]}", input: { title: "T" })`)],
  ['addGroup', 'CREATED', (stage) => mutate(stage, 'addGroup(input: { name: "Climbers" })')],
  ['changeGroup', 'UPDATED', (stage) => mutate(stage, `changeGroup(id: "${stage.g[1]}", input: { externalId: "E" })`)],
  ['addMember', 'UPDATED', (stage) => mutate(stage, `addMember(groupId: "${stage.g[2]}", personId: "${stage.p[3]}")`)],
  [
    'removeMember',
    'UPDATED',
    (stage) => mutate(stage, `removeMember(groupId: "${stage.g[2]}", personId: "${stage.p[3]}")`),
  ],
  ['syncProject', 'CREATED CREATED CREATED CREATED CREATED', ({ caller }) => synced(caller, BRIDGE)],
  ['syncProject again', 'UPDATED UPDATED CLOSED CREATED CLOSED', ({ caller }) => synced(caller, NEXT)],
  ['import people', 'CREATED CREATED UPDATED', (stage) => imported(stage, 'people', PILOTS, { createGroups: true })],
  [
    'import groups',
    'CREATED UPDATED',
    (stage) => imported(stage, 'groups', [{ name: 'Sailors', members: ['p3@example.com'] }]),
  ],
  [
    'import projects',
    'CREATED UPDATED',
    (stage) =>
      imported(stage, 'projects', [
        { key: 'SHIP', name: 'Ship' },
        { key: 'OLD', description: 'Over.' },
      ]),
  ],
  ['import risks', 'CREATED CREATED CREATED', (stage) => imported(stage, 'risks', numbered(2), whole)],
  ['import fewer risks', 'UPDATED CLOSED', (stage) => imported(stage, 'risks', [assessed], whole)],
  [
    'import issues',
    'CREATED',
    (stage) => imported(stage, 'issues', [{ reference: 'I', title: 'T', severity: 'LOW', risk: 'R-0' }], whole),
  ],
]

test('every way to change something writes one line for each entity that changed, and none the second time', async () => {
  const stage = await openTracked()
  for (const [way, writes, work] of WAYS) {
    const first = await outcomeOf(stage, () => work(stage))
    const by = [way.startsWith('import') ? 'cli' : 'key_']
    expect({ way, ...first }).toEqual({ way, actions: writes.split(' '), by })
    expect({ way, ...(await outcomeOf(stage, () => work(stage))) }).toEqual({ way, actions: [], by: [] })
  }
})

const LATE = [...numbered(900), { reference: 'R-900', title: 'Late', likelihood: 6, impact: 1 }]

/** Changes that are refused, before or after much was written. */
const REFUSED: [way: string, work: (stage: TrackedStage) => Promise<unknown>][] = [
  ['a taken e-mail', ({ caller }) => caller.post('/v1/personnel', { name: 'A', email: 'p0@example.com' })],
  ['a bad PATCH', ({ caller, p }) => caller.patch(`/v1/personnel/${p[0]}`, { title: 'Lead', email: 'none' })],
  [
    'a stale PATCH',
    ({ caller, p }) => caller.patch(`/v1/personnel/${p[0]}`, { title: 'Lead' }, { 'if-match': '"old"' }),
  ],
  ['a member that is nobody', ({ caller, g }) => caller.put(`/v1/groups/${g[0]}/members/usr_nobody`)],
  ['too little scope', async ({ gateway }) => sync(await gateway.as('projects.read'), BRIDGE)],
  ['a sync with a late violation', ({ caller }) => sync(caller, { ...BRIDGE, risks: LATE })],
  [
    'a sync that would close too much',
    ({ caller }) => sync(caller, { key: 'APOLLO', name: 'Other', risks: numbered(3) }),
  ],
  ['an import with a late violation', (stage) => imported(stage, 'risks', LATE, whole).catch(() => undefined)],
  [
    'a write that breaks off at its end',
    ({ gateway }) =>
      gateway
        .write(async (write) => {
          await addPerson(write, ada)
          throw new Error('broken off')
        })
        .catch(() => undefined),
  ],
]

test('what is refused writes no history, however far it had come', async () => {
  const stage = await openTracked()
  const before = await entities(stage.gateway)
  for (const [way, work] of REFUSED) {
    expect({ way, ...(await outcomeOf(stage, () => work(stage))) }).toEqual({ way, actions: [], by: [] })
  }
  expect(await entities(stage.gateway)).toEqual(before)
})

test('a stored change sets updatedAt to its timestamp, also when only the groups changed', async () => {
  const { gateway, caller, p, g } = await openTracked()
  await caller.put(`/v1/groups/${g[2]}/members/${p[0]}`)
  const { createdAt, updatedAt } = (await caller.get(`/v1/personnel/${p[0]}`)).body
  expect([createdAt, updatedAt]).toEqual([NOW.toISOString(), gateway.clock.now.toISOString()])
})

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }))

/** The start of a write with its table; `update` and `delete` only on tables, as sets and hashes have them too. */
const WRITES =
  /\b(insert|insertAll|updateAll)\(\s*([\w.]+)|\.(update|delete)\(\s*((?:\w+\.)*t\.\w+|table|person|group|project|risk|issue)\b/g

// The repair of a check writes derived columns alone, which the history does not have.
test('only the ledger, the erasure and a repair write entities, so that the history cannot be forgotten', () => {
  const nouns = sources.filter(({ file }) => !file.startsWith('store/'))
  const found = nouns.flatMap(({ file, text }) =>
    [...text.matchAll(WRITES)].map(([, put, into, alter, what]) => `${file}: ${put ?? alter} ${into ?? what}`),
  )
  expect([...new Set(found)].sort()).toEqual([
    'auth/idempotencyRecords.ts: delete t.idempotencyRecord',
    'auth/idempotencyRecords.ts: insertAll t.idempotencyRecord',
    'auth/keys.ts: insert t.apiKey',
    'auth/keys.ts: update t.apiKey',
    'cli/store/derived.ts: insert riskTally',
    'cli/store/derived.ts: update table',
    'history/importRuns.ts: insert t.importRun',
    'history/ledger.ts: delete table',
    'history/ledger.ts: insertAll t.change',
    'history/ledger.ts: insertAll table',
    'history/ledger.ts: insertAll write.t.change',
    'history/ledger.ts: updateAll table',
    // For a moment: the ledger stores the next address in the same transaction.
    'ingest/matching/addresses.ts: updateAll t.person',
    'ingest/sourceMaps.ts: delete t.sourceMap',
    'ingest/sourceMaps.ts: insert t.sourceMap',
    'personnel/erasedHistory.ts: updateAll write.t.change',
    'personnel/erasure.ts: delete t.membership',
    'personnel/erasure.ts: insertAll t.change',
    'personnel/erasure.ts: update t.person',
    'personnel/erasure.ts: update table',
    'personnel/memberships.ts: delete t.membership',
    'personnel/memberships.ts: insertAll t.membership',
    'personnel/memberships.ts: update t.membership',
    'personnel/removedGroups.ts: delete t.membership',
    'projects/projects.ts: update t.project',
    'projects/risks.ts: insert t.riskTally',
  ])
  const statements = sources.filter(({ text }) =>
    /\b(insert into|update|delete from)\s+["`]?(person|groups|project|risk|issue)\b/i.test(text),
  )
  expect(statements.map(({ file }) => file)).toEqual([])
})

test('a note that data came in is all that is written of a project besides', () => {
  const { text = '' } = sources.find(({ file }) => file === 'projects/projects.ts') ?? {}
  expect(text.match(/update\(t\.project\).*/g)).toEqual([
    'update(t.project).set({ syncedAt: at }).where(among(t.project.id, projectIds))',
  ])
})
