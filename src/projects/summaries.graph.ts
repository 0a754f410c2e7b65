import { builder } from '../graph/builder.js'
import { members, querySummary } from '../graph/fields.js'
import { IssueFilter } from './issues.graph.js'
import { RiskFilter } from './risks.graph.js'
import {
  type IssueCounts as IssueCountsValue,
  issueCounts,
  type RiskMatrix as RiskMatrixValue,
  residualMatrix,
  riskMatrix,
} from './summaries.js'

const RiskMatrixCell = builder.objectRef<RiskMatrixValue['cells'][number]>('RiskMatrixCell')
RiskMatrixCell.implement({ description: 'A cell of the risk matrix.' })
members(RiskMatrixCell, {
  likelihood: { type: 'Int', description: 'How likely its risks are, 1 to 5.' },
  impact: { type: 'Int', description: 'How severe they would be, 1 to 5.' },
  count: { type: 'Int', description: 'The number of its risks.' },
})

const RiskLevelCount = builder.objectRef<RiskMatrixValue['levels'][number]>('RiskLevelCount')
RiskLevelCount.implement({ description: 'How many risks are at a level.' })
members(RiskLevelCount, {
  level: { type: 'RiskLevel', description: 'The level.' },
  count: { type: 'Int', description: 'The number of risks.' },
})

const RiskMatrix = builder.objectRef<RiskMatrixValue>('RiskMatrix')
RiskMatrix.implement({ description: 'How many risks there are, by likelihood and impact and by level.' })
members(RiskMatrix, {
  cells: {
    type: [RiskMatrixCell],
    description: 'The cells with at least one risk, the most likely first, then those with the highest impact.',
  },
  unassessed: { type: 'Int', description: 'The number of unassessed risks: with the score 0, in no cell.' },
  unplaced: {
    type: 'Int',
    description: 'The number of risks whose source gives a score but not both factors: in no cell either.',
  },
  levels: {
    type: [RiskLevelCount],
    description: 'The number of risks at each level, the highest first; all risks that match are in one of them.',
  },
})

querySummary('riskMatrix', {
  type: RiskMatrix,
  filter: RiskFilter,
  scope: 'projects.read',
  description: 'The risk matrix across all projects: counts of what `risks` lists with the same filter.',
  summary: riskMatrix,
})

querySummary('residualMatrix', {
  type: RiskMatrix,
  filter: RiskFilter,
  scope: 'projects.read',
  description: 'The risk matrix by residual likelihood and impact: a risk without them counts as unassessed.',
  summary: residualMatrix,
})

const IssueSeverityCount = builder.objectRef<IssueCountsValue['severities'][number]>('IssueSeverityCount')
IssueSeverityCount.implement({ description: 'How many open issues have a severity.' })
members(IssueSeverityCount, {
  severity: { type: 'IssueSeverity', description: 'The severity.' },
  count: { type: 'Int', description: 'The number of open issues.' },
})

const IssueStatusCount = builder.objectRef<IssueCountsValue['statuses'][number]>('IssueStatusCount')
IssueStatusCount.implement({ description: 'How many open issues have a status.' })
members(IssueStatusCount, {
  status: { type: 'OpenIssueStatus', description: 'The status.' },
  count: { type: 'Int', description: 'The number of open issues.' },
})

const IssueCounts = builder.objectRef<IssueCountsValue>('IssueCounts')
IssueCounts.implement({ description: 'How many open issues there are, by severity and by status.' })
members(IssueCounts, {
  total: { type: 'Int', description: 'The number of open issues.' },
  severities: { type: [IssueSeverityCount], description: 'The number with each severity, the most severe first.' },
  statuses: { type: [IssueStatusCount], description: 'The number with each status.' },
})

querySummary('issueCounts', {
  type: IssueCounts,
  filter: IssueFilter,
  scope: 'projects.read',
  description:
    'Counts of the open issues that `issues` lists with the same filter; `dueBefore` counts the overdue ones.',
  summary: issueCounts,
})
