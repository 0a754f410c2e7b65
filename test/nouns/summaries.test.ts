import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ISSUE_SEVERITIES, OPEN_ISSUE_STATUSES, RISK_LEVELS } from '../../src/vocabulary.js'
import { addProject, addRisk, project, risk } from '../support/fixtures.js'
import { type Caller, openGateway } from '../support/harness.js'
import { runs } from '../support/properties.js'
import { anyCompany, fillAny } from '../support/randomCompanies.js'

const STEPS = [1, 2, 3, 4, 5]

const riskFilter = fc.constantFrom(
  ...['', 'project=P-0', 'level=HIGH,CRITICAL,UNASSESSED', 'minScore=5', 'likelihood=3', 'impact=2', 'owner=none'],
  ...['status=CLOSED', 'status=OPEN,CLOSED&project=P-1', 'search=r-1', 'reviewBefore=2028-01-01', 'level=LOW&impact=1'],
)
const issueFilter = fc.constantFrom(
  ...['', 'project=P-0', 'severity=HIGH,LOW', 'status=BLOCKED', 'assignee=none', 'dueBefore=2030-01-01'],
  ...['search=i-2', 'severity=CRITICAL&project=P-1'],
)

/** How many entries a list has. */
async function counted(caller: Caller, list: string, ...filters: string[]): Promise<number> {
  const query = ['limit=1', 'total=true', ...filters].filter((one) => one !== '').join('&')
  return (await caller.get(`/v1/${list}?${query}`)).body.page.total
}

test('the matrix and the counts of issues are what the lists with the same filter have, on any data', async () => {
  await fc.assert(
    fc.asyncProperty(anyCompany, riskFilter, issueFilter, async (company, ofRisks, ofIssues) => {
      const gateway = openGateway()
      await gateway.write((write) => fillAny(write, company))
      const caller = await gateway.as('projects.read')
      const { body: matrix } = await caller.get(`/v1/risks/matrix?${ofRisks}`)
      const inList = (...more: string[]) => counted(caller, 'risks', ofRisks, ...more)
      const isFree = (name: string) => !ofRisks.includes(`${name}=`)
      if (isFree('likelihood') && isFree('impact')) {
        for (const likelihood of STEPS) {
          for (const impact of STEPS) {
            const found = matrix.cells.find((one: Cell) => one.likelihood === likelihood && one.impact === impact)
            expect(found?.count ?? 0).toBe(await inList(`likelihood=${likelihood}`, `impact=${impact}`))
          }
        }
      }
      const { body: residual } = await caller.get(`/v1/risks/residual-matrix?${ofRisks}`)
      for (const { likelihood, impact, count } of residual.cells) {
        expect(count).toBe(await inList(`residualLikelihood=${likelihood}`, `residualImpact=${impact}`))
      }
      const all = await inList()
      expect(total(residual.cells) + residual.unassessed).toBe(all)
      expect(total(residual.levels)).toBe(all)
      expect(matrix.unplaced).toBe(await inList('unplaced=true'))
      expect(total(matrix.cells) + matrix.unassessed + matrix.unplaced).toBe(all)
      expect(total(matrix.levels)).toBe(all)
      for (const level of isFree('level') ? RISK_LEVELS : []) {
        const [found] = matrix.levels.filter((one: { level: string }) => one.level === level)
        expect(found.count).toBe(await inList(`level=${level}`))
      }

      const { body: counts } = await caller.get(`/v1/issues/counts?${ofIssues}`)
      expect(counts.total).toBe(await counted(caller, 'issues', ofIssues))
      expect([total(counts.severities), total(counts.statuses)]).toEqual([counts.total, counts.total])
      for (const severity of ofIssues.includes('severity=') ? [] : ISSUE_SEVERITIES) {
        const [found] = counts.severities.filter((one: { severity: string }) => one.severity === severity)
        expect(found.count).toBe(await counted(caller, 'issues', ofIssues, `severity=${severity}`))
      }
      for (const status of ofIssues.includes('status=') ? [] : OPEN_ISSUE_STATUSES) {
        const [found] = counts.statuses.filter((one: { status: string }) => one.status === status)
        expect(found.count).toBe(await counted(caller, 'issues', ofIssues, `status=${status}`))
      }
    }),
    runs(5),
  )
})

interface Cell {
  readonly likelihood: number
  readonly impact: number
}

function total(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

test('both are read in GraphQL with the same filter, in one query with their lists', async () => {
  const gateway = openGateway()
  await gateway.write(async (write) => {
    const projectId = await addProject(write, project({ key: 'APOLLO' }))
    for (const [index, step] of [5, 5, null].entries()) {
      const residual = index === 0 ? { residualLikelihood: 2, residualImpact: 5 } : {}
      await addRisk(write, risk(projectId, { reference: `R-${index}`, likelihood: step, impact: step, ...residual }))
    }
  })
  const caller = await gateway.as('projects.read')
  const { body } = await caller.graphql(`{
    riskMatrix { cells { __typename likelihood impact count } unassessed unplaced levels { level count } }
    critical: riskMatrix(filter: { level: [CRITICAL] }) { cells { n: count } unassessed }
    residualMatrix { cells { likelihood impact count } unassessed }
    remaining: risks(filter: { residualLikelihood: 2, residualImpact: 5 }) { nodes { reference } }
    issueCounts { total severities { severity count } }
    risks { totalCount }
  }`)
  expect(body.data).toMatchObject({
    riskMatrix: {
      cells: [{ __typename: 'RiskMatrixCell', likelihood: 5, impact: 5, count: 2 }],
      unassessed: 1,
      unplaced: 0,
    },
    residualMatrix: { cells: [{ likelihood: 2, impact: 5, count: 1 }], unassessed: 2 },
    remaining: { nodes: [{ reference: 'R-0' }] },
    critical: { cells: [{ n: 2 }], unassessed: 0 },
    issueCounts: { total: 0 },
    risks: { totalCount: 3 },
  })
  expect(body.data.riskMatrix.levels).toContainEqual({ level: 'CRITICAL', count: 2 })
})
