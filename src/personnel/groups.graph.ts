import { sql } from 'drizzle-orm'
import { builder, change, needs } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { found, queryOne, stamps } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation.js'
import { boundedText, neverNull } from '../graph/inputs.js'
import { columns, computedField, itemsField } from '../graph/sql/fields.js'
import { foldedName, trimmed } from '../text.js'
import {
  addGroup,
  changeGroup,
  GROUP_FIELDS,
  type GroupRow,
  groupKeys,
  groups,
  groupsOfPerson,
  memberCount,
} from './groups.js'
import { addMember, removeMember } from './memberships.js'
import { Person, PersonConnection, PersonFilter } from './people.graph.js'
import { membersOfGroup } from './people.js'

export const Group = builder.objectRef<GroupRow>('Group')
Group.implement({
  description: 'A group that people belong to: a team, a committee, a site.',
  ...needs('personnel.read'),
})
columns(Group, {
  id: { type: 'ID', description: 'The id of the group.' },
  name: { type: 'String', description: 'The name; no two groups share one.', ...displayed },
  externalId: {
    type: 'String',
    nullable: true,
    description: 'The id in the directory that the group comes from; no two groups share one.',
  },
  description: { type: 'String', nullable: true, description: 'What the group is for.' },
})
computedField(Group, 'memberCount', {
  type: 'Int',
  description: 'How many people on the roster belong to it.',
  computed: memberCount,
})
pageField(Group, 'members', {
  type: PersonConnection,
  filter: PersonFilter,
  scope: 'personnel.read',
  description: 'The people on the roster who belong to it, ordered by name.',
  relation: membersOfGroup,
})
stamps(Group)
asEntity(Group, { scope: 'personnel.read', table: groups.table, keys: groupKeys })

itemsField(Person, 'groups', {
  of: Group,
  scope: 'personnel.read',
  description: 'The groups that the person belongs to, ordered by name.',
  relation: groupsOfPerson,
})

const GroupFilter = builder.inputType('GroupFilter', {
  description: 'Which groups. Conditions given together must all hold.',
  fields: (t) => ({
    search: t.string(boundedText('search', 'With this text in the name, in any case.')),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
})

queryList('groups', {
  type: connectionOf(Group, 'groups'),
  filter: GroupFilter,
  scope: 'personnel.read',
  description: 'The groups that people belong to, ordered by name.',
  list: groups,
})

queryOne('group', {
  type: Group,
  scope: 'personnel.read',
  description: 'One group, by id, name or externalId.',
  list: groups,
  ways: [
    {
      args: { name: { kind: 'name', description: 'The name, in any case.', canonical: foldedName } },
      condition: (_, { nameFolded }) => sql`${nameFolded} = ${sql.placeholder('name')}`,
    },
    {
      args: { externalId: { kind: 'externalId', description: 'The id in the directory.', canonical: trimmed } },
      condition: (_, { externalId }) => sql`${externalId} = ${sql.placeholder('externalId')}`,
    },
  ],
})

/** A text that can be told of a group, in the words of its field. */
const told = (member: keyof typeof GROUP_FIELDS) => boundedText(member, GROUP_FIELDS[member].meaning)

const AddGroupInput = builder.inputType('AddGroupInput', {
  description: 'A group to add.',
  fields: (t) => ({
    name: t.string({ required: true, ...told('name') }),
    externalId: t.string(told('externalId')),
    description: t.string(told('description')),
  }),
})

const ChangeGroupInput = builder.inputType('ChangeGroupInput', {
  description: 'What to change of a group. What is left out stays as it is; null takes it away, but for the name.',
  fields: (t) => ({
    name: t.string(neverNull(told('name'))),
    externalId: t.string(told('externalId')),
    description: t.string(told('description')),
  }),
})

builder.mutationField('addGroup', (t) =>
  t.field({
    type: Group,
    nullable: true,
    description: 'Adds a group, which has no members yet.',
    ...needs('personnel.manage'),
    args: { input: t.arg({ type: AddGroupInput, required: true, description: 'The group to add.' }) },
    resolve: (_, { input }, context) => change(context, (write) => addGroup(write, input)),
  }),
)

builder.mutationField('changeGroup', (t) =>
  t.field({
    type: Group,
    nullable: true,
    description: 'Changes a group; its members stay.',
    ...needs('personnel.manage'),
    args: {
      id: t.arg.id({ required: true, description: 'The id of the group.' }),
      input: t.arg({ type: ChangeGroupInput, required: true, description: 'What to change.' }),
    },
    resolve: (_, { id, input }, context) =>
      change(context, (write) => found(changeGroup(write, id, input), 'group', id)),
  }),
)

/** The two mutations of a membership, which differ in nothing but what they do. */
function membershipField(name: string, description: string, work: typeof addMember): void {
  builder.mutationField(name, (t) =>
    t.field({
      type: Group,
      nullable: true,
      description,
      ...needs('personnel.manage'),
      args: {
        groupId: t.arg.id({ required: true, description: 'The id of the group.' }),
        personId: t.arg.id({ required: true, description: 'The id of the person.' }),
      },
      resolve: (_, { groupId, personId }, context) => change(context, (write) => work(write, groupId, personId)),
    }),
  )
}

membershipField('addMember', 'Puts a person into a group; who is there already stays.', addMember)
membershipField('removeMember', 'Takes a person out of a group; who is not there stays out.', removeMember)
