import { and, eq, gte, inArray, type SQL } from 'drizzle-orm'
import { Fault } from '../errors.js'
import { newId } from '../ids.js'
import { LIMITS } from '../limits.js'
import { contains, type Optional, unindexed } from '../store/conditions.js'
import type { List } from '../store/page.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { fold, InputCheck, isEmail } from '../text.js'
import { PERSON_STATUSES, type PersonStatus } from '../vocabulary.js'

export type PersonRow = Tables['person']['$inferSelect']

export interface PersonFilter {
  readonly status?: Optional<readonly PersonStatus[]>
  readonly group?: Optional<readonly string[]>
  readonly search?: Optional<string>
  readonly email?: Optional<string>
  readonly externalId?: Optional<string>
  readonly updatedSince?: Optional<string>
}

export interface PersonInput {
  readonly name: string
  readonly email?: Optional<string>
  readonly externalId?: Optional<string>
  readonly title?: Optional<string>
  readonly department?: Optional<string>
  readonly groupIds?: Optional<readonly string[]>
}

/** The roster: whoever is active, unless the filter names other statuses. */
export const personnel: List<Tables['person'], PersonFilter> = {
  name: 'personnel',
  table: (t) => t.person,
  order: ({ nameFolded, id }) => [nameFolded, id],
  place: (row) => [row.nameFolded, row.id],
  matching,
}

/** The people of a group, filtered like the roster. */
export function membersOf(groupId: string): typeof personnel {
  return {
    ...personnel,
    matching: (read, filter) => and(inGroups(read, [groupId]), matching(read, filter, true)),
  }
}

function inGroups({ db, t, among }: Read, groupIds: readonly string[]): SQL {
  const members = db
    .select({ id: t.membership.personId })
    .from(t.membership)
    .where(among(t.membership.groupId, groupIds))
  return inArray(t.person.id, members)
}

function matching(read: Read, filter: PersonFilter, isWithinGroup = Boolean(filter.group)): SQL | undefined {
  const { person } = read.t
  return and(
    inStatus(read, filter.status ?? ['ACTIVE'], isWithinGroup),
    filter.group ? inGroups(read, filter.group) : undefined,
    filter.search == null ? undefined : contains(filter.search, person.nameFolded, person.emailFolded),
    filter.email == null ? undefined : eq(person.emailFolded, fold(filter.email.trim())),
    filter.externalId == null ? undefined : eq(person.externalId, filter.externalId.trim()),
    filter.updatedSince == null ? undefined : gte(person.updatedAt, filter.updatedSince),
  )
}

function inStatus({ t, among }: Read, statuses: readonly PersonStatus[], isWithinGroup: boolean): SQL | undefined {
  if (PERSON_STATUSES.every((status) => statuses.includes(status))) return undefined
  // A group is to be found by its members, not by a walk through the roster's index.
  return among(isWithinGroup ? unindexed(t.person.status) : t.person.status, statuses)
}

/** Adds someone to the roster and to the given groups. */
export async function addPerson(write: Write, input: PersonInput): Promise<PersonRow> {
  const draft = checkPerson(input)
  const groupIds = [...new Set(input.groupIds ?? [])]
  await refuseDuplicate(write, draft)
  await refuseUnknownGroups(write, input.groupIds ?? [])

  const { db, t, at } = write
  const id = newId('person', new Date(at))
  const [row] = await db
    .insert(t.person)
    .values({ id, ...draft, status: 'ACTIVE', createdAt: at, updatedAt: at })
    .returning()
  if (!row) throw new Fault('INTERNAL', 'The person was not stored.')
  if (groupIds.length > 0) await db.insert(t.membership).values(groupIds.map((groupId) => ({ groupId, personId: id })))
  return row
}

/** Takes someone off the roster; the id stays valid for what is assigned to it. */
export async function deactivatePerson({ db, t, at }: Write, id: string): Promise<void> {
  await db.update(t.person).set({ status: 'INACTIVE', updatedAt: at }).where(eq(t.person.id, id))
}

type PersonDraft = Pick<
  PersonRow,
  'name' | 'nameFolded' | 'email' | 'emailFolded' | 'externalId' | 'title' | 'department'
>

/** What is stored of an input, or everything that is wrong with it. */
function checkPerson(input: PersonInput): PersonDraft {
  const check = new InputCheck()
  const name = check.required('name', 'name', input.name)
  const email = check.optional('email', 'email', input.email)
  const externalId = check.optional('externalId', 'externalId', input.externalId)
  const title = check.optional('title', 'title', input.title)
  const department = check.optional('department', 'department', input.department)
  if (email && !isEmail(email)) check.flaw('email', 'Must be an e-mail address, such as ada@example.com.')
  if (email === null && externalId === null) check.flaw('email', 'A person needs an e-mail or an externalId.')
  if ((input.groupIds ?? []).length > LIMITS.groupIdsMax) {
    check.flaw('groupIds', `Must hold at most ${LIMITS.groupIdsMax} ids.`)
  }
  check.refuse('This person cannot be added as given.')
  return { name, nameFolded: fold(name), email, emailFolded: email && fold(email), externalId, title, department }
}

async function refuseDuplicate({ db, t }: Write, draft: PersonDraft): Promise<void> {
  const taken = [
    { field: 'email', words: 'e-mail', value: draft.emailFolded, column: t.person.emailFolded },
    { field: 'externalId', words: 'externalId', value: draft.externalId, column: t.person.externalId },
  ]
  for (const { field, words, value, column } of taken) {
    if (value === null) continue
    const [holder] = await db.select().from(t.person).where(eq(column, value)).limit(1)
    if (!holder) continue
    const detail = `The ${words} belongs to ${holder.name} (${holder.id}).`
    throw new Fault('CONFLICT', `A person with this ${words} is already there. ${detail}`, {
      flaws: [{ pointer: `/${field}`, detail }],
      existingId: holder.id,
    })
  }
}

async function refuseUnknownGroups({ db, t, among }: Write, groupIds: readonly string[]): Promise<void> {
  if (groupIds.length === 0) return
  const rows = await db.select({ id: t.group.id }).from(t.group).where(among(t.group.id, groupIds))
  const known = new Set(rows.map(({ id }) => id))
  const check = new InputCheck()
  groupIds.forEach((id, index) => {
    if (!known.has(id)) check.flaw(`groupIds/${index}`, `There is no group with the id ${JSON.stringify(id)}.`)
  })
  check.refuse('This person cannot be added as given.')
}
