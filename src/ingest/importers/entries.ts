import { isId } from '../../ids.js'
import { type Assignee, noteSync } from '../../projects/projects.js'
import type { Write } from '../../store/store.js'
import type { InputCheck } from '../../text.js'
import { AssigneeMatcher } from '../matching/assignees.js'
import { type Placed, ProjectMatcher } from '../matching/projects.js'
import type { Importer, ImportRun } from '../run.js'
import type { EntryPlan, EntryRow, EntryValues } from './entryPlan.js'
import { isFirstLoad } from './firstLoad.js'
import { MissingEntries } from './missingEntries.js'

/** Imports risks or issues, matched by id, else by project and reference. */
export function entriesImporter<Row extends EntryRow, V extends EntryValues>(
  run: ImportRun,
  plan: EntryPlan<Row, V>,
): Importer {
  const { write } = run
  const projects = new ProjectMatcher(run)
  const assignees = new AssigneeMatcher(run, plan.assigneeField)
  const missing = new MissingEntries(run, plan)
  const isFirst = isFirstLoad(run, plan.table)

  const place = (records: readonly Omit<Placed<V>, 'project' | 'place'>[]): Placed<V>[] => {
    const placed: Placed<V>[] = []
    for (const { index, check, values } of records) {
      const project = projectOf(run, projects, values, check)
      if (!project) run.accept(index, check)
      else placed.push({ index, check, values, project, place: placeKey(project.id, values.reference ?? '') })
    }
    return placed
  }

  const examine = (record: Placed<V>, known: Known<Row>): Sound<Row, V> | undefined => {
    const { index, check, values } = record
    const before = matched(plan, known, record)
    claimEntry(run, record, before)
    plan.check(before, record)
    if (before?.live === 0 && values.status == null && !run.options.closeMissing) {
      run.warnings.push({
        index,
        field: 'reference',
        detail: 'It is closed and stays closed. Give a status to reopen it.',
      })
    }
    const assignee = assignees.assigneeOf(index, plan.attributionOf(values), before && plan.assigneeOf(before), check)
    return run.accept(index, check) ? { before, record, assignee } : undefined
  }

  return {
    async take(batch) {
      const records = run.read(batch, plan.read)
      await projects.find(records.map(({ values }) => values.project ?? run.options.project ?? ''))
      await assignees.find(records.map(({ values }) => plan.attributionOf(values)))
      const placed = place(records)
      if (run.isSound) await projects.store()
      await missing.open(placed.map(({ project }) => project))
      const known = await knownEntries(write, plan, (await isFirst()) ? [] : placed)
      await plan.prepare?.(placed)
      const sound = placed.map((record) => examine(record, known))
      if (!run.isSound) return
      for (const one of sound) {
        if (!one) continue
        const { before, record, assignee } = one
        if (before && isSame(run, plan, before, record, assignee)) {
          missing.note(before)
          run.count('unchanged')
          continue
        }
        const draft = plan.draft(before, record, assignee)
        missing.note(draft)
        run.count(plan.ledger.enter(before, draft).verdict)
      }
      const stored = await plan.ledger.store()
      plan.note?.(stored)
    },
    async finish() {
      if (run.options.project !== undefined) await missing.openAlone(projects)
      if (run.options.closeMissing) await missing.closeMissing()
      if (run.isSound) await plan.finish?.()
      if (run.isSound && run.projects.size > 0) await noteSync(write, [...run.projects.keys()])
    },
  }
}

/** Whether a record equals the stored row: in a repeated import most do, and need no draft. */
function isSame<Row extends EntryRow, V extends EntryValues>(
  { options }: ImportRun,
  plan: EntryPlan<Row, V>,
  before: Row,
  record: Placed<V>,
  { id, name }: Assignee,
): boolean {
  const { values } = record
  if (options.closeMissing && before.live === 0 && values.status == null) return false
  for (const field of plan.fields) {
    if (values[field] !== undefined && values[field] !== before[field]) return false
  }
  const stored = plan.assigneeOf(before)
  const isAssigned = (id === undefined || id === stored.id) && (name === undefined || name === stored.name)
  return isAssigned && (plan.isLinked?.(before, record) ?? true)
}

function projectOf(run: ImportRun, projects: ProjectMatcher, values: EntryValues, check: InputCheck) {
  const { project: given } = run.options
  const named = values.project ?? given
  if (check.has('project')) return undefined
  if (named === undefined) check.flaw('project', 'Is needed: a column, or --project for the whole file.')
  else if (given !== undefined && named !== given)
    check.flaw('project', `Is not ${given}, which was given for the whole file.`)
  else return projects.require(named, check)
  return undefined
}

/** A record without flaws. */
interface Sound<Row, V> {
  readonly before: Row | undefined
  readonly record: Placed<V>
  readonly assignee: Assignee
}

interface Known<Row> {
  readonly byId: ReadonlyMap<string, Row>
  readonly byPlace: ReadonlyMap<string, Row>
}

function placeKey(projectId: string, reference: string): string {
  return `${projectId} ${reference}`
}

async function knownEntries<Row extends EntryRow, V extends EntryValues>(
  write: Write,
  plan: EntryPlan<Row, V>,
  placed: readonly Placed<V>[],
): Promise<Known<Row>> {
  const ids = placed.map(({ values }) => values.id).filter((id) => id != null)
  const rows = ids.length === 0 ? [] : await plan.rows(write, ({ id }) => write.among(id, ids))
  const places = placed.map(({ project, values }) => [project.id, values.reference ?? ''] as const)
  if (places.length > 0) rows.push(...(await plan.rowsAt(write, places)))
  return {
    byId: new Map(rows.map((row) => [row.id, row])),
    byPlace: new Map(rows.map((row) => [placeKey(row.projectId, row.reference), row])),
  }
}

function matched<Row extends EntryRow, V extends EntryValues>(
  { kind }: EntryPlan<Row, V>,
  { byId, byPlace }: Known<Row>,
  { values: { id, reference }, project, place, check }: Placed<V>,
): Row | undefined {
  const named = id == null ? undefined : byId.get(id)
  const holder = reference == null ? undefined : byPlace.get(place)
  if (id != null && !named && !isId(kind, id)) check.flaw('id', 'Must be an id in the form of an export.')
  if (named && named.projectId !== project.id) check.flaw('project', 'This id belongs to an entry of another project.')
  if (id != null && holder && holder.id !== id) check.flaw('reference', `It belongs to ${holder.id}.`)
  return id == null ? holder : named
}

function claimEntry<V extends EntryValues>(
  run: ImportRun,
  { index, values: { id, reference }, place, check }: Placed<V>,
  before: EntryRow | undefined,
): void {
  if (reference != null) run.claim(index, 'reference', place, check)
  const claimed = before?.id ?? id
  if (claimed != null) run.claim(index, 'id', claimed, check, id == null ? 'reference' : 'id')
}
