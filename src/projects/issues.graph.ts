import { builder, enumOf, needs } from '../graph/builder.js'
import { connect, connectionOf, nestedList, nestedListArgs, queryList } from '../graph/connections.js'
import { queryOne, referringBy, stamps } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation.js'
import { boundedText, boundedTexts } from '../graph/inputs.js'
import { rowLoader } from '../graph/loaders.js'
import { Person, personById } from '../personnel/people.graph.js'
import { entryKeys } from './entries.js'
import { type IssueRow, issues, issuesOfProject } from './issues.js'
import { Project, projectById } from './projects.graph.js'
import { Risk, riskById } from './risks.graph.js'

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

const issueById = rowLoader(issues)

export const Issue = builder.objectRef<IssueRow>('Issue')
Issue.implement({
  description: 'Something that has gone wrong in a project. It belongs to its project and is read-only here.',
  ...needs('projects.read'),
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the issue.' }),
    reference: t.exposeString('reference', { description: "Its name in the project's own tracker, such as I-12." }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project that has it.',
      ...referringBy('projectId', 'projects.read', projectById),
    }),
    title: t.exposeString('title', { ...displayed, description: 'What is wrong, in a line.' }),
    description: t.exposeString('description', { nullable: true, description: 'What is wrong, at length.' }),
    severity: t.expose('severity', { type: IssueSeverity, description: 'How much it hurts.' }),
    status: t.expose('status', { type: IssueStatus, description: 'Where it stands.' }),
    assigneeId: t.exposeID('assigneeId', { nullable: true, description: 'The user id of who is to solve it.' }),
    assignee: t.field({
      type: Person,
      nullable: true,
      description: 'Who is to solve it; needs the scope personnel.read.',
      ...referringBy('assigneeId', 'personnel.read', personById),
    }),
    assigneeName: t.exposeString('assigneeName', {
      nullable: true,
      description: 'Who is to solve it, as the source wrote it.',
    }),
    riskId: t.exposeID('riskId', { nullable: true, description: 'The id of the risk that it came from.' }),
    risk: t.field({
      type: Risk,
      nullable: true,
      description: 'The risk that it came from.',
      ...referringBy('riskId', 'projects.read', riskById),
    }),
    url: t.exposeString('url', { nullable: true, description: 'Where it is kept.' }),
    raisedOn: t.expose('raisedOn', { type: 'Date', description: 'The day it was raised.' }),
    dueOn: t.expose('dueOn', { type: 'Date', nullable: true, description: 'The day it is to be solved by.' }),
  }),
})
stamps(Issue)
asEntity(Issue, { scope: 'projects.read', table: issues.table, keys: entryKeys })

const IssueConnection = connectionOf(Issue, 'open issues')

const IssueFilter = builder.inputType('IssueFilter', {
  description: 'Which open issues. Conditions given together must all hold; none of them shows a closed one.',
  fields: (t) => ({
    project: t.stringList(boundedTexts('id', 'Of one of the projects with these keys or ids.')),
    severity: t.field({ type: [IssueSeverity], description: 'Of one of these severities.' }),
    status: t.field({
      type: [OpenIssueStatus],
      description: 'With one of these statuses; without it, all that are open.',
    }),
    assignee: t.field({
      type: t.listRef('ID', { required: false }),
      ...boundedTexts(
        'id',
        'Assigned to one of the people with these user ids; null (`none` in REST) means nobody on the roster.',
      ),
    }),
    dueBefore: t.field({ type: 'Date', description: 'To be solved before this day.' }),
    search: t.string(boundedText('search', 'With this text in the title or the reference, in any case.')),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
})

builder.objectField(Project, 'issues', (t) =>
  t.field({
    type: IssueConnection,
    nullable: true,
    description: 'The open issues of the project, the most severe first.',
    ...needs('projects.read', nestedList),
    args: nestedListArgs(t.arg, IssueFilter),
    resolve: ({ id }, args, context) => connect(context, args, issuesOfProject(id)),
  }),
)

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
  description: 'One issue, by id, open or not.',
  load: issueById,
})
