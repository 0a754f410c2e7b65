import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { namesOf, recordReader, type Values } from '../../fields.js'
import type { Ledger, Stored } from '../../history/ledger.js'
import { isId } from '../../ids.js'
import { checkIssue, ISSUE_FIELDS, type IssueRow, issuesLedger, issueWith } from '../../projects/issues.js'
import { type Assignee, type ProjectRow, recordSync } from '../../projects/projects.js'
import {
  checkRisk,
  RISK_FIELDS,
  type RiskRow,
  risksLedger,
  riskWith,
  scoreInstead,
  Tally,
} from '../../projects/risks.js'
import type { Tables } from '../../store/tables.js'
import { fold, type InputCheck } from '../../text.js'
import { ISSUE_COLUMNS, RISK_COLUMNS } from '../columns.js'
import { type Placed, ProjectMatcher, RiskMatcher } from '../matching/lookups.js'
import { AssigneeMatcher, type Attribution } from '../matching/people.js'
import {
  batchesOf,
  closedLately,
  type Importer,
  type ImportRun,
  isFirstLoad,
  refusalToClose,
  type SourceRecord,
  writersOfSource,
} from '../run.js'
import { MovedReferences } from './movedReferences.js'

const readRisk = recordReader(RISK_COLUMNS)
const readIssue = recordReader(ISSUE_COLUMNS)

export function risksImporter(run: ImportRun): Importer {
  const { write, options } = run
  const tally = new Tally()
  const plan: EntryPlan<RiskRow, Values<typeof RISK_COLUMNS>> = {
    kind: 'risk',
    ledger: risksLedger(write),
    table: (t) => t.risk,
    rows: (where) => write.db.select().from(write.t.risk).where(where(write.t.risk)),
    rowsAt: (places) => write.havingPairs(write.t.risk, ['projectId', 'reference'], places),
    fields: namesOf(RISK_FIELDS),
    read: readRisk,
    attributionOf: ({ owner, ownerId, ownerName }) => ({ who: owner, id: ownerId, name: ownerName }),
    assigneeOf: ({ ownerId, ownerName }) => ({ id: ownerId, name: ownerName }),
    check: (before, { index, values, check }) => {
      checkRisk(before, values, check)
      const score = scoreInstead(before, values)
      if (score === undefined) return
      const detail = `It is not stored: likelihood and impact are there, and their product is ${score}.`
      run.warnings.push({ index, field: 'scoreGiven', detail })
    },
    draft: (before, { values, project }, owner) => {
      // In a complete list, naming a closed risk without a status reopens it.
      const status = values.status ?? (options.closeMissing && before?.live === 0 ? 'OPEN' : null)
      return riskWith(write, before, { ...values, status, id: values.id ?? undefined, projectId: project.id, owner })
    },
    onStored: (stored) => {
      for (const one of stored) tally.count(one)
    },
    finish: () => tally.store(write),
  }
  return new EntriesImporter(run, plan)
}

export function issuesImporter(run: ImportRun): Importer {
  const { write, options } = run
  const risks = new RiskMatcher(run)
  const plan: EntryPlan<IssueRow, Values<typeof ISSUE_COLUMNS>> = {
    kind: 'issue',
    ledger: issuesLedger(write),
    table: (t) => t.issue,
    rows: (where) => write.db.select().from(write.t.issue).where(where(write.t.issue)),
    rowsAt: (places) => write.havingPairs(write.t.issue, ['projectId', 'reference'], places),
    fields: namesOf(ISSUE_FIELDS),
    read: readIssue,
    attributionOf: ({ assignee, assigneeId, assigneeName }) => ({ who: assignee, id: assigneeId, name: assigneeName }),
    assigneeOf: ({ assigneeId, assigneeName }) => ({ id: assigneeId, name: assigneeName }),
    prepare: (placed) => risks.find(placed),
    check: (before, record) => {
      checkIssue(before, record.values, record.check)
      risks.check(record, before?.riskId)
    },
    isLinked: (before, record) => {
      const riskId = risks.idOf(record)
      return riskId === undefined || riskId === before.riskId
    },
    draft: (before, record, assignee) => {
      const { values, project } = record
      const status = values.status ?? (options.closeMissing && before?.live === 0 ? 'OPEN' : null)
      const links = { projectId: project.id, riskId: risks.idOf(record), assignee }
      return issueWith(write, before, { ...values, status, id: values.id ?? undefined, ...links })
    },
  }
  return new EntriesImporter(run, plan)
}

interface EntryRow
  extends Readonly<Record<'id' | 'projectId' | 'reference' | 'title' | 'createdAt' | 'updatedAt', string>> {
  readonly live: number
  readonly [column: string]: unknown
}

type EntryColumns = Readonly<Record<'id' | 'projectId' | 'reference' | 'live', AnyPgColumn>>

type EntryValues = Readonly<Partial<Record<'id' | 'status' | 'project' | 'reference' | 'title', string | null>>>

/** What differs between risks and issues in an import. */
interface EntryPlan<Row extends EntryRow, V extends EntryValues> {
  readonly kind: 'risk' | 'issue'
  readonly ledger: Ledger<Row>
  readonly table: (t: Tables) => PgTable & EntryColumns
  readonly rows: (where: (columns: EntryColumns) => SQL | undefined) => Promise<Row[]>
  /** The rows at these places: a project's id and a reference. */
  readonly rowsAt: (places: readonly (readonly [string, string])[]) => Promise<Row[]>
  /** The values of a record that are columns of the same name. */
  readonly fields: readonly (keyof V & string)[]
  readonly read: (raw: SourceRecord['values'], check: InputCheck) => V
  readonly attributionOf: (values: V) => Attribution
  readonly assigneeOf: (row: Row) => Assignee
  /** Looks up the other rows that the records of a batch refer to. */
  readonly prepare?: (placed: readonly Placed<V>[]) => Promise<void>
  readonly check: (before: Row | undefined, record: Placed<V>) => void
  /** Whether what a record refers to is as stored. */
  readonly isLinked?: (before: Row, record: Placed<V>) => boolean
  readonly draft: (before: Row | undefined, record: Placed<V>, assignee: Assignee) => Row
  readonly onStored?: (stored: readonly Stored<Row>[]) => void
  readonly finish?: () => Promise<void>
}

/** The stored rows that the records of a batch may match. */
type Candidates<Row> = Readonly<Record<'byId' | 'byPlace', ReadonlyMap<string, Row>>>

/** Imports risks or issues, matched by id, else by project and reference. */
class EntriesImporter<Row extends EntryRow, V extends EntryValues> implements Importer {
  readonly #run: ImportRun
  readonly #plan: EntryPlan<Row, V>
  readonly #projects: ProjectMatcher
  readonly #assignees: AssigneeMatcher
  readonly #isFirst: () => Promise<boolean>
  readonly #moved: MovedReferences | undefined
  /** The live entries of a project by their titles, before anything is stored. */
  readonly #titles = new Map<string, ReadonlyMap<string, Row>>()
  /** Which entries of each project were live before, and which were imported. */
  readonly #byProject = new Map<string, { project: ProjectRow; live: readonly Row[]; imported: Set<string> }>()

  constructor(run: ImportRun, plan: EntryPlan<Row, V>) {
    this.#run = run
    this.#plan = plan
    this.#projects = new ProjectMatcher(run)
    this.#assignees = new AssigneeMatcher(run, plan.kind === 'risk' ? 'owner' : 'assignee')
    this.#isFirst = isFirstLoad(run, plan.table)
    // Who may not say that it is meant is not asked.
    if (run.options.wording.accept !== undefined) this.#moved = new MovedReferences(run, plan.kind)
  }

  async take(batch: readonly SourceRecord[]): Promise<void> {
    const [run, plan] = [this.#run, this.#plan]
    const records = run.read(batch, plan.read)
    await this.#projects.find(records.map(({ values }) => values.project ?? run.options.project ?? ''))
    await this.#assignees.find(records.map(({ values }) => plan.attributionOf(values)))
    const placed = records.flatMap((record) => this.#placed(record))
    if (run.isSound) await this.#projects.store()
    await this.#open(placed.map(({ project }) => project))
    const candidates = await this.#candidatesFor((await this.#isFirst()) ? [] : placed)
    await plan.prepare?.(placed)
    if (this.#moved && this.#hasOtherTitles(placed, candidates) && !(await this.#isFirst()))
      await this.#loadTitles(placed)
    const sound = placed.flatMap((record) => this.#examined(record, candidates))
    if (!run.isSound) return
    for (const { before, record, assignee } of sound) {
      const isUnchanged = before && this.#isSame(before, record, assignee)
      const entry = isUnchanged ? before : plan.draft(before, record, assignee)
      if (run.options.closeMissing) this.#byProject.get(entry.projectId)?.imported.add(entry.id)
      run.count(isUnchanged ? 'unchanged' : plan.ledger.enter(before, entry).outcome)
    }
    await this.#store()
  }

  async finish(): Promise<void> {
    const run = this.#run
    // A file for one project covers that project even if it is empty.
    const only = run.options.project ?? ''
    if (only !== '') await this.#projects.find([only])
    await this.#open([this.#projects.get(only) ?? []].flat())
    this.#moved?.check()
    // With violations among the records, it is not known yet which entries are missing.
    if (run.options.closeMissing && run.isSound) await this.#closeMissing()
    if (run.isSound) await this.#plan.finish?.()
    if (run.isSound && run.projects.size > 0) await recordSync(run.write, [...run.projects.keys()])
  }

  async #store(): Promise<void> {
    const stored = await this.#plan.ledger.store()
    this.#plan.onStored?.(stored)
  }

  #placed({ index, check, values }: Omit<Placed<V>, 'project' | 'place'>): Placed<V>[] {
    const project = check.has('project') ? undefined : this.#projectOf(values, check)
    if (project) return [{ index, check, values, project, place: placeKey(project.id, values.reference ?? '') }]
    this.#run.accept(index, check)
    return []
  }

  #projectOf(values: V, check: InputCheck): ProjectRow | undefined {
    const { project: given } = this.#run.options
    const named = values.project ?? given
    if (named === undefined) check.violation('project', 'Is needed: a column, or --project for the whole file.')
    else if (given !== undefined && named !== given)
      check.violation('project', `Is not ${given}, which was given for the whole file.`)
    else return this.#projects.require(named, check)
    return undefined
  }

  async #candidatesFor(placed: readonly Placed<V>[]): Promise<Candidates<Row>> {
    const ids = placed.flatMap(({ values }) => values.id ?? [])
    const rows = ids.length === 0 ? [] : await this.#plan.rows(({ id }) => this.#run.write.among(id, ids))
    const places = placed.map(({ project, values }) => [project.id, values.reference ?? ''] as const)
    if (places.length > 0) rows.push(...(await this.#plan.rowsAt(places)))
    return {
      byId: new Map(rows.map((row) => [row.id, row])),
      byPlace: new Map(rows.map((row) => [placeKey(row.projectId, row.reference), row])),
    }
  }

  #hasOtherTitles(placed: readonly Placed<V>[], { byPlace }: Candidates<Row>): boolean {
    return placed.some(({ place, values }) => values.title != null && values.title !== byPlace.get(place)?.title)
  }

  async #loadTitles(placed: readonly Placed<V>[]): Promise<void> {
    for (const projectId of new Set(placed.map(({ project }) => project.id))) {
      if (this.#titles.has(projectId)) continue
      const rows = await this.#plan.rows((columns) => and(eq(columns.projectId, projectId), eq(columns.live, 1)))
      this.#titles.set(projectId, new Map(rows.map((row) => [fold(row.title), row])))
    }
  }

  /** A record with the row that it matches, if it has no violation. */
  #examined(record: Placed<V>, candidates: Candidates<Row>) {
    const [run, plan] = [this.#run, this.#plan]
    const { index, check, values, place } = record
    const before = this.#matched(record, candidates)
    if (values.reference != null) run.claim(index, 'reference', place, check)
    if (values.reference != null && values.title != null) {
      const namesake = this.#titles.get(record.project.id)?.get(fold(values.title))
      this.#moved?.see({ reference: values.reference, title: values.title }, before, namesake)
    }
    const claimed = before?.id ?? values.id
    if (claimed != null) run.claim(index, 'id', claimed, check, values.id == null ? 'reference' : 'id')
    plan.check(before, record)
    if (before?.live === 0 && values.status == null && !run.options.closeMissing) {
      const detail = 'It is closed and stays closed. Give a status to reopen it.'
      run.warnings.push({ index, field: 'reference', detail })
    }
    const stored = before && plan.assigneeOf(before)
    const assignee = this.#assignees.assigneeOf(index, plan.attributionOf(values), stored, check)
    return run.accept(index, check) ? [{ before, record, assignee }] : []
  }

  #matched({ values, project, place, check }: Placed<V>, { byId, byPlace }: Candidates<Row>): Row | undefined {
    const { id, reference } = values
    const named = id == null ? undefined : byId.get(id)
    const holder = reference == null ? undefined : byPlace.get(place)
    if (id != null && !named && !isId(this.#plan.kind, id))
      check.violation('id', 'Must be an id in the form of an export.')
    if (named && named.projectId !== project.id)
      check.violation('project', 'This id belongs to an entry of another project.')
    if (id != null && holder && holder.id !== id) check.violation('reference', `It belongs to ${holder.id}.`)
    return id == null ? holder : named
  }

  /** Whether a record equals the stored row: in a repeated import most do, and need no draft. */
  #isSame(before: Row, record: Placed<V>, { id, name }: Assignee): boolean {
    const { values } = record
    if (this.#run.options.closeMissing && before.live === 0 && values.status == null) return false
    for (const field of this.#plan.fields) {
      if (values[field] !== undefined && values[field] !== before[field]) return false
    }
    const stored = this.#plan.assigneeOf(before)
    const isAssigned = (id === undefined || id === stored.id) && (name === undefined || name === stored.name)
    return isAssigned && (this.#plan.isLinked?.(before, record) ?? true)
  }

  /** Adds the projects of a batch, with their live entries before anything is stored. */
  async #open(projects: readonly ProjectRow[]): Promise<void> {
    const { options, projects: keys, violations } = this.#run
    for (const project of projects) {
      const { id, key } = project
      if (this.#byProject.has(id)) continue
      keys.set(id, key)
      const elsewhere = options.closeMissing && options.others?.projects.get(key)
      if (elsewhere) {
        const detail = `${key} is in ${elsewhere} as well; closing missing entries needs a project in a single file.`
        violations.push({ index: undefined, field: 'project', detail })
      }
      const live = options.closeMissing
        ? await this.#plan.rows((columns) => and(eq(columns.projectId, id), eq(columns.live, 1)))
        : []
      this.#byProject.set(id, { project, live, imported: new Set() })
    }
  }

  /** Closes live entries that are missing, except in projects where there are too many. */
  async #closeMissing(): Promise<void> {
    const { options, unclosed } = this.#run
    const lately = await closedLately(this.#run, `${this.#plan.kind}s`)
    for (const { project, live, imported } of this.#byProject.values()) {
      const missing = live.filter(({ id }) => !imported.has(id))
      const counts = { missing: missing.length, live: live.length, lately: lately.get(project.id) }
      const refusal = refusalToClose(options, counts, 'closed')
      if (refusal === undefined) await this.#close(missing)
      else {
        const found = `${missing.length} of its ${live.length} live ${this.#plan.kind}s are missing`
        unclosed.push({ index: undefined, field: 'project', detail: `${project.key}: ${found}; ${refusal}` })
      }
    }
    await this.#warnOfProjects()
  }

  async #close(missing: readonly Row[]): Promise<void> {
    for await (const batch of batchesOf(missing)) {
      for (const row of batch) {
        this.#plan.ledger.enter(row, { ...row, status: 'CLOSED', live: 0 }, { action: 'CLOSED' })
        this.#run.count('closed')
      }
      await this.#store()
    }
  }

  /** Warns about projects of this source that the list no longer has: their entries are not closed. */
  async #warnOfProjects(): Promise<void> {
    const { options, projects, warnings, write } = this.#run
    const { project: only, others } = options
    const listed = new Set([...projects.values(), ...(others?.projects.keys() ?? [])])
    if (only !== undefined || others?.isLast === false || listed.size < 2) return
    const { among, db, t } = write
    const table = this.#plan.table(t)
    const writers = await writersOfSource(write)
    const stored = await db.select({ id: t.project.id, key: t.project.key }).from(t.project).orderBy(t.project.key)
    for (const { id, key } of stored.filter((one) => !listed.has(one.key))) {
      const written = sql`select 1 from ${t.change} where ${t.change.entityId} = ${table.id}`
      const isImported = sql`exists (${written} and ${among(t.change.by, writers)})`
      const live = await db.$count(table, and(eq(table.projectId, id), eq(table.live, 1), isImported))
      const found = `${key} has ${live} live ${this.#plan.kind}s of earlier imports and is no longer listed. They stay open; `
      const advice = `to close them, import a sheet that is only a header with --project ${key} --close-limit ${live}.`
      if (live > 0) warnings.push({ index: undefined, field: 'project', detail: found + advice })
    }
  }
}

function placeKey(projectId: string, reference: string): string {
  return `${projectId} ${reference}`
}
