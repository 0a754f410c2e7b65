import { and, eq, isNotNull, isNull, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { patched, projectKey, ruled, text } from '../fields.js'
import type { Entity, Ledger } from '../history/ledger.js'
import { holderNaming } from '../personnel/people.js'
import { equalsFolded, type Optional, refersTo, unindexed } from '../store/query/conditions.js'
import { anyHolder, anyOf, anyText, changedSince, INDEXED, oneDay, searchIn } from '../store/query/filters.js'
import { asked, askedFor } from '../store/query/nouns.js'
import { type List, memberColumn } from '../store/query/page.js'
import type { Relation } from '../store/query/relations.js'
import { idKey, keyPart, type RowKeys } from '../store/query/rowKeys.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { foldedTogether, type InputCheck, trimmed } from '../text.js'
import { type HeldNoun, NO_DAY, type Ownership, type PersonStatus } from '../vocabulary.js'
import { inProjects, projectKeyPart, projectNaming } from './projects.js'

/** The texts of an entry in the form in which they are searched. */
export function foldedEntry({ reference, title }: Readonly<Record<'reference' | 'title', string>>) {
  return { searchFolded: foldedTogether(reference, title) }
}

type EntryFacts = Readonly<Partial<Record<'reference' | 'title' | 'raisedOn' | 'dueOn', string | null>>>

/** The common columns of entries as stored, besides their facts: the given values merged with the row before. */
export function entryWith({ at }: Write, before: EntryFacts | undefined, values: EntryFacts) {
  const reference = values.reference ?? before?.reference ?? ''
  const title = values.title ?? before?.title ?? ''
  return {
    reference,
    title,
    ...foldedEntry({ reference, title }),
    raisedOn: values.raisedOn ?? before?.raisedOn ?? at.slice(0, 10),
    dueKey: patched(values.dueOn, before?.dueOn) ?? NO_DAY,
    createdAt: at,
    updatedAt: at,
  }
}

/** The project of an entry, as records name it. */
export const ofProject = asked(projectKey('The key of the project; or give --project for the whole file.', 'APOLLO'))

/** Who owns or is assigned an entry: a person on the roster, a name of the source, or both. */
export function holderMembers<const N extends 'owner' | 'assignee'>(name: N) {
  const who = `The ${name}: an e-mail, a user id, an externalId, or a name that is unique on the roster.`
  return {
    // As long as an e-mail; a name that is stored has its own limit.
    [name]: asked(text('email', who, 'ada@example.com')),
    [`${name}Id`]: askedFor(
      'ID',
      ruled(text('reference', `The user id of the ${name}.`, ''), `The ${name} beside it must be the same person.`),
    ),
    [`${name}Name`]: askedFor('String', text('name', `The ${name} as named by the source.`, '')),
  } as Record<N | `${N}Id` | `${N}Name`, ReturnType<typeof askedFor<string>>>
}

type Entry = Tables[HeldNoun]

/** A row of any entry, and the values of a record of it. */
export type EntryRow = Entity &
  Readonly<Record<'projectId' | 'reference' | 'title', string>> & {
    readonly live: number
    readonly details: string | null
  }
export type EntryValues = Readonly<Record<string, unknown>>

/** What is done with the entries of a project, whatever they are. */
export interface EntryNoun {
  ledger(write: Write): Ledger<EntryRow>
  /** Adds the violations of what is given for a row. */
  check(before: EntryRow | undefined, values: EntryValues, check: InputCheck): void
  /** A row as it would be stored: the given values merged with the row before. */
  merged(write: Write, before: EntryRow | undefined, values: EntryValues & { projectId: string }): EntryRow
}

type Of = (t: Tables) => Entry

/** The columns that say who has an entry. */
type Held = (t: Tables) => { readonly id: AnyPgColumn; readonly name: AnyPgColumn }

/** The filters by the project of an entry. */
export function inProjectFilters(of: Of) {
  return {
    project: anyText(
      'id',
      'In one of the projects with these keys or ids; keys in any case.',
      (read, named) => inProjects(read, of(read.t).projectId, { project: named }),
      { ...INDEXED, names: projectNaming },
    ),
    projectStatus: anyOf('ProjectStatus', 'In a project with one of these statuses.', (read, statuses) =>
      inProjects(read, of(read.t).projectId, { projectStatus: statuses }),
    ),
  }
}

/** The filters by its due day; `due` is such as "With a response due". Other orders hide the day from the index. */
export function dueFilters(of: Of, due: string) {
  // Much of a register is due: in another order the index would find it only to sort it.
  const key = ({ t }: Read) => unindexed(of(t).dueKey)
  return {
    dueBefore: oneDay(`${due} before this day.`, (read, day) => isDue(key(read), { dueBefore: day })),
    dueAfter: oneDay(`${due} after this day.`, (read, day) => isDue(key(read), { dueAfter: day })),
  }
}

/** The filters by its texts and by when it was changed. */
export function entryFilters(of: Of) {
  return {
    search: searchIn('the title or the reference', (t) => [of(t).searchFolded]),
    updatedSince: changedSince(of),
  }
}

/** Owned by or assigned to one of these; `held` is such as "Owned". */
export function holderFilter(of: Held, held: string) {
  return anyHolder(
    `${held} one of the people with these user ids, e-mails or names; e-mails and names need personnel.read; null means nobody on the roster.`,
    (read, who) => refersTo(read, of(read.t).id, holderNaming, who),
    { ...INDEXED, names: holderNaming },
  )
}

/** Held by nobody, by a name that is not on the roster, by someone on it, or by someone who left it. */
export function ownershipFilter(of: Held, description: string) {
  return anyOf('Ownership', description, (read, wanted) => isHeldBy(read, of(read.t), wanted), {
    needs: (wanted) => (wanted.some((one) => one === 'PERSON' || one === 'LEFT') ? 'personnel.read' : undefined),
  })
}

/** Held by someone of one of these departments. */
export function departmentFilter(of: Held, held: string) {
  return anyText(
    'department',
    `${held} someone of one of these departments; needs personnel.read.`,
    (read, departments) => {
      const { person } = read.t
      const isOfOne = equalsFolded(read, person.departmentFolded, departments)
      return sql`${of(read.t).id} in (select ${person.id} from ${person} where ${isOfOne})`
    },
    { needs: () => 'personnel.read' },
  )
}

interface Due {
  readonly dueBefore?: Optional<string>
  readonly dueAfter?: Optional<string>
}

function isDue(key: SQLWrapper, { dueBefore, dueAfter }: Due): SQL | undefined {
  return and(
    dueBefore == null ? undefined : sql`${key} < ${dueBefore}`,
    dueAfter == null ? undefined : sql`${key} > ${dueAfter} and ${key} < ${NO_DAY}`,
  )
}

/** The orders of risks and issues besides their own. */
export const ENTRY_ORDERS = {
  DUE: {
    order: ({ dueKey, sortKey, id }: Entry) => [dueKey, sortKey, id],
    indexed: ['dueBefore', 'dueAfter'],
    range: ({ dueKey }: Entry, filter: Due) => isDue(dueKey, filter),
  },
  UPDATED: { order: ({ updatedAt, id }: Entry) => [updatedAt, id], isDescending: true, indexed: ['updatedSince'] },
} as const

function isHeldBy(
  { t: { person } }: Read,
  { id, name }: ReturnType<Held>,
  wanted: readonly Ownership[],
): SQL | undefined {
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

/** All entries, whatever their status, in the order of one index: for exports. */
export function everyOf(list: List<Entry, object>): List<Entry, object> {
  return { ...list, order: ({ projectId, reference }) => [projectId, reference], matching: () => undefined }
}

/** The entries of a list that belong to a project. */
export function ofItsProject<T extends Entry, F>(list: List<T, F>): Relation<Tables['project'], T, F> {
  return { of: (t) => t.project, list, where: (_, project, { projectId }) => eq(projectId, project.id) }
}

/** The entries of a list that a person holds. */
export function ofItsHolder<T extends Entry, F>(
  list: List<T, F>,
  holder: keyof T['$inferSelect'] & string,
): Relation<Tables['person'], T, F> {
  return { of: (t) => t.person, list, where: (_, person, entry) => eq(memberColumn(entry, holder), person.id) }
}

/** The keys of an entry: its id, or the project's key and its reference. */
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
