import { or, sql } from 'drizzle-orm'
import { isId } from '../../ids.js'
import { type GroupRow, groupsLedger, groupWith } from '../../personnel/groups.js'
import { type ProjectRow, projectsLedger, projectWith } from '../../projects/projects.js'
import { checkText, fold, type InputCheck } from '../../text.js'
import { batchesOf, type ImportRun } from '../run.js'

/** Looks up texts in batches, each text once: a list may name everyone. */
export abstract class Lookup<V> extends Map<string, V> {
  protected abstract load(texts: readonly string[]): Promise<(text: string) => V>

  async find(texts: Iterable<string>): Promise<void> {
    const unknown = [...new Set(texts)].filter((one) => !this.has(one))
    for await (const batch of batchesOf(unknown)) {
      const resultFor = await this.load(batch)
      for (const one of batch) this.set(one, resultFor(one))
    }
  }
}

export interface Placed<V> {
  readonly index: number
  readonly check: InputCheck
  readonly project: ProjectRow
  readonly place: string
  readonly values: V
}

/** Finds projects by key or id, and creates missing ones if the options allow it. */
export class ProjectMatcher extends Lookup<ProjectRow | undefined> {
  readonly #run: ImportRun
  readonly #ledger

  constructor(run: ImportRun) {
    super()
    this.#run = run
    this.#ledger = projectsLedger(run.write)
  }

  protected async load(texts: readonly string[]) {
    const { db, t, among } = this.#run.write
    const isNamed = or(among(t.project.key, texts), among(t.project.id, texts))
    const rows = await db.select().from(t.project).where(isNamed)
    return (text: string) => rows.find(({ key, id }) => key === text || id === text)
  }

  require(key: string, check: InputCheck): ProjectRow | undefined {
    const { options, write, made } = this.#run
    const before = this.get(key)
    if (before) return before
    if (!options.createProjects) {
      const advice = `Import it first, or create it with ${options.wording.createProjects}.`
      check.violation('project', `There is no project ${key}. ${advice}`)
      return undefined
    }
    const { row } = this.#ledger.enter(undefined, projectWith(write, undefined, { key, name: key }))
    this.set(key, row)
    made.push(`project ${key}`)
    return row
  }

  async store(): Promise<void> {
    await this.#ledger.store()
  }
}

/** The parts of a text with commas; none if it has no comma. */
export function commaParts(text: string): readonly string[] {
  const parts = text.split(',').map((part) => part.trim())
  return parts.length > 1 ? parts.filter((part) => part !== '') : []
}

/** Finds groups by id, name or externalId, and creates missing ones if the options allow it. */
export class GroupMatcher extends Lookup<GroupRow | undefined> {
  readonly byId = new Map<string, GroupRow>()
  readonly #run: ImportRun
  readonly #ledger
  readonly #made = new Map<string, GroupRow>()
  readonly #cells = new Set<string>()

  constructor(run: ImportRun) {
    super()
    this.#run = run
    this.#ledger = groupsLedger(run.write)
  }

  protected async load(texts: readonly string[]) {
    const { db, t, among } = this.#run.write
    const { id, nameFolded, externalId } = t.group
    const isNamed = or(among(id, texts), among(nameFolded, texts.map(fold)), among(externalId, texts))
    const rows = await db.select().from(t.group).where(isNamed)
    for (const row of rows) this.byId.set(row.id, row)
    // Not `rows.find`: a list may name thousands of thousands.
    const byName = new Map(rows.map((row) => [row.nameFolded, row]))
    const byExternalId = new Map(rows.map((row) => [row.externalId, row]))
    return (text: string) => this.byId.get(text) ?? byName.get(fold(text)) ?? byExternalId.get(text)
  }

  /** Remembers the texts of a cell of groups: what is one elsewhere is a group among commas too. */
  note(cell: unknown): void {
    if (typeof cell === 'string') for (const text of cell.split(';')) this.#cells.add(fold(text.trim()))
  }

  /** The groups that a text of a cell names: with commas, one or several. */
  namedBy(text: string, check: InputCheck): readonly string[] {
    const parts = commaParts(text)
    if (parts.length === 0 || this.get(text)) return [text]
    const known = parts.filter((part) => this.get(part) || this.#cells.has(fold(part)))
    if (known.length * 2 > parts.length) return parts
    const advice = 'Separate several by ;, or import the one group first.'
    check.violation('groups', `${JSON.stringify(text)} may be one group or ${parts.length}. ${advice}`)
    return []
  }

  idsOf(texts: readonly string[], index: number, check: InputCheck): Set<string> {
    return new Set(texts.flatMap((one) => (this.get(one) ?? this.#make(one, index, check))?.id ?? []))
  }

  async store(): Promise<void> {
    await this.#ledger.store()
  }

  #make(name: string, index: number, check: InputCheck): GroupRow | undefined {
    const { options, write, made } = this.#run
    const before = this.#made.get(fold(name))
    if (before) return before
    const checked = checkText(name, 'name')
    if ('violation' in checked) check.violation('groups', `${JSON.stringify(name)}: ${checked.violation}`)
    else if (!options.createGroups || isId('group', name)) {
      const advice = `Import groups first, or create it with ${options.wording.createGroups}.`
      this.#run.missing({ index, check }, 'groups', `There is no group ${JSON.stringify(name)}. ${advice}`)
    } else {
      const { row } = this.#ledger.enter(undefined, groupWith(write, undefined, { name }))
      this.#made.set(fold(name), row)
      this.byId.set(row.id, row)
      made.push(`group ${JSON.stringify(name)}`)
      return row
    }
    return undefined
  }
}

type RiskValues = Readonly<Partial<Record<'risk' | 'riskId', string | null>>>

/** Finds the risk of an issue: by its reference in the same project, or by its id. */
export class RiskMatcher {
  readonly #run: ImportRun
  readonly #byReference = new Map<string, string>()
  readonly #projectOf = new Map<string, string>()

  constructor(run: ImportRun) {
    this.#run = run
  }

  async find(placed: readonly Placed<RiskValues>[]): Promise<void> {
    const { db, t, among, pairs } = this.#run.write
    const { id, projectId, reference } = t.risk
    const ids = placed.flatMap(({ values }) => values.riskId ?? [])
    const named = placed.flatMap(({ project, values }) =>
      values.risk == null ? [] : [[project.id, values.risk] as const],
    )
    if (ids.length + named.length === 0) return
    const isNamed = sql`(${projectId}, ${reference}) in (select one, other from ${pairs(named)})`
    const isWanted = or(ids.length > 0 ? among(id, ids) : undefined, named.length > 0 ? isNamed : undefined)
    const rows = await db.select({ id, projectId, reference }).from(t.risk).where(isWanted)
    for (const row of rows) {
      this.#byReference.set(`${row.projectId} ${row.reference}`, row.id)
      this.#projectOf.set(row.id, row.projectId)
    }
  }

  /** `linkedTo` is the risk that the issue is linked to already. */
  check(record: Placed<RiskValues>, linkedTo: string | null | undefined): void {
    const { check } = record
    const { risk, riskId } = record.values
    if (risk != null && riskId != null) check.violation('risk', 'Give either risk or riskId, not both.')
    else if (risk != null && this.idOf(record) === null) {
      const what = `There is no risk ${JSON.stringify(risk)} in ${record.project.key}.`
      this.#run.missing(record, 'risk', `${what} Name one risk by its reference, and import the risks first.`)
    }
    // Links that an earlier release accepted stay, so that an export can be imported again.
    if (riskId == null || riskId === linkedTo) return
    const home = this.#projectOf.get(riskId)
    if (home === undefined) this.#run.missing(record, 'riskId', 'There is no risk with this id.')
    else if (home !== record.project.id)
      check.violation('riskId', `This risk does not belong to ${record.project.key}.`)
  }

  /** Absent if the record does not mention it. */
  idOf({ values: { risk, riskId }, project }: Placed<RiskValues>): string | null | undefined {
    if (riskId != null) return this.#projectOf.has(riskId) ? riskId : null
    if (risk != null) return this.#byReference.get(`${project.id} ${risk}`) ?? null
    return risk === null || riskId === null ? null : undefined
  }
}
