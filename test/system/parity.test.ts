import { inArray } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/ids.js'
import type { Company } from '../support/fixtures.js'
import { type Caller, NOW, openFilled } from '../support/harness.js'

/** The members of each body, written from the design and not taken from the stored operations. */
const FIELDS = {
  personnel:
    'id name email externalId title department status groups { id name } details { name text } mergedInto { id name } createdAt updatedAt',
  groups: 'id name externalId description memberCount createdAt updatedAt',
  projects: `id key name description url status openRiskCount openIssueCount topRiskScore criticalRiskCount
    overdueIssueCount(on: "2026-11-04") syncedAt details { name text } createdAt updatedAt`,
  risks: `id reference project { id key name } title description category likelihood impact score level rank status
    response mitigation cause residualLikelihood residualImpact residualScore residualLevel scoreGiven
    owner { id name } ownerId ownerName url raisedOn reviewOn dueOn details { name text } createdAt updatedAt`,
  issues: `id reference project { id key name } title description severity status
    assignee { id name } assigneeId assigneeName riskId url
    raisedOn dueOn details { name text } createdAt updatedAt`,
} as const
type List = keyof typeof FIELDS

const FILTER_TYPES: Record<List, string> = {
  personnel: 'PersonFilter',
  groups: 'GroupFilter',
  projects: 'ProjectFilter',
  risks: 'RiskFilter',
  issues: 'IssueFilter',
}

/** What a body shows only for a parameter. */
const GIVEN: Partial<Record<List, string>> = { projects: 'on=2026-11-04' }

/** A condition for each API: text in a parameter, a value in a filter. */
interface Condition {
  readonly text: string
  readonly value: unknown
}
type Conditions = Record<string, fc.Arbitrary<Condition>>

const one = <T extends string | number | boolean>(arbitrary: fc.Arbitrary<T>) =>
  arbitrary.map((value): Condition => ({ text: String(value), value }))

const several = (...values: string[]) =>
  fc.subarray(values, { minLength: 1 }).map((value): Condition => ({ text: value.join(','), value }))

/** An enum value may be written in any case in REST. */
const words = (...values: string[]) =>
  fc
    .tuple(fc.subarray(values, { minLength: 1 }), fc.boolean())
    .map(([value, lower]): Condition => ({ text: lower ? value.join(',').toLowerCase() : value.join(','), value }))

const peopleOrNone = (ids: readonly string[]) =>
  fc
    .subarray([...ids.slice(0, 5), newId('person', NOW), 'none'], { minLength: 1 })
    .map((picked): Condition => ({ text: picked.join(','), value: picked.map((id) => (id === 'none' ? null : id)) }))

const search = one(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom('A', 'e', 'ADA', 'risk', 'STEEL', 'Crane', 'R-1', 'i-2', 'team', 'apollo'),
    },
    { weight: 2, arbitrary: fc.constantFrom('ä', 'Å', '%', '_', '\\', "'", '%2C', 'a,b', ' e ') },
    {
      weight: 1,
      arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }).filter((text) => text.trim() !== ''),
    },
  ),
)

const EARLIER = '2026-10-01T00:00:00.000Z'
const updatedSince = one(
  fc.constantFrom(
    EARLIER,
    '2026-10-01T02:00:00+02:00',
    '2026-10-01T00:00:00.001Z',
    '2026-11-02T09:30:00Z',
    '2027-01-01T00:00Z',
  ),
)
const day = one(fc.constantFrom('2026-01-01', '2026-03-20', '2026-06-20', '2026-11-15', '2026-11-16', '2027-01-01'))

function conditionsOf(list: List, company: Company): Conditions {
  const projects = several('APOLLO', 'harbor-2', company.projectIds[2] ?? '', newId('project', NOW))
  const common = { search, updatedSince }
  const own: Record<List, Conditions> = {
    personnel: {
      status: words('ACTIVE', 'INACTIVE'),
      group: several(...company.groupIds, newId('group', NOW)),
      email: one(fc.constantFrom('p0@example.com', 'P1@EXAMPLE.com', 'nobody@example.com')),
      externalId: one(fc.constantFrom('HR-2', 'HR-5', 'hr-2')),
    },
    groups: {},
    projects: { status: words('ACTIVE', 'ON_HOLD', 'CLOSED') },
    risks: {
      project: projects,
      status: words('OPEN', 'OCCURRED', 'CLOSED'),
      level: words('UNASSESSED', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
      minScore: one(fc.integer({ min: -1, max: 26 })),
      minResidualScore: one(fc.integer({ min: -1, max: 10 })),
      likelihood: one(fc.integer({ min: 0, max: 6 })),
      impact: one(fc.integer({ min: 0, max: 6 })),
      unplaced: one(fc.boolean()),
      owner: peopleOrNone(company.personIds),
      category: several('supply', 'WEATHER', 'nothing'),
      reviewBefore: day,
      dueBefore: day,
    },
    issues: {
      project: projects,
      severity: words('LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
      status: words('OPEN', 'IN_PROGRESS', 'BLOCKED'),
      assignee: peopleOrNone(company.personIds),
      dueBefore: day,
    },
  }
  return { ...own[list], ...common }
}

/** A combination of these conditions; mostly few, or nothing would match. */
function someOf(conditions: Conditions): fc.Arbitrary<Record<string, Condition>> {
  const all = Object.keys(conditions)
  return fc
    .subarray(all, { maxLength: Math.min(3, all.length) })
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, conditions[name] ?? search]))))
}

const SEED = 20261102

interface Sent {
  conditions: Record<string, Condition>
  limit: number | undefined
  total: boolean
}

async function openCompany() {
  const { gateway, company } = await openFilled()
  await gateway.write(async ({ db, t }) => {
    const half = (ids: readonly string[]) => ids.filter((_, index) => index % 2 === 0)
    await db
      .update(t.person)
      .set({ updatedAt: EARLIER })
      .where(inArray(t.person.id, half(company.personIds)))
    await db
      .update(t.group)
      .set({ updatedAt: EARLIER })
      .where(inArray(t.group.id, half(company.groupIds)))
    await db
      .update(t.project)
      .set({ updatedAt: EARLIER })
      .where(inArray(t.project.id, half(company.projectIds)))
    await db
      .update(t.risk)
      .set({ updatedAt: EARLIER })
      .where(inArray(t.risk.id, half(company.riskIds)))
    await db
      .update(t.issue)
      .set({ updatedAt: EARLIER })
      .where(inArray(t.issue.id, half(company.issueIds)))
  })
  return { company, caller: await gateway.as('personnel.read', 'projects.read') }
}

interface ListRequest {
  readonly conditions: Record<string, Condition>
  readonly limit: number | undefined
  readonly cursor: string | null
  readonly total: boolean
}

async function throughRest(caller: Caller, list: List, { conditions, limit, cursor, total }: ListRequest) {
  const query = new URLSearchParams(Object.entries(conditions).map(([name, { text }]) => [name, text]))
  if (limit !== undefined) query.set('limit', String(limit))
  if (cursor !== null) query.set('cursor', cursor)
  if (total) query.set('total', 'true')
  const { body } = await caller.get(`/v1/${list}?${query}&${GIVEN[list] ?? ''}`)
  return body.code === undefined ? body : { refused: body.code }
}

/** The GraphQL result in the form of a REST body. */
async function throughGraphql(caller: Caller, list: List, { conditions, limit, cursor, total }: ListRequest) {
  const document = `query ($first: Int, $after: String, $filter: ${FILTER_TYPES[list]}) {
    ${list}(first: $first, after: $after, filter: $filter) {
      nodes { ${FIELDS[list]} } pageInfo { hasNextPage endCursor } ${total ? 'totalCount' : ''}
    }
  }`
  const filter = Object.fromEntries(Object.entries(conditions).map(([name, { value }]) => [name, value]))
  const { data, errors } = (await caller.graphql(document, { first: limit, after: cursor, filter })).body
  if (errors) return { refused: errors[0].extensions.code }
  const { nodes, pageInfo, totalCount } = data[list]
  return { data: nodes, page: { next: pageInfo.hasNextPage ? pageInfo.endCursor : null, total: totalCount ?? null } }
}

interface Named {
  readonly id: string
  readonly name: string
  readonly email: string | null
}

/** The matches of a text in each API, or the error code. */
async function searched(caller: Caller, search: string) {
  const rest = (await caller.get(`/v1/personnel?${new URLSearchParams({ search })}`)).body
  const query = 'query ($search: String) { personnel(filter: { search: $search }) { nodes { id } } }'
  const { data, errors } = (await caller.graphql(query, { search })).body
  return { rest: rest.data ?? rest.code, graphql: data.personnel?.nodes ?? errors[0].extensions.code }
}

describe('both APIs return the same', () => {
  test.each(Object.keys(FIELDS) as List[])('pages of %s, whatever the filter', async (list) => {
    const { company, caller } = await openCompany()
    const conditions = conditionsOf(list, company)
    const met = { names: new Set<string>(), turnedPages: 0, refusals: 0 }
    const arbitrary = fc.record({
      conditions: someOf(conditions),
      limit: fc.option(fc.constantFrom(1, 2, 3, 5, 10, 50), { nil: undefined }),
      total: fc.boolean(),
    })
    const property = fc.asyncProperty(arbitrary, async (sent) => {
      let cursor: string | null = null
      // Three pages show that the cursors of one API work in the other.
      for (let page = 0; page < 3; page++) {
        const request: ListRequest = { ...sent, cursor }
        const rest = await throughRest(caller, list, request)
        expect(await throughGraphql(caller, list, request)).toEqual(rest)
        if (rest.data?.length > 0) for (const name of Object.keys(sent.conditions)) met.names.add(name)
        met.turnedPages += page === 0 ? 0 : 1
        met.refusals += rest.refused ? 1 : 0
        cursor = rest.page?.next ?? null
        if (cursor === null) break
      }
    })
    // Each filter alone, then some together.
    const examples = Object.entries(conditions).flatMap(([name, condition]) =>
      fc
        .sample(condition, { seed: SEED, numRuns: 3 })
        .map((value): [Sent] => [{ conditions: { [name]: value }, limit: 2, total: false }]),
    )
    await fc.assert(property, { seed: SEED, numRuns: 60 + examples.length, examples })
    // Empty results would prove nothing: each filter has matched, pages were followed, bad values refused.
    expect([...met.names].sort()).toEqual(Object.keys(conditions).sort())
    expect(met.turnedPages).toBeGreaterThan(5)
    expect(met.refusals > 0).toBe(list === 'risks')
  })

  test.each([
    ['personnel', 'person', 'personIds'],
    ['groups', 'group', 'groupIds'],
    ['projects', 'project', 'projectIds'],
    ['risks', 'risk', 'riskIds'],
    ['issues', 'issue', 'issueIds'],
  ] as const)('for each of %s by its id, and for ids of nothing', async (list, field, ids) => {
    const { company, caller } = await openCompany()
    const document = `query ($id: ID!) { ${field}(id: $id) { ${FIELDS[list]} } }`
    const strangers = Object.values(company).flatMap((others: readonly string[]) => others.slice(0, 1))
    const keys = list === 'projects' ? ['APOLLO', 'harbor-2', 'NONE'] : []
    for (const id of [...company[ids], ...strangers, ...keys, 'nonsense', `${field}_0`]) {
      const { data, errors } = (await caller.graphql(document, { id })).body
      const rest = await caller.get(`/v1/${list}/${id}?${GIVEN[list] ?? ''}`)
      expect(errors).toBeUndefined()
      if (data[field] === null) expect(rest).toMatchProblem(404, 'NOT_FOUND')
      else expect({ status: rest.status, body: rest.body }).toEqual({ status: 200, body: data[field] })
      if (company[ids].includes(id)) expect(rest.body.id).toBe(id)
    }
  })

  test('people for a searched text: those with it in the name or the e-mail', async () => {
    const { caller } = await openCompany()
    const everyone: Named[] = (await caller.get('/v1/personnel')).body.data
    const fold = (text: string | null) => (text ?? '').normalize('NFKC').toLowerCase()
    for (const text of ['ada', 'ÅSA', 'a\u030asa', 'e', '@', '%', '_', '\\', "'", 'a%']) {
      const found = everyone.filter(({ name, email }) => [name, email].some((held) => fold(held).includes(fold(text))))
      expect({ text, ...(await searched(caller, text)) }).toEqual({
        text,
        rest: found,
        graphql: found.map(({ id }) => ({ id })),
      })
    }
  })

  test.each([
    ['a NUL', '\u0000'],
    ['a letter and a NUL', 'a\u0000'],
    ['60,000 letters', 'x'.repeat(60_000)],
  ])('no person, or an error, when %s is searched', async (_, text) => {
    const { caller } = await openCompany()
    const refused = { rest: 'BAD_REQUEST', graphql: 'BAD_REQUEST' }
    expect([{ rest: [], graphql: [] }, refused]).toContainEqual(await searched(caller, text))
  })

  test('for the own key', async () => {
    const { caller } = await openCompany()
    const { apiKey } = (await caller.graphql('{ apiKey { name scopes projects expiresAt } }')).body.data
    expect((await caller.get('/v1/key')).body).toEqual(apiKey)
  })
})
