import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { checkSize, type Detail, details } from '../details.js'
import { badArgument, Fault } from '../errors.js'
import {
  type Arguments,
  byDefault,
  email,
  names,
  namesOf,
  oneOf,
  patched,
  patchedFields,
  recordReader,
  required,
  requireFields,
  text,
  type Values,
} from '../fields.js'
import { Ledger } from '../history/ledger.js'
import { newId } from '../ids.js'
import { equalsFolded, type Naming, type Optional, refersTo, unindexed } from '../store/query/conditions.js'
import {
  anyOf,
  anyText,
  changedSince,
  type FilterOf,
  filteredList,
  flag,
  type Given,
  INDEXED,
  oneText,
  searchIn,
} from '../store/query/filters.js'
import { asked, idMember, nounOf } from '../store/query/nouns.js'
import { byIds, referredRow } from '../store/query/page.js'
import type { Relation } from '../store/query/relations.js'
import { columnKey, idKey, keyPart, type RowKeys } from '../store/query/rowKeys.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { fold, foldedName, InputCheck, lengthViolation, tooManyItems, trimmed } from '../text.js'
import { PERSON_STATUSES, type PersonStatus, TEXT_MAX } from '../vocabulary.js'
import { type GroupRow, groupNaming, groups, groupsOfPeople } from './groups.js'
import { applyMembershipChanges, firstMemberships, followStatus, membershipChangesTo } from './memberships.js'
import { refuseDuplicate } from './uniqueness.js'

/** Groups of a person to add. */
export const GROUP_IDS_MAX = 100

/** Each is a search of its own. */
const ALL_GROUPS_MAX = 20

export type PersonRow = Tables['person']['$inferSelect']

const FILTERS = {
  status: anyOf('PersonStatus', 'With one of these statuses; without it, ACTIVE people only.', inStatus, {
    ...INDEXED,
    absent: ['ACTIVE'],
  }),
  group: anyText('name', 'In one of the groups with these ids or names; case-insensitive.', inGroups, {
    type: 'ID',
    names: groupNaming,
  }),
  allGroups: anyText('name', `In each of the groups with these ids or names, ${ALL_GROUPS_MAX} at most.`, inAllGroups, {
    type: 'ID',
    names: groupNaming,
  }),
  department: anyText('department', 'In one of these departments; case-insensitive.', (read, names) =>
    equalsFolded(read, read.t.person.departmentFolded, names),
  ),
  ownsNothing: flag('Whether the person owns no live risk and has no open issue; needs projects.read.', isFree, {
    needs: () => 'projects.read',
  }),
  search: searchIn('the name, the e-mail, the title or the department', ({ person }) => {
    return [person.nameFolded, person.emailFolded, person.titleFolded, person.departmentFolded]
  }),
  email: oneText(
    'email',
    'With exactly this e-mail; case-insensitive.',
    ({ t }, address) => eq(t.person.emailFolded, fold(address.trim())),
    INDEXED,
  ),
  externalId: oneText(
    'externalId',
    'With exactly this id in the HR system or directory.',
    ({ t }, id) => eq(t.person.externalId, id.trim()),
    INDEXED,
  ),
  updatedSince: changedSince((t) => t.person),
}
type PersonFilter = FilterOf<typeof FILTERS>

/** The roster: active people, unless the filter has other statuses. */
export const personnel = filteredList((t) => t.person, FILTERS, {
  name: 'personnel',
  order: ({ nameFolded, id }) => [nameFolded, id],
  orders: {
    UPDATED: { order: ({ updatedAt, id }) => [updatedAt, id], isDescending: true, indexed: ['status', 'updatedSince'] },
  },
  isNarrow: ({ group, allGroups }) => Boolean(group ?? allGroups),
})

export const personKeys = {
  id: idKey,
  email: columnKey(keyPart('email', foldedName), ({ emailFolded }) => emailFolded),
  externalId: columnKey(keyPart('externalId', trimmed), ({ externalId }) => externalId),
} satisfies RowKeys<Tables['person']>

/** How paths and changes name people. */
export const personNaming = {
  kind: 'person',
  identifiers: 'e-mail or user id',
  table: personnel.table,
  key: {
    canonical: foldedName,
    column: (t) => t.person.emailFolded,
    shown: (t) => t.person.email,
    canBe: (text) => text.includes('@') && !text.includes(' '),
  },
} satisfies Naming

/** How filters name the people who own or are assigned something. */
export const holderNaming: Naming = {
  ...personNaming,
  identifiers: 'e-mail, name or user id',
  key: {
    ...personNaming.key,
    otherwise: {
      canonical: foldedName,
      column: (t) => t.person.nameFolded,
      shown: (t) => t.person.name,
      // Whoever was merged into another person has the same name.
      among: (t) => isNull(t.person.mergedInto),
    },
  },
}

/** The members of a group, filtered like the roster; no index orders them by name, so all are read. */
export const membersOfGroup: Relation<Tables['group'], Tables['person'], PersonFilter> = {
  of: (t) => t.group,
  list: personnel.narrow,
  through: (t) => t.membership,
  where: ({ t: { membership } }, group, person) =>
    and(eq(membership.groupId, group.id), eq(membership.personId, person.id)),
}

function inGroups(read: Read, idsOrNames: readonly string[]): SQL {
  const { db, t } = read
  const isIn = refersTo(read, t.membership.groupId, groupNaming, idsOrNames)
  return inArray(t.person.id, db.select({ id: t.membership.personId }).from(t.membership).where(isIn))
}

function inAllGroups(read: Read, idsOrNames: readonly string[]): SQL | undefined {
  if (idsOrNames.length > ALL_GROUPS_MAX)
    throw badArgument('allGroups', tooManyItems(idsOrNames.length, ALL_GROUPS_MAX))
  return and(...idsOrNames.map((one) => inGroups(read, [one])))
}

/** Without live risks and open issues. */
function isFree({ t: { person, risk, issue } }: Read, isWanted: boolean): SQL {
  const owned = sql`exists (select 1 from ${risk} where ${risk.ownerId} = ${person.id} and ${risk.live} = 1)`
  const assigned = sql`exists (select 1 from ${issue} where ${issue.assigneeId} = ${person.id} and ${issue.live} = 1)`
  return isWanted ? sql`not (${owned} or ${assigned})` : sql`(${owned} or ${assigned})`
}

function inStatus(
  { t, among }: Read,
  statuses: readonly PersonStatus[],
  { filter: { updatedSince }, isNarrow }: Given,
): SQL | undefined {
  // The index of changes begins with the status.
  if (updatedSince == null && PERSON_STATUSES.every((status) => statuses.includes(status))) return undefined
  // Use the index of memberships, not the one of the roster.
  return among(isNarrow ? unindexed(t.person.status) : t.person.status, statuses)
}

export const PERSON = nounOf({
  id: idMember('The user id.'),
  name: required(text('name', 'The display name.', 'Ada Lovelace')),
  email: email('The e-mail address; unique, case-insensitive.', 'ada@example.com'),
  externalId: text('externalId', 'The id in the HR system or directory; unique.', 'HR-1815'),
  title: text('title', 'The job title.', 'Lead engineer'),
  department: text('department', 'The department.', 'Engineering'),
  status: byDefault(oneOf('PersonStatus', 'Whether the person is on the roster.'), 'ACTIVE'),
  groups: asked(names('name', 'All groups of the person, by name, externalId or id.', 'Bridge inspectors;Crisis team')),
  details: details('Site', 'Harbour office'),
})
export type PersonValues = Values<typeof PERSON.facts>

/** The input of a person: absent keeps what is stored, null clears it. */
interface PersonChange extends Omit<Arguments<typeof PERSON.facts>, 'details'> {
  readonly details?: Optional<readonly Detail[]>
}

export interface PersonInput extends PersonChange {
  readonly groupIds?: Optional<readonly string[]>
}

const readPerson = recordReader(PERSON.facts)

export function peopleLedger(write: Write): Ledger<PersonRow> {
  return new Ledger<PersonRow>(write, {
    kind: 'PERSON',
    table: (t) => t.person,
    unique: ['emailFolded', 'externalId'],
    tracked: [...namesOf(PERSON.facts), 'mergedInto'],
    follow: followStatus,
  })
}

/** The texts of a person in the form in which they are compared. */
export function foldedPerson(person: Pick<PersonRow, 'name' | 'email' | 'title' | 'department'>) {
  const { name, email, title, department } = person
  return {
    nameFolded: fold(name),
    emailFolded: email && fold(email),
    titleFolded: title && fold(title),
    departmentFolded: department && fold(department),
  }
}

/** A person as they would be stored: the given values merged with the row before. */
export function personWith({ at }: Write, before: PersonRow | undefined, values: PersonValues, id?: string): PersonRow {
  const name = values.name ?? before?.name ?? ''
  const facts = patchedFields(PERSON.facts, values, before)
  return {
    id: before?.id ?? id ?? newId('person', new Date(at)),
    ...facts,
    name,
    ...foldedPerson({ ...facts, name }),
    // Whoever was merged into another person stays so, also if a list has both.
    status: before?.mergedInto ? 'INACTIVE' : (values.status ?? before?.status ?? 'ACTIVE'),
    erasedAt: before?.erasedAt ?? null,
    mergedInto: before?.mergedInto ?? null,
    createdAt: at,
    updatedAt: at,
  }
}

export function checkPerson(before: PersonRow | undefined, values: PersonValues, check: InputCheck): void {
  if (!before) requireFields(PERSON.facts, values, check)
  const isReachable = patched(values.email, before?.email) ?? patched(values.externalId, before?.externalId)
  if (!isReachable && !check.has('email') && !check.has('externalId')) {
    check.violation('email', 'A person needs an e-mail or an externalId.')
  }
  checkSize(PERSON.facts, values, before, check)
}

export function readNewPerson(raw: Readonly<Record<string, unknown>>, check: InputCheck): PersonValues {
  const values = readPerson(raw, check)
  checkPerson(undefined, values, check)
  const count = Array.isArray(raw['groupIds']) ? raw['groupIds'].length : 0
  if (count > GROUP_IDS_MAX) check.violation('groupIds', tooManyItems(count, GROUP_IDS_MAX))
  return values
}

export function readPersonChange(raw: Readonly<Record<string, unknown>>, check: InputCheck): PersonValues {
  const values = readPerson(raw, check)
  if (values.status === null) check.violation('status', 'Must not be empty.')
  return values
}

export async function addPerson(write: Write, input: PersonInput): Promise<PersonRow> {
  const check = new InputCheck()
  const values = readNewPerson({ ...input }, check)
  const joined = await groupsToJoin(write, input.groupIds ?? [], check)
  check.refuse('This person cannot be added as given.')
  const draft = personWith(write, undefined, values)
  await refuseTakenPerson(write, draft)

  const ledger = peopleLedger(write)
  const changes = firstMemberships(draft.id, joined)
  const { row } = ledger.enter(undefined, draft, { beside: changes[0]?.changes ?? {} })
  await ledger.store()
  await applyMembershipChanges(write, changes)
  return row
}

export async function changePerson(write: Write, idOrEmail: string, input: PersonChange): Promise<PersonRow> {
  const before = await referredRow(write, personnel, personNaming, idOrEmail)
  if (before.erasedAt) throw erasedAlready(before.erasedAt)
  if (before.mergedInto && input.status === 'ACTIVE')
    throw new Fault('CONFLICT', `This person was merged into ${before.mergedInto} and stays INACTIVE.`)
  const check = new InputCheck()
  const values = readPersonChange({ ...input }, check)
  checkPerson(before, values, check)
  check.refuse('This person cannot be changed as given.')
  const draft = personWith(write, before, values)
  await refuseTakenPerson(write, draft)
  const ledger = peopleLedger(write)
  const { row } = ledger.enter(before, draft)
  await ledger.store()
  return row
}

/** Refuses an e-mail or an externalId that another person has. */
export function refuseTakenPerson(write: Write, draft: PersonRow): Promise<void> {
  const claims = { email: 'emailFolded', externalId: 'externalId' } as const
  return refuseDuplicate(write, 'person', write.t.person, draft, claims)
}

/** The groups with these ids or names; one that does not exist is a violation. */
async function groupsToJoin(write: Write, references: readonly string[], check: InputCheck): Promise<GroupRow[]> {
  if (references.length === 0 || check.has('groupIds')) return []
  const byId = await byIds(write, groups, references)
  const found = new Map<string, GroupRow>()
  for (const [index, reference] of references.entries()) {
    // Bounded before it is folded, which can make a text 18 times as long.
    const tooLong = lengthViolation(reference, TEXT_MAX.name)
    if (tooLong !== undefined) {
      check.violation(`groupIds/${index}`, tooLong)
      continue
    }
    try {
      const group = byId.get(reference) ?? (await referredRow(write, groups, groupNaming, reference))
      found.set(group.id, group)
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'NOT_FOUND')) throw error
      check.violation(`groupIds/${index}`, error.message)
    }
  }
  return [...found.values()]
}

function erasedAlready(erasedAt: string): Fault {
  return new Fault('CONFLICT', `This person was erased at ${erasedAt} and cannot be changed.`)
}

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
  if (person.erasedAt && wanted.size > 0) throw erasedAlready(person.erasedAt)
  await regroup(write, new Map([[person.id, wanted]]))
  return group
}
