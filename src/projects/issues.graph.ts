import { builder, enumOf, needs } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { detailsField } from '../graph/details.js'
import { queryOne, timestampFields } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation/schema.js'
import { columns, referenceField } from '../graph/fields.js'
import { boundedText, boundedTexts } from '../graph/inputs.js'
import { heldBy, heldIn, Person, personField } from '../personnel/people.graph.js'
import { type IssueRow, issues, issuesOfPerson, issuesOfProject, issuesOfRisk } from './issues.js'
import { entryKeys } from './projectEntries.js'
import { byReference, ENTRY_ORDERS_IN_WORDS, Ownership, Project, ProjectStatus, TO_PROJECT } from './projects.graph.js'
import { Risk } from './risks.graph.js'
import { risks } from './risks.js'

export const IssueSeverity = enumOf('IssueSeverity', 'The severity of an issue.', {
  LOW: 'A nuisance.',
  MEDIUM: 'It costs time or money.',
  HIGH: 'It endangers a goal of the project.',
  CRITICAL: 'It stops the project.',
})

const OPEN_STATUSES = {
  OPEN: 'Nobody is working on it yet.',
  IN_PROGRESS: 'Someone is working on it.',
  BLOCKED: 'It is waiting for something else.',
}

export const IssueStatus = enumOf(
  'IssueStatus',
  'The status of an issue; OPEN, IN_PROGRESS and BLOCKED count as open.',
  {
    ...OPEN_STATUSES,
    RESOLVED: 'Solved, but not confirmed yet.',
    CLOSED: 'Solved and confirmed, or dropped.',
  },
)

export const OpenIssueStatus = enumOf('OpenIssueStatus', 'The status of an open issue.', OPEN_STATUSES)

export const Issue = builder.objectRef<IssueRow>('Issue')
Issue.implement({
  description: 'A problem of a project. It belongs to its project and is read-only here.',
  ...needs('projects.read'),
})
columns(Issue, {
  id: { type: 'ID', description: 'The id of the issue.' },
  reference: { type: 'String', description: "Its name in the project's own tracker, such as I-12." },
  title: { type: 'String', description: 'The problem, in one line.', ...displayed },
  description: { type: 'String', nullable: true, description: 'The problem in detail.' },
  severity: { type: IssueSeverity, description: 'How severe it is.' },
  status: { type: IssueStatus, description: 'Its status.' },
  assigneeId: { type: 'ID', nullable: true, description: 'The user id of the assignee.' },
  assigneeName: { type: 'String', nullable: true, description: 'The assignee as named by the source.' },
  riskId: { type: 'ID', nullable: true, description: 'The id of the risk that caused it.' },
  url: { type: 'String', nullable: true, description: 'The link to it in its own system.' },
  raisedOn: { type: 'Date', description: 'The day it was raised.' },
  dueOn: { type: 'Date', nullable: true, description: 'The day it is due.' },
})
referenceField(Issue, 'project', { ...TO_PROJECT, by: 'projectId', description: 'The project that it belongs to.' })
personField(Issue, 'assignee', 'assigneeId')
referenceField(Issue, 'risk', {
  to: Risk,
  by: 'riskId',
  list: risks,
  scope: 'projects.read',
  description: 'The risk that caused it.',
})
detailsField(Issue, issues.table)
timestampFields(Issue)
asEntity(Issue, { scope: 'projects.read', table: issues.table, keys: entryKeys })

const IssueConnection = connectionOf(Issue, 'open issues')

export const IssueFilter = builder.inputType('IssueFilter', {
  description: 'Filters open issues. All given conditions must hold; closed issues are never listed.',
  fields: (t) => ({
    project: t.stringList(boundedTexts('id', 'In one of the projects with these keys or ids; keys in any case.')),
    projectStatus: t.field({ type: [ProjectStatus], description: 'In a project with one of these statuses.' }),
    severity: t.field({ type: [IssueSeverity], description: 'With one of these severities.' }),
    status: t.field({
      type: [OpenIssueStatus],
      description: 'With one of these statuses; all open ones by default.',
    }),
    assignee: t.field({ type: t.listRef('ID', { required: false }), ...heldBy('Assigned to') }),
    assignment: t.field({ type: [Ownership], description: 'Assigned in one of these ways.' }),
    assigneeDepartment: t.stringList(heldIn('Assigned to')),
    risk: t.idList(boundedTexts('id', 'Came from one of the risks with these ids.')),
    dueBefore: t.field({ type: 'Date', description: 'Due before this day.' }),
    dueAfter: t.field({ type: 'Date', description: 'Due after this day.' }),
    search: t.string(boundedText('search', 'Contains this text in the title or the reference; case-insensitive.')),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
})

const LISTED = { type: IssueConnection, filter: IssueFilter, scope: 'projects.read' } as const

pageField(Project, 'issues', {
  ...LISTED,
  description: 'The open issues of the project, most severe first.',
  relation: issuesOfProject,
})

pageField(Person, 'issues', {
  ...LISTED,
  description: 'The open issues assigned to the person, most severe first; needs the scope projects.read.',
  relation: issuesOfPerson,
})

pageField(Risk, 'issues', {
  ...LISTED,
  description: 'The open issues caused by the risk, most severe first.',
  relation: issuesOfRisk,
})

const IssueOrder = enumOf('IssueOrder', 'The order of issues.', {
  SEVERITY: 'The most severe first, then the one raised first.',
  ...ENTRY_ORDERS_IN_WORDS,
})

queryList('issues', {
  ...LISTED,
  description: 'The open issues across all projects, most severe first.',
  list: issues,
  order: { type: IssueOrder, own: 'SEVERITY' },
})

queryOne('issue', {
  type: Issue,
  scope: 'projects.read',
  description: 'One issue, by id, or by its project and its reference there, open or not.',
  list: issues,
  keys: [byReference],
})
