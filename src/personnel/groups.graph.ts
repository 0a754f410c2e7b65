import { builder, needs } from '../graph/builder.js'
import { connect, connectionOf, nestedListArgs, nestedListPrice, queryList } from '../graph/connections.js'
import { queryOne, stamps } from '../graph/entities.js'
import { asEntity } from '../graph/federation.js'
import { boundedText } from '../graph/inputs.js'
import { loader, rowLoader } from '../graph/loaders.js'
import { type GroupRow, groups, groupsOfPeople, memberCounts } from './groups.js'
import { Person, PersonConnection, PersonFilter } from './people.graph.js'
import { membersOf } from './people.js'

const groupById = rowLoader(groups)
const groupsOfPerson = loader(groupsOfPeople)
const memberCount = loader(memberCounts)

const Group = builder.objectRef<GroupRow>('Group')
Group.implement({
  description: 'A group that people belong to: a team, a committee, a site.',
  ...needs('personnel.read'),
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the group.' }),
    name: t.exposeString('name', { description: 'The name; no two groups share one.' }),
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: 'The id in the directory that the group comes from; no two groups share one.',
    }),
    description: t.exposeString('description', { nullable: true, description: 'What the group is for.' }),
    memberCount: t.int({
      description: 'How many people on the roster belong to it.',
      resolve: async ({ id }, _, context) => (await memberCount(context, id)) ?? 0,
    }),
    members: t.field({
      type: PersonConnection,
      nullable: true,
      description: 'The people on the roster who belong to it, ordered by name.',
      ...needs('personnel.read'),
      args: nestedListArgs(t.arg, PersonFilter),
      complexity: nestedListPrice,
      resolve: ({ id }, args, context) => connect(context, args, membersOf(id)),
    }),
  }),
})
stamps(Group)
asEntity(Group, { scope: 'personnel.read', keys: { id: groupById } })

builder.objectField(Person, 'groups', (t) =>
  t.field({
    type: [Group],
    description: 'The groups that the person belongs to, ordered by name.',
    ...needs('personnel.read'),
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
