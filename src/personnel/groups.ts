import { and, eq, sql } from 'drizzle-orm'
import { type Arguments, names, patched, recordReader, required, requireFields, text, type Values } from '../fields.js'
import { Ledger } from '../history/ledger.js'
import { newId } from '../ids.js'
import type { Naming } from '../store/query/conditions.js'
import { changedSince, type FilterOf, filteredList, searchIn } from '../store/query/filters.js'
import { asked, idMember, nounOf, shown } from '../store/query/nouns.js'
import { referredRow } from '../store/query/page.js'
import { type Computed, itemsOf, type Relation } from '../store/query/relations.js'
import { columnKey, idKey, keyPart, type RowKeys } from '../store/query/rowKeys.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { fold, foldedName, InputCheck, trimmed } from '../text.js'
import { refuseDuplicate } from './uniqueness.js'

export type GroupRow = Tables['group']['$inferSelect']

const FILTERS = {
  search: searchIn('the name', ({ group }) => [group.nameFolded]),
  updatedSince: changedSince((t) => t.group),
}

export const groups = filteredList((t) => t.group, FILTERS, {
  name: 'groups',
  order: ({ nameFolded, id }) => [nameFolded, id],
})

export const groupKeys = {
  id: idKey,
  name: columnKey(keyPart('name', foldedName), ({ nameFolded }) => nameFolded),
  externalId: columnKey(keyPart('externalId', trimmed), ({ externalId }) => externalId),
} satisfies RowKeys<Tables['group']>

/** How filters, paths and changes name groups. */
export const groupNaming: Naming = {
  kind: 'group',
  identifiers: 'its name or its id',
  table: groups.table,
  key: { canonical: foldedName, column: (t) => t.group.nameFolded, shown: (t) => t.group.name },
}

export const groupsOfPerson: Relation<Tables['person'], Tables['group'], FilterOf<typeof FILTERS>> = {
  of: (t) => t.person,
  list: groups,
  through: (t) => t.membership,
  where: ({ t: { membership } }, person, group) =>
    and(eq(membership.personId, person.id), eq(membership.groupId, group.id)),
}

/** The groups of each of these people, ordered by name. */
export function groupsOfPeople(read: Read, personIds: readonly string[]): Promise<Map<string, GroupRow[]>> {
  return itemsOf(read, groupsOfPerson, personIds)
}

const memberCount: Computed<Tables['group']> = {
  of: (t) => t.group,
  counted: (t) => t.membership,
  value: ({ t: { membership } }, { id }) =>
    sql`(select count(*) from ${membership} where ${membership.groupId} = ${id} and ${membership.live} = 1)`,
}

const inSheetOnly = { isExported: false }

export const GROUP = nounOf({
  id: idMember('The id of the group.'),
  name: required(text('name', 'The name; unique, case-insensitive.', 'Bridge inspectors')),
  externalId: text('externalId', 'The id in the directory that the group comes from; unique.', 'DIR-42'),
  description: text('description', 'What the group is for.', 'Whoever may sign off an inspection.'),
  members: asked(
    names(
      'email',
      'All members of the group, by e-mail, externalId or user id, or a name that is unique on the roster.',
      'ada@example.com;grace@example.com',
    ),
    inSheetOnly,
  ),
  member: asked(
    text('email', 'One member, in a list with a row for each membership; instead of members.', ''),
    inSheetOnly,
  ),
  memberCount: shown('Int', 'The number of its members on the roster.', { computed: memberCount }),
})
type GroupValues = Values<typeof GROUP.facts>
export type GroupInput = Arguments<typeof GROUP.facts>

export const readGroup = recordReader(GROUP.facts)

export function groupsLedger(write: Write): Ledger<GroupRow> {
  return new Ledger(write, {
    kind: 'GROUP',
    table: (t) => t.group,
    unique: ['nameFolded', 'externalId'],
    tracked: ['name', 'externalId', 'description'],
  })
}

/** A group as it would be stored: the given values merged with the row before. */
export function groupWith({ at }: Write, before: GroupRow | undefined, values: GroupValues, id?: string): GroupRow {
  const name = values.name ?? before?.name ?? ''
  return {
    id: before?.id ?? id ?? newId('group', new Date(at)),
    name,
    nameFolded: fold(name),
    externalId: patched(values.externalId, before?.externalId),
    description: patched(values.description, before?.description),
    createdAt: at,
    updatedAt: at,
  }
}

export function readNewGroup(raw: Readonly<Record<string, unknown>>, check: InputCheck): GroupValues {
  const values = readGroup(raw, check)
  requireFields(GROUP.facts, values, check)
  return values
}

export function addGroup(write: Write, input: GroupInput): Promise<GroupRow> {
  return storeGroup(write, undefined, input, 'This group cannot be added as given.')
}

export async function changeGroup(write: Write, idOrName: string, input: GroupInput): Promise<GroupRow> {
  const before = await referredRow(write, groups, groupNaming, idOrName)
  return storeGroup(write, before, input, 'This group cannot be changed as given.')
}

async function storeGroup(write: Write, before: GroupRow | undefined, input: GroupInput, refusal: string) {
  const check = new InputCheck()
  const values = (before ? readGroup : readNewGroup)({ ...input }, check)
  check.refuse(refusal)
  const draft = groupWith(write, before, values)
  await refuseDuplicate(write, 'group', write.t.group, draft, { name: 'nameFolded', externalId: 'externalId' })
  const ledger = groupsLedger(write)
  const { row } = ledger.enter(before, draft)
  await ledger.store()
  return row
}
