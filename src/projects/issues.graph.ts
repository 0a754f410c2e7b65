import { enumOf } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { queryOne } from '../graph/entities.js'
import { referenceField } from '../graph/fields.js'
import { entityType, filterInput } from '../graph/nouns.js'
import { Person, personField } from '../personnel/people.graph.js'
import { ISSUE, issues, issuesOfPerson, issuesOfProject, issuesOfRisk } from './issues.js'
import { entryKeys } from './projectEntries.js'
import { byReference, ENTRY_ORDERS_IN_WORDS, Project, TO_PROJECT } from './projects.graph.js'
import { Risk } from './risks.graph.js'
import { risks } from './risks.js'

export const Issue = entityType(
  'Issue',
  'A problem of a project. It belongs to its project and is read-only here.',
  ISSUE,
  { scope: 'projects.read', table: issues.table, keys: entryKeys, title: 'title' },
)
referenceField(Issue, 'project', { ...TO_PROJECT, by: 'projectId', description: 'The project that it belongs to.' })
personField(Issue, 'assignee', 'assigneeId')
referenceField(Issue, 'risk', {
  to: Risk,
  by: 'riskId',
  list: risks,
  scope: 'projects.read',
  description: 'The risk that caused it.',
})

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
