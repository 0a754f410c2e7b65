import type { ObjectRef } from '@pothos/core'
import type { Scope } from '../auth/scopes.js'
import { builder, enumOf } from '../graph/builder.js'
import { connectionOf, pageField } from '../graph/connections.js'
import { columns, itemsField, type Types } from '../graph/sql/fields.js'
import { Group } from '../personnel/groups.graph.js'
import { Person } from '../personnel/people.graph.js'
import { Issue } from '../projects/issues.graph.js'
import { Project } from '../projects/projects.graph.js'
import { Risk } from '../projects/risks.graph.js'
import type { Identified } from '../store/query/relations.js'
import type { Tables } from '../store/tables.js'
import type { EntityKind } from '../vocabulary.js'
import { type ChangeRow, type FieldChangeRow, fieldChanges, historyOf } from './changes.js'

const ChangeAction = enumOf('ChangeAction', 'The action.', {
  CREATED: 'It was created.',
  UPDATED: 'Fields changed.',
  CLOSED: 'It was closed because it is missing from the data of its project.',
  ERASED: 'All data about the person was blanked on legal request.',
})

const FieldChange = builder.objectRef<FieldChangeRow>('FieldChange')
FieldChange.implement({
  description: 'The change of one field. It has no id: caches keep it inside its change.',
})
columns(FieldChange, {
  field: { type: 'String', description: 'The name of the field.' },
  from: { type: 'String', nullable: true, description: 'The value before; null for none.' },
  to: { type: 'String', nullable: true, description: 'The value after; null for none.' },
})

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
    by: t.string({
      nullable: true,
      description:
        'The id of the key that made the change, or `cli` for the command line; needs personnel.manage for people and groups, ' +
        'projects.manage for projects, risks and issues.',
      authScopes: ({ entity }) => ({ scope: MANAGED_BY[entity] }),
      extensions: {
        sql: { column: 'by' },
        scopeOf: (parent: string) => MANAGED_BY[parent.toUpperCase() as EntityKind],
      },
      resolve: ({ by }) => by,
    }),
  }),
})
columns(Change, {
  id: { type: 'ID', description: 'The number of the change; later ones have higher numbers.' },
  recordedAt: { type: 'DateTime', description: 'When it was stored.' },
  effectiveOn: { type: 'Date', description: 'The day that it applies to.' },
  action: { type: ChangeAction, description: 'The action.' },
})
itemsField(Change, 'fields', { of: FieldChange, description: 'Each field that changed.', relation: fieldChanges })

const ChangeConnection = connectionOf(Change, 'changes')

const ChangeFilter = builder.inputType('ChangeFilter', {
  description: 'Filters changes.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', description: 'Stored at this instant or later.' }),
  }),
})

/** Adds the field `history` to an entity. */
function historyField<P extends Identified>(
  type: ObjectRef<Types, P['$inferSelect']>,
  scope: Scope,
  of: (t: Tables) => P,
): void {
  pageField(type, 'history', {
    type: ChangeConnection,
    filter: ChangeFilter,
    scope,
    description: `The changes of the ${type.name.toLowerCase()}, oldest first.`,
    relation: historyOf(of),
  })
}

historyField(Person, 'personnel.read', (t) => t.person)
historyField(Group, 'personnel.read', (t) => t.group)
historyField(Project, 'projects.read', (t) => t.project)
historyField(Risk, 'projects.read', (t) => t.risk)
historyField(Issue, 'projects.read', (t) => t.issue)
