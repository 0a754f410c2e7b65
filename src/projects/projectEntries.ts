import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { patched } from '../fields.js'
import type { Optional } from '../store/query/conditions.js'
import type { List } from '../store/query/page.js'
import { idKey, keyPart, type RowKeys } from '../store/query/rowKeys.js'
import type { Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { foldedTogether, trimmed } from '../text.js'
import { NO_DAY } from '../vocabulary.js'
import { projectKeyPart } from './projects.js'

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

interface DueFilter {
  readonly dueBefore?: Optional<string>
}

function isDue(key: SQLWrapper, { dueBefore }: DueFilter): SQL | undefined {
  return dueBefore == null ? undefined : sql`${key} < ${dueBefore}`
}

/** The orders of risks and issues besides their own. */
export const ENTRY_ORDERS = {
  DUE: {
    order: ({ dueKey, sortKey, id }: Entry) => [dueKey, sortKey, id],
    indexed: ['dueBefore'],
    range: ({ dueKey }: Entry, filter: DueFilter) => isDue(dueKey, filter),
  },
  UPDATED: { order: ({ updatedAt, id }: Entry) => [updatedAt, id], isDescending: true, indexed: ['updatedSince'] },
} as const

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
