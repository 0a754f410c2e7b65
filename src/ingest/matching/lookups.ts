import { or } from 'drizzle-orm'
import { isId } from '../../ids.js'
import { type GroupRow, groupsLedger, groupWith } from '../../personnel/groups.js'
import { type ProjectRow, projectsLedger, projectWith } from '../../projects/projects.js'
import { type RiskRow, risks } from '../../projects/risks.js'
import { byIds } from '../../store/query/page.js'
import { checkText, fold, type InputCheck } from '../../text.js'
import { batchesOf, type Checked, type ImportRun } from '../run.js'

/** Looks up texts in batches, each text once: a list may name everyone. */
export function lookup<V>(load: (texts: readonly string[]) => Promise<(text: string) => V>) {
  const found = new Map<string, V>()
  const find = async (texts: Iterable<string>): Promise<void> => {
    const unknown = [...new Set(texts)].filter((one) => !found.has(one))
    for await (const batch of batchesOf(unknown)) {
      const resultFor = await load(batch)
      for (const one of batch) found.set(one, resultFor(one))
    }
  }
  return { found, find }
}

export interface Placed<V> extends Checked {
  readonly project: ProjectRow
  readonly place: string
  readonly values: V
}

/** Finds projects by key or id, and creates missing ones if the options allow it. */
export function projectMatcher({ options, write, made }: ImportRun) {
  const { db, t, among } = write
  const ledger = projectsLedger(write)
  const { found, find } = lookup(async (texts) => {
    const isNamed = or(among(t.project.key, texts), among(t.project.id, texts))
    const rows = await db.select().from(t.project).where(isNamed)
    return (text: string): ProjectRow | undefined => rows.find(({ key, id }) => key === text || id === text)
  })
  const require = (key: string, check: InputCheck): ProjectRow | undefined => {
    const before = found.get(key)
    if (before) return before
    if (!options.createProjects) {
      const advice = `Import it first, or create it with ${options.wording.createProjects}.`
      check.violation('project', `There is no project ${key}. ${advice}`)
      return undefined
    }
    const { row } = ledger.enter(undefined, projectWith(write, undefined, { key, name: key }))
    found.set(key, row)
    made.push(`project ${key}`)
    return row
  }
  return { ledger, found, find, require }
}

/** The parts of a text with commas; none if it has no comma. */
export function commaParts(text: string): readonly string[] {
  const parts = text.split(',').map((part) => part.trim())
  return parts.length > 1 ? parts.filter((part) => part !== '') : []
}

/** Finds groups by id, name or externalId, and creates missing ones if the options allow it. */
export function groupMatcher(run: ImportRun) {
  const { options, write } = run
  const { db, t, among } = write
  const ledger = groupsLedger(write)
  const byId = new Map<string, GroupRow>()
  const made = new Map<string, GroupRow>()
  const cells = new Set<string>()
  const { found, find } = lookup(async (texts) => {
    const { id, nameFolded, externalId } = t.group
    const folded = new Map(texts.map((text) => [text, fold(text)]))
    const isNamed = or(among(id, texts), among(nameFolded, [...folded.values()]), among(externalId, texts))
    const rows = await db.select().from(t.group).where(isNamed)
    for (const row of rows) byId.set(row.id, row)
    // Not `rows.find`: a list may name thousands of thousands.
    const byName = new Map(rows.map((row) => [row.nameFolded, row]))
    const byExternalId = new Map(rows.map((row) => [row.externalId, row]))
    return (text: string) => byId.get(text) ?? byName.get(folded.get(text) ?? '') ?? byExternalId.get(text)
  })

  const make = (name: string, record: Checked): GroupRow | undefined => {
    const { check } = record
    // Folding the names of thousands takes seconds.
    const before = made.size > 0 ? made.get(fold(name)) : undefined
    if (before) return before
    const checked = checkText(name, 'name')
    if ('violation' in checked) check.violation('groups', `${JSON.stringify(name)}: ${checked.violation}`)
    else if (!options.createGroups || isId('group', name)) {
      const advice = `Import groups first, or create it with ${options.wording.createGroups}.`
      run.missing(record, 'groups', `There is no group ${JSON.stringify(name)}. ${advice}`)
    } else {
      const { row } = ledger.enter(undefined, groupWith(write, undefined, { name }))
      made.set(fold(name), row)
      byId.set(row.id, row)
      run.made.push(`group ${JSON.stringify(name)}`)
      return row
    }
    return undefined
  }

  return {
    ledger,
    byId,
    find,

    /** Remembers the texts of a cell of groups: what is one elsewhere is a group among commas too. */
    note(cell: unknown): void {
      if (typeof cell === 'string') for (const text of cell.split(';')) cells.add(fold(text.trim()))
    },

    /** The groups that a text of a cell names: with commas, one or several. */
    namedBy(text: string, check: InputCheck): readonly string[] {
      const parts = commaParts(text)
      if (parts.length === 0 || found.get(text)) return [text]
      const known = parts.filter((part) => found.get(part) || cells.has(fold(part)))
      if (known.length * 2 > parts.length) return parts
      const advice = 'Separate several by ;, or import the one group first.'
      check.violation('groups', `${JSON.stringify(text)} may be one group or ${parts.length}. ${advice}`)
      return []
    },

    idsOf(texts: readonly string[], record: Checked): Set<string> {
      return new Set(texts.flatMap((one) => (found.get(one) ?? make(one, record))?.id ?? []))
    },
  }
}

/** How a record names the risk that it came from. */
export type LinkedToRisk = Readonly<Partial<Record<'risk' | 'riskId', string | null>>>

/** Finds the risk of an issue: by its reference in the same project, or by its id. */
export function riskMatcher({ write, missing }: ImportRun) {
  /** By id, and by place. */
  const found = new Map<string, RiskRow>()

  /** Absent if the record does not mention it. */
  const idOf = ({ values: { risk, riskId }, project }: Placed<LinkedToRisk>): string | null | undefined => {
    const named = riskId ?? (risk == null ? undefined : `${project.id} ${risk}`)
    if (named !== undefined) return found.get(named)?.id ?? null
    return risk === null || riskId === null ? null : undefined
  }

  return {
    idOf,

    async find(placed: readonly Placed<LinkedToRisk>[]): Promise<void> {
      const ids = placed.flatMap(({ values }) => values.riskId ?? [])
      const places = placed.flatMap(({ project, values: { risk } }) =>
        risk == null ? [] : [[project.id, risk] as const],
      )
      const rows = ids.length === 0 ? [] : [...(await byIds(write, risks, ids)).values()]
      if (places.length > 0) rows.push(...(await write.havingPairs(write.t.risk, ['projectId', 'reference'], places)))
      for (const row of rows) found.set(row.id, row).set(`${row.projectId} ${row.reference}`, row)
    },

    /** `linkedTo` is the risk that the issue is linked to already. */
    check(record: Placed<LinkedToRisk>, linkedTo: string | null | undefined): void {
      const { check, project } = record
      const { risk, riskId } = record.values
      if (risk != null && riskId != null) check.violation('risk', 'Give either risk or riskId, not both.')
      else if (risk != null && idOf(record) === null) {
        const what = `There is no risk ${JSON.stringify(risk)} in ${project.key}.`
        missing(record, 'risk', `${what} Name one risk by its reference, and import the risks first.`)
      }
      // Links that an earlier release accepted stay, so that an export can be imported again.
      if (riskId == null || riskId === linkedTo) return
      const named = found.get(riskId)
      if (!named) missing(record, 'riskId', 'There is no risk with this id.')
      else if (named.projectId !== project.id) check.violation('riskId', `This risk does not belong to ${project.key}.`)
    },
  }
}
