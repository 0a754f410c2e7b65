import { and, eq, gt } from 'drizzle-orm'
import { DETAILS, detailsIn } from '../details.js'
import {
  BATCH_ROWS,
  backwards,
  type ChangeRow,
  type FieldChanges,
  fieldChangesOf,
  type Recorded,
} from '../history/changes.js'
import { asRun, changesOfRun, type ImportRunRow, recordRun, runById } from '../history/importRuns.js'
import { ERASED } from '../personnel/erasure.js'
import type { Write } from '../store/store.js'
import type { EntityKind } from '../vocabulary.js'
import { type UndoableNoun, type UndoableRow, undoableNouns } from './undoableNouns.js'

/** What undoing does to an entity: each field with its value now and the one that it gets, and what is left as it is. */
export interface Undone {
  readonly entity: EntityKind
  readonly id: string
  readonly name: string
  readonly outcome: 'restored' | 'closed' | 'left'
  readonly fields: FieldChanges
  readonly left: readonly Left[]
}

interface Left {
  /** Absent if all of the entity is left. */
  readonly field?: string
  readonly reason: string
}

export interface UndoReport {
  readonly run: ImportRunRow
  /** The id of the run that undid it; undefined if there was nothing to do. */
  readonly importId: string | undefined
  readonly counts: Readonly<Record<Undone['outcome'], number>>
  readonly entities: readonly Undone[]
}

/** An entity that a run changed, with its changes, the newest first. */
interface Touched {
  readonly entity: EntityKind
  readonly id: string
  readonly changes: readonly ChangeRow[]
}

/** Restores what a run changed, by the history; what was changed again since, or erased, is left. */
export async function undoRun(single: Write, id: string, operator: string | null): Promise<UndoReport> {
  const write = asRun(single)
  const run = await runById(write, id)
  const { nouns, finish } = undoableNouns(write)
  const cancelled = await cancelledRuns(write)
  const entities: Undone[] = []
  for await (const batch of touchedBy(write, run)) {
    if (batch.length === 0) continue
    const later = await laterChanges(write, batch, cancelled)
    for (const entity of new Set(batch.map((one) => one.entity))) {
      const ofKind = batch.filter((one) => one.entity === entity)
      entities.push(...(await undoEach(nouns[entity], ofKind, later)))
    }
  }
  await finish()
  const counts = { restored: 0, closed: 0, left: 0 }
  for (const { outcome } of entities) counts[outcome] += 1
  const { noun, source } = run
  const { restored: updated, closed, left: unchanged } = counts
  const facts = { kind: 'UNDO', noun, source, operator, undoes: id } as const
  const importId = await recordRun(write, facts, { created: 0, updated, closed, unchanged })
  return { run, importId, counts, entities }
}

/** Batches of the entities that a run changed. */
async function* touchedBy(write: Write, run: ImportRunRow): AsyncGenerator<readonly Touched[]> {
  let unfinished: readonly ChangeRow[] = []
  for await (const rows of backwards(write, changesOfRun(write, run))) {
    const all = [...unfinished, ...rows]
    // The next batch may have more changes of the last entity.
    const last = rows.length === BATCH_ROWS ? rows.at(-1)?.entityId : undefined
    unfinished = all.filter(({ entityId }) => entityId === last)
    yield byEntity(all.filter(({ entityId }) => entityId !== last))
  }
  yield byEntity(unfinished)
}

function byEntity(rows: readonly ChangeRow[]): Touched[] {
  const touched = new Map<string, { entity: EntityKind; id: string; changes: ChangeRow[] }>()
  for (const row of rows) {
    const { entity, entityId: id } = row
    const one = touched.get(id) ?? { entity, id, changes: [] }
    touched.set(id, one)
    one.changes.push(row)
  }
  return [...touched.values()]
}

/** Runs that were undone, and those that undid them: what they changed counts only if the values show it. */
async function cancelledRuns({ db, t: { importRun } }: Write): Promise<ReadonlySet<string>> {
  const { id, undoes } = importRun
  const rows = await db.select({ id, undoes }).from(importRun).where(eq(importRun.kind, 'UNDO'))
  return new Set(rows.flatMap((row) => [row.id, row.undoes ?? row.id]))
}

type Later = ReadonlyMap<string, readonly ChangeRow[]>

/** The changes of these entities since, the newest last, by id. */
async function laterChanges(
  { db, t: { change }, among }: Write,
  batch: readonly Touched[],
  cancelled: ReadonlySet<string>,
): Promise<Later> {
  const lastOwn = new Map(batch.map(({ id, changes }) => [id, changes[0]?.id ?? 0]))
  const first = Math.min(...lastOwn.values())
  const isLater = and(among(change.entityId, [...lastOwn.keys()]), gt(change.id, first))
  const later = new Map<string, ChangeRow[]>()
  for (const row of await db.select().from(change).where(isLater).orderBy(change.id)) {
    const { entityId, importId } = row
    if (row.id <= (lastOwn.get(entityId) ?? 0) || cancelled.has(importId ?? '')) continue
    later.set(entityId, [...(later.get(entityId) ?? []), row])
  }
  return later
}

async function undoEach(noun: UndoableNoun, batch: readonly Touched[], later: Later): Promise<Undone[]> {
  const rows = await noun.find(batch.map(({ id }) => id))
  const done: Undone[] = []
  for (const one of batch) {
    const undone = await undoOne(noun, one, rows.get(one.id), later.get(one.id) ?? [])
    if (undone) done.push(undone)
  }
  await noun.store()
  return done
}

/** Undefined if it is already as it shall be. */
async function undoOne(
  noun: UndoableNoun,
  { entity, id, changes }: Touched,
  row: UndoableRow | undefined,
  later: readonly ChangeRow[],
): Promise<Undone | undefined> {
  const names = [row?.['reference'] ?? row?.['key'], row?.['name'] ?? row?.['title'] ?? id]
  const entry = { entity, id, name: names.filter((part) => part != null).join(' ') }
  const leave = (reason: string): Undone => ({ ...entry, outcome: 'left', fields: {}, left: [{ reason }] })
  if (!row) return leave('It was removed since.')
  if (row['erasedAt'] != null) return leave('This person was erased since.')
  const isNew = changes.at(-1)?.action === 'CREATED'
  if (isNew && !noun.closing) return leave('It was created, and undoing removes nothing.')
  const again = later.at(-1)
  if (isNew && again) return leave(changedAgain(again))
  const { values, left } = restorable(netChange(changes), row, later)
  if (isNew && left.length > 0) return { ...entry, outcome: 'left', fields: {}, left }
  const wanted = isNew ? { ...noun.closing } : values
  const fields = Object.entries(wanted).flatMap(([field, to]) => {
    const now = valueIn(row, field)
    return isSame(now, to) ? [] : [[field, [now, to]] as const]
  })
  if (fields.length === 0) return left.length === 0 ? undefined : { ...entry, outcome: 'left', fields: {}, left }
  const refusal = await noun.restore(id, wanted)
  if (refusal !== undefined) return leave(refusal)
  return { ...entry, outcome: isNew ? 'closed' : 'restored', fields: Object.fromEntries(fields), left }
}

/** Each field of several changes with its value before the first and after the last of them. */
function netChange(changes: readonly ChangeRow[]): FieldChanges {
  const net = new Map<string, readonly [Recorded, Recorded]>()
  for (const fields of changes.map(fieldChangesOf)) {
    for (const [field, [from, to]] of Object.entries(fields)) net.set(field, [from, (net.get(field) ?? [from, to])[1]])
  }
  return Object.fromEntries(net)
}

/** The former values of what nothing else has changed since, and the rest with its reasons. */
function restorable(net: FieldChanges, row: UndoableRow, later: readonly ChangeRow[]) {
  const values: Record<string, Recorded> = {}
  const left: Left[] = []
  for (const [field, [from, to]] of Object.entries(net)) {
    const again = later.findLast((change) => field in fieldChangesOf(change))
    if (again) left.push({ field, reason: changedAgain(again) })
    else if (!isSame(valueIn(row, field), to)) left.push({ field, reason: 'It is no longer as the import left it.' })
    else if (from === ERASED) left.push({ field, reason: 'Its former value was erased.' })
    else values[field] = from
  }
  return { values, left }
}

function changedAgain({ recordedAt }: ChangeRow): string {
  return `It was changed again at ${recordedAt}.`
}

function isSame(one: Recorded, other: Recorded): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** A field of the history as it is now. */
function valueIn(row: UndoableRow, field: string): Recorded {
  const details = detailsIn(row['details'] as string | null)
  if (field === DETAILS) return details.map(({ name }) => name)
  if (field.startsWith(`${DETAILS}.`)) return details.find(({ name }) => field === `${DETAILS}.${name}`)?.text ?? null
  return (row[field] ?? null) as Recorded
}
