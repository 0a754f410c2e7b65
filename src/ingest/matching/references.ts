import { or, sql } from 'drizzle-orm'
import { isId } from '../../ids.js'
import { type GroupRow, groupsLedger, groupWith } from '../../personnel/groups.js'
import { type ProjectRow, projectsLedger, projectWith } from '../../projects/projects.js'
import type { Write } from '../../store/store.js'
import { checkText, fold, type InputCheck } from '../../text.js'
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

/** Finds groups by id, name or externalId, and creates missing ones if the options allow it. */
export class GroupMatcher {
  private readonly run: ImportRun
  private readonly ledger
  /** The groups that were found or created. */
  readonly byId = new Map<string, GroupRow>()
  private readonly known = new Map<string, GroupRow | undefined>()
  private readonly made = new Map<string, GroupRow>()

  constructor(run: ImportRun) {
    this.run = run
    this.ledger = groupsLedger(run.write)
  }

  /** Looks up the texts that are not known yet. */
  async find(texts: readonly string[]): Promise<void> {
    const unknown = [...new Set(texts)].filter((one) => !this.known.has(one))
    if (unknown.length === 0) return
    const { db, t, among } = this.run.write
    const { id, nameFolded, externalId } = t.group
    const rows = await db
      .select()
      .from(t.group)
      .where(or(among(id, unknown), among(nameFolded, unknown.map(fold)), among(externalId, unknown)))
    // Not `rows.find`: a list may name thousands of thousands.
    for (const row of rows) this.byId.set(row.id, row)
    const byName = new Map(rows.map((row) => [row.nameFolded, row]))
    const byExternalId = new Map(rows.map((row) => [row.externalId, row]))
    for (const one of unknown) this.known.set(one, this.byId.get(one) ?? byName.get(fold(one)) ?? byExternalId.get(one))
  }

  idsOf(texts: readonly string[], check: InputCheck): Set<string> {
    return new Set(texts.flatMap((one) => (this.known.get(one) ?? this.make(one, check))?.id ?? []))
  }

  async store(): Promise<void> {
    await this.ledger.store()
  }

  private make(name: string, check: InputCheck): GroupRow | undefined {
    const { options, write } = this.run
    const checked = checkText(name, 'name')
    if ('flaw' in checked) check.flaw('groups', `${JSON.stringify(name)}: ${checked.flaw}`)
    else if (!options.createGroups || isId('group', name)) {
      const advice = `Import groups first, or create it with ${options.wording.createGroups}.`
      check.flaw('groups', `There is no group ${JSON.stringify(name)}. ${advice}`)
    } else {
      const known = this.made.get(fold(name))
      if (known) return known
      const { row } = this.ledger.enter(undefined, groupWith(write, undefined, { name }))
      this.made.set(fold(name), row)
      this.byId.set(row.id, row)
      this.run.made.push(`group ${name}`)
      return row
    }
    return undefined
  }
}

interface RiskValues {
  readonly risk?: string | null
  readonly riskId?: string | null
}

/** Finds the risk of an issue: by its reference in the same project, or by its id. */
export class RiskMatcher {
  private readonly write: Write
  private readonly byReference = new Map<string, string>()
  private readonly projectOf = new Map<string, string>()

  constructor(write: Write) {
    this.write = write
  }

  async find(placed: readonly Placed<RiskValues>[]): Promise<void> {
    const { db, t, among, pairs } = this.write
    const { id, projectId, reference } = t.risk
    const ids = placed.map(({ values }) => values.riskId).filter((one) => one != null)
    const rows =
      ids.length === 0 ? [] : await db.select({ id, projectId, reference }).from(t.risk).where(among(id, ids))
    const naming = placed.filter(({ values }) => values.risk != null)
    if (naming.length > 0) {
      const places = pairs(naming.map(({ project, values }) => [project.id, values.risk ?? '']))
      const isNamed = sql`(${projectId}, ${reference}) in (select one, other from ${places})`
      rows.push(...(await db.select({ id, projectId, reference }).from(t.risk).where(isNamed)))
    }
    for (const row of rows) {
      this.byReference.set(`${row.projectId} ${row.reference}`, row.id)
      this.projectOf.set(row.id, row.projectId)
    }
  }

  /** `linkedTo` is the risk that the issue is linked to already. */
  check(record: Placed<RiskValues>, linkedTo: string | null | undefined): void {
    const { check } = record
    const { risk, riskId } = record.values
    if (risk != null && riskId != null) check.flaw('risk', 'Give either risk or riskId, not both.')
    if (risk != null && this.idOf(record) === undefined) {
      const what = `There is no risk ${JSON.stringify(risk)} in ${record.project.key}.`
      check.flaw('risk', `${what} Name one risk by its reference, and import the risks first.`)
    }
    // Links that an earlier release accepted stay, so that an export can be imported again.
    if (riskId == null || riskId === linkedTo) return
    const home = this.projectOf.get(riskId)
    if (home === undefined) check.flaw('riskId', 'There is no risk with this id.')
    else if (home !== record.project.id) check.flaw('riskId', `This risk does not belong to ${record.project.key}.`)
  }

  /** Absent if the record does not mention it. */
  idOf({ values: { risk, riskId }, project }: Placed<RiskValues>): string | null | undefined {
    if (riskId != null) return riskId
    if (risk != null) return this.byReference.get(`${project.id} ${risk}`)
    return risk === null || riskId === null ? null : undefined
  }
}
