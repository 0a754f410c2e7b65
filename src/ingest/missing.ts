import { setImmediate } from 'node:timers/promises'
import { and, eq } from 'drizzle-orm'
import type { ProjectRow } from '../projects/projects.js'
import type { EntryPlan, EntryRow } from './entryPlan.js'
import type { ProjectMatcher } from './matching/projects.js'
import { BATCH_RECORDS, type ImportRun } from './run.js'

/** A project in the import: which of its entries were live before, and which were imported. */
interface ProjectEntries<Row> {
  readonly project: ProjectRow
  readonly live: readonly Row[]
  readonly come: Set<string>
}

/** A fifth of the live entries may be missing; more looks like a truncated export. */
const CLOSABLE_SHARE = 5

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
    this.byProject.get(projectId)?.come.add(id)
  }

  /** Closes live entries that are missing, unless there are too many. */
  async closeMissing(): Promise<void> {
    const { plan, run } = this
    // With flaws among the records, it is not known yet which entries are missing.
    if (!run.isSound) return
    for (const { project, live, come } of this.byProject.values()) {
      const missing = live.filter(({ id }) => !come.has(id))
      const most = run.options.closeLimit ?? Math.floor(live.length / CLOSABLE_SHARE)
      if (missing.length > most) this.refuse(project, missing.length, live.length, most)
      if (!run.isSound) continue
      for (let start = 0; start < missing.length; start += BATCH_RECORDS) {
        for (const row of missing.slice(start, start + BATCH_RECORDS)) {
          plan.ledger.enter(row, plan.closed(row), { action: 'CLOSED' })
          run.count('closed')
        }
        const stored = await plan.ledger.store()
        await plan.follow?.(run.write, stored)
        await setImmediate()
      }
    }
  }

  private refuse({ key }: ProjectRow, missing: number, live: number, most: number): void {
    const { plan, run } = this
    run.flaws.push({
      index: undefined,
      field: 'project',
      detail:
        `${key}: ${missing} of its ${live} live ${plan.noun} are missing; at most ${most} are closed at once. ` +
        `Is the export complete? If so, allow it with ${run.options.wording.closeLimit} ${missing}.`,
    })
  }

  private refuseTwice({ key }: ProjectRow): void {
    const elsewhere = this.run.options.complete?.get(key)
    if (elsewhere === undefined) return
    const detail = `${key} is in ${elsewhere} as well; closing missing entries needs a project in a single file.`
    this.run.flaws.push({ index: undefined, field: 'project', detail })
  }
}
