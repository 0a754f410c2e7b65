import { and, countDistinct, desc, eq, type SQL } from 'drizzle-orm'
import { Fault } from '../errors.js'
import { newId } from '../ids.js'
import type { List } from '../store/query/page.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import type { EntityKind } from '../vocabulary.js'

export type ImportRunRow = Tables['importRun']['$inferSelect']

/** What is known of a run besides its write. */
type RunFacts = Pick<ImportRunRow, 'kind' | 'noun' | 'source'> &
  Partial<Pick<ImportRunRow, 'file' | 'sha256' | 'operator' | 'undoes'>>
type RunCounts = Pick<ImportRunRow, 'created' | 'updated' | 'unchanged' | 'closed'>

export const importRuns: List<Tables['importRun'], object> = {
  name: 'imports',
  table: (t) => t.importRun,
  order: ({ id }) => [id],
  matching: () => undefined,
}

/** The same write as a run, whose id every change of it gets. */
export function asRun(write: Write): Write & { readonly importId: string } {
  return Object.assign(Object.create(write), { importId: newId('import', new Date(write.at)) })
}

/** Records what a run has done, and returns its id; undefined if that is nothing. */
export async function recordRun(
  { db, t, at, by, importId }: ReturnType<typeof asRun>,
  facts: RunFacts,
  counts: RunCounts,
): Promise<string | undefined> {
  if (counts.created + counts.updated + counts.closed === 0) return undefined
  await db.insert(t.importRun).values({ id: importId, at, by, ...facts, ...counts })
  return importId
}

/** The newest runs first. */
export function newestRuns({ db, t: { importRun } }: Read, source: string | undefined, limit: number) {
  const ofSource = source === undefined ? undefined : eq(importRun.source, source)
  return db.select().from(importRun).where(ofSource).orderBy(desc(importRun.id)).limit(limit)
}

export async function runById({ db, t: { importRun } }: Read, id: string): Promise<ImportRunRow> {
  const [run] = await db.select().from(importRun).where(eq(importRun.id, id))
  if (!run) throw new Fault('NOT_FOUND', `There is no import ${JSON.stringify(id)}. See \`operations imports\`.`)
  return run
}

/** The changes of a run: all have its instant, which an index serves. */
export function changesOfRun({ t: { change } }: Read, { id, at }: Pick<ImportRunRow, 'id' | 'at'>): SQL | undefined {
  return and(eq(change.recordedAt, at), eq(change.importId, id))
}

/** How many entities of each kind a run changed. */
export async function changedBy(read: Read, run: ImportRunRow): Promise<{ entity: EntityKind; entities: number }[]> {
  const { entity, entityId } = read.t.change
  const rows = read.db.select({ entity, entities: countDistinct(entityId) }).from(read.t.change)
  return rows.where(changesOfRun(read, run)).groupBy(entity).orderBy(entity)
}

/** Runs that undo others, by their ids, with the run that each undoes. */
export type Undoings = ReadonlyMap<string, string>

export async function undoings({ db, t: { importRun } }: Read): Promise<Undoings> {
  const { id, undoes } = importRun
  const rows = await db.select({ id, undoes }).from(importRun).where(eq(importRun.kind, 'UNDO'))
  return new Map(rows.flatMap((row) => (row.undoes === null ? [] : [[row.id, row.undoes]])))
}

/** The runs that are undone now: one whose undo is undone in turn is in effect again. */
export async function undoneRuns(read: Read): Promise<string[]> {
  const undos = [...(await undoings(read))]
  const isUndone = (id: string): boolean => undos.some(([undo, undone]) => undone === id && !isUndone(undo))
  return [...new Set(undos.map(([, undone]) => undone))].filter(isUndone)
}
