import { builder, change, needs } from '../graph/builder.js'
import { connect, connectionOf, nestedList, nestedListArgs, queryList } from '../graph/connections.js'
import { found, queryOne, stamps } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation.js'
import { boundedText } from '../graph/inputs.js'
import { loader, rowLoader } from '../graph/loaders.js'
import { toldAsList, toldByCount } from '../graph/told.js'
import {
  addGroup,
  changeGroup,
  GROUP_FIELDS,
  type GroupRow,
  groupKeys,
  groups,
  groupsOfPeople,
  isMember,
  memberCounts,
  toldMemberCount,
} from './groups.js'
import { addMember, removeMember } from './memberships.js'
import { Person, PersonConnection, PersonFilter } from './people.graph.js'
import { membersOf } from './people.js'

const groupById = rowLoader(groups)
const groupsOfPerson = loader(groupsOfPeople)
const memberCount = loader(memberCounts)

export const Group = builder.objectRef<GroupRow>('Group')
Group.implement({
  description: 'A group that people belong to: a team, a committee, a site.',
  ...needs('personnel.read'),
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the group.' }),
    name: t.exposeString('name', { ...displayed, description: 'The name; no two groups share one.' }),
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: 'The id in the directory that the group comes from; no two groups share one.',
    }),
    description: t.exposeString('description', { nullable: true, description: 'What the group is for.' }),
    memberCount: t.int({
      description: 'How many people on the roster belong to it.',
      extensions: toldByCount(toldMemberCount),
      resolve: async ({ id }, _, context) => (await memberCount(context, id)) ?? 0,
    }),
    members: t.field({
      type: PersonConnection,
      nullable: true,
      description: 'The people on the roster who belong to it, ordered by name.',
      ...needs('personnel.read', nestedList),
      args: nestedListArgs(t.arg, PersonFilter),
      resolve: ({ id }, args, context) => connect(context, args, membersOf(id)),
    }),
  }),
})
stamps(Group)
asEntity(Group, { scope: 'personnel.read', table: groups.table, keys: groupKeys })

builder.objectField(Person, 'groups', (t) =>
  t.field({
    type: [Group],
    description: 'The groups that the person belongs to, ordered by name.',
    ...needs(
      'personnel.read',
      toldAsList(groups, (t) => t.membership, isMember),
    ),
    resolve: async ({ id }, _, context) => (await groupsOfPerson(context, id)) ?? [],
  }),
)

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
  description: 'One group, by id.',
  load: groupById,
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
    name: t.string(told('name')),
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
