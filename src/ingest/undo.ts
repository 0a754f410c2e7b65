import { and, desc, eq, gt, max } from 'drizzle-orm'
import { DETAILS, type Detail, detailsIn } from '../details.js'
import {
  backwards,
  type ChangeRow,
  ERASED,
  type FieldChanges,
  fieldChangesOf,
  type Recorded,
} from '../history/changes.js'
import {
  asRun,
  changesOfRun,
  type ImportRunRow,
  recordRun,
  runById,
  type Undoings,
  undoings,
} from '../history/importRuns.js'
import type { Entity } from '../history/ledger.js'
import { LISTS } from '../nouns.js'
import { groupsOfPeople } from '../personnel/groups.js'
import { type PersonRow, personnel } from '../personnel/people.js'
import { projects } from '../projects/projects.js'
import { byIds, type List } from '../store/query/page.js'
import type { Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import {
  type EntityKind,
  HELD_NOUNS,
  isHeldNoun,
  NOUNS,
  type NounName,
  type NounPlural,
  nounOfKind,
} from '../vocabulary.js'
import { importRecords } from './importers.js'
import type { ImportOptions, SourceRecord } from './run.js'

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

type Row = Readonly<Record<string, unknown>>

const LEFT = { status: 'INACTIVE', groups: [], mergedInto: null }

/** What an entity becomes that the run created; undefined if it stays. */
function closingOf(noun: NounName): Row | undefined {
  const declared = NOUNS[noun]
  return noun === 'person' ? LEFT : 'closed' in declared ? { status: declared.closed } : undefined
}

/** People come before what is theirs, and a project after its entries, without which it may be closed. */
const placeOf = (noun: NounName) => (isHeldNoun(noun) ? 1 : noun === 'project' ? 2 : 0)

/** An entity that a run changed, with its changes, the newest first. */
type Touched = Readonly<{ id: string; changes: ChangeRow[] }>

/** What is to be done with an entity: the record to import, unless all of it is left. */
type Plan = Pick<Undone, 'id' | 'name' | 'left'> & Readonly<{ isNew: boolean; record?: Row }>

/** Restores what a run changed, by importing the former values; what was changed again since, or erased, is left. */
export async function undoRun(single: Write, id: string, operator: string | null): Promise<UndoReport> {
  const write = asRun(single)
  const run = await runById(write, id)
  const undoes = await undoings(write)
  const entities: Undone[] = []
  for (const entity of await kindsOf(write, run)) {
    const noun = nounOfKind(entity)
    const plans: Plan[] = []
    for await (const batch of touchedBy(write, run, entity)) {
      const ids = batch.map((one) => one.id)
      const rows = await rowsNow(write, noun, ids)
      const later = await laterChanges(write, batch, run, undoes)
      const people = await formerPeople(write, batch)
      for (const one of batch) {
        const plan = planFor(noun, one, rows.get(one.id), later.get(one.id) ?? new Map(), people)
        plans.push(noun === 'project' ? await unlessBusy(write, plan) : plan)
      }
    }
    const refused = await restore(write, NOUNS[noun].plural, plans)
    const fields = await changedBy(write, entity)
    for (const plan of plans) entities.push(...undoneAs(entity, plan, fields.get(plan.id), refused.get(plan.id)))
  }
  const counts = { restored: 0, closed: 0, left: 0 }
  for (const { outcome } of entities) counts[outcome] += 1
  const { noun, source } = run
  const { restored: updated, closed, left: unchanged } = counts
  const facts = { kind: 'UNDO', noun, source, operator, undoes: id } as const
  const importId = await recordRun(write, facts, { created: 0, updated, closed, unchanged })
  return { run, importId, counts, entities }
}

/** The kinds of what a run changed, else the last first: the history of people has the names of groups of that time. */
async function kindsOf(write: Write, run: ImportRunRow): Promise<EntityKind[]> {
  const { entity, id } = write.t.change
  const all = write.db.select({ entity }).from(write.t.change).where(changesOfRun(write, run))
  const kinds = (await all.groupBy(entity).orderBy(desc(max(id)))).map((row) => row.entity)
  return kinds.sort((one, other) => placeOf(nounOfKind(one)) - placeOf(nounOfKind(other)))
}

/** Batches of the entities of a kind that a run changed. */
async function* touchedBy(
  write: Write,
  run: Pick<ImportRunRow, 'id' | 'at'>,
  kind: EntityKind,
): AsyncGenerator<readonly Touched[]> {
  let touched: Touched[] = []
  for await (const rows of backwards(write, and(changesOfRun(write, run), eq(write.t.change.entity, kind)))) {
    for (const row of rows) {
      const last = touched.at(-1)
      if (last?.id === row.entityId) last.changes.push(row)
      else touched.push({ id: row.entityId, changes: [row] })
    }
    // The next batch may have more changes of the last entity.
    const [last] = touched.splice(-1)
    if (touched.length > 0) yield touched
    touched = last ? [last] : []
  }
  if (touched.length > 0) yield touched
}

/**
 * Why fields of these entities are left: what has changed them since and is in effect; by the id of the entity and the
 * field. From the newest on, so that an undo is seen before what it cancels, and cancels nothing if it is cancelled.
 */
async function laterChanges(write: Write, batch: readonly Touched[], run: ImportRunRow, undoes: Undoings) {
  const { change } = write.t
  const lastOwn = new Map(batch.map(({ id, changes }) => [id, changes[0]?.id ?? 0]))
  const isLater = and(write.among(change.entityId, [...lastOwn.keys()]), gt(change.id, Math.min(...lastOwn.values())))
  const reasons = new Map(batch.map(({ id }) => [id, new Map<string, string>()]))
  const leave = (id: string, field: string, reason: string) => {
    const ofEntity = reasons.get(id)
    if (!ofEntity?.has(field)) ofEntity?.set(field, reason)
  }
  const cancelled = new Map<string, { id: string; field: string; reason: string; isSeen: boolean }>()
  for await (const rows of backwards(write, isLater)) {
    for (const row of rows.filter((one) => one.id > (lastOwn.get(one.entityId) ?? 0))) {
      const { entityId: id, importId, recordedAt } = row
      const target = undoes.get(importId ?? '')
      for (const field of Object.keys(fieldChangesOf(row)).filter((name) => name !== DERIVED)) {
        const undo = cancelled.get([id, field, importId].join())
        const reason = `It was ${target === run.id ? 'undone already' : 'changed again'} at ${recordedAt}.`
        if (undo) undo.isSeen = true
        else if (target === undefined) leave(id, field, reason)
        else cancelled.set([id, field, target].join(), { id, field, reason, isSeen: false })
      }
    }
  }
  // What is cancelled but not among the later changes is older, or what is to be undone.
  for (const { id, field, reason, isSeen } of cancelled.values()) if (!isSeen) leave(id, field, reason)
  return reasons
}

/** The people whom former values name. */
function formerPeople(write: Write, batch: readonly Touched[]) {
  const former = batch.flatMap(({ changes }) => changes.map(fieldChangesOf))
  const ids = former.flatMap((fields) => HOLDER_IDS.flatMap((field) => fields[field]?.[0] ?? []))
  return byIds(write, personnel, [...new Set(ids.map(String))])
}

const HOLDER_IDS: readonly string[] = HELD_NOUNS.map((noun) => `${NOUNS[noun].holder}Id`)

/** What somebody has lost who was merged into another person. */
const OF_MERGED: readonly string[] = ['status', 'groups']

/** Follows from other fields, beside which it is recorded. */
const DERIVED = 'score'

type Reasons = ReadonlyMap<string, string>

function planFor(
  noun: NounName,
  { id, changes }: Touched,
  row: Row | undefined,
  later: Reasons,
  people: ReadonlyMap<string, PersonRow>,
): Plan {
  const closing = closingOf(noun)
  const isNew = changes.at(-1)?.action === 'CREATED'
  const names = [row?.['reference'] ?? row?.['key'], row?.['name'] ?? row?.['title'] ?? id]
  const plan = { id, isNew, name: names.filter((part) => part != null).join(' ') }
  const leave = (...left: Left[]): Plan => ({ ...plan, left })
  if (!row) return leave({ reason: 'It was removed since.' })
  if (row['erasedAt'] != null) return leave({ reason: 'This person was erased since.' })
  if (isNew && !closing) return leave({ reason: 'It was created, and undoing removes nothing.' })
  const [again] = later.values()
  if (isNew && again !== undefined) return leave({ reason: again })
  const { former, left } = restorable(netChange(changes), row, later, people)
  if (isNew && left.length > 0) return leave(...left)
  // The importers would bring back people whose status is not given.
  const record = { id, project: row['project'], status: row['status'], ...(isNew ? closing : former) }
  return { ...plan, left, record }
}

/** Each field of several changes with its value before the first and after the last of them. */
function netChange(changes: readonly ChangeRow[]): FieldChanges {
  const net = new Map<string, readonly [Recorded, Recorded]>()
  for (const fields of changes.map(fieldChangesOf))
    for (const [field, [from, to]] of Object.entries(fields)) net.set(field, [from, (net.get(field) ?? [from, to])[1]])
  return Object.fromEntries(net)
}

/** The former values of what nothing else has changed since, as a record has them, and the rest with its reasons. */
function restorable(net: FieldChanges, row: Row, later: Reasons, people: ReadonlyMap<string, PersonRow>) {
  const former: Record<string, unknown> = {}
  const left: Left[] = []
  const isMerged = row['mergedInto'] != null && !('mergedInto' in net)
  for (const [field, [from, to]] of Object.entries(net)) {
    if (field === DERIVED) continue
    const holder = HOLDER_IDS.includes(field) ? people.get(String(from)) : undefined
    const again = later.get(field)
    if (again !== undefined) left.push({ field, reason: again })
    else if (!isSame(valueIn(row, field), to)) left.push({ field, reason: 'It is no longer as the import left it.' })
    else if (isMerged && OF_MERGED.includes(field)) left.push({ field, reason: 'This person was merged since.' })
    else if (from === ERASED || holder?.erasedAt) left.push({ field, reason: 'Its former value was erased.' })
    else if (field === DETAILS && Array.isArray(from)) former[field] = detailsInOrder(row, from)
    else former[field] = holder?.mergedInto ?? from
  }
  return { former, left }
}

/** A project that the run created stays open while it has entries of others. */
async function unlessBusy({ db, t }: Write, plan: Plan): Promise<Plan> {
  if (!plan.isNew || !plan.record) return plan
  const held: string[] = []
  for (const noun of HELD_NOUNS) {
    const { projectId, live } = t[noun]
    const count = await db.$count(t[noun], and(eq(projectId, plan.id), eq(live, 1)))
    if (count > 0) held.push(`${count} live ${NOUNS[noun].plural}`)
  }
  const { id, name, isNew } = plan
  return held.length === 0 ? plan : { id, name, isNew, left: [{ reason: `It still has ${held.join(' and ')}.` }] }
}

const OPTIONS: ImportOptions = {
  matchPeople: true,
  strictPeople: true,
  strictReferences: true,
  wording: { place: (index) => `${index}`, createProjects: '', createGroups: '--create-groups', closeLimit: '' },
}

/** Imports the records of plans; returns why some are refused: they keep values that others may need, and are left out. */
async function restore(write: Write, noun: NounPlural, plans: readonly Plan[]): Promise<Reasons> {
  const refused = new Map<string, string>()
  const records = new Map(plans.flatMap(({ id, record }) => (record ? [[id, record] as const] : [])))
  for (let isTrial = true; ; ) {
    const ids = [...records.keys()]
    const given = ids.map((id, index): SourceRecord => ({ index, values: records.get(id) ?? {} }))
    const links = new Map(
      [...records].flatMap(([id, { mergedInto }]) => (isLink(mergedInto) ? [[id, mergedInto]] : [])),
    )
    const undoing = { records, links, isTrial }
    const { violations } = await importRecords(write, noun, given, { ...OPTIONS, undoing })
    if (!isTrial) return refused
    for (const { index = 0, field, detail } of violations) {
      const id = ids[index] ?? ''
      refused.set(id, `${field}: ${detail}`)
      records.delete(id)
    }
    isTrial = violations.length > 0
  }
}

function isLink(mergedInto: unknown): mergedInto is string | null {
  return mergedInto === null || typeof mergedInto === 'string'
}

/** What this run has changed, as its history has it. */
async function changedBy(
  write: ReturnType<typeof asRun>,
  kind: EntityKind,
): Promise<ReadonlyMap<string, FieldChanges>> {
  const fields = new Map<string, FieldChanges>()
  for await (const batch of touchedBy(write, { id: write.importId, at: write.at }, kind))
    for (const { id, changes } of batch) fields.set(id, netChange(changes))
  return fields
}

function undoneAs(
  entity: EntityKind,
  { id, name, isNew, left: others }: Plan,
  fields: FieldChanges | undefined,
  refusal: string | undefined,
): Undone[] {
  const left = refusal === undefined ? others : [{ reason: refusal }]
  if (!fields && left.length === 0) return []
  const outcome = !fields ? 'left' : isNew ? 'closed' : 'restored'
  return [{ entity, id, name, outcome, fields: fields ?? {}, left }]
}

/** Entities as records have them: people with the names of their groups, entries with the keys of their projects. */
async function rowsNow(write: Write, noun: NounName, ids: readonly string[]): Promise<ReadonlyMap<string, Row>> {
  const list: List<Tables[NounName], object> = LISTS[noun]
  const rows: ReadonlyMap<string, Entity> = await byIds(write, list, ids)
  const withEach = (more: (row: Entity) => object) =>
    new Map(Array.from(rows, ([id, row]) => [id, { ...row, ...more(row) }] as const))
  if (noun === 'person') {
    const groupsOf = await groupsOfPeople(write, ids)
    return withEach(({ id }) => ({ groups: (groupsOf.get(id) ?? []).map(({ name }) => name) }))
  }
  if (!isHeldNoun(noun)) return rows
  const projectIn = (row: Entity) => String(row['projectId'])
  const of = await byIds(write, projects, [...new Set(Array.from(rows.values(), projectIn))])
  return withEach((row) => ({ project: of.get(projectIn(row))?.key }))
}

/** The details of a row in the order of these names; those that none of them names stay last. */
function detailsInOrder(row: Row, names: readonly string[]): Detail[] {
  const place = (name: string) => (names.indexOf(name) + names.length + 1) % (names.length + 1)
  return detailsOf(row).toSorted((one, other) => place(one.name) - place(other.name))
}

function detailsOf(row: Row): readonly Detail[] {
  return detailsIn(row['details'] as string | null)
}

function isSame(one: Recorded, other: Recorded): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** A field of the history as it is now. */
function valueIn(row: Row, field: string): Recorded {
  const details = detailsOf(row)
  if (field === DETAILS) return details.map(({ name }) => name)
  if (field.startsWith(`${DETAILS}.`)) return details.find(({ name }) => field === `${DETAILS}.${name}`)?.text ?? null
  return (row[field] ?? null) as Recorded
}
