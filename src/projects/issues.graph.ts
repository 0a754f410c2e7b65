import { builder, enumOf, needs } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { queryOne, stamps } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation.js'
import { boundedText, boundedTexts } from '../graph/inputs.js'
import { columns, referenceField } from '../graph/sql/fields.js'
import { Person } from '../personnel/people.graph.js'
import { personnel } from '../personnel/people.js'
import { byReference } from './entries.graph.js'
import { entryKeys } from './entries.js'
import { type IssueRow, issues, issuesOfPerson, issuesOfProject, issuesOfRisk } from './issues.js'
import { Project } from './projects.graph.js'
import { projects } from './projects.js'
import { Risk } from './risks.graph.js'
import { risks } from './risks.js'

export const IssueSeverity = enumOf('IssueSeverity', 'How much an issue hurts.', {
  LOW: 'A nuisance.',
  MEDIUM: 'It costs time or money.',
  HIGH: 'It endangers a goal of the project.',
  CRITICAL: 'It stops the project.',
})

const OPEN_STATUSES = {
  OPEN: 'Nobody is at it yet.',
  IN_PROGRESS: 'Someone is at it.',
  BLOCKED: 'It waits for something else.',
}

export const IssueStatus = enumOf(
  'IssueStatus',
  'Where an issue stands; OPEN, IN_PROGRESS and BLOCKED count as open.',
  {
    ...OPEN_STATUSES,
    RESOLVED: 'Solved, and not confirmed yet.',
    CLOSED: 'Over and done with.',
  },
)

const OpenIssueStatus = enumOf('OpenIssueStatus', 'Where an open issue stands.', OPEN_STATUSES)

export const Issue = builder.objectRef<IssueRow>('Issue')
Issue.implement({
  description: 'Something that has gone wrong in a project. It belongs to its project and is read-only here.',
  ...needs('projects.read'),
})
columns(Issue, {
  id: { type: 'ID', description: 'The id of the issue.' },
  reference: { type: 'String', description: "Its name in the project's own tracker, such as I-12." },
  title: { type: 'String', description: 'What is wrong, in a line.', ...displayed },
  description: { type: 'String', nullable: true, description: 'What is wrong, at length.' },
  severity: { type: IssueSeverity, description: 'How much it hurts.' },
  status: { type: IssueStatus, description: 'Where it stands.' },
  assigneeId: { type: 'ID', nullable: true, description: 'The user id of who is to solve it.' },
  assigneeName: { type: 'String', nullable: true, description: 'Who is to solve it, as the source wrote it.' },
  riskId: { type: 'ID', nullable: true, description: 'The id of the risk that it came from.' },
  url: { type: 'String', nullable: true, description: 'Where it is kept.' },
  raisedOn: { type: 'Date', description: 'The day it was raised.' },
  dueOn: { type: 'Date', nullable: true, description: 'The day it is to be solved by.' },
})
referenceField(Issue, 'project', {
  to: Project,
  by: 'projectId',
  required: true,
  list: projects,
  scope: 'projects.read',
  description: 'The project that has it.',
})
referenceField(Issue, 'assignee', {
  to: Person,
  by: 'assigneeId',
  list: personnel,
  scope: 'personnel.read',
  description: 'Who is to solve it; needs the scope personnel.read.',
})
referenceField(Issue, 'risk', {
  to: Risk,
  by: 'riskId',
  list: risks,
  scope: 'projects.read',
  description: 'The risk that it came from.',
})
stamps(Issue)
asEntity(Issue, { scope: 'projects.read', table: issues.table, keys: entryKeys })

const IssueConnection = connectionOf(Issue, 'open issues')

const IssueFilter = builder.inputType('IssueFilter', {
  description: 'Which open issues. Conditions given together must all hold; none of them shows a closed one.',
  fields: (t) => ({
    project: t.stringList(boundedTexts('id', 'Of one of the projects with these keys, in any case, or ids.')),
    severity: t.field({ type: [IssueSeverity], description: 'Of one of these severities.' }),
    status: t.field({
      type: [OpenIssueStatus],
      description: 'With one of these statuses; without it, all that are open.',
    }),
    assignee: t.field({
      type: t.listRef('ID', { required: false }),
      ...boundedTexts(
        'email',
        'Assigned to one of the people with these user ids or e-mails, which need personnel.read; null (`none` in REST) means nobody on the roster.',
      ),
    }),
    risk: t.idList(boundedTexts('id', 'That came from one of the risks with these ids.')),
    dueBefore: t.field({ type: 'Date', description: 'To be solved before this day.' }),
    search: t.string(boundedText('search', 'With this text in the title or the reference, in any case.')),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
})

pageField(Project, 'issues', {
  type: IssueConnection,
  filter: IssueFilter,
  scope: 'projects.read',
  description: 'The open issues of the project, the most severe first.',
  relation: issuesOfProject,
})

pageField(Person, 'issues', {
  type: IssueConnection,
  filter: IssueFilter,
  scope: 'projects.read',
  description: 'The open issues that are assigned to the person, the most severe first; needs the scope projects.read.',
  relation: issuesOfPerson,
})

pageField(Risk, 'issues', {
  type: IssueConnection,
  filter: IssueFilter,
  scope: 'projects.read',
  description: 'The open issues that came from the risk, the most severe first.',
  relation: issuesOfRisk,
})

queryList('issues', {
  type: IssueConnection,
  filter: IssueFilter,
  scope: 'projects.read',
  description: 'The open issues across all projects, the most severe first.',
  list: issues,
})

queryOne('issue', {
  type: Issue,
  scope: 'projects.read',
  description: 'One issue, by id, or by its project and its reference there, open or not.',
  list: issues,
  ways: [byReference],
})
