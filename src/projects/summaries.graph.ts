import { builder } from '../graph/builder.js'
import { localField, querySummary } from '../graph/fields.js'
import { IssueFilter, IssueSeverity, OpenIssueStatus } from './issues.graph.js'
import { RiskFilter, RiskLevel } from './risks.graph.js'
import {
  type IssueCounts as IssueCountsValue,
  issueCounts,
  type RiskMatrix as RiskMatrixValue,
  riskMatrix,
} from './summaries.js'

const RiskMatrixCell = builder.objectRef<RiskMatrixValue['cells'][number]>('RiskMatrixCell')
RiskMatrixCell.implement({ description: 'A cell of the risk matrix.' })
const ofCell = (name: keyof RiskMatrixValue['cells'][number], description: string) =>
  localField(RiskMatrixCell, name, { type: 'Int', description, local: (cell) => cell[name] })
ofCell('likelihood', 'How likely its risks are, 1 to 5.')
ofCell('impact', 'How severe they would be, 1 to 5.')
ofCell('count', 'The number of its risks.')

const RiskLevelCount = builder.objectRef<RiskMatrixValue['levels'][number]>('RiskLevelCount')
RiskLevelCount.implement({ description: 'How many risks are at a level.' })
localField(RiskLevelCount, 'level', { type: RiskLevel, description: 'The level.', local: ({ level }) => level })
localField(RiskLevelCount, 'count', { type: 'Int', description: 'The number of risks.', local: ({ count }) => count })

const RiskMatrix = builder.objectRef<RiskMatrixValue>('RiskMatrix')
RiskMatrix.implement({
  description: 'How many risks there are, by likelihood and impact and by level.',
})
localField(RiskMatrix, 'cells', {
  type: [RiskMatrixCell],
  description: 'The cells with at least one risk, the most likely first, then those with the highest impact.',
  local: ({ cells }) => cells,
})
localField(RiskMatrix, 'unassessed', {
  type: 'Int',
  description: 'The number of unassessed risks: with the score 0, in no cell.',
  local: ({ unassessed }) => unassessed,
})
localField(RiskMatrix, 'unplaced', {
  type: 'Int',
  description: 'The number of risks whose source gives a score but not both factors: in no cell either.',
  local: ({ unplaced }) => unplaced,
})
localField(RiskMatrix, 'levels', {
  type: [RiskLevelCount],
  description: 'The number of risks at each level, the highest first; all risks that match are in one of them.',
  local: ({ levels }) => levels,
})

querySummary('riskMatrix', {
  type: RiskMatrix,
  filter: RiskFilter,
  scope: 'projects.read',
  description: 'The risk matrix across all projects: counts of what `risks` lists with the same filter.',
  summary: riskMatrix,
})

const IssueSeverityCount = builder.objectRef<IssueCountsValue['severities'][number]>('IssueSeverityCount')
IssueSeverityCount.implement({ description: 'How many open issues have a severity.' })
localField(IssueSeverityCount, 'severity', {
  type: IssueSeverity,
  description: 'The severity.',
  local: ({ severity }) => severity,
})
localField(IssueSeverityCount, 'count', {
  type: 'Int',
  description: 'The number of open issues.',
  local: ({ count }) => count,
})

const IssueStatusCount = builder.objectRef<IssueCountsValue['statuses'][number]>('IssueStatusCount')
IssueStatusCount.implement({ description: 'How many open issues have a status.' })
localField(IssueStatusCount, 'status', {
  type: OpenIssueStatus,
  description: 'The status.',
  local: ({ status }) => status,
})
localField(IssueStatusCount, 'count', {
  type: 'Int',
  description: 'The number of open issues.',
  local: ({ count }) => count,
})

const IssueCounts = builder.objectRef<IssueCountsValue>('IssueCounts')
IssueCounts.implement({
  description: 'How many open issues there are, by severity and by status.',
})
localField(IssueCounts, 'total', {
  type: 'Int',
  description: 'The number of open issues.',
  local: ({ total }) => total,
})
localField(IssueCounts, 'severities', {
  type: [IssueSeverityCount],
  description: 'The number with each severity, the most severe first.',
  local: ({ severities }) => severities,
})
localField(IssueCounts, 'statuses', {
  type: [IssueStatusCount],
  description: 'The number with each status.',
  local: ({ statuses }) => statuses,
})

querySummary('issueCounts', {
  type: IssueCounts,
  filter: IssueFilter,
  scope: 'projects.read',
  description:
    'Counts of the open issues that `issues` lists with the same filter; `dueBefore` counts the overdue ones.',
  summary: issueCounts,
})
