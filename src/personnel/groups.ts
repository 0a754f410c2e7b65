import { and, asc, count, eq, gte, type SQL } from 'drizzle-orm'
import { newId } from '../ids.js'
import { contains, type Optional } from '../store/conditions.js'
import type { List } from '../store/page.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { fold } from '../text.js'

export type GroupRow = Tables['group']['$inferSelect']

export interface GroupFilter {
  readonly search?: Optional<string>
  readonly updatedSince?: Optional<string>
}

export const groups: List<Tables['group'], GroupFilter> = {
  name: 'groups',
  table: (t) => t.group,
  order: ({ nameFolded, id }) => [nameFolded, id],
  place: (row) => [row.nameFolded, row.id],
  matching,
}

/** The groups of each of these people, in the order of their names. */
export async function groupsOfPeople(
  { db, t, among }: Read,
  personIds: readonly string[],
): Promise<Map<string, GroupRow[]>> {
  const rows = await db
    .select({ personId: t.membership.personId, group: t.group })
    .from(t.membership)
    .innerJoin(t.group, eq(t.group.id, t.membership.groupId))
    .where(among(t.membership.personId, personIds))
    .orderBy(asc(t.group.nameFolded), asc(t.group.id))
  const byPerson = new Map<string, GroupRow[]>(personIds.map((id) => [id, []]))
  for (const { personId, group } of rows) byPerson.get(personId)?.push(group)
  return byPerson
}

/** How many active people each of these groups has. */
export async function memberCounts({ db, t, among }: Read, groupIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .select({ groupId: t.membership.groupId, members: count() })
    .from(t.membership)
    .innerJoin(t.person, and(eq(t.person.id, t.membership.personId), eq(t.person.status, 'ACTIVE')))
    .where(among(t.membership.groupId, groupIds))
    .groupBy(t.membership.groupId)
  return new Map(rows.map(({ groupId, members }) => [groupId, members]))
}

function matching({ t }: Read, filter: GroupFilter): SQL | undefined {
  return and(
    filter.search == null ? undefined : contains(filter.search, t.group.nameFolded),
    filter.updatedSince == null ? undefined : gte(t.group.updatedAt, filter.updatedSince),
  )
}

export async function addGroup(
  { db, t, at }: Write,
  draft: { name: string; description: string | null },
): Promise<string> {
  const id = newId('group', new Date(at))
  await db.insert(t.group).values({ id, ...draft, nameFolded: fold(draft.name), createdAt: at, updatedAt: at })
  return id
}
