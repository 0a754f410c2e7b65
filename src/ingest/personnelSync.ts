import type { Flaw } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Optional } from '../store/query/conditions.js'
import type { Write } from '../store/store.js'
import type { InputCheck } from '../text.js'
import { checkRecords, flawsBy, type Members, noteFlaws, numberIn, recordsOf } from './recordFlaws.js'
import type { Counts, Wording } from './run.js'
import { limitFlaws, part, refuse, tooMany } from './sync.js'

/** People and groups as an HR system or a directory has them. */
interface PersonnelState {
  readonly people?: Optional<readonly Members[]>
  readonly groups?: Optional<readonly Members[]>
  /** What becomes of people who are not in the list; KEEP by default. */
  readonly leavers?: Optional<'KEEP' | 'INACTIVE'>
  readonly leaverLimit?: Optional<number>
}

export interface PersonnelReport {
  readonly people: Readonly<Counts>
  readonly groups: Readonly<Counts>
  readonly warnings: readonly Flaw[]
}

const WORDING: Omit<Wording, 'place'> = {
  createProjects: 'syncProject',
  createGroups: 'the list `groups`',
  addMembers: 'Send them in the list `people`.',
  closeLimit: 'leaverLimit:',
}

const PERSONNEL = 'The personnel'

/** What to do with more records than the limit. */
export const FOR_MORE_PERSONNEL = 'Send more in parts, without leavers, or use `operations import`.'

/** Each name is looked up and stored while other writes wait, however few records name them. */
function nameFlaws({ people, groups }: Pick<PersonnelState, 'people' | 'groups'>): Flaw[] {
  const most = LIMITS.syncMembershipsMax
  const flawsOf = (pointer: string, records: Optional<readonly Members[]>, field: string) => {
    const count = (records ?? []).reduce((sum, record) => sum + lengthOf(record[field]), 0)
    if (count <= most) return []
    return [{ pointer, detail: `They name ${count} ${field}; the most is ${most}. ${FOR_MORE_PERSONNEL}` }]
  }
  return [...flawsOf('/people', people, 'groups'), ...flawsOf('/groups', groups, 'members')]
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0
}

/** Updates people and groups to the given state, by the rules of the import. */
export async function syncPersonnel(write: Write, state: PersonnelState): Promise<PersonnelReport> {
  const { people, groups, leavers, leaverLimit } = state
  const closeMissing = leavers === 'INACTIVE'
  if (boundFlaws(state).length > 0) refuse(PERSONNEL, await flawsBy(checkPersonnelState, state))
  const options = { closeMissing, closeLimit: leaverLimit ?? undefined, wording: WORDING }
  const ofPeople = () => part(write, 'people', people, '/people', options)
  const ofGroups = () => part(write, 'groups', groups, '/groups', { wording: WORDING })
  const hasMembers = gives(groups, 'members')
  // Whatever is referred to is stored first.
  const first = await (hasMembers ? ofPeople() : ofGroups())
  const second = await (hasMembers ? ofGroups() : ofPeople())
  // What is not stored cannot be found: drop those follow-up flaws.
  const isOwn = ({ pointer = '' }: Flaw) => first.flaws.length === 0 || !/^\/\w+\/\d+\/(groups|members)$/.test(pointer)
  const [peoplePart, groupsPart] = hasMembers ? [first, second] : [second, first]
  refuse(PERSONNEL, [...first.flaws, ...second.flaws.filter(isOwn)])
  return {
    people: peoplePart.counts,
    groups: groupsPart.counts,
    warnings: [...peoplePart.warnings, ...groupsPart.warnings],
  }
}

function boundFlaws({ people, groups, leavers, leaverLimit }: PersonnelState): Flaw[] {
  const isTwice = gives(groups, 'members') && gives(people, 'groups')
  return [
    ...tooMany('/people', people, FOR_MORE_PERSONNEL),
    ...tooMany('/groups', groups, FOR_MORE_PERSONNEL),
    ...nameFlaws({ people, groups }),
    ...limitFlaws('/leaverLimit', leaverLimit),
    ...(leavers === 'INACTIVE' && !people ? [{ pointer: '/leavers', detail: 'Needs people: the complete list.' }] : []),
    ...(isTwice
      ? [{ pointer: '/groups', detail: 'Give either groups of people or members of groups, not both.' }]
      : []),
  ]
}

/** Adds the flaws of people and groups that can be known without the store. */
export async function checkPersonnelState(raw: Members, check: InputCheck): Promise<void> {
  const [people, groups] = [recordsOf(raw['people']), recordsOf(raw['groups'])]
  const leavers = raw['leavers'] === 'INACTIVE' ? 'INACTIVE' : 'KEEP'
  noteFlaws(boundFlaws({ people, groups, leavers, leaverLimit: numberIn(raw['leaverLimit']) }), check)
  // So many names would take too long to check.
  if (nameFlaws({ people, groups }).length > 0) return
  await checkRecords('people', people, check)
  await checkRecords('groups', groups, check)
}

function gives(records: Optional<readonly Members[]>, member: string): boolean {
  return records?.some((record) => record[member] !== undefined) ?? false
}
