import { and, eq, gte, lt, type SQL } from 'drizzle-orm'
import { newId } from '../ids.js'
import { contains, isOneOf, type Optional } from '../store/conditions.js'
import type { List } from '../store/page.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { fold } from '../text.js'
import { ISSUE_SEVERITIES, type IssueSeverity, type IssueStatus, OPEN_ISSUE_STATUSES } from '../vocabulary.js'
import { projectIds } from './projects.js'

export type IssueRow = Tables['issue']['$inferSelect']
export type OpenIssueStatus = (typeof OPEN_ISSUE_STATUSES)[number]

export interface IssueFilter {
  /** Ids or keys. */
  readonly project?: Optional<readonly string[]>
  readonly severity?: Optional<readonly IssueSeverity[]>
  readonly status?: Optional<readonly OpenIssueStatus[]>
  /** A null among them means nobody. */
  readonly assignee?: Optional<readonly Optional<string>[]>
  readonly dueBefore?: Optional<string>
  readonly search?: Optional<string>
  readonly updatedSince?: Optional<string>
}

export function isOpenIssue(status: IssueStatus): boolean {
  return OPEN_ISSUE_STATUSES.some((open) => open === status)
}

/** One ascending number that puts the most severe first. */
export function issueStanding(severity: IssueSeverity): number {
  return -ISSUE_SEVERITIES.indexOf(severity)
}

/** Open issues, and never another: no filter can widen it. */
export const issues: List<Tables['issue'], IssueFilter> = {
  name: 'issues',
  table: (t) => t.issue,
  order: ({ standing, raisedOn, id }) => [standing, raisedOn, id],
  place: (row) => [row.standing, row.raisedOn, row.id],
  matching,
}

export function issuesOfProject(projectId: string): typeof issues {
  return {
    ...issues,
    matching: async (read, filter) => and(eq(read.t.issue.projectId, projectId), await matching(read, filter)),
  }
}

async function matching(read: Read, filter: IssueFilter): Promise<SQL | undefined> {
  const { issue } = read.t
  const inProjects = filter.project && (await projectIds(read, filter.project))
  return and(
    eq(issue.live, 1),
    filter.status ? read.among(issue.status, filter.status) : undefined,
    inProjects ? read.among(issue.projectId, inProjects) : undefined,
    filter.severity ? read.among(issue.standing, filter.severity.map(issueStanding)) : undefined,
    filter.assignee ? isOneOf(read, issue.assigneeId, filter.assignee) : undefined,
    filter.dueBefore == null ? undefined : lt(issue.dueOn, filter.dueBefore),
    filter.search == null ? undefined : contains(filter.search, issue.searchFolded),
    filter.updatedSince == null ? undefined : gte(issue.updatedAt, filter.updatedSince),
  )
}

export type IssueDraft = Omit<IssueRow, 'id' | 'searchFolded' | 'live' | 'standing' | 'createdAt' | 'updatedAt'>

export async function addIssue({ db, t, at }: Write, draft: IssueDraft): Promise<string> {
  const id = newId('issue', new Date(at))
  await db.insert(t.issue).values({
    id,
    ...draft,
    searchFolded: fold(`${draft.reference}\n${draft.title}`),
    live: isOpenIssue(draft.status) ? 1 : 0,
    standing: issueStanding(draft.severity),
    createdAt: at,
    updatedAt: at,
  })
  return id
}
