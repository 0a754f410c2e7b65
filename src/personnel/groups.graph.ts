import { builder, needs } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { byKey, idOf, queryOne, timestampFields } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation/schema.js'
import { columns, computedField, itemsField, members, mutationField, reportField } from '../graph/fields.js'
import { boundedText, checkedBy, filterInput, neverNull } from '../graph/inputs.js'
import {
  addGroup,
  changeGroup,
  GROUP_FIELDS,
  type GroupRow,
  groupKeys,
  groups,
  groupsOfPerson,
  memberCount,
  readGroup,
  readNewGroup,
} from './groups.js'
import { Person, PersonConnection, PersonFilter } from './people.graph.js'
import { addMember, membersOfGroup, removeMember } from './people.js'
import { endMemberships, membersToLeave, removeGroup } from './removedGroups.js'

export const Group = builder.objectRef<GroupRow>('Group')
Group.implement({
  description: 'A group that people belong to: a team, a committee, a site.',
  ...needs('personnel.read'),
})
columns(Group, {
  id: { type: 'ID', description: 'The id of the group.' },
  name: { type: 'String', description: 'The name; unique.', ...displayed },
  externalId: {
    type: 'String',
    nullable: true,
    description: 'The id in the directory that the group comes from; unique.',
  },
  description: { type: 'String', nullable: true, description: 'What the group is for.' },
})
computedField(Group, 'memberCount', {
  type: 'Int',
  description: 'The number of its members on the roster.',
  computed: memberCount,
})
pageField(Group, 'members', {
  type: PersonConnection,
  filter: PersonFilter,
  scope: 'personnel.read',
  description: 'The members on the roster, ordered by name.',
  relation: membersOfGroup,
})
timestampFields(Group)
asEntity(Group, { scope: 'personnel.read', table: groups.table, keys: groupKeys })

itemsField(Person, 'groups', {
  of: Group,
  scope: 'personnel.read',
  description: 'The groups that the person belongs to, ordered by name.',
  relation: groupsOfPerson,
})

const GroupFilter = filterInput('GroupFilter', 'Filters groups. All given conditions must hold.', groups)

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
  idMayBe: 'name',
  keys: [
    byKey('name', groupKeys.name, 'The name, in any case.'),
    byKey('externalId', groupKeys.externalId, 'The id in the directory.'),
  ],
})

/** The options of a text input of a group, from its table of fields. */
const fieldText = (member: keyof typeof GROUP_FIELDS) => boundedText(member, GROUP_FIELDS[member].meaning)

const AddGroupInput = builder.inputType('AddGroupInput', {
  description: 'A group to add.',
  ...checkedBy(readNewGroup),
  fields: (t) => ({
    name: t.string({ required: true, ...fieldText('name') }),
    externalId: t.string(fieldText('externalId')),
    description: t.string(fieldText('description')),
  }),
})

const ChangeGroupInput = builder.inputType('ChangeGroupInput', {
  description: 'The changes of a group. Absent fields stay; null clears a field, except the name.',
  ...checkedBy(readGroup),
  fields: (t) => ({
    name: t.string(neverNull(fieldText('name'))),
    externalId: t.string(fieldText('externalId')),
    description: t.string(fieldText('description')),
  }),
})

const CHANGED = { type: Group, list: groups, scope: 'personnel.manage' } as const

mutationField('addGroup', {
  ...CHANGED,
  description: 'Adds a group without members.',
  args: (arg) => ({ input: arg({ type: AddGroupInput, required: true, description: 'The group to add.' }) }),
  change: (write, { input }) => addGroup(write, input),
})

mutationField('changeGroup', {
  ...CHANGED,
  description: 'Changes a group; its members stay.',
  args: (arg) => ({
    id: arg.id({ required: true, description: idOf('group', 'name') }),
    input: arg({ type: ChangeGroupInput, required: true, description: 'What to change.' }),
  }),
  change: (write, { id, input }) => changeGroup(write, id, input),
})

const RemovedGroup = builder.objectRef<Pick<GroupRow, 'id' | 'name'>>('RemovedGroup')
RemovedGroup.implement({ description: 'A group that was removed.', ...needs('personnel.manage') })
members(RemovedGroup, {
  id: { type: 'ID', description: 'The id that it had; its history keeps it.' },
  name: { type: 'String', description: 'The name that it had, which is free again.' },
})

reportField('removeGroup', {
  type: RemovedGroup,
  scope: 'personnel.manage',
  description:
    'Removes a group: its members leave, its name and externalId are free again, and its id is no longer found. ' +
    'Its history stays, and ends with `REMOVED`.',
  args: (arg) => ({ id: arg.id({ required: true, description: idOf('group', 'name') }) }),
  price: { records: ({ id }, read) => membersToLeave(read, String(id)) },
  change: (write, { id }) => removeGroup(write, id),
  after: endMemberships,
})

function membershipField(name: string, description: string, work: typeof addMember): void {
  mutationField(name, {
    ...CHANGED,
    description,
    args: (arg) => ({
      groupId: arg.id({ required: true, description: idOf('group', 'name') }),
      personId: arg.id({ required: true, description: idOf('person', 'email') }),
    }),
    change: (write, { groupId, personId }) => work(write, groupId, personId),
  })
}

membershipField('addMember', 'Adds a member; no effect if already a member.', addMember)
membershipField('removeMember', 'Removes a member; no effect if not a member.', removeMember)
