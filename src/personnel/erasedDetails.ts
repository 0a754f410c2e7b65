import { and, asc, gt, isNotNull, ne } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { detailsIn, storedDetails } from '../details.js'
import { Ledger } from '../history/ledger.js'
import type { Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { fold } from '../text.js'
import type { EntityKind } from '../vocabulary.js'

/** A text as it is inside of JSON. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Whether a text is a name, an e-mail or an externalId of theirs; a number alone may mean anything. */
export function namesPerson(texts: ReadonlySet<string>): (text: string) => boolean {
  const folded = new Set([...texts].filter((text) => /\p{L}/u.test(text)).map(fold))
  return (text) => folded.has(fold(text))
}

type DetailedRow = {
  readonly id: string
  readonly projectId?: string
  readonly details: string | null
  readonly createdAt: string
  readonly updatedAt: string
}
type DetailedTable = PgTable & {
  readonly id: AnyPgColumn
  readonly details: AnyPgColumn
  $inferSelect: DetailedRow
  $inferInsert: object
}

const DETAILED: readonly [kind: EntityKind, table: (t: Tables) => DetailedTable][] = [
  ['PERSON', (t) => t.person],
  ['PROJECT', (t) => t.project],
  ['RISK', (t) => t.risk],
  ['ISSUE', (t) => t.issue],
]

/** Removes the details of all other entities that name the person; returns the ids of those risks and issues. */
export async function eraseDetails(write: Write, id: string, texts: ReadonlySet<string>): Promise<string[]> {
  const entries: string[] = []
  const isTheirs = namesPerson(texts)
  for (const [kind, table] of DETAILED) {
    const ids = await eraseIn(write, id, isTheirs, kind, table)
    if (kind === 'RISK' || kind === 'ISSUE') entries.push(...ids)
  }
  return entries
}

const BATCH_ROWS = 500

async function eraseIn(
  write: Write,
  id: string,
  isTheirs: (text: string) => boolean,
  kind: EntityKind,
  tableOf: (t: Tables) => DetailedTable,
): Promise<string[]> {
  const table = tableOf(write.t)
  // The history of this change has the text until the history is blanked, in the same transaction.
  const ledger = new Ledger<DetailedRow>(write, {
    kind,
    table: tableOf,
    tracked: ['details'],
    ...(kind !== 'PERSON' && { projectOf: ({ id, projectId }) => projectId ?? id }),
  })
  // Followers delete their copy of a person who was erased, and here it is someone else.
  const action = kind === 'PERSON' ? 'UPDATED' : 'ERASED'
  const ids: string[] = []
  for (let last = ''; ; ) {
    // The cast holds: the row type of the table is widened above.
    const rows = (await write.db
      .select()
      .from(table as PgTable)
      .where(and(gt(table.id, last), ne(table.id, id), isNotNull(table.details)))
      .orderBy(asc(table.id))
      .limit(BATCH_ROWS)) as DetailedRow[]
    for (const row of rows) {
      const kept = detailsIn(row.details).filter(({ text }) => !isTheirs(text))
      const { verdict } = ledger.enter(row, { ...row, details: storedDetails(kept) }, { action })
      if (verdict === 'updated') ids.push(row.id)
    }
    await ledger.store()
    if (rows.length < BATCH_ROWS) return ids
    last = rows.at(-1)?.id ?? last
  }
}
