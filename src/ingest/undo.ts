import { and, eq, gt } from 'drizzle-orm'
import { DETAILS, detailsIn } from '../details.js'
import {
  backwards,
  type ChangeRow,
  ERASED,
  type FieldChanges,
  fieldChangesOf,
  type Recorded,
} from '../history/changes.js'
import { asRun, changesOfRun, type ImportRunRow, recordRun, runById } from '../history/importRuns.js'
import type { Write } from '../store/store.js'
import type { EntityKind } from '../vocabulary.js'
import { type Undoable, type UndoableRow, undoableNouns } from './undoableNouns.js'

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
type Touched = Readonly<{ entity: EntityKind; id: string; changes: ChangeRow[] }>

/** Restores what a run changed, by the history; what was changed again since, or erased, is left. */
export async function undoRun(single: Write, id: string, operator: string | null): Promise<UndoReport> {
  const write = asRun(single)
  const run = await runById(write, id)
  const nouns = undoableNouns(write)
  const cancelled = await cancelledRuns(write)
  const entities: Undone[] = []
  for await (const batch of touchedBy(write, run)) {
    if (batch.length === 0) continue
    const later = await laterChanges(write, batch, cancelled)
    for (const entity of new Set(batch.map((one) => one.entity))) {
      const ofKind = batch.filter((one) => one.entity === entity)
      const found = await nouns[entity].find(ofKind.map((one) => one.id))
      for (const one of ofKind) entities.push(...(await undoOne(one, found.get(one.id), later.get(one.id) ?? [])))
      await nouns[entity].store()
    }
  }
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
  let touched: Touched[] = []
  for await (const rows of backwards(write, changesOfRun(write, run))) {
    for (const row of rows) {
      const { entity, entityId: id } = row
      const last = touched.at(-1)
      if (last?.id === id) last.changes.push(row)
      else touched.push({ entity, id, changes: [row] })
    }
    // The next batch may have more changes of the last entity.
    const [last] = touched.splice(-1)
    yield touched
    touched = last ? [last] : []
  }
  yield touched
}

/** Runs that were undone, and those that undid them: what they changed counts only if the values show it. */
async function cancelledRuns({ db, t: { importRun } }: Write): Promise<ReadonlySet<string>> {
  const { id, undoes } = importRun
  const rows = await db.select({ id, undoes }).from(importRun).where(eq(importRun.kind, 'UNDO'))
  return new Set(rows.flatMap((row) => [row.id, row.undoes ?? row.id]))
}

/** The changes of these entities since, the newest last, by id. */
async function laterChanges(write: Write, batch: readonly Touched[], cancelled: ReadonlySet<string>) {
  const { among, db } = write
  const { change } = write.t
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

/** Nothing if it is already as it shall be. */
async function undoOne(touched: Touched, now: Undoable | undefined, later: readonly ChangeRow[]): Promise<Undone[]> {
  const { entity, id, changes } = touched
  const row = now?.row
  const names = [row?.['reference'] ?? row?.['key'], row?.['name'] ?? row?.['title'] ?? id]
  const entry = { entity, id, name: names.filter((part) => part != null).join(' ') }
  const leave = (...left: Left[]): Undone[] =>
    left.length === 0 ? [] : [{ ...entry, outcome: 'left', fields: {}, left }]
  if (!now || !row) return leave({ reason: 'It was removed since.' })
  if (row['erasedAt'] != null) return leave({ reason: 'This person was erased since.' })
  const isNew = changes.at(-1)?.action === 'CREATED'
  if (isNew && !now.closing) return leave({ reason: 'It was created, and undoing removes nothing.' })
  const again = later.at(-1)
  if (isNew && again) return leave({ reason: changedAgain(again) })
  const { values, left } = restorable(netChange(changes), row, later)
  if (isNew && left.length > 0) return leave(...left)
  const wanted = isNew ? { ...now.closing } : values
  const fields = Object.entries(wanted).flatMap(([field, to]) => {
    const from = valueIn(row, field)
    return isSame(from, to) ? [] : [[field, [from, to]] as const]
  })
  if (fields.length === 0) return leave(...left)
  const refusal = await now.restore(wanted)
  if (refusal !== undefined) return leave({ reason: refusal })
  return [{ ...entry, outcome: isNew ? 'closed' : 'restored', fields: Object.fromEntries(fields), left }]
}

/** Each field of several changes with its value before the first and after the last of them. */
function netChange(changes: readonly ChangeRow[]): FieldChanges {
  const net = new Map<string, readonly [Recorded, Recorded]>()
  for (const fields of changes.map(fieldChangesOf))
    for (const [field, [from, to]] of Object.entries(fields)) net.set(field, [from, (net.get(field) ?? [from, to])[1]])
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
