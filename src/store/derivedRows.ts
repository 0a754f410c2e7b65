import { ISSUE_SEVERITIES, RISK_LEVELS } from '../vocabulary.js'
import { postgresColumns } from './columns.js'

const { table, integer, text, oneOf } = postgresColumns

export const RISK_MOVEMENTS = ['NEW', 'CLOSED', 'UP', 'DOWN'] as const
export const ISSUE_MOVEMENTS = ['OPENED', 'RESOLVED', 'WORSE', 'SLIPPED'] as const

const counts = () => ({
  new: integer('new').notNull(),
  closed: integer('closed').notNull(),
  up: integer('up').notNull(),
  down: integer('down').notNull(),
  unchanged: integer('unchanged').notNull(),
  opened: integer('opened').notNull(),
  resolved: integer('resolved').notNull(),
  worse: integer('worse').notNull(),
  slipped: integer('slipped').notNull(),
})

/** What an entry of a project that moved shows, whichever it is. */
const moved = () => ({
  position: integer('position').notNull(),
  id: text('id').notNull(),
  projectId: text('project_id').notNull(),
  reference: text('reference').notNull(),
  title: text('title').notNull(),
})

// Rows that SQL derives: none of these tables is stored. The first are WITH clauses, the last come from the JSON of a column.

export const movements = table('movements', {
  id: integer('id').notNull(),
  since: text('since').notNull(),
  until: text('until'),
  ...counts(),
})

export const projectMovement = table('project_movement', {
  position: integer('position').notNull(),
  id: text('id').notNull(),
  ...counts(),
})

export const riskMovement = table('risk_movement', {
  ...moved(),
  movement: oneOf('movement', RISK_MOVEMENTS).notNull(),
  scoreFrom: integer('score_from'),
  scoreTo: integer('score_to'),
  levelFrom: oneOf('level_from', RISK_LEVELS),
  levelTo: oneOf('level_to', RISK_LEVELS),
  rankFrom: integer('rank_from'),
  rankTo: integer('rank_to'),
})

export const issueMovement = table('issue_movement', {
  ...moved(),
  movement: oneOf('movement', ISSUE_MOVEMENTS).notNull(),
  severityFrom: oneOf('severity_from', ISSUE_SEVERITIES),
  severityTo: oneOf('severity_to', ISSUE_SEVERITIES),
  dueFrom: text('due_from'),
  dueTo: text('due_to'),
})

export const riskTrend = table('risk_trend', { id: integer('id').notNull(), points: integer('points').notNull() })

export const riskTrendPoint = table('risk_trend_point', {
  position: integer('position').notNull(),
  on: text('on').notNull(),
  live: integer('live').notNull(),
  unassessed: integer('unassessed').notNull(),
  low: integer('low').notNull(),
  medium: integer('medium').notNull(),
  high: integer('high').notNull(),
  critical: integer('critical').notNull(),
  score: integer('score').notNull(),
})

export const overdue = table('overdue', { id: integer('id').notNull(), total: integer('total').notNull() })

export const overduePerson = table('overdue_person', {
  position: integer('position').notNull(),
  personId: text('person_id'),
  name: text('name'),
  overdueIssueCount: integer('overdue_issue_count').notNull(),
  openIssueCount: integer('open_issue_count').notNull(),
  overdueRiskCount: integer('overdue_risk_count').notNull(),
  riskCount: integer('risk_count').notNull(),
})

/** One changed field of a history row (a list as one text). */
export const fieldChange = table('field_change', {
  id: integer('id').notNull(),
  field: text('field').notNull(),
  from: text('from'),
  to: text('to'),
})
export type FieldChangeTable = typeof fieldChange

export const detail = table('detail', {
  id: integer('id').notNull(),
  name: text('name').notNull(),
  text: text('text').notNull(),
})
export type DetailTable = typeof detail
