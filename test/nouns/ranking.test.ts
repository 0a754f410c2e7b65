import { describe, expect, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { ISSUE_STATUSES } from '../../src/vocabulary.js'
import {
  addGroup,
  addIssue,
  addProject,
  addRisk,
  deactivatePerson,
  type IssueDraft,
  issue,
  project,
  type RiskDraft,
  risk,
} from '../support/fixtures.js'
import { type AtEnd, type Caller, type Gateway, openFilled, openGateway, sharedByTests } from '../support/harness.js'

type Draft = Partial<RiskDraft>
type Entry = { reference: string; [field: string]: unknown }

/** Stores these entries, in this order, in a new project; returns the ids by reference. */
async function store(gateway: Gateway, key: string, risks: Draft[], issues: Partial<IssueDraft>[] = []) {
  return gateway.write(async (write) => {
    const projectId = await addProject(write, project({ key }))
    const ids: Record<string, string> = { project: projectId }
    for (const each of risks) ids[each.reference ?? ''] = await addRisk(write, risk(projectId, each))
    for (const each of issues) ids[each.reference ?? ''] = await addIssue(write, issue(projectId, each))
    return ids
  })
}

/** The same list through both APIs, compared; `fields` for GraphQL, `query` for REST. */
async function listed(caller: Caller, list: string, fields: string, filter = '', query = ''): Promise<Entry[]> {
  const args = filter && `(filter: { ${filter} })`
  const { body } = await caller.graphql(`{ ${list}${args} { nodes { reference ${fields} } } }`)
  const rest = (await caller.get(`/v1/${list}${query}`)).body
  const nodes: Entry[] = body.data[list].nodes
  expect(rest.data).toMatchObject(nodes)
  return nodes
}

const references = (entries: Entry[]) => entries.map(({ reference }) => reference)

type Score = number | null

const assessed = (reference: string, likelihood: Score, impact: Score, more: Draft = {}): Draft => ({
  reference,
  likelihood,
  impact,
  ...more,
})

describe('the risk register', () => {
  test('is ordered by score, then impact, then the day a risk was raised', async () => {
    const gateway = openGateway()
    const risks = [
      assessed('unassessed, early', null, null, { raisedOn: '2026-01-01' }),
      assessed('10 by likelihood', 5, 2, { raisedOn: '2026-01-01' }),
      assessed('1', 1, 1, { raisedOn: '2026-01-01' }),
      assessed('10 by impact, late', 2, 5, { raisedOn: '2026-02-02' }),
      assessed('unassessed, late', null, null, { raisedOn: '2026-01-02' }),
      assessed('12', 4, 3, { raisedOn: '2026-12-31' }),
      assessed('10 by impact, early', 2, 5, { raisedOn: '2025-12-31' }),
      assessed('25', 5, 5, { raisedOn: '2026-12-31' }),
      assessed('9', 3, 3, { raisedOn: '2026-01-01' }),
    ]
    await store(gateway, 'APOLLO', risks)
    const tens = ['10 by impact, early', '10 by impact, late', '10 by likelihood']
    const entries = await listed(await gateway.as('projects.read'), 'risks', 'score')
    expect(references(entries)).toEqual(['25', '12', ...tens, '9', '1', 'unassessed, early', 'unassessed, late'])
  })

  test('orders what ties in all of these by id', async () => {
    const gateway = openGateway()
    const ids = await store(
      gateway,
      'APOLLO',
      [...'abcdefghi'].map((reference) => ({ reference })),
    )
    const caller = await gateway.as('projects.read')
    const order = Object.keys(ids).filter((name) => name !== 'project')
    order.sort((a, b) => ((ids[a] ?? '') < (ids[b] ?? '') ? -1 : 1))
    expect(references(await listed(caller, 'risks', 'id'))).toEqual(order)
  })

  const RANKED = [
    assessed('nine-a', 3, 3),
    assessed('twenty-a', 4, 5),
    assessed('closed', 5, 5, { status: 'CLOSED' }),
    assessed('none-a', null, null),
    assessed('fifteen', 3, 5, { status: 'OCCURRED' }),
    assessed('none-b', null, null, { status: 'OCCURRED' }),
  ]
  const RANKED_ELSEWHERE = [assessed('twenty-b', 5, 4), assessed('nine-b', 3, 3)]
  const LIVE_RANKS = { 'twenty-a': 1, 'twenty-b': 1, fifteen: 3, 'nine-a': 4, 'nine-b': 4, 'none-a': 6, 'none-b': 6 }
  const RANKS: Record<string, number | null> = { ...LIVE_RANKS, closed: null }

  async function openRanked(atEnd?: AtEnd) {
    const gateway = openGateway({}, atEnd)
    const ids = await store(gateway, 'APOLLO', RANKED)
    const others = await store(gateway, 'OTHER', RANKED_ELSEWHERE)
    return { gateway, ids: { ...others, ...ids }, caller: await gateway.as('projects.read') }
  }
  const sharedRanked = sharedByTests(openRanked)

  test.each([
    ['', '', 7],
    ['status: [OPEN, OCCURRED, CLOSED]', '?status=open,occurred,closed', 8],
    ['status: [CLOSED]', '?status=CLOSED', 1],
    ['status: [OCCURRED]', '?status=occurred', 2],
    ['project: ["OTHER"]', '?project=OTHER', 2],
    ['level: [MEDIUM, UNASSESSED]', '?level=medium,unassessed', 4],
    ['minScore: 9', '?minScore=9', 5],
    ['minScore: 10', '?minScore=10', 3],
    ['likelihood: 3, impact: 3', '?likelihood=3&impact=3', 2],
  ])('ranks against all live risks, 1 1 3, whatever the filter: {%s}', async (filter, query, count) => {
    const { caller } = await sharedRanked()
    const entries = await listed(caller, 'risks', 'rank', filter, query)
    expect(entries).toHaveLength(count)
    expect(entries).toEqual(entries.map(({ reference }) => ({ reference, rank: RANKS[reference] })))
  })

  test('ranks alike on every page, inside a project, and one by one', async () => {
    const { caller, ids } = await openRanked()
    const first = await caller.graphql('{ risks(first: 4) { nodes { reference rank } pageInfo { endCursor } } }')
    const { data } = first.body
    const after = data.risks.pageInfo.endCursor
    const next = (await caller.graphql(`{ risks(first: 9, after: "${after}") { nodes { reference rank } } }`)).body.data
    const paged: Entry[] = [...data.risks.nodes, ...next.risks.nodes]
    expect(Object.fromEntries(paged.map(({ reference, rank }) => [reference, rank]))).toEqual(LIVE_RANKS)
    const nested = await caller.graphql('{ project(key: "OTHER") { risks { nodes { rank } } } }')
    expect(nested.body.data.project.risks.nodes).toEqual([{ rank: 1 }, { rank: 4 }])
    for (const [reference, rank] of Object.entries(RANKS)) {
      const one = await caller.graphql(`{ risk(id: "${ids[reference]}") { rank } }`)
      expect(one.body).toEqual({ data: { risk: { rank } } })
      expect((await caller.get(`/v1/risks/${ids[reference]}`)).body.rank).toBe(rank)
    }
  })

  test('ranks anew when a risk is added', async () => {
    const { gateway, caller } = await openRanked()
    await store(gateway, 'NEW', [assessed('new', 4, 4)])
    const entries = await listed(caller, 'risks', 'rank')
    expect(entries.map(({ rank }) => rank)).toEqual([1, 1, 3, 4, 5, 5, 7, 7])
  })

  test('lists what occurred, leaves out what is closed, and lists that on request', async () => {
    const { caller } = await openRanked()
    const live = await listed(caller, 'risks', 'status')
    expect(live.filter(({ status }) => status === 'OCCURRED').map(({ reference }) => reference)).toContain('fifteen')
    expect(live.filter(({ status }) => status === 'CLOSED')).toEqual([])
    const closed = await listed(caller, 'risks', 'status rank score', 'status: [CLOSED]', '?status=closed')
    expect(closed).toEqual([{ reference: 'closed', status: 'CLOSED', rank: null, score: 25 }])
  })

  test('gives every score its level, at every bound, and finds it by that level', async () => {
    const gateway = openGateway()
    const steps = [1, 2, 3, 4, 5]
    const pairs = steps.flatMap((one) => steps.map((other) => assessed(`${one}x${other}`, one, other)))
    await store(gateway, 'APOLLO', [assessed('none', null, null), ...pairs])
    const caller = await gateway.as('projects.read')
    const scores = { LOW: [1, 2, 3, 4], MEDIUM: [5, 6, 8, 9], HIGH: [10, 12, 15, 16], CRITICAL: [20, 25] }
    for (const [level, expected] of Object.entries(scores)) {
      const entries = await listed(caller, 'risks', 'score level', `level: [${level}]`, `?level=${level.toLowerCase()}`)
      expect([...new Set(entries.map(({ score }) => score))].reverse()).toEqual(expected)
      expect(entries.filter((entry) => entry['level'] !== level)).toEqual([])
    }
    const all = await listed(caller, 'risks', 'score level likelihood impact')
    expect(all).toHaveLength(26)
    expect(all.at(-1)).toEqual({ reference: 'none', score: 0, level: 'UNASSESSED', likelihood: null, impact: null })
    expect(all.filter((one) => one['score'] !== Number(one['likelihood']) * Number(one['impact']))).toEqual([])
  })
})

describe('the open issues', () => {
  type Counted = { totalCount: number; nodes: Entry[] }
  const readerOfAll = sharedByTests(async (atEnd) => (await openFilled({}, atEnd)).gateway.as('projects.read'))

  test('are ordered by severity, then the day they were raised, then id', async () => {
    const gateway = openGateway()
    const ids = await store(
      gateway,
      'APOLLO',
      [],
      [
        { reference: 'low', severity: 'LOW', raisedOn: '2020-01-01' },
        { reference: 'high, late', severity: 'HIGH', raisedOn: '2026-02-01' },
        { reference: 'tie-a', severity: 'MEDIUM' },
        { reference: 'tie-b', severity: 'MEDIUM' },
        { reference: 'critical', severity: 'CRITICAL', raisedOn: '2026-12-31', status: 'BLOCKED' },
        { reference: 'high, early', severity: 'HIGH', raisedOn: '2026-01-31', status: 'IN_PROGRESS' },
      ],
    )
    const ties = ['tie-a', 'tie-b'].sort((a, b) => ((ids[a] ?? '') < (ids[b] ?? '') ? -1 : 1))
    const entries = await listed(await gateway.as('projects.read'), 'issues', 'severity')
    expect(references(entries)).toEqual(['critical', 'high, early', 'high, late', ...ties, 'low'])
  })

  test.each([
    ['', ''],
    ['project: ["APOLLO", "OLD"]', '?project=apollo,old'],
    ['severity: [LOW, MEDIUM, HIGH, CRITICAL]', '?severity=low,medium,high,critical'],
    ['status: [OPEN, IN_PROGRESS, BLOCKED]', '?status=open,in_progress,blocked'],
    ['assignee: [null]', '?assignee=none'],
    ['dueBefore: "2030-01-01"', '?dueBefore=2030-01-01'],
    ['search: "issue"', '?search=issue'],
    ['updatedSince: "2020-01-01T00:00:00Z"', '?updatedSince=2020-01-01T00:00:00Z'],
  ])('are all that is ever listed or counted: {%s}', async (filter, query) => {
    const caller = await readerOfAll()
    const entries = await listed(caller, 'issues', 'status', filter, query)
    expect(new Set(entries.map(({ status }) => status))).toEqual(new Set(['OPEN', 'IN_PROGRESS', 'BLOCKED']))
    const issues = `issues${filter && `(filter: { ${filter} })`} { totalCount nodes { status } }`
    const { data } = (await caller.graphql(`{ ${issues} projects(first: 9) { nodes { ${issues} } } }`)).body
    const nested: Counted[] = data.projects.nodes.map((one: { issues: Counted }) => one.issues)
    expect(data.issues.totalCount).toBe(entries.length)
    expect(nested.map(({ totalCount }) => totalCount)).toEqual(nested.map(({ nodes }) => nodes.length))
    expect(nested.flatMap(({ nodes }) => nodes)).toHaveLength(entries.length)
  })

  test.each(['RESOLVED', 'CLOSED'])(
    'cannot be widened to %s ones: the filter is refused, and REST lists what it takes',
    async (status) => {
      const caller = await readerOfAll()
      const rest = await caller.get(`/v1/issues?status=${status}`)
      expect(rest).toMatchProblem(400, 'BAD_REQUEST')
      expect(rest.body.errors).toMatchObject([{ parameter: 'status' }])
      expect(rest.body.errors[0].detail.match(/[A-Z_]{4,}/g).sort()).toEqual(['BLOCKED', 'IN_PROGRESS', 'OPEN'])
      for (const query of [
        `{ issues(filter: { status: [${status}] }) { totalCount } }`,
        `{ projects { nodes { issues(filter: { status: [OPEN, ${status}] }) { totalCount } } } }`,
        `query ($in: [OpenIssueStatus!] = [${status}]) { issues(filter: { status: $in }) { totalCount } }`,
      ]) {
        const { data, errors } = (await caller.graphql(query)).body
        expect(data).toBeUndefined()
        expect(errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }])
        expect(errors[0].message).toContain(`"${status}" does not exist in "OpenIssueStatus"`)
      }
    },
  )

  test.each(['RESOLVED', 'CLOSED'] as const)('leave out a %s one, which its id still finds', async (status) => {
    const gateway = openGateway()
    const ids = await store(gateway, 'APOLLO', [], [{ reference: 'over', status, severity: 'CRITICAL' }])
    const caller = await gateway.as('projects.read')
    expect(await listed(caller, 'issues', '')).toEqual([])
    const one = await caller.graphql(`{ issue(id: "${ids['over']}") { reference status } }`)
    expect(one.body).toEqual({ data: { issue: { reference: 'over', status } } })
    expect((await caller.get(`/v1/issues/${ids['over']}`)).body).toMatchObject({ id: ids['over'], status })
  })
})

test('a project counts its live risks and open issues, and shows the highest live score', async () => {
  const gateway = openGateway()
  const over: Partial<IssueDraft>[] = [{ status: 'RESOLVED' }, { reference: 'I-2', status: 'CLOSED' }]
  const live = [assessed('R-1', 2, 2), assessed('R-2', 4, 3, { status: 'OCCURRED' })]
  const closed = assessed('R-3', 5, 5, { status: 'CLOSED' })
  const issues = ISSUE_STATUSES.map((status) => ({ reference: status, status }))
  await store(gateway, 'A-NONE', [])
  await store(gateway, 'B-OVER', [closed], over)
  await store(gateway, 'C-UNASSESSED', [assessed('R-1', null, null)])
  await store(gateway, 'D-BUSY', [...live, closed], issues)
  const caller = await gateway.as('projects.read')
  const expected = [
    { key: 'A-NONE', openRiskCount: 0, openIssueCount: 0, topRiskScore: null },
    { key: 'B-OVER', openRiskCount: 0, openIssueCount: 0, topRiskScore: null },
    { key: 'C-UNASSESSED', openRiskCount: 1, openIssueCount: 0, topRiskScore: 0 },
    { key: 'D-BUSY', openRiskCount: 2, openIssueCount: 3, topRiskScore: 12 },
  ]
  const query = '{ projects { nodes { key openRiskCount openIssueCount topRiskScore } } }'
  expect((await caller.graphql(query)).body).toEqual({ data: { projects: { nodes: expected } } })
  expect((await caller.get('/v1/projects')).body.data).toMatchObject(expected)
  for (const one of expected) expect((await caller.get(`/v1/projects/${one.key}`)).body).toMatchObject(one)
})

test('a group counts and shows the people who are still on the roster, and no others', async () => {
  const gateway = openGateway()
  const groupId = await gateway.write(async (write) => {
    const id = await addGroup(write, { name: 'Crew', description: null })
    await addGroup(write, { name: 'Deserted', description: null })
    const person = (name: string, groupIds: string[]) => addPerson(write, { name, externalId: name, groupIds })
    for (const name of ['Bo', 'Al']) await person(name, [id])
    await person('Outsider', [])
    const left = await person('Left', [id])
    await deactivatePerson(write, left.id)
    return id
  })
  const caller = await gateway.as('personnel.read')
  const query = '{ groups(first: 9) { nodes { name memberCount members { totalCount nodes { name } } } } }'
  expect((await caller.graphql(query)).body.data.groups.nodes).toEqual([
    { name: 'Crew', memberCount: 2, members: { totalCount: 2, nodes: [{ name: 'Al' }, { name: 'Bo' }] } },
    { name: 'Deserted', memberCount: 0, members: { totalCount: 0, nodes: [] } },
  ])
  expect((await caller.get('/v1/groups')).body.data).toMatchObject([{ memberCount: 2 }, { memberCount: 0 }])
  expect((await caller.get(`/v1/groups/${groupId}`)).body).toMatchObject({ name: 'Crew', memberCount: 2 })
})
