import { eq, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { checkSize, details } from '../details.js'
import {
  byDefault,
  day,
  link,
  namesOf,
  oneOf,
  patched,
  patchedFields,
  required,
  requireFields,
  ruled,
  text,
  type Values,
} from '../fields.js'
import { Ledger } from '../history/ledger.js'
import { newId } from '../ids.js'
import { refersTo, unindexed } from '../store/query/conditions.js'
import { anyOf, anyText, type FilterOf, filteredList, INDEXED } from '../store/query/filters.js'
import { asked, askedFor, idMember, nounOf } from '../store/query/nouns.js'
import type { Relation } from '../store/query/relations.js'
import type { Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import type { InputCheck } from '../text.js'
import { ISSUE_SEVERITIES, type IssueSeverity, type IssueStatus, OPEN_ISSUE_STATUSES } from '../vocabulary.js'
import {
  departmentFilter,
  dueFilters,
  ENTRY_ORDERS,
  entryFilters,
  entryWith,
  holderFilter,
  holderMembers,
  inProjectFilters,
  ofItsHolder,
  ofItsProject,
  ofProject,
  ownershipFilter,
} from './projectEntries.js'
import type { Assignee } from './projects.js'
import { riskNaming } from './risks.js'

export type IssueRow = Tables['issue']['$inferSelect']
export type OpenIssueStatus = (typeof OPEN_ISSUE_STATUSES)[number]

function isOpenIssue(status: IssueStatus): boolean {
  return OPEN_ISSUE_STATUSES.some((open) => open === status)
}

/** An ascending sort key that puts the most severe first. */
function issueSortKey(severity: IssueSeverity): number {
  return -ISSUE_SEVERITIES.indexOf(severity)
}

const held = ({ issue }: Tables) => ({ id: issue.assigneeId, name: issue.assigneeName })

// Among the issues of a risk, use its index, not the one of open issues.
const seen = (column: AnyPgColumn, isNarrow: boolean) => (isNarrow ? unindexed(column) : sql`${column}`)

const FILTERS = {
  ...inProjectFilters((t) => t.issue),
  severity: anyOf(
    'IssueSeverity',
    'With one of these severities.',
    ({ t, among }, severities, { isNarrow }) => among(seen(t.issue.sortKey, isNarrow), severities.map(issueSortKey)),
    INDEXED,
  ),
  status: anyOf(
    'OpenIssueStatus',
    'With one of these statuses; all open ones by default.',
    ({ t, among }, statuses, { isNarrow }) => among(seen(t.issue.status, isNarrow), statuses),
    INDEXED,
  ),
  assignee: holderFilter(held, 'Assigned to'),
  assignment: ownershipFilter(held, 'Assigned in one of these ways.'),
  assigneeDepartment: departmentFilter(held, 'Assigned to'),
  risk: anyText(
    'id',
    'Came from one of the risks with these ids.',
    (read, ids) => refersTo(read, read.t.issue.riskId, riskNaming, ids),
    { type: 'ID', names: riskNaming },
  ),
  ...dueFilters((t) => t.issue, 'Due'),
  ...entryFilters((t) => t.issue),
}
export type IssueFilter = FilterOf<typeof FILTERS>

/** Open issues only: no filter can widen it. */
export const issues = filteredList((t) => t.issue, FILTERS, {
  name: 'issues',
  order: ({ sortKey, raisedOn, id }) => [sortKey, raisedOn, id],
  orders: ENTRY_ORDERS,
  always: ({ t }, { isNarrow }) => eq(seen(t.issue.live, isNarrow), 1),
  isNarrow: ({ risk }) => Boolean(risk),
})

export const issuesOfProject = ofItsProject(issues)
export const issuesOfPerson = ofItsHolder(issues, 'assigneeId')

/** The issues caused by a risk: so few that all are read to find the first ones. */
export const issuesOfRisk: Relation<Tables['risk'], Tables['issue'], IssueFilter> = {
  of: (t) => t.risk,
  list: issues.narrow,
  where: (_, risk, issue) => eq(issue.riskId, risk.id),
}

export const ISSUE = nounOf({
  id: idMember('The id of the issue.'),
  project: ofProject,
  reference: required(text('reference', "Its name in the project's own tracker, such as I-12.", 'I-12')),
  title: required(text('headline', 'The problem, in one line.', 'Crane permit refused')),
  description: text('description', 'The problem in detail.', 'The city wants a new traffic plan first.'),
  severity: required(oneOf('IssueSeverity', 'How severe it is.')),
  status: byDefault(oneOf('IssueStatus', 'Its status.'), 'OPEN'),
  ...holderMembers('assignee'),
  risk: asked(text('reference', 'The reference of the risk that caused it, in the same project.', 'R-7'), {
    isExported: false,
  }),
  riskId: askedFor('ID', ruled(text('reference', 'The id of the risk that caused it.', ''), 'Instead of risk.')),
  url: link('The link to it in its own system.', 'https://projects.example.com/apollo/issues/12'),
  raisedOn: byDefault(day('The day it was raised.', '2026-03-01'), 'Today'),
  dueOn: day('The day it is due.', '2027-01-31'),
  details: details('Affected', 'Schedule'),
})
type IssueValues = Values<typeof ISSUE.facts>

export function issuesLedger(write: Write): Ledger<IssueRow> {
  return new Ledger(write, {
    kind: 'ISSUE',
    table: (t) => t.issue,
    unique: ['reference'],
    projectOf: ({ projectId }) => projectId,
    tracked: [...namesOf(ISSUE.facts), 'assigneeId', 'assigneeName', 'riskId'],
  })
}

export function checkIssue(before: IssueRow | undefined, values: IssueValues, check: InputCheck): void {
  if (!before) requireFields(ISSUE.facts, values, check)
  checkSize(ISSUE.facts, values, before, check)
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
    ...patchedFields(ISSUE.facts, values, before),
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
