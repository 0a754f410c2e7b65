import { setImmediate } from 'node:timers/promises'
import type { SQL } from 'drizzle-orm'
import { and, eq, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Ledger, Stored } from '../../history/ledger.js'
import { type IdKind, isId } from '../../ids.js'
import type { ProjectRow } from '../../projects/projects.js'
import { type Assignee, noteSync } from '../../projects/projects.js'
import type { Read, Write } from '../../store/store.js'
import type { Tables } from '../../store/tables.js'
import type { InputCheck } from '../../text.js'
import { AssigneeMatcher, type Attribution } from '../matching/people.js'
import { type Placed, ProjectMatcher } from '../matching/references.js'
import type { Importer, ImportRun, SourceRecord } from '../run.js'
import { BATCH_RECORDS, closableOf, isFirstLoad, writersOfSource } from '../run.js'

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

/** The columns that risks and issues have in common. */
export interface EntryRow {
  readonly id: string
  readonly projectId: string
  readonly reference: string
  readonly live: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly [column: string]: unknown
}

interface EntryColumns {
  readonly id: AnyPgColumn
  readonly projectId: AnyPgColumn
  readonly reference: AnyPgColumn
  readonly live: AnyPgColumn
}

/** The values of a record that identify its entry. */
export interface EntryValues {
  readonly id?: string | null
  readonly status?: string | null
  readonly project?: string | null
  readonly reference?: string | null
}

/** What differs between risks and issues in an import. */
export interface EntryPlan<Row extends EntryRow, V extends EntryValues> {
  readonly noun: 'risks' | 'issues'
  readonly kind: IdKind
  readonly assigneeField: 'owner' | 'assignee'
  readonly ledger: Ledger<Row>
  readonly table: (t: Tables) => PgTable & EntryColumns
  readonly rows: (read: Read, where: (columns: EntryColumns) => SQL | undefined) => Promise<Row[]>
  /** The rows at these places: a project's id and a reference. */
  readonly rowsAt: (write: Write, places: readonly (readonly [string, string])[]) => Promise<Row[]>
  /** The values of a record that are columns of the same name. */
  readonly fields: readonly (keyof V & string)[]
  readonly read: (raw: SourceRecord['values'], check: InputCheck) => V
  readonly attributionOf: (values: V) => Attribution
  /** The owner or assignee of a stored row. */
  readonly assigneeOf: (row: Row) => Assignee
  /** Looks up the other rows that the records of a batch refer to. */
  readonly prepare?: (placed: readonly Placed<V>[]) => Promise<void>
  readonly check: (before: Row | undefined, record: Placed<V>) => void
  /** Whether what a record refers to is as stored. */
  readonly isLinked?: (before: Row, record: Placed<V>) => boolean
  readonly draft: (before: Row | undefined, record: Placed<V>, assignee: Assignee) => Row
  readonly closed: (row: Row) => Row
  /** Notes stored rows, for the follow-up work of `finish`. */
  readonly note?: (stored: readonly Stored<Row>[]) => void
  /** Follow-up work once all rows are stored. */
  readonly finish?: () => Promise<void>
}

/** A project in the import: which of its entries were live before, and which were imported. */
interface ProjectEntries<Row> {
  readonly project: ProjectRow
  readonly live: readonly Row[]
  readonly come: Set<string>
}

/** Tracks the entries of the imported projects, to find those that are missing. */
export class MissingEntries<Row extends EntryRow, V extends object> {
  private readonly run: ImportRun
  private readonly plan: EntryPlan<Row, V>
  private readonly byProject = new Map<string, ProjectEntries<Row>>()

  constructor(run: ImportRun, plan: EntryPlan<Row, V>) {
    this.run = run
    this.plan = plan
  }

  /** Adds the projects of a batch, with their live entries before anything is stored. */
  async open(projects: readonly ProjectRow[]): Promise<void> {
    const { write, options } = this.run
    for (const project of projects) {
      if (this.byProject.has(project.id)) continue
      this.run.projects.set(project.id, project.key)
      if (options.closeMissing) this.refuseTwice(project)
      const live = options.closeMissing
        ? await this.plan.rows(write, (columns) => and(eq(columns.projectId, project.id), eq(columns.live, 1)))
        : []
      this.byProject.set(project.id, { project, live, come: new Set() })
    }
  }

  /** A file for one project covers that project even if it is empty. */
  async openAlone(projects: ProjectMatcher): Promise<void> {
    const key = this.run.options.project ?? ''
    await projects.find([key])
    const project = projects.get(key)
    if (project) await this.open([project])
  }

  note({ id, projectId }: Row): void {
    if (this.run.options.closeMissing) this.byProject.get(projectId)?.come.add(id)
  }

  /** Closes live entries that are missing, except in projects where there are too many. */
  async closeMissing(): Promise<void> {
    const { run } = this
    // With flaws among the records, it is not known yet which entries are missing.
    if (!run.isSound) return
    for (const { project, live, come } of this.byProject.values()) {
      const missing = live.filter(({ id }) => !come.has(id))
      const most = closableOf(live.length, run.options.closeLimit)
      if (missing.length > most) this.refuse(project, missing.length, live.length, most)
      else await this.close(missing)
    }
    await this.nameMissingProjects()
  }

  private async close(missing: readonly Row[]): Promise<void> {
    const { plan, run } = this
    for (let start = 0; start < missing.length; start += BATCH_RECORDS) {
      for (const row of missing.slice(start, start + BATCH_RECORDS)) {
        plan.ledger.enter(row, plan.closed(row), { action: 'CLOSED' })
        run.count('closed')
      }
      const stored = await plan.ledger.store()
      plan.note?.(stored)
      await setImmediate()
    }
  }

  /** Warns about projects of this source that the list no longer has: their entries are not closed. */
  private async nameMissingProjects(): Promise<void> {
    const { plan, run } = this
    const { project: only, others } = run.options
    const listed = new Set([...run.projects.values(), ...(others?.projects.keys() ?? [])])
    if (only !== undefined || others?.isLast === false || listed.size < 2) return
    const { among, db, t } = run.write
    const writers = await writersOfSource(run.write)
    const known = await db.select({ id: t.project.id, key: t.project.key }).from(t.project).orderBy(t.project.key)
    for (const { id, key } of known) {
      if (listed.has(key)) continue
      const table = plan.table(t)
      const written = sql`select 1 from ${t.change} where ${t.change.entityId} = ${table.id}`
      const isImported = sql`exists (${written} and ${among(t.change.by, writers)})`
      const live = await db.$count(table, and(eq(table.projectId, id), eq(table.live, 1), isImported))
      if (live > 0) this.nameMissing(key, live)
    }
  }

  private nameMissing(key: string, live: number): void {
    const { plan, run } = this
    run.warnings.push({
      index: undefined,
      field: 'project',
      detail:
        `${key} has ${live} live ${plan.noun} of earlier imports and is no longer listed. They stay open; ` +
        `to close them, import a sheet that is only a header with --project ${key} --close-limit ${live}.`,
    })
  }

  private refuse({ key }: ProjectRow, missing: number, live: number, most: number): void {
    const { plan, run } = this
    run.unclosed.push({
      index: undefined,
      field: 'project',
      detail:
        `${key}: ${missing} of its ${live} live ${plan.noun} are missing; at most ${most} are closed at once. ` +
        `Is the export complete? If so, allow it with ${run.options.wording.closeLimit} ${missing}.`,
    })
  }

  private refuseTwice({ key }: ProjectRow): void {
    const elsewhere = this.run.options.others?.projects.get(key)
    if (elsewhere === undefined) return
    const detail = `${key} is in ${elsewhere} as well; closing missing entries needs a project in a single file.`
    this.run.flaws.push({ index: undefined, field: 'project', detail })
  }
}
