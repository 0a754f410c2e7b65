import { and, inArray, ne } from 'drizzle-orm'
import type { FieldChanges } from '../history/changes.js'
import type { Stored } from '../history/ledger.js'
import { byIds } from '../store/query/page.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { type GroupRow, groups, groupsOfPeople } from './groups.js'

/** A change of someone's groups, recorded in the person's history. */
export interface MembershipChange {
  readonly personId: string
  readonly groupIds: readonly string[]
  readonly changes: FieldChanges
}

/** The changes after which each of these people has exactly these groups, by id; unaffected people are left out. */
export async function membershipChangesTo(
  read: Read,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
  given?: ReadonlyMap<string, GroupRow>,
): Promise<Map<string, MembershipChange>> {
  if (wanted.size === 0) return new Map()
  const current = await groupsOfPeople(read, [...wanted.keys()])
  const groupsById = given ?? (await byIds(read, groups, [...new Set([...wanted.values()].flatMap((ids) => [...ids]))]))
  const changes = new Map<string, MembershipChange>()
  for (const [personId, ids] of wanted) {
    const from = current.get(personId) ?? []
    if (from.length === ids.size && from.every(({ id }) => ids.has(id))) continue
    const to = [...ids].flatMap((id) => groupsById.get(id) ?? [])
    changes.set(personId, { personId, groupIds: [...ids], changes: { groups: [groupNames(from), groupNames(to)] } })
  }
  return changes
}

export function firstMemberships(personId: string, into: readonly GroupRow[]): MembershipChange[] {
  if (into.length === 0) return []
  return [{ personId, groupIds: into.map(({ id }) => id), changes: { groups: [[], groupNames(into)] } }]
}

/** Applies the changes; the people must be stored by then. `inactive` are those of them who are not active, if known. */
export async function applyMembershipChanges(
  write: Write,
  changes: Iterable<MembershipChange>,
  inactive?: ReadonlySet<string>,
): Promise<void> {
  const all = [...changes]
  if (all.length === 0) return
  // Destructured after the early return: `db` is built lazily, and most writes do not need it.
  const { db, t, among, insertAll } = write
  const personIds = all.map(({ personId }) => personId)
  const inactiveIds = inactive ?? (await inactiveAmong(write, personIds))
  // Those of a removed group end later.
  const isThere = inArray(t.membership.groupId, db.select({ id: t.group.id }).from(t.group))
  await db.delete(t.membership).where(and(among(t.membership.personId, personIds), isThere))
  const rows = all.flatMap(({ personId, groupIds }) => {
    const live = inactiveIds.has(personId) ? 0 : 1
    return groupIds.map((groupId) => ({ groupId, personId, live }))
  })
  await insertAll(t.membership, rows)
}

async function inactiveAmong({ db, t, among }: Write, personIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .select({ id: t.person.id })
    .from(t.person)
    .where(and(among(t.person.id, personIds), ne(t.person.status, 'ACTIVE')))
  return new Set(rows.map(({ id }) => id))
}

/** Updates `live` in the memberships of people whose status has changed. */
export async function followStatus(
  write: Write,
  stored: readonly Stored<Tables['person']['$inferSelect']>[],
): Promise<void> {
  const changed = stored.filter(({ before, after }) => before && before.status !== after.status)
  for (const live of [0, 1]) {
    const ids = changed.flatMap(({ after }) => ((after.status === 'ACTIVE') === (live === 1) ? [after.id] : []))
    if (ids.length === 0) continue
    const { db, t, among } = write
    await db.update(t.membership).set({ live }).where(among(t.membership.personId, ids))
  }
}

/** In the order of the lists: both engines compare UTF-8, which JavaScript's `<` does not. */
export function groupNames(rows: readonly Pick<GroupRow, 'name' | 'nameFolded'>[]): string[] {
  const bytes = ({ nameFolded }: Pick<GroupRow, 'nameFolded'>) => Buffer.from(nameFolded)
  return [...rows].sort((one, other) => Buffer.compare(bytes(one), bytes(other))).map(({ name }) => name)
}
