import { setImmediate } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import { LIMITS } from '../../limits.js'
import type { ProjectRow } from '../../projects/projects.js'
import type { ProjectMatcher } from '../matching/projects.js'
import { BATCH_RECORDS, type ImportRun } from '../run.js'
import type { EntryPlan, EntryRow } from './entryPlan.js'
import { writersOfSource } from './sources.js'

/** A project in the import: which of its entries were live before, and which were imported. */
interface ProjectEntries<Row> {
  readonly project: ProjectRow
  readonly live: readonly Row[]
  readonly come: Set<string>
}

/** How many of these may be closed as missing; more looks like a truncated export. */
export function closableOf(live: number, closeLimit: number | undefined): number {
  return closeLimit ?? Math.max(LIMITS.closeLeast, Math.floor(live * LIMITS.closeShareMax))
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
