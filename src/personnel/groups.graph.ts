import { builder, needs } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { byKey, idOf, queryOne } from '../graph/entities.js'
import { itemsField, members, mutationField, reportField } from '../graph/fields.js'
import { checkedBy } from '../graph/inputs.js'
import { entityType, filterInput, recordInput } from '../graph/nouns.js'
import {
  addGroup,
  changeGroup,
  GROUP,
  type GroupRow,
  groupKeys,
  groups,
  groupsOfPerson,
  readGroup,
  readNewGroup,
} from './groups.js'
import { Person, PersonConnection, PersonFilter } from './people.graph.js'
import { addMember, membersOfGroup, removeMember } from './people.js'
import { endMemberships, membersToLeave, removeGroup } from './removedGroups.js'

export const Group = entityType('Group', 'A group that people belong to: a team, a committee, a site.', GROUP, {
  scope: 'personnel.read',
  table: groups.table,
  keys: groupKeys,
  title: 'name',
})
pageField(Group, 'members', {
  type: PersonConnection,
  filter: PersonFilter,
  scope: 'personnel.read',
  description: 'The members on the roster, ordered by name.',
  relation: membersOfGroup,
})

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

const AddGroupInput = recordInput('AddGroupInput', 'A group to add.', GROUP.facts, {
  use: 'add',
  ...checkedBy(readNewGroup),
})

const ChangeGroupInput = recordInput(
  'ChangeGroupInput',
  'The changes of a group. Absent fields stay; null clears a field, except the name.',
  GROUP.facts,
  { use: 'change', ...checkedBy(readGroup) },
)

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
