import { describe, expect, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { ada, addIssues, addProject, addRisks, grace, issue, project, risk } from '../support/fixtures.js'
import { openGateway } from '../support/harness.js'

/** Ada owns four risks, one of them closed, and has three issues, one of them resolved; two came from her first risk. */
async function openOwned() {
  const gateway = openGateway()
  const ids = await gateway.write(async (write) => {
    const [owner, other] = [(await addPerson(write, ada)).id, (await addPerson(write, grace)).id]
    const projectId = await addProject(write, project())
    const owned = (reference: string, likelihood: number, overrides = {}) =>
      risk(projectId, { reference, likelihood, impact: 5, ownerId: owner, ...overrides })
    const [first = ''] = await addRisks(write, [
      owned('R-1', 3),
      owned('R-2', 5),
      owned('R-3', 4, { category: 'Supply' }),
      owned('R-4', 5, { status: 'CLOSED' }),
      owned('R-5', 5, { ownerId: other }),
    ])
    const assigned = (reference: string, overrides = {}) =>
      issue(projectId, { reference, severity: 'LOW', assigneeId: owner, riskId: first, ...overrides })
    await addIssues(write, [
      assigned('I-1'),
      assigned('I-2', { severity: 'HIGH', riskId: null }),
      assigned('I-3', { status: 'RESOLVED' }),
      assigned('I-4', { severity: 'CRITICAL', assigneeId: other }),
    ])
    return { owner, first }
  })
  return { gateway, ...ids }
}

const RISKS = 'risks { totalCount nodes { reference } }'
const ISSUES = 'issues { totalCount nodes { reference } }'

const listed = (...references: string[]) => ({
  totalCount: references.length,
  nodes: references.map((reference) => ({ reference })),
})

describe('what a person owns', () => {
  test('is live risks by score and open issues by severity, theirs alone', async () => {
    const { gateway, owner } = await openOwned()
    const caller = await gateway.as('personnel.read', 'projects.read')
    const { body } = await caller.graphql(`{ person(id: "${owner}") { name ${RISKS} ${ISSUES} } }`)
    expect(body).toEqual({
      data: { person: { name: 'Ada Lovelace', risks: listed('R-2', 'R-3', 'R-1'), issues: listed('I-2', 'I-1') } },
    })
  })

  test('is filtered and paged like the lists at the root', async () => {
    const { gateway, owner } = await openOwned()
    const caller = await gateway.as('personnel.read', 'projects.read')
    const page = (after = '') => `risks(first: 2${after}) { nodes { reference } pageInfo { hasNextPage endCursor } }`
    const { body } = await caller.graphql(`{ person(id: "${owner}") { ${page()}
      all: risks(filter: { status: [OPEN, CLOSED] }) { totalCount }
      supply: risks(filter: { category: "supply" }) { nodes { reference } }
      grave: issues(filter: { severity: [HIGH] }) { nodes { reference } } } }`)
    const { risks, ...filtered } = body.data.person
    expect(filtered).toEqual({
      all: { totalCount: 4 },
      supply: { nodes: [{ reference: 'R-3' }] },
      grave: { nodes: [{ reference: 'I-2' }] },
    })
    expect(risks).toMatchObject({
      nodes: [{ reference: 'R-2' }, { reference: 'R-3' }],
      pageInfo: { hasNextPage: true },
    })
    const next = await caller.graphql(
      `{ person(id: "${owner}") { ${page(`, after: "${risks.pageInfo.endCursor}"`)} } }`,
    )
    expect(next.body.data.person.risks).toMatchObject({
      nodes: [{ reference: 'R-1' }],
      pageInfo: { hasNextPage: false },
    })
  })

  test('needs projects.read, and without it is null with an error of its own, whatever there is', async () => {
    const { gateway, owner } = await openOwned()
    const caller = await gateway.as('personnel.read')
    const { body } = await caller.graphql(`{ person(id: "${owner}") { name ${RISKS} ${ISSUES} } }`)
    expect(body.data).toEqual({ person: { name: 'Ada Lovelace', risks: null, issues: null } })
    const refusal = { code: 'INSUFFICIENT_SCOPE', requiredScope: 'projects.read' }
    expect(body.errors).toEqual([
      expect.objectContaining({ path: ['person', 'risks'], extensions: refusal }),
      expect.objectContaining({ path: ['person', 'issues'], extensions: refusal }),
    ])
  })
})

test('the issues of a risk are those that came from it and are open, the most severe first', async () => {
  const { gateway, first } = await openOwned()
  const caller = await gateway.as('projects.read')
  const { body } = await caller.graphql(`{ risk(id: "${first}") { ${ISSUES}
    low: issues(filter: { severity: [LOW] }) { nodes { reference } } page: issues(first: 1) { nodes { reference } } }
    risks { nodes { reference issues { nodes { reference } } } } }`)
  const came = { nodes: [{ reference: 'I-4' }, { reference: 'I-1' }] }
  expect(body.data).toEqual({
    risk: {
      issues: listed('I-4', 'I-1'),
      low: { nodes: [{ reference: 'I-1' }] },
      page: { nodes: [{ reference: 'I-4' }] },
    },
    risks: {
      nodes: ['R-2', 'R-5', 'R-3', 'R-1'].map((reference) => ({
        reference,
        issues: reference === 'R-1' ? came : { nodes: [] },
      })),
    },
  })
})
