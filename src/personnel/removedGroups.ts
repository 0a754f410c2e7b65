import { and, asc, eq, exists, inArray, notExists, or } from 'drizzle-orm'
import { fieldChangesOf } from '../history/changes.js'
import { byIds, referredRow } from '../store/query/page.js'
import type { Read, Store, Write } from '../store/store.js'
import { fold, foldedName } from '../text.js'
import { TEXT_MAX } from '../vocabulary.js'
import { type GroupRow, groupNaming, groups, groupsLedger, groupsOfPeople } from './groups.js'
import { groupNames } from './memberships.js'
import { peopleLedger, personnel } from './people.js'

/** How many members a group has. */
export async function membersToLeave({ db, t }: Read, idOrName: string): Promise<number> {
  const { id, nameFolded } = t.group
  const isNamed = or(eq(id, idOrName), eq(nameFolded, foldedName(idOrName.slice(0, TEXT_MAX.name))))
  const named = db.select({ id }).from(t.group).where(isNamed)
  return db.$count(t.membership, inArray(t.membership.groupId, named))
}

/** Removes a group: it is gone, and its name is free. Its memberships are hidden with it, until `endMemberships`. */
export async function removeGroup(write: Write, idOrName: string): Promise<GroupRow> {
  const group = await referredRow(write, groups, groupNaming, idOrName)
  await groupsLedger(write).remove(group)
  return group
}

/** Members who leave in one write: few, because others wait meanwhile. */
const LEAVING_MAX = 100

/** Lets the members of removed groups leave in short writes, by whoever removed the group: also where that was interrupted. */
export async function endMemberships(store: Pick<Store, 'read' | 'write'>, clock: () => Date): Promise<void> {
  const { db, t } = store.read
  const { change, group, membership } = t
  const isLeft = exists(db.select().from(membership).where(eq(membership.groupId, change.entityId)))
  const isGone = notExists(db.select().from(group).where(eq(group.id, change.entityId)))
  const isRemoval = and(eq(change.entity, 'GROUP'), eq(change.action, 'REMOVED'))
  for (const row of await db
    .select()
    .from(change)
    .where(and(isRemoval, isLeft, isGone))) {
    const name = String(fieldChangesOf(row)['name']?.[0])
    const removed = { id: row.entityId, name, nameFolded: fold(name) }
    const leave = () => store.write({ by: row.by, at: clock }, (write) => leaveTogether(write, removed))
    while ((await leave()) === LEAVING_MAX);
  }
}

/** At the start of a server: the end of another one may have interrupted it. Without a writable store a later start does. */
export function resumeWrites(store: Store, clock: () => Date): void {
  endMemberships(store, clock).catch(() => undefined)
}

async function leaveTogether(write: Write, removed: Pick<GroupRow, 'id' | 'name' | 'nameFolded'>): Promise<number> {
  const { db, t, among } = write
  const { groupId, personId } = t.membership
  const isMember = eq(groupId, removed.id)
  const next = db.select({ personId }).from(t.membership).where(isMember).orderBy(asc(personId)).limit(LEAVING_MAX)
  const ids = (await next).map((row) => row.personId)
  const [people, others] = [await byIds(write, personnel, ids), await groupsOfPeople(write, ids)]
  const ledger = peopleLedger(write)
  for (const id of ids) {
    const [row, rest] = [people.get(id), others.get(id) ?? []]
    if (row) ledger.enter(row, row, { beside: { groups: [groupNames([...rest, removed]), groupNames(rest)] } })
  }
  await ledger.store()
  await db.delete(t.membership).where(and(isMember, among(personId, ids)))
  return ids.length
}
