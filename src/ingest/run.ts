import { setImmediate } from 'node:timers/promises'
import { and, count, desc, eq, isNotNull, notInArray } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { LedgerOutcome } from '../history/ledger.js'
import { LIMITS } from '../limits.js'
import type { Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { InputCheck } from '../text.js'
import type { SheetNoun } from './files/table.js'

/** A source record, with the index by which its sender knows it. */
export interface SourceRecord {
  readonly index: number
  readonly values: Readonly<Record<string, unknown>>
}

/** A diagnostic about one field of one record, or about all records. */
export interface Diagnostic {
  readonly index: number | undefined
  readonly field: string
  readonly detail: string
  /** The name of an owner or assignee who is not on the roster, if that is what it is about. */
  readonly stranger?: string
}

export type Counts = Record<'created' | 'updated' | 'unchanged' | 'closed', number>

/** The result of an import; if there are violations, nothing may be stored. */
export type ImportResult = Pick<ImportRun, 'counts' | 'violations' | 'warnings' | 'unclosed' | 'projects' | 'made'>

/** How diagnostics refer to the input: lines and flags for a file, pointers and arguments for the API. */
export interface Wording {
  readonly place: (index: number) => string
  readonly createProjects: string
  readonly createGroups: string
  /** What to do about a member who is not on the roster. */
  readonly addMembers?: string
  readonly closeLimit: string
  /** What says that a surprise is meant, if there is such a thing. */
  readonly accept?: string
}

export interface ImportOptions {
  readonly project?: string | undefined
  /** Create unknown projects, called by their keys where no name is given. */
  readonly createProjects?: boolean
  readonly createGroups?: boolean
  /** Match owners and assignees with the roster; without it the result does not depend on the roster. */
  readonly matchPeople?: boolean
  readonly strictPeople?: boolean
  /** Refuse groups, members and risks that are not there, instead of leaving them out with a warning. */
  readonly strictReferences?: boolean
  /** The records are a complete list: close the other live entries of their projects, or set other people INACTIVE. */
  readonly closeMissing?: boolean
  /** How many may be closed at once, instead of `LIMITS.closeShareMax`. */
  readonly closeLimit?: number | undefined
  /** What the records come from: closing what is missing looks at its last imports too. */
  readonly source?: string | undefined
  /** What looks like a mistake is meant. */
  readonly accept?: boolean
  readonly others?: OtherFiles
  readonly wording: Wording
  readonly onProgress?: (records: number) => void
}

export interface OtherFiles {
  /** The projects of earlier files, by key, with the name of the file. */
  readonly projects: Map<string, string>
  /** The people of earlier files, and whether it gives their externalId; this one adds its own. */
  readonly people: Map<string, boolean>
  /** Whether this is the last file: what is in none of them is known only then. */
  readonly isLast: boolean
}

export interface Importer {
  /** Merges records that belong together, before they are split into batches. */
  gather?(records: readonly SourceRecord[]): readonly SourceRecord[]
  take(batch: readonly SourceRecord[]): Promise<void>
  finish?(): Promise<void>
}

export class ImportRun {
  readonly write: Write
  readonly options: ImportOptions
  readonly counts: Counts = { created: 0, updated: 0, unchanged: 0, closed: 0 }
  readonly violations: Diagnostic[] = []
  readonly warnings: Diagnostic[] = []
  /** Closings that were refused, because too many would be missing; everything else may be stored. */
  readonly unclosed: Diagnostic[] = []
  /** The projects whose data was imported: their keys, by id. */
  readonly projects = new Map<string, string>()
  /** What was created because it was unknown, such as `project APOLLO`. */
  readonly made: string[] = []
  readonly #claims = new Map<string, Map<string, number>>()

  constructor(write: Write, options: ImportOptions) {
    this.write = write
    this.options = options
  }

  /** After the first violation the other records are only checked, not stored. */
  get isSound(): boolean {
    return this.violations.length === 0
  }

  count(outcome: LedgerOutcome | 'closed'): void {
    this.counts[outcome] += 1
  }

  /** Adds the violations of a record to the result; true if there are none. */
  accept(index: number, check: InputCheck): boolean {
    for (const { member, detail } of check.found) this.violations.push({ index, field: member, detail })
    return check.isSound
  }

  /** Reports a reference to what is not there: the rest of the record is stored, unless the options say otherwise. */
  missing(
    { index, check }: { readonly index: number; readonly check: InputCheck },
    field: string,
    detail: string,
    isRefused = this.options.strictReferences,
  ): void {
    if (isRefused) check.violation(field, detail)
    else this.warnings.push({ index, field, detail: `${detail} It is left out.` })
  }

  /** The parsed records of a batch, each with the check that collects its further violations. */
  read<V>(
    batch: readonly SourceRecord[],
    read: (raw: SourceRecord['values'], check: InputCheck) => V,
  ): { index: number; values: V; check: InputCheck }[] {
    return batch.map(({ index, values: raw }) => {
      const check = new InputCheck()
      return { index, values: read(raw, check), check }
    })
  }

  /** Claims a key for a record; a second record with the same key gets a violation. */
  claim(index: number, kind: string, key: string, check: InputCheck, field = kind): void {
    const claims = this.#claims.get(kind) ?? new Map<string, number>()
    this.#claims.set(kind, claims)
    const first = claims.get(key)
    if (first === undefined) claims.set(key, index)
    else if (first !== index && !check.has(field)) check.violation(field, sameAs(this.options.wording.place(first)))
  }
}

export function sameAs(place: string): string {
  return `This is the same as in ${place}; it must be unique.`
}

/** Small enough that a server handles other requests between two batches. */
export const BATCH_RECORDS = 500

/** The batches of a list; after each of them other requests are handled. */
export async function* batchesOf<T>(all: readonly T[]): AsyncGenerator<readonly T[], void> {
  for (let start = 0; start < all.length; start += BATCH_RECORDS) {
    yield all.slice(start, start + BATCH_RECORDS)
    await setImmediate()
  }
}

/** Whether a table was empty before the run, so that nothing needs to be looked up in it; first called before anything is stored. */
export function isFirstLoad({ write }: ImportRun, table: (t: Tables) => PgTable): () => Promise<boolean> {
  let isFirst: Promise<boolean> | undefined
  return () => {
    isFirst ??= write.db.$count(table(write.t)).then((rows) => rows === 0)
    return isFirst
  }
}

/** Imports of a source whose closings count together: a register that shrinks a little each night is no less suspect. */
const LATEST_IMPORTS = 7

/** Why this many cannot be closed as missing: more looks like a truncated export. `lately` were closed by the last imports. */
export function refusalToClose(
  { closeLimit, wording }: ImportOptions,
  { missing, live, lately = 0 }: { missing: number; live: number; lately?: number | undefined },
  doing: string,
): string | undefined {
  const most = closeLimit ?? Math.max(LIMITS.closeLeast, Math.floor((live + lately) * LIMITS.closeShareMax)) - lately
  if (missing <= Math.max(most, 0)) return undefined
  const before =
    lately > 0 && closeLimit === undefined ? ` with the ${lately} of the last ${LATEST_IMPORTS} imports` : ''
  const limit = most + (before === '' ? 0 : lately)
  return `at most ${limit} are ${doing} at once${before}. Is the list complete? If so, allow it with ${wording.closeLimit} ${missing}.`
}

/** What the last imports of the source closed as missing, by the id of the project; of people under the empty one. */
export async function closedLately({ write, options }: ImportRun, noun: SheetNoun): Promise<Map<string, number>> {
  if (options.source === undefined) return new Map()
  const { db, t, among } = write
  const { id, at, kind, noun: of, source, closed, undoes } = t.importRun
  const isOurs = and(eq(kind, 'IMPORT'), eq(of, noun), eq(source, options.source))
  const undone = db.select({ undoes }).from(t.importRun).where(isNotNull(undoes))
  const runs = await db
    .select({ id, at, closed })
    .from(t.importRun)
    .where(and(isOurs, notInArray(id, undone)))
    .orderBy(desc(id))
    .limit(LATEST_IMPORTS)
  const total = runs.reduce((sum, run) => sum + run.closed, 0)
  if (total === 0 || noun === 'people') return new Map([['', total]])
  const { projectId, action, recordedAt, importId } = t.change
  const isTheirs = and(
    among(
      recordedAt,
      runs.map((run) => run.at),
    ),
    among(
      importId,
      runs.map((run) => run.id),
    ),
  )
  const rows = await db
    .select({ projectId, count: count() })
    .from(t.change)
    .where(and(isTheirs, eq(action, 'CLOSED')))
    .groupBy(projectId)
  return new Map(rows.map((row) => [row.projectId ?? '', row.count]))
}

/** The writers of the source that writes now: imports, or all keys of this name, because a rotated key has a new id. */
export async function writersOfSource({ by, db, t: { apiKey } }: Write): Promise<readonly string[]> {
  const [key] = await db.select({ name: apiKey.name }).from(apiKey).where(eq(apiKey.id, by))
  if (!key) return [by]
  const named = await db.select({ id: apiKey.id }).from(apiKey).where(eq(apiKey.name, key.name))
  return named.map(({ id }) => id)
}
