import { setImmediate } from 'node:timers/promises'
import { and, count, desc, eq, not, or } from 'drizzle-orm'
import { changesOfRun, undoneRuns } from '../history/importRuns.js'
import type { Entity, Ledger, LedgerOutcome } from '../history/ledger.js'
import { LIMITS } from '../limits.js'
import type { MergeLinks } from '../personnel/merging.js'
import type { Write } from '../store/store.js'
import { InputCheck } from '../text.js'
import type { ChangeAction, NounPlural } from '../vocabulary.js'

/** A source record, with the index by which its sender knows it. */
export interface SourceRecord {
  readonly index: number
  readonly values: Readonly<Record<string, unknown>>
}

/** A record while it is checked. */
export type Checked = Readonly<{ index: number; check: InputCheck }>

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
  readonly undoing?: Undoing
  readonly wording: Wording
  readonly onProgress?: (records: number) => void
}

/** Former values that are imported to undo a run: all of them together, because values may have been swapped. */
interface Undoing {
  /** By the ids of the entities. */
  readonly records: ReadonlyMap<string, SourceRecord['values']>
  readonly links: MergeLinks
  /** Only finds the violations. */
  readonly isTrial: boolean
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

export type ImportRun = ReturnType<typeof importRun>

export function importRun(write: Write, options: ImportOptions) {
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, closed: 0 }
  const violations: Diagnostic[] = []
  const warnings: Diagnostic[] = []
  /** Closings that were refused, because too many would be missing; everything else may be stored. */
  const unclosed: Diagnostic[] = []
  /** The projects whose data was imported: their keys, by id. */
  const projects = new Map<string, string>()
  /** What was created because it was unknown, such as `project APOLLO`. */
  const made: string[] = []
  const claims = new Map<string, Map<string, number>>()
  return {
    ...{ write, options, counts, violations, warnings, unclosed, projects, made },

    /** After the first violation the other records are only checked, not stored. */
    isSound: () => violations.length === 0 && !options.undoing?.isTrial,

    /** Whether the holder of a unique value gets another one by the same undo. */
    isLeaving(holder: Readonly<Record<string, unknown>>, field: string): boolean {
      const former = options.undoing?.records.get(String(holder['id']))?.[field]
      return former !== undefined && former !== holder[field]
    },

    count(outcome: LedgerOutcome | 'closed'): void {
      counts[outcome] += 1
    },

    /** Adds the violations of a record to the result; true if there are none. */
    accept({ index, check }: Checked): boolean {
      for (const { member, detail } of check.found) violations.push({ index, field: member, detail })
      return check.isSound
    },

    /** Reports a reference to what is not there: the rest of the record is stored, unless the options say otherwise. */
    missing({ index, check }: Checked, field: string, detail: string, isRefused = options.strictReferences): void {
      if (isRefused) check.violation(field, detail)
      else warnings.push({ index, field, detail: `${detail} It is left out.` })
    },

    /** The parsed records of a batch, each with the check that collects its further violations. */
    read<V>(batch: readonly SourceRecord[], parse: (raw: SourceRecord['values'], check: InputCheck) => V) {
      return batch.map(({ index, values: raw }) => {
        const check = new InputCheck()
        return { index, values: parse(raw, check), check }
      })
    },

    /** Claims a key for a record; a second record with the same key gets a violation. */
    claim({ index, check }: Checked, kind: string, key: string, field = kind): void {
      const ofKind = claims.get(kind) ?? new Map<string, number>()
      claims.set(kind, ofKind)
      const first = ofKind.get(key)
      if (first === undefined) ofKind.set(key, index)
      else if (first !== index && !check.has(field)) check.violation(field, sameAs(options.wording.place(first)))
    },
  }
}

export function sameAs(place: string): string {
  return `This is the same as in ${place}; it must be unique.`
}

/** A value of a source record as a text; empty if it has none. */
export function textOf(value: unknown): string {
  return String(value ?? '').trim()
}

/** Small enough that a server handles other requests between two batches. */
const BATCH_RECORDS = 500
/** The same of long texts; one character can fold to 18. */
export const BATCH_CHARACTERS = 50_000

/** The batches of a list; after each of them other requests are handled. */
export async function* batchesOf<T>(all: readonly T[]): AsyncGenerator<readonly T[], void> {
  for (let start = 0, end = 0; start < all.length; start = end) {
    for (let characters = 0; end < all.length && end - start < BATCH_RECORDS && characters < BATCH_CHARACTERS; end++)
      characters += charactersIn(all[end])
    yield all.slice(start, end)
    await setImmediate()
  }
}

/** The characters of a text, or of the texts in a record or a list. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let sum = 0
  for (const one of Object.values(value)) sum += charactersIn(one)
  return sum
}

/** Closes rows that are missing from a complete list. */
export async function closeAll<Row extends Entity>(
  run: ImportRun,
  ledger: Ledger<Row>,
  missing: readonly Row[],
  closed: (row: Row) => Row,
  action: ChangeAction = 'UPDATED',
): Promise<void> {
  for await (const batch of batchesOf(missing)) {
    for (const row of batch) {
      ledger.enter(row, closed(row), { action })
      run.count('closed')
    }
    await ledger.store()
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
export async function closedLately({ write, options }: ImportRun, noun: NounPlural): Promise<Map<string, number>> {
  if (options.source === undefined) return new Map()
  const { db, t, among } = write
  const { id, at, kind, noun: of, source, closed } = t.importRun
  const isOurs = and(eq(kind, 'IMPORT'), eq(of, noun), eq(source, options.source))
  const runs = await db
    .select({ id, at, closed })
    .from(t.importRun)
    .where(and(isOurs, not(among(id, await undoneRuns(write)))))
    .orderBy(desc(id))
    .limit(LATEST_IMPORTS)
  const total = runs.reduce((sum, run) => sum + run.closed, 0)
  if (total === 0 || noun === 'people') return new Map([['', total]])
  const { projectId, action } = t.change
  const isTheirs = or(...runs.map((run) => changesOfRun(write, run)))
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
