import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { namesOf, recordReader, type Values } from '../../fields.js'
import type { Ledger, Stored } from '../../history/ledger.js'
import { isId } from '../../ids.js'
import { checkIssue, ISSUE_FIELDS, type IssueRow, issuesLedger, issueWith } from '../../projects/issues.js'
import { type Assignee, noteSync, type ProjectRow } from '../../projects/projects.js'
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
import type { InputCheck } from '../../text.js'
import { ISSUE_COLUMNS, RISK_COLUMNS } from '../columns.js'
import { AssigneeMatcher, type Attribution } from '../matching/people.js'
import { type Placed, ProjectMatcher, RiskMatcher } from '../matching/references.js'
import {
  batchesOf,
  closableOf,
  type Importer,
  type ImportRun,
  isFirstLoad,
  type SourceRecord,
  writersOfSource,
} from '../run.js'

const readRisk = recordReader(RISK_COLUMNS)
const readIssue = recordReader(ISSUE_COLUMNS)

export function risksImporter(run: ImportRun): Importer {
  const { write, options } = run
  const tally = new Tally()
  const plan: EntryPlan<RiskRow, Values<typeof RISK_COLUMNS>> = {
    kind: 'risk',
    assigneeField: 'owner',
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
      for (const one of stored) tally.note(one)
    },
    finish: () => tally.store(write),
  }
  return entriesImporter(run, plan)
}

export function issuesImporter(run: ImportRun): Importer {
  const { write, options } = run
  const risks = new RiskMatcher(write)
  const plan: EntryPlan<IssueRow, Values<typeof ISSUE_COLUMNS>> = {
    kind: 'issue',
    assigneeField: 'assignee',
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
  return entriesImporter(run, plan)
}

/** Imports risks or issues, matched by id, else by project and reference. */
function entriesImporter<Row extends EntryRow, V extends EntryValues>(
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

  const examine = (record: Placed<V>, candidates: Candidates<Row>) => {
    const { index, check, values } = record
    const before = matched(plan, candidates, record)
    claimEntry(run, record, before)
    plan.check(before, record)
    if (before?.live === 0 && values.status == null && !run.options.closeMissing) {
      const detail = 'It is closed and stays closed. Give a status to reopen it.'
      run.warnings.push({ index, field: 'reference', detail })
    }
    const assignee = assignees.assigneeOf(index, plan.attributionOf(values), before && plan.assigneeOf(before), check)
    return run.accept(index, check) ? [{ before, record, assignee }] : []
  }

  return {
    async take(batch) {
      const records = run.read(batch, plan.read)
      await projects.find(records.map(({ values }) => values.project ?? run.options.project ?? ''))
      await assignees.find(records.map(({ values }) => plan.attributionOf(values)))
      const placed = place(records)
      if (run.isSound) await projects.store()
      await missing.open(placed.map(({ project }) => project))
      const candidates = await candidatesFor(run, plan, (await isFirst()) ? [] : placed)
      await plan.prepare?.(placed)
      const sound = placed.flatMap((record) => examine(record, candidates))
      if (!run.isSound) return
      for (const { before, record, assignee } of sound) {
        if (before && isSame(run, plan, before, record, assignee)) {
          missing.add(before)
          run.count('unchanged')
          continue
        }
        const draft = plan.draft(before, record, assignee)
        missing.add(draft)
        run.count(plan.ledger.enter(before, draft).verdict)
      }
      const stored = await plan.ledger.store()
      plan.onStored?.(stored)
    },
    async finish() {
      // A file for one project covers that project even if it is empty.
      const only = run.options.project ?? ''
      if (only !== '') await projects.find([only])
      await missing.open([projects.get(only) ?? []].flat())
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

/** The stored rows that the records of a batch may match. */
interface Candidates<Row> {
  readonly byId: ReadonlyMap<string, Row>
  readonly byPlace: ReadonlyMap<string, Row>
}

function placeKey(projectId: string, reference: string): string {
  return `${projectId} ${reference}`
}

async function candidatesFor<Row extends EntryRow, V extends EntryValues>(
  { write }: ImportRun,
  plan: EntryPlan<Row, V>,
  placed: readonly Placed<V>[],
): Promise<Candidates<Row>> {
  const ids = placed.flatMap(({ values }) => values.id ?? [])
  const rows = ids.length === 0 ? [] : await plan.rows(({ id }) => write.among(id, ids))
  const places = placed.map(({ project, values }) => [project.id, values.reference ?? ''] as const)
  if (places.length > 0) rows.push(...(await plan.rowsAt(places)))
  return {
    byId: new Map(rows.map((row) => [row.id, row])),
    byPlace: new Map(rows.map((row) => [placeKey(row.projectId, row.reference), row])),
  }
}

function matched<Row extends EntryRow, V extends EntryValues>(
  { kind }: EntryPlan<Row, V>,
  { byId, byPlace }: Candidates<Row>,
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
interface EntryRow {
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
interface EntryValues {
  readonly id?: string | null
  readonly status?: string | null
  readonly project?: string | null
  readonly reference?: string | null
}

/** What differs between risks and issues in an import. */
interface EntryPlan<Row extends EntryRow, V extends EntryValues> {
  readonly kind: 'risk' | 'issue'
  readonly assigneeField: 'owner' | 'assignee'
  readonly ledger: Ledger<Row>
  readonly table: (t: Tables) => PgTable & EntryColumns
  readonly rows: (where: (columns: EntryColumns) => SQL | undefined) => Promise<Row[]>
  /** The rows at these places: a project's id and a reference. */
  readonly rowsAt: (places: readonly (readonly [string, string])[]) => Promise<Row[]>
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
  /** Gets the stored rows, for the follow-up work of `finish`. */
  readonly onStored?: (stored: readonly Stored<Row>[]) => void
  /** Follow-up work once all rows are stored. */
  readonly finish?: () => Promise<void>
}

/** A project in the import: which of its entries were live before, and which were imported. */
interface ProjectEntries<Row> {
  readonly project: ProjectRow
  readonly live: readonly Row[]
  readonly imported: Set<string>
}

/** Tracks the entries of the imported projects, to find those that are missing. */
class MissingEntries<Row extends EntryRow, V extends object> {
  readonly #run: ImportRun
  readonly #plan: EntryPlan<Row, V>
  readonly #byProject = new Map<string, ProjectEntries<Row>>()

  constructor(run: ImportRun, plan: EntryPlan<Row, V>) {
    this.#run = run
    this.#plan = plan
  }

  /** Adds the projects of a batch, with their live entries before anything is stored. */
  async open(projects: readonly ProjectRow[]): Promise<void> {
    const { options, projects: keys, flaws } = this.#run
    for (const project of projects) {
      const { id, key } = project
      if (this.#byProject.has(id)) continue
      keys.set(id, key)
      const elsewhere = options.closeMissing && options.others?.projects.get(key)
      if (elsewhere) {
        const detail = `${key} is in ${elsewhere} as well; closing missing entries needs a project in a single file.`
        flaws.push({ index: undefined, field: 'project', detail })
      }
      const live = options.closeMissing
        ? await this.#plan.rows((columns) => and(eq(columns.projectId, id), eq(columns.live, 1)))
        : []
      this.#byProject.set(id, { project, live, imported: new Set() })
    }
  }

  add({ id, projectId }: Row): void {
    if (this.#run.options.closeMissing) this.#byProject.get(projectId)?.imported.add(id)
  }

  /** Closes live entries that are missing, except in projects where there are too many. */
  async closeMissing(): Promise<void> {
    const { isSound, options, unclosed } = this.#run
    // With flaws among the records, it is not known yet which entries are missing.
    if (!isSound) return
    for (const { project, live, imported } of this.#byProject.values()) {
      const missing = live.filter(({ id }) => !imported.has(id))
      const most = closableOf(live.length, options.closeLimit)
      if (missing.length <= most) await this.#close(missing)
      else {
        const found = `${missing.length} of its ${live.length} live ${this.#plan.kind}s are missing`
        const advice = `If so, allow it with ${options.wording.closeLimit} ${missing.length}.`
        const detail = `${project.key}: ${found}; at most ${most} are closed at once. Is the export complete? ${advice}`
        unclosed.push({ index: undefined, field: 'project', detail })
      }
    }
    await this.#warnOfProjects()
  }

  async #close(missing: readonly Row[]): Promise<void> {
    const { ledger, onStored } = this.#plan
    for await (const batch of batchesOf(missing)) {
      for (const row of batch) {
        ledger.enter(row, { ...row, status: 'CLOSED', live: 0 }, { action: 'CLOSED' })
        this.#run.count('closed')
      }
      const stored = await ledger.store()
      onStored?.(stored)
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
