import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { BATCH_ROWS } from '../../src/history/changes.js'
import { risksLedger, riskWith } from '../../src/projects/risks.js'
import type { Write } from '../../src/store/store.js'
import { damageTable, newStore as newPeople, overwritePage, rootOf } from '../store/backup/copies.js'
import { engine } from '../support/engine.js'
import { type Office, openOffice, usesAreStored } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { newFolder } from '../support/process.js'
import { BRIDGE, synced } from '../support/syncing.js'

const isFile = engine === 'sqlite'
const FOLDED = (nouns: string) => `folded texts of ${nouns}`
const HISTORY = 'projects and states in the history'
const DERIVED = [
  'risks by score',
  'live memberships',
  'merged people',
  ...['people', 'groups', 'projects', 'risks', 'issues'].map(FOLDED),
  HISTORY,
]
const CLEAN = [
  // PostgreSQL looks after its pages and references itself.
  ...[...(isFile ? ['pages', 'references'] : []), 'change counters', ...DERIVED].map((name) => `${name}: ok`),
]
/** The lines of a clean store, of which one is replaced. */
const withLine = (check: string, line: string) => CLEAN.map((one) => (one.startsWith(`${check}: `) ? line : one))
const printed = (lines: readonly string[]) => `${lines.join('\n')}\n`
const SOUND = { code: 0, stdout: printed(CLEAN), stderr: '' }
const UNSOUND = expect.stringMatching(
  /^The store \S+ is not sound\. Run `operations check --repair` to derive it again\.\n$/,
)
const RESTORE = 'Stop every server of it, and restore a backup.'

/** A served store with a past: every kind of thing, and risks that rose, fell, closed and came back. */
async function openPast(): Promise<Office> {
  const office = await openOffice()
  const [flood = {}, strike = {}] = BRIDGE.risks
  const states = [{ impact: 2 }, { status: 'CLOSED' }, { impact: 3, status: 'OPEN' }, { title: 'Flooding' }]
  for (const state of [{}, ...states])
    await synced(office.caller, { ...BRIDGE, risks: [{ ...flood, ...state }, strike] })
  const [left] = (await office.caller.get('/v1/groups?limit=1&search=zulu')).body.data
  const [member] = (await office.caller.get(`/v1/groups/${left.id}/members?limit=1`)).body.data
  expect((await office.caller.patch(`/v1/personnel/${member.id}`, { status: 'INACTIVE' })).status).toBe(200)
  await usesAreStored(office.gateway)
  return office
}

/** More changes of one risk than are read at once: its score rises and falls while it is open, and at last it is closed. */
async function changeOften(write: Write): Promise<void> {
  const ledger = risksLedger(write)
  let [row] = await write.db.select().from(write.t.risk).where(eq(write.t.risk.score, 20)).limit(1)
  const scores = Array.from({ length: BATCH_ROWS + 100 }, (_, i) => ({ likelihood: 1 + (i % 5), impact: 1 + (i % 4) }))
  for (const values of [{ status: 'OPEN' as const }, ...scores, { status: 'CLOSED' as const }]) {
    if (row) row = ledger.enter(row, riskWith(write, row, { projectId: row.projectId, ...values })).row
    await ledger.store()
  }
}

const checked = ({ gateway }: Pick<Office, 'gateway'>, ...flags: string[]) =>
  runHere(newFolder(), ['check', '--database', gateway.own.url, ...flags])

test('a sound store passes every check, also while it is served, and --repair changes nothing', async () => {
  const office = await openPast()
  await office.gateway.write(changeOften)
  const before = office.gateway.own.dump()
  expect(await checked(office)).toEqual(SOUND)
  expect(await checked(office, '--repair')).toEqual(SOUND)
  expect(office.gateway.own.dump()).toEqual(before)
  const { checks } = JSON.parse((await checked(office, '--json')).stdout)
  expect(checks.map(({ check }: { check: string }) => check)).toEqual(CLEAN.map((line) => line.split(':')[0]))
  expect(checks.at(-1)).toEqual({ check: HISTORY, status: 'ok', count: 0, details: [] })
})

/** What is made wrong: a table, the update, its rows, and how the check shows them. */
type Break = readonly [check: string, table: string, set: string, where: string, shown: string]

const where = (table: string, condition: string) => `id = (select min(id) from ${table} where ${condition})`
const ANY = 'created_at is not null'
const MOVED = "entity = 'RISK' and action = 'UPDATED' and state_to is not null"
const HAS_LEFT = "person_id in (select id from person where status = 'INACTIVE')"
const STATES = 'state_from = 1, state_to = 26'

const BREAKS: readonly Break[] = [
  ['risks by score', 'risk_tally', 'live = live + 2', 'score = 9', "'score 9 (5 instead of 3)'"],
  ['live memberships', 'membership', 'live = 1', HAS_LEFT, "person_id || ' in ' || group_id"],
  [FOLDED('people'), 'person', "name_folded = 'x'", where('person', 'email is null'), "id || ' (nameFolded)'"],
  [
    ...([FOLDED('people'), 'person', "email_folded = 'x', department_folded = 'y'"] as const),
    ...([where('person', 'email is not null'), "id || ' (emailFolded, departmentFolded)'"] as const),
  ],
  [FOLDED('groups'), 'groups', "name_folded = 'x'", where('groups', ANY), "id || ' (nameFolded)'"],
  [FOLDED('projects'), 'project', "search_folded = 'x'", where('project', ANY), "id || ' (searchFolded)'"],
  [FOLDED('risks'), 'risk', "search_folded = 'x'", where('risk', 'category is null'), "id || ' (searchFolded)'"],
  [
    FOLDED('risks'),
    'risk',
    "category_folded = 'x'",
    where('risk', 'score > 9 and category is not null'),
    "id || ' (categoryFolded)'",
  ],
  [FOLDED('issues'), 'issue', "search_folded = 'x'", where('issue', ANY), "id || ' (searchFolded)'"],
  [HISTORY, 'change', 'project_id = null', where('change', "entity = 'ISSUE'"), "id || ' (projectId)'"],
  [HISTORY, 'change', "project_id = 'prj_1'", where('change', "entity = 'PROJECT'"), "id || ' (projectId)'"],
  [HISTORY, 'change', STATES, where('change', MOVED), "id || ' (stateFrom, stateTo)'"],
  [HISTORY, 'change', STATES, where('change', "entity = 'PERSON'"), "id || ' (stateFrom, stateTo)'"],
]

test('every derived value that differs is found, named, and repaired to what it was', async () => {
  const office = await openPast()
  const { own, store } = office.gateway
  const [before, version] = [own.dump(), await store.version()]
  const wrong = new Map<string, string[]>()
  for (const [check, table, , which, shown] of BREAKS) {
    wrong.set(check, [
      ...(wrong.get(check) ?? []),
      ...own.values(`select ${shown} from ${table} where ${which}`).map(String),
    ])
  }
  for (const [, table, set, which] of BREAKS) own.run(`update ${table} set ${set} where ${which}`)
  const found = (status: string) =>
    DERIVED.map((check) => {
      const details = wrong.get(check)?.sort() ?? []
      return { check, status: details.length === 0 ? 'ok' : status, count: details.length, details }
    })
  const report = async (...flags: string[]) => {
    const { code, stdout, stderr } = await checked(office, '--json', ...flags)
    const checks: { details: string[] }[] = JSON.parse(stdout).checks.slice(-DERIVED.length)
    return { code, stderr, checks: checks.map((one) => ({ ...one, details: one.details.sort() })) }
  }
  expect(await report()).toEqual({ code: 1, stderr: UNSOUND, checks: found('differs') })
  expect(await store.version()).toBe(version)
  expect(await report('--repair')).toEqual({ code: 0, stderr: '', checks: found('repaired') })
  expect({ ...own.dump(), revision: [] }).toEqual({ ...before, revision: [] })
  expect(await store.version()).not.toBe(version)
  expect(await checked(office)).toEqual(SOUND)
})

test('whoever is merged into someone who is merged too is found, and one of a circle is let go', async () => {
  const office = await openPast()
  const { own } = office.gateway
  const [a, b, c, d] = own.values("select id from person where status = 'ACTIVE' order by id limit 4").map(String)
  const links = [
    [a, b],
    [b, a],
    [c, a],
    [d, c],
  ]
  for (const [id, into] of links)
    own.run(`update person set merged_into = '${into}', status = 'INACTIVE' where id = '${id}'`)
  own.run('update membership set live = 0 where person_id in (select id from person where merged_into is not null)')
  const { code, stdout } = await checked(office)
  expect([code, stdout]).toEqual([
    1,
    printed(withLine('merged people', `merged people: 2 wrong: ${a} in ${b}, ${d} in ${c}`)),
  ])
  expect(await checked(office, '--repair')).toMatchObject({ code: 0 })
  expect(
    own.values(`select id, merged_into, status from person where id in ('${a}', '${b}', '${c}', '${d}') order by id`),
  ).toEqual([
    [a, null, 'ACTIVE'],
    [b, a, 'INACTIVE'],
    [c, a, 'INACTIVE'],
    [d, a, 'INACTIVE'],
  ])
  expect(await checked(office)).toEqual(SOUND)
})

test('a running server shows what was repaired, and a line names the first five of many', async () => {
  const office = await openPast()
  const { own } = office.gateway
  const ranks = async (limit: number) => {
    const { body } = await office.caller.get(`/v1/risks?limit=${limit}`)
    return body.data.slice(0, 3).map(({ rank }: { rank: number }) => rank)
  }
  const right = await ranks(3)
  own.run('update risk_tally set live = live + 1')
  // Another page: the first response is cached until a write.
  expect(await ranks(4)).not.toEqual(right)
  expect(await checked(office, '--repair')).toMatchObject({ code: 0 })
  expect(await ranks(4)).toEqual(right)
  own.run("update risk set search_folded = 'x'")
  const first = own.values('select id from risk order by id limit 5').map(([id]) => `${id} (searchFolded)`)
  expect((await checked(office)).stdout).toContain(`${FOLDED('risks')}: 42 wrong: ${first.join(', ')}, ...\n`)
})

test('a repair that would give two rows the same e-mail changes nothing', async () => {
  const office = await openPast()
  const { own } = office.gateway
  const [one, other] = own.values('select id from person where email is not null order by id').map(String)
  own.run(`update person set email_folded = 'x', name_folded = 'x' where id = '${one}'`)
  own.run(`update person set email = (select email from person where id = '${one}') where id = '${other}'`)
  own.run(`update person set email_folded = lower(email) where id = '${other}'`)
  const before = own.dump()
  expect(await checked(office, '--repair')).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: `Nothing was repaired: two rows would have the same name or e-mail. ${RESTORE}\n`,
  })
  expect(own.dump()).toEqual(before)
})

describe('what only a backup brings back is named, and not repaired', () => {
  test.each([
    ['update revision set personnel = -1', '1 wrong: personnel is -1'],
    ['delete from revision', '1 wrong: 0 rows instead of one'],
  ])('%s', async (sql, line) => {
    const office = await openPast()
    const { own } = office.gateway
    own.run(`${sql}; update project set search_folded = 'x'`)
    const before = own.dump()
    const { code, stdout, stderr } = await checked(office, '--repair')
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(RESTORE) })
    expect(stdout).toContain(`change counters: ${line}\n`)
    expect(own.dump()).toEqual(before)
  })

  test.runIf(isFile)('a reference to a row that is not there', async () => {
    const office = await openPast()
    const { own } = office.gateway
    const owned = where('risk', 'owner_id is not null')
    const [[risk] = []] = own.values(`select id from risk where ${owned}`)
    own.run(`pragma foreign_keys = off; update risk set owner_id = 'usr_gone' where ${owned}`)
    const line = `references: 1 wrong: ${risk} (no such person)`
    expect(await checked(office, '--repair')).toEqual({
      ...{ code: 1, stdout: printed(withLine('references', line)) },
      stderr: expect.stringContaining(RESTORE),
    })
  })

  test.runIf(isFile)('a damaged page', async () => {
    const { folder, store } = newPeople(500)
    damageTable(store, 'person')
    const { code, stdout, stderr } = await runHere(folder, ['check', '--repair'])
    expect(stdout).toMatch(/^pages: \d+ wrong: .*Tree \d+ page \d+/)
    expect(stdout.split('\n')).toHaveLength(2)
    expect({ code, stderr }).toEqual({ code: 1, stderr: `The store ./data/operations.db is not sound. ${RESTORE}\n` })
  })

  test.runIf(isFile)('a page without which nothing can be read', async () => {
    const { folder, store } = newPeople(1)
    overwritePage(store, rootOf(store, 'revision'))
    expect(await runHere(folder, ['check'])).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: `The store ./data/operations.db is damaged: it cannot be read. ${RESTORE}\n`,
    })
  })
})

test.runIf(isFile)('an empty file in the place of the store is not filled, as if nothing had been there', async () => {
  const folder = newFolder()
  const file = join(folder, 'a.db')
  writeFileSync(file, '')
  const refused = `./a.db is empty. Restore a backup into its place, or delete it to begin a new store.\n`
  expect(await runHere(folder, ['serve', '--database', 'file:./a.db'])).toMatchObject({ code: 1, stderr: refused })
  expect(statSync(file).size).toBe(0)
})
