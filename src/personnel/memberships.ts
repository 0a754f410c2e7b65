import { Fault } from '../errors.js'
import { byIds, referredRow } from '../store/query/page.js'
import type { Write } from '../store/store.js'
import { type GroupRow, groupNaming, groups, groupsOfPeople } from './groups.js'
import { applyMembershipChanges, membershipChangesTo } from './membershipChanges.js'
import { peopleLedger, personNaming, personnel } from './people.js'

/** Sets the groups of each of these people. */
export async function regroup(write: Write, wanted: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
  const changes = await membershipChangesTo(write, wanted)
  const rows = await byIds(write, personnel, [...changes.keys()])
  const ledger = peopleLedger(write)
  // In the order of the changes: the database returns people in any.
  for (const [personId, { changes: beside }] of changes) {
    const row = rows.get(personId)
    if (row) ledger.enter(row, row, { beside })
  }
  await ledger.store()
  await applyMembershipChanges(write, changes.values())
}

/** Adds a member; no effect if already a member. */
export function addMember(write: Write, group: string, person: string): Promise<GroupRow> {
  return regroupOne(write, group, person, (ids, id) => ids.add(id))
}

/** Removes a member; no effect if not a member. */
export function removeMember(write: Write, group: string, person: string): Promise<GroupRow> {
  return regroupOne(write, group, person, (ids, id) => ids.delete(id))
}

async function regroupOne(
  write: Write,
  groupReference: string,
  personReference: string,
  change: (groupIds: Set<string>, groupId: string) => void,
): Promise<GroupRow> {
  const group = await referredRow(write, groups, groupNaming, groupReference)
  const person = await referredRow(write, personnel, personNaming, personReference)
  const current = (await groupsOfPeople(write, [person.id])).get(person.id) ?? []
  const wanted = new Set(current.map(({ id }) => id))
  change(wanted, group.id)
  if (person.erasedAt && wanted.size > 0) {
    throw new Fault('CONFLICT', `This person was erased at ${person.erasedAt} and cannot be changed.`)
  }
  await regroup(write, new Map([[person.id, wanted]]))
  return group
}
