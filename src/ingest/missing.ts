import { setImmediate } from 'node:timers/promises'
import { and, eq } from 'drizzle-orm'
import type { ProjectRow } from '../projects/projects.js'
import type { EntryPlan, EntryRow } from './entryPlan.js'
import type { ProjectFinder } from './matching/projects.js'
import { BATCH_RECORDS, type Intake } from './run.js'

/** A project in the import: which of its entries were live before, and which were imported. */
interface Register<Row> {
  readonly project: ProjectRow
  readonly live: readonly Row[]
  readonly come: Set<string>
}

/** A fifth of the live entries may be missing; more looks like a truncated export. */
const CLOSABLE_SHARE = 5

/** Tracks the entries of the imported projects, to find those that are missing. */
export class Registers<Row extends EntryRow, V extends object> {
  private readonly intake: Intake
  private readonly plan: EntryPlan<Row, V>
  private readonly registers = new Map<string, Register<Row>>()

  constructor(intake: Intake, plan: EntryPlan<Row, V>) {
    this.intake = intake
    this.plan = plan
  }

  /** Adds the projects of a batch, with their live entries before anything is stored. */
  async open(projects: readonly ProjectRow[]): Promise<void> {
    const { write, options } = this.intake
    for (const project of projects) {
      if (this.registers.has(project.id)) continue
      this.intake.projects.set(project.id, project.key)
      if (options.closeMissing) this.refuseTwice(project)
      const live = options.closeMissing
        ? await this.plan.rows(write, (columns) => and(eq(columns.projectId, project.id), eq(columns.live, 1)))
        : []
      this.registers.set(project.id, { project, live, come: new Set() })
    }
  }

  /** A file for one project covers that project even if it is empty. */
  async openAlone(projects: ProjectFinder): Promise<void> {
    const key = this.intake.options.project ?? ''
    await projects.find([key])
    const project = projects.get(key)
    if (project) await this.open([project])
  }

  note({ id, projectId }: Row): void {
    this.registers.get(projectId)?.come.add(id)
  }

  /** Closes live entries that are missing, unless there are too many. */
  async closeMissing(): Promise<void> {
    const { plan, intake } = this
    // With flaws among the records, it is not known yet which entries are missing.
    if (!intake.isSound) return
    for (const { project, live, come } of this.registers.values()) {
      const missing = live.filter(({ id }) => !come.has(id))
      const most = intake.options.closeLimit ?? Math.floor(live.length / CLOSABLE_SHARE)
      if (missing.length > most) this.refuse(project, missing.length, live.length, most)
      if (!intake.isSound) continue
      for (let start = 0; start < missing.length; start += BATCH_RECORDS) {
        for (const row of missing.slice(start, start + BATCH_RECORDS)) {
          plan.ledger.enter(row, plan.closed(row), { action: 'CLOSED' })
          intake.count('closed')
        }
        const stored = await plan.ledger.store()
        await plan.follow?.(intake.write, stored)
        await setImmediate()
      }
    }
  }

  private refuse({ key }: ProjectRow, missing: number, live: number, most: number): void {
    const { plan, intake } = this
    intake.flaws.push({
      index: undefined,
      field: 'project',
      detail:
        `${key}: ${missing} of its ${live} live ${plan.noun} are missing; at most ${most} are closed at once. ` +
        `Is the export complete? If so, allow it with ${intake.options.wording.closeLimit} ${missing}.`,
    })
  }

  private refuseTwice({ key }: ProjectRow): void {
    const elsewhere = this.intake.options.complete?.get(key)
    if (elsewhere === undefined) return
    const detail = `${key} is in ${elsewhere} as well; closing missing entries needs a project in a single file.`
    this.intake.flaws.push({ index: undefined, field: 'project', detail })
  }
}
