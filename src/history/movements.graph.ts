import type { ObjectRef } from '@pothos/core'
import { builder, enumOf } from '../graph/builder.js'
import { firstOf } from '../graph/connections.js'
import { columns, ownField, queryView, referenceField, type Types, viewList } from '../graph/fields.js'
import { boundedTexts } from '../graph/inputs.js'
import { Issue } from '../projects/issues.graph.js'
import { issues } from '../projects/issues.js'
import { TO_PROJECT } from '../projects/projects.graph.js'
import { Risk } from '../projects/risks.graph.js'
import { risks } from '../projects/risks.js'
import { issueMovement, type movements, projectMovement, riskMovement } from '../store/derivedRows.js'
import { changes } from './changes.js'
import { movementsView } from './movements.js'

const MovementCounts = builder.objectRef<Omit<typeof projectMovement.$inferSelect, 'id' | 'position'>>('MovementCounts')
MovementCounts.implement({ description: 'How many risks and issues moved.' })
columns(MovementCounts, {
  new: {
    type: 'Int',
    description: 'Risks that are live at the end and were not at the beginning: created or reopened.',
  },
  closed: { type: 'Int', description: 'Risks that were live at the beginning and are closed at the end.' },
  up: { type: 'Int', description: 'Risks that are live at both ends, with a higher score at the end.' },
  down: { type: 'Int', description: 'Risks that are live at both ends, with a lower score at the end.' },
  unchanged: { type: 'Int', description: 'Risks that are live at both ends, with the same score.' },
  opened: { type: 'Int', description: 'Issues that are open at the end and were not at the beginning.' },
  resolved: { type: 'Int', description: 'Issues that were open at the beginning and are not at the end.' },
  worse: { type: 'Int', description: 'Issues that are open at both ends, more severe at the end.' },
  slipped: { type: 'Int', description: 'Issues that are open at both ends, due later at the end.' },
})

const RiskMovementKind = enumOf('RiskMovementKind', 'How a risk moved.', {
  NEW: 'It was not live at the beginning and is at the end: created or reopened.',
  CLOSED: 'It was live at the beginning and is closed at the end.',
  UP: 'Its score is higher at the end.',
  DOWN: 'Its score is lower at the end.',
})

const IssueMovementKind = enumOf('IssueMovementKind', 'How an issue moved.', {
  OPENED: 'It was not open at the beginning and is at the end: raised or reopened.',
  RESOLVED: 'It was open at the beginning and is resolved or closed at the end.',
  WORSE: 'It is more severe at the end.',
  SLIPPED: 'It is due later at the end.',
})

/** Fields of both, as they were at the end. */
function entryFields<Row extends { id: string; reference: string; title: string; projectId: string }>(
  type: ObjectRef<Types, Row>,
  noun: string,
): void {
  const entry: ObjectRef<Types, { id: string; reference: string; title: string }> = type
  columns(entry, {
    id: { type: 'ID', description: `The id of the ${noun}.` },
    reference: { type: 'String', description: `Its name in the project's own list, at the end.` },
    title: { type: 'String', description: `The title of the ${noun} at the end.` },
  })
  referenceField(type, 'project', { ...TO_PROJECT, by: 'projectId', description: 'The project that it belongs to.' })
}

const RiskMovement = builder.objectRef<typeof riskMovement.$inferSelect>('RiskMovement')
RiskMovement.implement({ description: 'The movement of one risk between two instants.' })
entryFields(RiskMovement, 'risk')
columns(RiskMovement, {
  movement: { type: RiskMovementKind, description: 'How it moved.' },
  scoreFrom: { type: 'Int', nullable: true, description: 'The score at the beginning; null if it was not live.' },
  scoreTo: { type: 'Int', nullable: true, description: 'The score at the end; null if it was not live.' },
  levelFrom: { type: 'RiskLevel', nullable: true, description: 'The level of that score at the beginning.' },
  levelTo: { type: 'RiskLevel', nullable: true, description: 'The level of that score at the end.' },
  rankFrom: { type: 'Int', nullable: true, description: 'The rank among all live risks at the beginning.' },
  rankTo: { type: 'Int', nullable: true, description: 'The rank among all live risks at the end.' },
})
const NOW = { by: 'id', required: true, scope: 'projects.read' } as const
referenceField(RiskMovement, 'risk', { ...NOW, to: Risk, list: risks, description: 'The risk as it is now.' })

const IssueMovement = builder.objectRef<typeof issueMovement.$inferSelect>('IssueMovement')
IssueMovement.implement({ description: 'The movement of one issue between two instants.' })
entryFields(IssueMovement, 'issue')
columns(IssueMovement, {
  movement: { type: IssueMovementKind, description: 'How it moved.' },
  severityFrom: { type: 'IssueSeverity', nullable: true, description: 'At the beginning; null if it was not open.' },
  severityTo: { type: 'IssueSeverity', nullable: true, description: 'At the end; null if it was not open.' },
  dueFrom: { type: 'Date', nullable: true, description: 'The day it was due at the beginning, while open.' },
  dueTo: { type: 'Date', nullable: true, description: 'The day it was due at the end, while open.' },
})
referenceField(IssueMovement, 'issue', { ...NOW, to: Issue, list: issues, description: 'The issue as it is now.' })

const ProjectMovements = builder.objectRef<typeof projectMovement.$inferSelect>('ProjectMovements')
ProjectMovements.implement({ description: 'The movements of one project.' })
referenceField(ProjectMovements, 'project', { ...TO_PROJECT, by: 'id', description: 'The project.' })
ownField(ProjectMovements, 'counts', { of: MovementCounts, description: 'Its counts.' })

const Movements = builder.objectRef<typeof movements.$inferSelect>('Movements')
Movements.implement({
  description:
    'The net movement of risks and issues between two instants, by when changes were recorded: what went up and came ' +
    'back has not moved.',
})
columns(Movements, {
  since: { type: 'DateTime', description: 'The beginning: what was recorded before it.' },
  until: { type: 'DateTime', nullable: true, description: 'The end; null for everything recorded so far.' },
})
ownField(Movements, 'counts', { of: MovementCounts, description: 'The counts of all projects.' })
viewList(Movements, 'risks', {
  of: RiskMovement,
  table: riskMovement,
  description: 'The risks that moved, the biggest change of the score first.',
})
viewList(Movements, 'issues', {
  of: IssueMovement,
  table: issueMovement,
  description:
    'The issues that moved, the biggest change of severity first; one that got worse and slipped is there twice.',
})
viewList(Movements, 'projects', {
  of: ProjectMovements,
  table: projectMovement,
  description: 'The counts by project, ordered by key; projects with nothing to count are left out.',
})

const MovementFilter = builder.inputType('MovementFilter', {
  description: 'Filters movements.',
  fields: (t) => ({
    project: t.stringList(boundedTexts('id', 'In one of these projects, by key or id.')),
    level: t.field({
      type: ['RiskLevel'],
      description: 'Risks that had one of these levels at the beginning or at the end; issues have no level.',
    }),
    projectStatus: t.field({
      type: ['ProjectStatus'],
      description: 'In a project that has one of these statuses now.',
    }),
  }),
})

queryView('movements', {
  type: Movements,
  scope: 'projects.read',
  description:
    'What moved between two instants: risks that are new, closed, up or down, and issues that were opened or resolved, got worse or slipped.',
  args: (arg) => ({
    since: arg({ type: 'DateTime', required: true, description: 'The beginning, such as the last board.' }),
    until: arg({ type: 'DateTime', description: 'The end; everything recorded so far by default.' }),
    filter: arg({ type: MovementFilter, description: 'Filters the risks and issues.' }),
    first: arg.int(
      firstOf(
        ' entries of each kind of movement',
        ', the biggest changes first. All by default; the counts are always of all.',
      ),
    ),
    including: arg.idList({ description: 'Ids of risks to list too if they moved, whatever `first` is.' }),
  }),
  view: movementsView,
  price: { derived: { lists: [changes], args: ({ since }) => ({ filter: { since } }) } },
})
