import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { checkSize, details } from '../details.js'
import {
  day,
  link,
  namesOf,
  oneOf,
  patched,
  patchedFields,
  required,
  requireFields,
  text,
  type Values,
} from '../fields.js'
import { Ledger } from '../history/ledger.js'
import { newId } from '../ids.js'
import { holderNaming } from '../personnel/people.js'
import { type Optional, refersTo, unindexed } from '../store/query/conditions.js'
import type { List } from '../store/query/page.js'
import type { Relation } from '../store/query/relations.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import type { InputCheck } from '../text.js'
import {
  ISSUE_SEVERITIES,
  ISSUE_STATUSES,
  type IssueSeverity,
  type IssueStatus,
  OPEN_ISSUE_STATUSES,
  type Ownership,
} from '../vocabulary.js'
import { ENTRY_ORDERS, type EntryFilter, entryMatches, entryWith, everyOf, scopeOfHolders } from './projectEntries.js'
import { type Assignee, projectNaming } from './projects.js'
import { riskNaming } from './risks.js'

export type IssueRow = Tables['issue']['$inferSelect']
export type OpenIssueStatus = (typeof OPEN_ISSUE_STATUSES)[number]

export interface IssueFilter extends EntryFilter {
  readonly severity?: Optional<readonly IssueSeverity[]>
  readonly status?: Optional<readonly OpenIssueStatus[]>
  /** A null in the list means nobody. */
  readonly assignee?: Optional<readonly Optional<string>[]>
  readonly assignment?: Optional<readonly Ownership[]>
  readonly assigneeDepartment?: Optional<readonly string[]>
  readonly risk?: Optional<readonly string[]>
}

function isOpenIssue(status: IssueStatus): boolean {
  return OPEN_ISSUE_STATUSES.some((open) => open === status)
}

/** An ascending sort key that puts the most severe first. */
function issueSortKey(severity: IssueSeverity): number {
  return -ISSUE_SEVERITIES.indexOf(severity)
}

/** Open issues only: no filter can widen it. */
export const issues: List<Tables['issue'], IssueFilter> = {
  name: 'issues',
  table: (t) => t.issue,
  order: ({ sortKey, raisedOn, id }) => [sortKey, raisedOn, id],
  orders: ENTRY_ORDERS,
  matching,
  indexed: ['project', 'severity', 'status', 'assignee'],
  names: { project: projectNaming, assignee: holderNaming, risk: riskNaming },
  needs: ({ assignment, assigneeDepartment }) => scopeOfHolders(assignment, assigneeDepartment),
}

export const everyIssue = everyOf('everyIssue', issues)

export const issuesOfProject: Relation<Tables['project'], Tables['issue'], IssueFilter> = {
  of: (t) => t.project,
  list: issues,
  where: (_, project, issue) => eq(issue.projectId, project.id),
}

export const issuesOfPerson: Relation<Tables['person'], Tables['issue'], IssueFilter> = {
  of: (t) => t.person,
  list: issues,
  where: (_, person, issue) => eq(issue.assigneeId, person.id),
}

/** The issues caused by a risk: so few that all are read to find the first ones. */
export const issuesOfRisk: Relation<Tables['risk'], Tables['issue'], IssueFilter> = {
  of: (t) => t.risk,
  list: { ...issues, needsScan: true, matching: (read, filter) => matching(read, filter, true) },
  where: (_, risk, issue) => eq(issue.riskId, risk.id),
}

function matching(read: Read, filter: IssueFilter, isWithinRisk = Boolean(filter.risk)): SQL | undefined {
  const { issue } = read.t
  const { assignee: who, assignment: how, assigneeDepartment: departments } = filter
  const assignee = { id: issue.assigneeId, name: issue.assigneeName, who, how, departments }
  // Use the index on the risk, not the one on open issues.
  const seen = (column: AnyPgColumn) => (isWithinRisk ? unindexed(column) : sql`${column}`)
  return and(
    eq(seen(issue.live), 1),
    filter.status ? read.among(seen(issue.status), filter.status) : undefined,
    entryMatches(read, issue, filter, assignee),
    filter.severity ? read.among(seen(issue.sortKey), filter.severity.map(issueSortKey)) : undefined,
    filter.risk ? refersTo(read, issue.riskId, riskNaming, filter.risk) : undefined,
  )
}

export const ISSUE_FIELDS = {
  reference: required(text('reference', "Its name in the project's own tracker.", 'I-12')),
  title: required(text('headline', 'The problem, in one line.', 'Crane permit refused')),
  description: text('description', 'The problem in detail.', 'The city wants a new traffic plan first.'),
  severity: required(oneOf(ISSUE_SEVERITIES, 'How severe it is.')),
  status: oneOf(ISSUE_STATUSES, 'Its status; OPEN by default.'),
  url: link('The link to it in its own system.', 'https://projects.example.com/apollo/issues/12'),
  raisedOn: day('The day it was raised; today by default.', '2026-03-01'),
  dueOn: day('The day it is due.', '2027-01-31'),
  details: details('Affected', 'Schedule'),
}
type IssueValues = Values<typeof ISSUE_FIELDS>

export function issuesLedger(write: Write): Ledger<IssueRow> {
  return new Ledger(write, {
    kind: 'ISSUE',
    table: (t) => t.issue,
    projectOf: ({ projectId }) => projectId,
    tracked: [...namesOf(ISSUE_FIELDS), 'assigneeId', 'assigneeName', 'riskId'],
  })
}

export function checkIssue(before: IssueRow | undefined, values: IssueValues, check: InputCheck): void {
  if (!before) requireFields(ISSUE_FIELDS, values, check)
  checkSize(ISSUE_FIELDS, values, before, check)
}

/** An issue as it would be stored: the given values merged with the row before. */
export function issueWith(
  write: Write,
  before: IssueRow | undefined,
  values: IssueValues & {
    projectId: string
    id?: string | null | undefined
    assignee?: Assignee
    riskId?: string | null | undefined
  },
): IssueRow {
  const { projectId, id, assignee, riskId } = values
  const severity = values.severity ?? before?.severity ?? 'MEDIUM'
  const status = values.status ?? before?.status ?? 'OPEN'
  return {
    id: before?.id ?? id ?? newId('issue', new Date(write.at)),
    projectId,
    ...patchedFields(ISSUE_FIELDS, values, before),
    ...entryWith(write, before, values),
    live: isOpenIssue(status) ? 1 : 0,
    sortKey: issueSortKey(severity),
    status,
    severity,
    assigneeId: patched(assignee?.id, before?.assigneeId),
    assigneeName: patched(assignee?.name, before?.assigneeName),
    riskId: patched(riskId, before?.riskId),
  }
}
