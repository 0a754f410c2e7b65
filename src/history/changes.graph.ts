import { builder, enumOf } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { columns, computedField, field, itemsField, referenceField } from '../graph/fields.js'
import { boundedTexts } from '../graph/inputs.js'
import type { RowScope, SqlField } from '../graph/query/declared.js'
import { FACES } from '../nouns.graph.js'
import { LISTS } from '../nouns.js'
import { Project } from '../projects/projects.graph.js'
import { projects } from '../projects/projects.js'
import type { Tables } from '../store/tables.js'
import { ENTITY_KINDS, type EntityKind as Kind, kindOf, NOUN_NAMES, NOUNS, type NounName } from '../vocabulary.js'
import { type ChangeRow, type FieldChangeRow, fieldChanges, historyOf } from './changes.js'
import { changedReference, changedTitle, type FeedFilter as Feed, feed, kindsIn, scopeOfKind } from './feed.js'
import { type ImportRunRow, importRuns } from './importRuns.js'

const ChangeAction = enumOf('ChangeAction', 'The action.', {
  CREATED: 'It was created.',
  UPDATED: 'Fields changed.',
  CLOSED: 'It was closed because it is missing from the data of its project.',
  ERASED: 'All data about the person was blanked on legal request.',
  REMOVED: 'The group was removed: its members left, and its id is no longer found.',
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

const whatIs = NOUN_NAMES.map((name) => [kindOf(name), NOUNS[name].is])
const EntityKind = enumOf<Kind>('EntityKind', 'The kind of an entity.', Object.fromEntries(whatIs))

const ImportRun = builder.objectRef<ImportRunRow>('ImportRun')
ImportRun.implement({ description: 'An import, a sync, or a command that undid one or merged two people.' })
columns(ImportRun, {
  id: { type: 'ID', description: 'Its id.' },
  source: { type: 'String', description: 'What it came from: the name of a source, or of a key.' },
  file: { type: 'String', nullable: true, description: 'The name of the file; null for a sync.' },
  operator: { type: 'String', nullable: true, description: 'Who ran the command; null for a sync.' },
})

const managing = (kind: Kind) => scopeOfKind(kind, 'manage')

/** Who made a change is for those who may manage its entity. */
const rowScope: RowScope = {
  column: 'entity',
  scopes: Object.fromEntries(ENTITY_KINDS.map((kind) => [kind, managing(kind)])),
  scopesIn: (parent, filter) => {
    const [own] = ENTITY_KINDS.filter((kind) => kind === parent.toUpperCase())
    return (own ? [own] : kindsIn(filter as Feed)).map(managing)
  },
}

const Change = builder.objectRef<ChangeRow>('Change')
Change.implement({
  description: 'One change in the history of a person, a group, a project, a risk or an issue.',
})
const NEEDS = 'needs personnel.manage for people and groups, projects.manage for projects, risks and issues.'
/** A nullable field for those who may manage the entity; Pothos checks it once more. */
function authorField(name: string, type: 'String' | typeof ImportRun, description: string, sql: SqlField): void {
  const authScopes = ({ entity }: ChangeRow) => ({ scope: managing(entity) })
  const checked = { authScopes, extensions: { sql, rowScope } }
  field(Change, name, () => ({ type, nullable: true, description: `${description}; ${NEEDS}`, ...checked }))
}
authorField(
  'by',
  'String',
  'The id of the key that made the change, `oidc:ISSUER:SUBJECT` for a token, `host:ID` for a caller of an embedding program, or `cli` for the command line',
  { column: 'by' },
)
authorField('import', ImportRun, 'The import or sync that made the change; null for a single change', {
  reference: { list: importRuns, by: 'importId', isImplied: true },
})
columns(Change, {
  id: { type: 'ID', description: 'The number of the change; later ones have higher numbers.' },
  recordedAt: { type: 'DateTime', description: 'When it was stored.' },
  effectiveOn: { type: 'Date', description: 'The day that it applies to.' },
  action: { type: ChangeAction, description: 'The action.' },
  entity: { type: EntityKind, description: 'The kind of the entity that changed.' },
  entityId: { type: 'ID', description: 'The id of the entity that changed.' },
})
field(Change, 'cursor', () => ({
  type: 'String',
  extensions: { sql: { position: feed } },
  description: 'Where to resume after this change: the `after` of `changes`.',
}))
computedField(Change, 'reference', {
  type: 'String',
  nullable: true,
  description: 'The reference of the risk or the issue, or the key of the project, as it is now; null for others.',
  computed: changedReference,
})
computedField(Change, 'title', {
  type: 'String',
  nullable: true,
  description: 'The title of the risk or the issue, or the name of the person, the group or the project, as it is now.',
  computed: changedTitle,
})
// Without scopes: whoever reads a change may read its entity, and for another kind of change these are null.
referenceField(Change, 'project', {
  ...{ to: Project, by: 'projectId', list: projects, scope: undefined },
  description: 'The project that changed, or that the risk or the issue belongs to.',
})
function entityField<N extends NounName>(noun: N): void {
  const removed = noun === 'group' ? ', and once it is removed' : ''
  const description = `The ${noun} that changed; null for other kinds${removed}.`
  const to = { to: FACES[noun], list: LISTS[noun], by: 'entityId', scope: undefined } as const
  referenceField<Tables['change']['$inferSelect'], Tables[N], object>(Change, noun, { ...to, description })
}
for (const noun of NOUN_NAMES) if (noun !== 'project') entityField(noun)
itemsField(Change, 'fields', { of: FieldChange, description: 'Each field that changed.', relation: fieldChanges })

const ChangeConnection = connectionOf(Change, 'changes')

const ChangeFilter = builder.inputType('ChangeFilter', {
  description: 'Filters changes.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', description: 'Stored at this instant or later.' }),
  }),
})

const FeedFilter = builder.inputType('FeedFilter', {
  description: 'Filters the changes of all entities. All given conditions must hold.',
  fields: (t) => ({
    entity: t.field({
      type: [EntityKind],
      description: 'Of these kinds; by default of all that the key may read.',
    }),
    project: t.stringList(
      boundedTexts('id', 'Of the projects with these keys or ids and of their risks and issues; keys in any case.'),
    ),
    since: t.field({
      type: 'DateTime',
      description: 'From the first change that was stored at this instant or later.',
    }),
  }),
})

queryList('changes', {
  type: ChangeConnection,
  filter: FeedFilter,
  scope: ['personnel.read', 'projects.read'],
  isPaged: true,
  description:
    'The changes of all entities, oldest first, to follow: `endCursor` is never null, also on an empty page, and is where ' +
    'to resume. Shows the kinds that the key may read: people and groups with personnel.read, projects, risks and issues ' +
    'with projects.read. A cursor of another store, or of writes that a restore or a failover lost, is CURSOR_GONE: ' +
    'read the lists again. After `ERASED` and `REMOVED`, delete what you have copied of the entity.',
  list: feed,
})

function historyField<N extends NounName>(noun: N): void {
  pageField(FACES[noun], 'history', {
    type: ChangeConnection,
    filter: ChangeFilter,
    scope: `${NOUNS[noun].area}.read`,
    description: `The changes of the ${noun}, oldest first.`,
    relation: historyOf((t) => t[noun]),
  })
}
for (const noun of NOUN_NAMES) historyField(noun)
