import { or } from 'drizzle-orm'
import { type ProjectRow, projectsLedger, projectWith } from '../../projects/projects.js'
import type { InputCheck } from '../../text.js'
import type { ImportRun } from '../run.js'

/** A record whose project was found. */
export interface Placed<V> {
  readonly index: number
  readonly check: InputCheck
  readonly project: ProjectRow
  /** Identifies the project and the reference. */
  readonly place: string
  readonly values: V
}

/** Finds projects by key or id, and creates missing ones if the options allow it. */
export class ProjectMatcher {
  private readonly run: ImportRun
  private readonly ledger
  private readonly known = new Map<string, ProjectRow | undefined>()

  constructor(run: ImportRun) {
    this.run = run
    this.ledger = projectsLedger(run.write)
  }

  /** Looks up the keys and ids that are not known yet. */
  async find(keysOrIds: readonly string[]): Promise<void> {
    const unknown = [...new Set(keysOrIds)].filter((one) => !this.known.has(one))
    if (unknown.length === 0) return
    const { db, t, among } = this.run.write
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
    const { options, write } = this.run
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
    this.run.made.push(`project ${key}`)
    return row
  }

  async store(): Promise<void> {
    await this.ledger.store()
  }
}
