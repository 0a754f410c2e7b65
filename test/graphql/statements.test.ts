import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import type { Write } from '../../src/store/store.js'
import { addGroup, addIssue, addProject, addRisk, issue, project, risk } from '../support/fixtures.js'
import { openGateway, type TestResponse } from '../support/harness.js'

const FEW = 2
const MANY = 40

/** This many rows of each noun, without shared relations, so that look-ups per row are detected. */
async function fillStrangers(write: Write, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const groupId = await addGroup(write, { name: `Group ${i}`, description: null })
    const person = await addPerson(write, { name: `Person ${i}`, externalId: `HR-${i}`, groupIds: [groupId] })
    const projectId = await addProject(write, project({ key: `P-${i}` }))
    const riskId = await addRisk(write, risk(projectId, { ownerId: person.id, likelihood: 1 + (i % 5) }))
    await addIssue(write, issue(projectId, { assigneeId: person.id, riskId }))
  }
}

/** A key whose use is already recorded: from here on only queries run statements. */
async function openWarm(count = MANY) {
  const gateway = openGateway()
  await gateway.write((write) => fillStrangers(write, count))
  const caller = await gateway.as('personnel.read', 'projects.read')
  await caller.get('/v1/key')
  const { db, t } = gateway.store.read
  while ((await db.select().from(t.apiKey)).some(({ lastUsedAt }) => lastUsedAt === null)) await sleep(20)
  await gateway.write(async () => {})
  await caller.get('/v1/key')
  // Rows are counted for the price of a whole list, once until something changes.
  for (const { list } of SELECTIONS) await caller.graphql(`{ ${list} { nodes { __typename } } }`)
  const cost = async (call: () => Promise<TestResponse>) => {
    gateway.statements()
    const { body } = await call()
    // Version queries in the same turn of the event loop are coalesced.
    const statements = gateway
      .statements()
      .filter((sql) => !sql.includes('data_version') && !sql.includes('from revision'))
    return { body, statements: statements.length }
  }
  return { caller, cost }
}

/** The selections, each with what every row must have for the measurement to be meaningful. */
const SELECTIONS: { list: string; selection: string; row: object }[] = [
  {
    list: 'risks',
    selection: 'id rank project { key openRiskCount topRiskScore } owner { name groups { name } }',
    row: { project: { openRiskCount: 1 }, owner: { groups: [{ name: expect.any(String) }] } },
  },
  {
    list: 'issues',
    selection: 'id project { key openIssueCount } assignee { name groups { name } } risk { title rank owner { name } }',
    row: {
      project: { openIssueCount: 1 },
      assignee: { groups: [{ name: expect.any(String) }] },
      risk: { rank: expect.any(Number), owner: { name: expect.any(String) } },
    },
  },
  {
    list: 'personnel',
    selection: 'id groups { name memberCount }',
    row: { groups: [{ name: expect.any(String), memberCount: 1 }] },
  },
  { list: 'groups', selection: 'id memberCount', row: { memberCount: 1 } },
  {
    list: 'projects',
    selection: 'id openRiskCount openIssueCount topRiskScore',
    row: { openRiskCount: 1, openIssueCount: 1, topRiskScore: expect.any(Number) },
  },
]

describe('forty rows cost as many statements as two', () => {
  test.each(SELECTIONS)('$list { $selection } through GraphQL', async ({ list, selection, row }) => {
    const { caller, cost } = await openWarm()
    const call = (args: string) => cost(() => caller.graphql(`{ ${list}${args} { nodes { ${selection} } } }`))
    const [few, many, whole] = [await call(`(first: ${FEW})`), await call(`(first: ${MANY})`), await call('')]
    expect(few.body.data[list].nodes).toMatchObject(Array(FEW).fill(row))
    expect(many.body.data[list].nodes).toMatchObject(Array(MANY).fill(row))
    expect(whole.body).toEqual(many.body)
    expect([many.statements, whole.statements]).toEqual([few.statements, few.statements])
  })

  test.each(SELECTIONS)('/v1/$list through REST', async ({ list }) => {
    const { caller, cost } = await openWarm()
    const call = (query: string) => cost(() => caller.get(`/v1/${list}${query}`))
    const [few, many, whole] = [await call(`?limit=${FEW}`), await call(`?limit=${MANY}`), await call('')]
    expect([few, many, whole].map(({ body }) => body.data.length)).toEqual([FEW, MANY, MANY])
    expect([many.statements, whole.statements]).toEqual([few.statements, few.statements])
  })
})

/** Nested lists for this number of entries. */
const NESTED: Readonly<Record<string, (first: number) => string>> = {
  'risks of projects': (first) => `{ projects(first: ${first}) { nodes { openRiskCount
    risks { totalCount nodes { rank owner { name groups { name } } } pageInfo { hasNextPage endCursor } } } } }`,
  'members of groups': (first) => `{ groups(first: ${first}) { edges { cursor node {
    members(first: 3, filter: { search: "p" }) { edges { node { id groups { name memberCount } } } } } } } }`,
  'histories of people': (first) => `{ personnel(first: ${first}) { nodes {
    history { nodes { fields { field to } } totalCount } } } }`,
  'a list in a list in a list': (first) => `{ projects(first: ${first}) { nodes { issues(first: 2) { nodes { project {
    issues(first: 1) { nodes { risk { level } } } } } } } } }`,
}

test('lists inside lists cost as many statements for sixty rows as for two', async () => {
  const rows = LIMITS.nestedPageRows + 10
  const { caller, cost } = await openWarm(rows)
  for (const [what, query] of Object.entries(NESTED)) {
    // Rows are counted once for the price.
    await caller.graphql(query(1))
    const [few, many] = [await cost(() => caller.graphql(query(FEW))), await cost(() => caller.graphql(query(rows)))]
    expect([what, few.body.errors, many.body.errors]).toEqual([what, undefined, undefined])
    expect([what, many.statements]).toEqual([what, few.statements])
  }
})
