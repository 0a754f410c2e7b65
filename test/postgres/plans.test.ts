import { expect, test } from 'vitest'
import { newId } from '../../src/ids.js'
import { personWith } from '../../src/personnel/people.js'
import { issueWith } from '../../src/projects/issues.js'
import { followScores, riskWith } from '../../src/projects/risks.js'
import type { Write } from '../../src/store/store.js'
import { ISSUE_SEVERITIES, RISK_STATUSES } from '../../src/vocabulary.js'
import { addGroup, addProject, project } from '../support/fixtures.js'
import { NOW, openGateway } from '../support/harness.js'
import { newStore, type TestStore } from '../support/stores.js'
import { rowsOf } from './sync.js'

const PEOPLE = 20_000
const ENTRIES = 30_000
const PROJECTS = 60
const CHANGES = 60_000

const day = (days: number) => new Date(NOW.getTime() + days * 86_400_000).toISOString().slice(0, 10)

/** Enough of everything that reading all of it would be the wrong way, spread as it would be in life. */
async function fill(write: Write): Promise<void> {
  const groupId = await addGroup(write, { name: 'Inspectors' })
  const people = Array.from({ length: PEOPLE }, (_, i) =>
    personWith(write, undefined, {
      name: `Person ${(i * 7919) % PEOPLE}`,
      email: `p${i}@example.com`,
      status: i % 20 ? 'ACTIVE' : 'INACTIVE',
    }),
  )
  await write.insertAll(write.t.person, people)
  await write.insertAll(
    write.t.membership,
    people.slice(0, 30).map(({ id: personId }) => ({ groupId, personId })),
  )
  const projects: string[] = []
  for (let i = 0; i < PROJECTS; i++) projects.push(await addProject(write, project({ key: `P-${i}` })))
  const entry = (i: number) => ({
    projectId: projects[i % PROJECTS] ?? '',
    reference: `R-${i}`,
    title: `Entry ${i}`,
    raisedOn: day(-(i % 700)),
    dueOn: i % 4 ? day((i % 600) - 300) : null,
  })
  const attribution = (i: number) => ({ id: i % 5 ? (people[(i * 31) % PEOPLE]?.id ?? null) : null, name: null })
  const risks = Array.from({ length: ENTRIES }, (_, i) =>
    riskWith(write, undefined, {
      ...entry(i),
      likelihood: 1 + (i % 5),
      impact: 1 + ((i >> 3) % 5),
      category: `Category ${i % 40}`,
      status: RISK_STATUSES[i % 10 ? (i % 7 ? 0 : 1) : 2] ?? 'OPEN',
      owner: attribution(i),
    }),
  )
  await write.insertAll(write.t.risk, risks)
  await followScores(
    write,
    risks.map((after) => ({ before: undefined, after })),
  )
  const issues = Array.from({ length: ENTRIES }, (_, i) =>
    issueWith(write, undefined, {
      ...entry(i),
      id: newId('issue', NOW),
      severity: ISSUE_SEVERITIES[i % 4] ?? 'LOW',
      status: i % 3 ? 'CLOSED' : 'OPEN',
      assignee: attribution(i),
    }),
  )
  await write.insertAll(write.t.issue, issues)
}

/** Lists, each with the index that its first page is to be read from, in order. */
const ORDERED: Readonly<Record<string, RegExp>> = {
  '/v1/personnel?': /person_by_(name|status)/,
  '/v1/personnel?status=ACTIVE,INACTIVE': /person_by_name/,
  '/v1/personnel?search=son%2019': /person_by_(name|status)/,
  '/v1/risks?': /risk_by_live/,
  '/v1/risks?minScore=9': /risk_by_live/,
  '/v1/risks?level=HIGH': /risk_by_live/,
  '/v1/risks?status=OPEN': /risk_by_(status|live)/,
  '/v1/risks?status=OCCURRED': /risk_by_status/,
  '/v1/risks?project=P-7': /risk_by_project/,
  '/v1/risks?likelihood=5': /risk_by_likelihood/,
  '/v1/risks?category=category%207': /risk_by_category/,
  '/v1/risks?owner=none': /risk_by_(owner|live)/,
  '/v1/risks?order=DUE': /risk_by_due/,
  '/v1/risks?order=DUE&dueAfter=2026-01-01': /risk_by_due/,
  '/v1/risks?order=UPDATED': /risk_by_updated/,
  '/v1/risks?dueBefore=2027-01-01': /risk_by_live/,
  '/v1/issues?order=DUE': /issue_by_due/,
  '/v1/personnel?order=UPDATED': /person_by_updated/,
  '/v1/issues?': /issue_by_live/,
  '/v1/issues?severity=HIGH': /issue_by_live/,
  '/v1/issues?project=P-6': /issue_by_project/,
}

/** A year of changes of one risk after the other. */
async function fillHistory(write: Write): Promise<void> {
  const projects: string[] = []
  for (let i = 0; i < PROJECTS; i++) projects.push(await addProject(write, project({ key: `P-${i}` })))
  const change = { by: 'cli', action: 'UPDATED', entity: 'RISK', fields: '{}', stateFrom: 5, stateTo: 7 } as const
  const changes = Array.from({ length: CHANGES }, (_, i) => {
    const recordedAt = new Date(NOW.getTime() - ((CHANGES - i) / CHANGES) * 365 * 86_400_000).toISOString()
    const projectId = projects[i % PROJECTS] ?? null
    return { ...change, recordedAt, effectiveOn: recordedAt.slice(0, 10), entityId: `rsk_${i % 1_000}`, projectId }
  })
  await write.insertAll(write.t.change, changes)
}

function planOf(own: TestStore, { sql, values }: { sql: string; values: readonly unknown[] }): string {
  return rowsOf(own.url, `explain ${sql}`, values)
    .map((row) => row['QUERY PLAN'])
    .join('\n')
}

/** The rows of one page, which a filtered list has gathered first, may be sorted again. */
function withoutSortedPages(plan: string): string {
  return plan.replaceAll(/Sort {2}\(.*\n\s+Sort Key: .*\n\s+-> {2}(?=CTE Scan on r\d+_page)/g, '')
}

/** The plan that is kept for whatever values come. */
function keptPlanOf(own: TestStore, { sql, values }: { sql: string; values: readonly unknown[] }): string {
  const given = values.length === 0 ? '' : `(${values.map(() => 'null').join(', ')})`
  own.run(`set plan_cache_mode = force_generic_plan; prepare kept as ${sql}`)
  const plan = own.rows(`explain execute kept${given}`).map((row) => row['QUERY PLAN'])
  own.run('deallocate kept; reset plan_cache_mode')
  return plan.join('\n')
}

test('the first page of every list, and the next, are read in order from an index, and one of many is found by one', async () => {
  const gateway = openGateway({}, undefined, newStore('postgres'))
  await gateway.write(fill)
  gateway.own.run('analyze')
  const caller = await gateway.as('personnel.read', 'projects.read')
  for (const [path, index] of Object.entries(ORDERED)) {
    gateway.statementsWithValues()
    const { body } = await caller.get(`${path}&limit=50`)
    await caller.get(`${path}&limit=50&cursor=${body.page.next}`)
    const lists = gateway.statementsWithValues().filter(({ sql }) => / order by .* limit /.test(sql))
    expect({ path, lists: lists.length }).toEqual({ path, lists: 2 })
    for (const list of lists) {
      // Without a filter the plan may be kept.
      const retained = path.endsWith('?') ? [keptPlanOf(gateway.own, list)] : []
      for (const plan of [planOf(gateway.own, list), ...retained]) {
        expect(plan, path).toMatch(index)
        // Small tables are read whole, as they should be.
        expect(withoutSortedPages(plan), path).not.toMatch(/Seq Scan on (person|risk|issue)\b|\bSort\b/)
      }
    }
  }

  const [group] = (await caller.get('/v1/groups')).body.data
  gateway.statementsWithValues()
  await caller.get('/v1/personnel?email=p77@example.com')
  await caller.get(`/v1/personnel?group=${group.id}&limit=10`)
  await caller.graphql(
    '{ risks(first: 20) { nodes { rank owner { name groups { name } } project { key openRiskCount } } } }',
  )
  for (const statement of gateway.statementsWithValues().filter(({ sql }) => sql.startsWith('select'))) {
    expect(planOf(gateway.own, statement), statement.sql).not.toMatch(/Seq Scan on (person|risk|issue)\b/)
  }

  gateway.statementsWithValues()
  const [person] = (await caller.get('/v1/personnel?limit=1')).body.data
  await caller.get(`/v1/personnel/${person.id}`)
  const query = '{ risks(first: 20) { edges { node { owner { name groups { name } } project { key } } } } }'
  await caller.graphql(query)
  const lookUps = gateway.statementsWithValues().filter(({ sql }) => / where "\w+"\."\w+" = (any\()?\$1/.test(sql))
  expect(lookUps.length).toBeGreaterThan(2)
  for (const lookUp of lookUps)
    expect(keptPlanOf(gateway.own, lookUp), lookUp.sql).not.toMatch(/Seq Scan on (person|risk|issue)\b/)
}, 120_000)

test('the past is read from the first day that is asked for, and where a day ends is found by one look-up', async () => {
  const gateway = openGateway({}, undefined, newStore('postgres'))
  await gateway.write(fillHistory)
  gateway.own.run('vacuum analyze')
  const caller = await gateway.as('projects.read')
  for (const [path, ranges] of [
    ['/v1/risks/trend?from=2026-10-03&to=2026-11-01', /^Index (Only )?Scan using change_(by_kind|pkey)$/],
    [
      '/v1/risks/trend?from=2025-11-10&to=2026-11-01&project=P-7',
      /^(Index Only Scan using change_by_project|Bitmap Heap Scan)$/,
    ],
    ['/v1/movements?since=2026-10-25&limit=5', /^Index Scan using change_pkey$/],
  ] as const) {
    gateway.statementsWithValues()
    await caller.get(path)
    const [view = { sql: '', values: [] }] = gateway
      .statementsWithValues()
      .filter(({ sql }) => sql.includes('"change" c'))
    const [day, ...others] = planOf(gateway.own, view).match(/\w[\w ]+ Scan[\w ]*(?= on change c)/g) ?? []
    expect([path, day]).toEqual([path, 'Index Only Scan Backward using change_by_time'])
    expect(others.length, path).toBeGreaterThan(0)
    for (const other of others) expect(other, path).toMatch(ranges)
  }
}, 120_000)
