import { builder, enumOf, needs } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { detailsField } from '../graph/details.js'
import { queryOne, timestampFields } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation/schema.js'
import { columns, referenceField } from '../graph/fields.js'
import { filterInput } from '../graph/inputs.js'
import { Person, personField } from '../personnel/people.graph.js'
import { type IssueRow, issues, issuesOfPerson, issuesOfProject, issuesOfRisk } from './issues.js'
import { entryKeys } from './projectEntries.js'
import { byReference, ENTRY_ORDERS_IN_WORDS, Project, TO_PROJECT } from './projects.graph.js'
import { Risk } from './risks.graph.js'
import { risks } from './risks.js'

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
  severity: { type: 'IssueSeverity', description: 'How severe it is.' },
  status: { type: 'IssueStatus', description: 'Its status.' },
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

export const IssueFilter = filterInput(
  'IssueFilter',
  'Filters open issues. All given conditions must hold; closed issues are never listed.',
  issues,
)

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
