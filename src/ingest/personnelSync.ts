import type { Flaw } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Optional } from '../store/query/conditions.js'
import type { Write } from '../store/store.js'
import type { Counts, Wording } from './run.js'
import { limitFlaws, type Members, part, refuse, tooMany } from './sync.js'

/** People and groups as an HR system or a directory has them. */
export interface PersonnelState {
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
function tooManyNames(pointer: string, records: PersonnelState['people'], field: 'groups' | 'members'): Flaw[] {
  const most = LIMITS.syncMembershipsMax
  const count = (records ?? []).reduce((sum, { [field]: names }) => sum + (Array.isArray(names) ? names.length : 0), 0)
  if (count <= most) return []
  return [{ pointer, detail: `They name ${count} ${field}; the most is ${most}. ${FOR_MORE_PERSONNEL}` }]
}

/** Updates people and groups to the given state, by the rules of the import. */
export async function syncPersonnel(write: Write, state: PersonnelState): Promise<PersonnelReport> {
  const { people, groups, leavers, leaverLimit } = state
  const closeMissing = leavers === 'INACTIVE'
  refuse(PERSONNEL, [
    ...tooMany('/people', people, FOR_MORE_PERSONNEL),
    ...tooMany('/groups', groups, FOR_MORE_PERSONNEL),
    ...tooManyNames('/people', people, 'groups'),
    ...tooManyNames('/groups', groups, 'members'),
    ...limitFlaws('/leaverLimit', leaverLimit),
    ...(closeMissing && !people ? [{ pointer: '/leavers', detail: 'Needs people: the complete list.' }] : []),
  ])
  const options = { closeMissing, closeLimit: leaverLimit ?? undefined, wording: WORDING }
  const ofPeople = () => part(write, 'people', people, '/people', options)
  const ofGroups = () => part(write, 'groups', groups, '/groups', { wording: WORDING })
  const hasMembers = gives(groups, 'members')
  if (hasMembers && gives(people, 'groups')) {
    const detail = 'Give either groups of people or members of groups, not both.'
    refuse(PERSONNEL, [{ pointer: '/groups', detail }])
  }
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

function gives(records: Optional<readonly Members[]>, member: string): boolean {
  return records?.some((record) => record[member] !== undefined) ?? false
}
