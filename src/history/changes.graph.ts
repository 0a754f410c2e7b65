import type { Scope } from '../auth/scopes.js'
import { builder, enumOf, needs } from '../graph/builder.js'
import { connect, connectionOf, nestedList, nestedListArgs } from '../graph/connections.js'
import { Group } from '../personnel/groups.graph.js'
import { Person } from '../personnel/people.graph.js'
import { Issue } from '../projects/issues.graph.js'
import { Project } from '../projects/projects.graph.js'
import { Risk } from '../projects/risks.graph.js'
import type { EntityKind } from '../vocabulary.js'
import { type ChangeRow, changesOf, fieldChangesOf, type Recorded } from './changes.js'

const ChangeAction = enumOf('ChangeAction', 'What was done.', {
  CREATED: 'It came in.',
  UPDATED: 'Something of it changed.',
  CLOSED: 'It was closed, because its project no longer has it.',
  ERASED: 'Everything about the person was blanked, as the law can ask for.',
})

interface FieldChange {
  readonly field: string
  readonly from: Recorded
  readonly to: Recorded
}

const FieldChange = builder.objectRef<FieldChange>('FieldChange')
FieldChange.implement({
  description: 'What became of one field. It has no key of its own: caches keep it inside its change.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The name of the field.' }),
    from: t.string({
      nullable: true,
      description: 'What it was before; null for nothing.',
      resolve: ({ from }) => inText(from),
    }),
    to: t.string({
      nullable: true,
      description: 'What it is since; null for nothing.',
      resolve: ({ to }) => inText(to),
    }),
  }),
})

function inText(value: Recorded): string | null {
  if (value === null) return null
  return typeof value === 'object' ? value.join('; ') || null : String(value)
}

const MANAGED_BY: Readonly<Record<EntityKind, Scope>> = {
  PERSON: 'personnel.manage',
  GROUP: 'personnel.manage',
  PROJECT: 'projects.manage',
  RISK: 'projects.manage',
  ISSUE: 'projects.manage',
}

const Change = builder.objectRef<ChangeRow>('Change')
Change.implement({
  description: 'One change in the history of a person, a group, a project, a risk or an issue.',
  fields: (t) => ({
    id: t.id({
      description: 'The number of the change; later ones have higher numbers.',
      resolve: ({ id }) => String(id),
    }),
    recordedAt: t.expose('recordedAt', { type: 'DateTime', description: 'When it was stored here.' }),
    effectiveOn: t.expose('effectiveOn', { type: 'Date', description: 'The day that it is true for.' }),
    action: t.expose('action', { type: ChangeAction, description: 'What was done.' }),
    by: t.string({
      nullable: true,
      description:
        'The id of the key that did it, or `cli` for the command line; needs personnel.manage for people and groups, ' +
        'projects.manage for projects, risks and issues.',
      authScopes: ({ entity }) => ({ scope: MANAGED_BY[entity] }),
      resolve: ({ by }) => by,
    }),
    fields: t.field({
      type: [FieldChange],
      description: 'Each field that changed.',
      resolve: (row) => Object.entries(fieldChangesOf(row)).map(([field, [from, to]]) => ({ field, from, to })),
    }),
  }),
})

const ChangeConnection = connectionOf(Change, 'changes')

const ChangeFilter = builder.inputType('ChangeFilter', {
  description: 'Which changes.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', description: 'Stored at this instant or later.' }),
  }),
})

const ENTITIES = [
  { type: Person, scope: 'personnel.read' },
  { type: Group, scope: 'personnel.read' },
  { type: Project, scope: 'projects.read' },
  { type: Risk, scope: 'projects.read' },
  { type: Issue, scope: 'projects.read' },
] as const

for (const { type, scope } of ENTITIES) {
  builder.objectField(type, 'history', (t) =>
    t.field({
      type: ChangeConnection,
      nullable: true,
      description: `What became of the ${type.name.toLowerCase()}, the oldest change first.`,
      ...needs(scope, nestedList),
      args: nestedListArgs(t.arg, ChangeFilter),
      resolve: ({ id }, args, context) => connect(context, args, changesOf(id)),
    }),
  )
}
