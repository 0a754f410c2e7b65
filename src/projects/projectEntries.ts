import { and, gte, isNotNull, isNull, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { patched } from '../fields.js'
import { holderNaming } from '../personnel/people.js'
import { contains, equalsFolded, type Optional, refersTo, unindexed } from '../store/query/conditions.js'
import type { List } from '../store/query/page.js'
import { idKey, keyPart, type RowKeys } from '../store/query/rowKeys.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { foldedTogether, trimmed } from '../text.js'
import { NO_DAY, type Ownership, type PersonStatus } from '../vocabulary.js'
import { type InProjects, inProjects, projectKeyPart } from './projects.js'

interface EntryFacts {
  readonly reference?: string | null
  readonly title?: string | null
  readonly description?: string | null
  readonly url?: string | null
  readonly raisedOn?: string | null
  readonly dueOn?: string | null
}

/** The texts of an entry in the form in which they are searched. */
export function foldedEntry({ reference, title }: Readonly<Record<'reference' | 'title', string>>) {
  return { searchFolded: foldedTogether(reference, title) }
}

/** The common columns of risks and issues as stored: the given values merged with the row before. */
export function entryWith({ at }: Write, before: EntryFacts | undefined, values: EntryFacts) {
  const reference = values.reference ?? before?.reference ?? ''
  const title = values.title ?? before?.title ?? ''
  const dueOn = patched(values.dueOn, before?.dueOn)
  return {
    reference,
    title,
    ...foldedEntry({ reference, title }),
    description: patched(values.description, before?.description),
    url: patched(values.url, before?.url),
    raisedOn: values.raisedOn ?? before?.raisedOn ?? at.slice(0, 10),
    dueOn,
    dueKey: dueOn ?? NO_DAY,
    createdAt: at,
    updatedAt: at,
  }
}

type Entry = Tables['risk'] | Tables['issue']

/** The filters that risks and issues share. */
export interface EntryFilter extends InProjects {
  readonly dueBefore?: Optional<string>
  readonly dueAfter?: Optional<string>
  readonly search?: Optional<string>
  readonly updatedSince?: Optional<string>
}

function isDue(key: SQLWrapper, { dueBefore, dueAfter }: EntryFilter): SQL | undefined {
  return and(
    dueBefore == null ? undefined : sql`${key} < ${dueBefore}`,
    dueAfter == null ? undefined : sql`${key} > ${dueAfter} and ${key} < ${NO_DAY}`,
  )
}

/** Who is wanted to have an entry: risks and issues have names of their own for it. */
interface Wanted extends Held {
  readonly who: Optional<readonly Optional<string>[]>
  readonly how: Optional<readonly Ownership[]>
  readonly departments: Optional<readonly string[]>
}

export function entryMatches(read: Read, entry: Entry, filter: EntryFilter, wanted: Wanted): SQL | undefined {
  const { who, how, departments } = wanted
  return and(
    inProjects(read, entry.projectId, filter),
    // Much of a register is due: in another order the index would find it only to sort it.
    isDue(unindexed(entry.dueKey), filter),
    filter.search == null ? undefined : contains(read, filter.search, entry.searchFolded),
    filter.updatedSince == null ? undefined : gte(entry.updatedAt, filter.updatedSince),
    who ? refersTo(read, wanted.id, holderNaming, who) : undefined,
    how ? isHeldBy(read, wanted, how) : undefined,
    departments ? isHeldIn(read, wanted, departments) : undefined,
  )
}

/** The orders of risks and issues besides their own. */
export const ENTRY_ORDERS = {
  DUE: {
    order: ({ dueKey, sortKey, id }: Entry) => [dueKey, sortKey, id],
    indexed: ['dueBefore', 'dueAfter'],
    range: ({ dueKey }: Entry, filter: EntryFilter) => isDue(dueKey, filter),
  },
  UPDATED: { order: ({ updatedAt, id }: Entry) => [updatedAt, id], isDescending: true, indexed: ['updatedSince'] },
} as const

/** The columns that say who has an entry. */
interface Held {
  readonly id: AnyPgColumn
  readonly name: AnyPgColumn
}

/** Held by nobody, by a name that is not on the roster, by someone on it, or by someone who left it. */
function isHeldBy({ t: { person } }: Read, { id, name }: Held, wanted: readonly Ownership[]): SQL | undefined {
  const someone = (status: PersonStatus) =>
    sql`${id} in (select ${person.id} from ${person} where ${person.status} = ${status})`
  const conditions: Record<Ownership, () => SQL | undefined> = {
    NONE: () => and(isNull(id), isNull(name)),
    NAMED: () => and(isNull(id), isNotNull(name)),
    PERSON: () => someone('ACTIVE'),
    LEFT: () => someone('INACTIVE'),
  }
  return or(...wanted.map((one) => conditions[one]()), sql`false`)
}

/** Held by someone of one of these departments. */
function isHeldIn(read: Read, { id }: Held, departments: readonly string[]): SQL {
  const { person } = read.t
  return sql`${id} in (select ${person.id} from ${person} where ${equalsFolded(read, person.departmentFolded, departments)})`
}

/** The scope of what these filters tell about people. */
export function scopeOfHolders(wanted: Optional<readonly Ownership[]>, departments: Optional<readonly string[]>) {
  const isOfPeople = departments || wanted?.some((one) => one === 'PERSON' || one === 'LEFT')
  return isOfPeople ? 'personnel.read' : undefined
}

/** All entries, whatever their status, in the order of one index: for exports. */
export function everyOf<T extends Entry, F>(name: string, list: List<T, F>): List<T, F> {
  return { ...list, name, order: ({ projectId, reference }) => [projectId, reference], matching: () => undefined }
}

/** The keys of a risk or an issue: its id, or the project's key and its reference. */
export const entryKeys: RowKeys<Entry> = {
  id: idKey,
  'project { key } reference': {
    parts: [projectKeyPart, keyPart('reference', trimmed)],
    columns: ({ t: { project } }, { projectId, reference }) => [
      sql`(select ${project.key} from ${project} where ${project.id} = ${projectId})`,
      reference,
    ],
    among: ({ t: { project }, pairs }, { projectId, reference }, values) => {
      // Each value is a JSON array of its two parts.
      const given = pairs(values.map((value) => JSON.parse(value) as [string, string]))
      const places = sql`select ${project.id}, other from ${given} join ${project} on ${project.key} = one`
      return sql`(${projectId}, ${reference}) in (${places})`
    },
  },
}
