import { or } from 'drizzle-orm'
import { type ProjectRow, projectsLedger, projectWith } from '../../projects/projects.js'
import type { InputCheck } from '../../text.js'
import type { Intake } from '../run.js'

/** Finds projects by key or id, and creates missing ones if the options allow it. */
export class ProjectFinder {
  private readonly intake: Intake
  private readonly ledger
  private readonly known = new Map<string, ProjectRow | undefined>()

  constructor(intake: Intake) {
    this.intake = intake
    this.ledger = projectsLedger(intake.write)
  }

  /** Looks up the keys and ids that are not known yet. */
  async find(keysOrIds: readonly string[]): Promise<void> {
    const unknown = [...new Set(keysOrIds)].filter((one) => !this.known.has(one))
    if (unknown.length === 0) return
    const { db, t, among } = this.intake.write
    const rows = await db
      .select()
      .from(t.project)
      .where(or(among(t.project.key, unknown), among(t.project.id, unknown)))
    for (const one of unknown) {
      this.known.set(
        one,
        rows.find(({ key, id }) => key === one || id === one),
      )
    }
  }

  get(keyOrId: string): ProjectRow | undefined {
    return this.known.get(keyOrId)
  }

  /** The project with this key, created if the options allow it. */
  require(key: string, check: InputCheck): ProjectRow | undefined {
    const { options, write } = this.intake
    const known = this.known.get(key)
    if (known) return known
    if (!options.createProjects) {
      check.flaw(
        'project',
        `There is no project ${key}. Import it first, or create it with ${options.wording.createProjects}.`,
      )
      return undefined
    }
    const { row } = this.ledger.enter(undefined, projectWith(write, undefined, { key, name: key }))
    this.known.set(key, row)
    this.intake.made.push(`project ${key}`)
    return row
  }

  async store(): Promise<void> {
    await this.ledger.store()
  }
}
