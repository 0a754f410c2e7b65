import { isNotNull } from 'drizzle-orm'
import { DetailNames } from '../csv.js'
import { detailsIn } from '../details.js'
import { GROUP, groups, groupsOfPeople } from '../personnel/groups.js'
import { personnel } from '../personnel/people.js'
import { everyIssue, issues } from '../projects/issues.js'
import { PROJECT, projects } from '../projects/projects.js'
import { everyRisk, RISK, type RiskRow, risks } from '../projects/risks.js'
import { type AnyNoun, isShown } from '../store/query/nouns.js'
import { byIds, pagesOf } from '../store/query/page.js'
import { computedValues } from '../store/query/relations.js'
import type { Read } from '../store/store.js'
import type { NounPlural } from '../vocabulary.js'
import { PERSON_STATUSES } from '../vocabulary.js'

/** An entity as an export has it, in the shape of the REST responses. */
export type ExportRecord = Readonly<Record<string, unknown>>

/** All rows of a noun, page by page; with `isLive`, only those in its list. */
export function exportRecords(read: Read, noun: NounPlural, isLive: boolean): AsyncGenerator<readonly ExportRecord[]> {
  return SOURCES[noun](read, isLive)
}

const SOURCES: Readonly<Record<NounPlural, (read: Read, isLive: boolean) => AsyncGenerator<readonly ExportRecord[]>>> =
  {
    async *people(read, isLive) {
      for await (const rows of pagesOf(read, personnel, isLive ? {} : { status: PERSON_STATUSES })) {
        const ids = rows.map(({ id }) => id)
        const groupsOf = await groupsOfPeople(read, ids)
        yield rows.map((row) => ({ ...detailed(row), groups: groupsOf.get(row.id) ?? [] }))
      }
    },
    async *groups(read) {
      for await (const rows of pagesOf(read, groups, {})) yield withComputed(read, rows, GROUP)
    },
    async *projects(read) {
      for await (const rows of pagesOf(read, projects, {}))
        yield (await withComputed(read, rows, PROJECT)).map(detailed)
    },
    async *risks(read, isLive) {
      for await (const rows of pagesOf(read, isLive ? risks : everyRisk, {}))
        yield linked(read, await withComputed(read, rows, RISK), 'owner')
    },
    async *issues(read, isLive) {
      for await (const rows of pagesOf(read, isLive ? issues : everyIssue, {})) yield linked(read, rows, 'assignee')
    },
  }

type EntryRow = Pick<RiskRow, 'projectId' | 'details'> & Partial<Record<'ownerId' | 'assigneeId', string | null>>

async function linked(read: Read, rows: readonly EntryRow[], field: 'owner' | 'assignee') {
  const projectOf = await byIds(read, projects, [...new Set(rows.map(({ projectId }) => projectId))])
  const personOf = await byIds(read, personnel, [...new Set(rows.flatMap((row) => row[`${field}Id`] ?? []))])
  return rows.map((row) => {
    const links = { project: projectOf.get(row.projectId), [field]: personOf.get(row[`${field}Id`] ?? '') }
    return { ...detailed(row), ...links }
  })
}

async function withComputed<Row extends { id: string }>(
  read: Read,
  rows: readonly Row[],
  { members }: AnyNoun,
): Promise<Row[]> {
  const ids = rows.map(({ id }) => id)
  const all = rows.map((row) => ({ ...row }))
  for (const [name, member] of Object.entries(members)) {
    if (!isShown(member) || !member.computed) continue
    const values = await computedValues(read, member.computed, ids)
    for (const row of all) Object.assign(row, { [name]: values.get(row.id) })
  }
  return all
}

function detailed<Row extends { details: string | null }>(row: Row) {
  return { ...row, details: detailsIn(row.details) }
}

/** The names of the details of a noun, in the order of their columns. */
export async function detailNames(read: Read, noun: NounPlural, isLive: boolean): Promise<readonly string[]> {
  const table = { people: personnel, groups: undefined, projects, risks, issues }[noun]?.table(read.t)
  const names = new DetailNames()
  if (!table || (await read.db.$count(table, isNotNull(table.details))) === 0) return names.all
  for await (const rows of exportRecords(read, noun, isLive)) for (const row of rows) names.add(row)
  return names.all
}
