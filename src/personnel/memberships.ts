import { Fault } from '../errors.js'
import { byIds } from '../store/query/page.js'
import type { Write } from '../store/store.js'
import { type GroupRow, groups, groupsOfPeople } from './groups.js'
import { applyMembershipChanges, membershipChangesTo } from './membershipChanges.js'
import { peopleLedger, personnel } from './people.js'

/** Sets the groups of each of these people. */
export async function regroup(write: Write, wanted: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
  const changes = await membershipChangesTo(write, wanted)
  const rows = await byIds(write, personnel, [...changes.keys()])
  const ledger = peopleLedger(write)
  for (const [personId, row] of rows) ledger.enter(row, row, { beside: changes.get(personId)?.changes ?? {} })
  await ledger.store()
  await applyMembershipChanges(write, changes.values())
}

/** Adds a member; no effect if already a member. */
export function addMember(write: Write, groupId: string, personId: string): Promise<GroupRow> {
  return regroupOne(write, groupId, personId, (ids) => ids.add(groupId))
}

/** Removes a member; no effect if not a member. */
export function removeMember(write: Write, groupId: string, personId: string): Promise<GroupRow> {
  return regroupOne(write, groupId, personId, (ids) => ids.delete(groupId))
}

async function regroupOne(
  write: Write,
  groupId: string,
  personId: string,
  change: (groupIds: Set<string>) => void,
): Promise<GroupRow> {
  const group = (await byIds(write, groups, [groupId])).get(groupId)
  if (!group) throw new Fault('NOT_FOUND', `There is no group with the id ${JSON.stringify(groupId)}.`)
  const person = (await byIds(write, personnel, [personId])).get(personId)
  if (!person) throw new Fault('NOT_FOUND', `There is no person with the id ${JSON.stringify(personId)}.`)
  const current = (await groupsOfPeople(write, [personId])).get(personId) ?? []
  const wanted = new Set(current.map(({ id }) => id))
  change(wanted)
  if (person.erasedAt && wanted.size > 0) {
    throw new Fault('CONFLICT', `This person was erased at ${person.erasedAt} and cannot be changed.`)
  }
  await regroup(write, new Map([[personId, wanted]]))
  return group
}
