import { groups, groupsOfPeople, memberCounts } from '../personnel/groups.js'
import { personnel } from '../personnel/people.js'
import { everyIssue, issues } from '../projects/issues.js'
import { projectHealth, projects } from '../projects/projects.js'
import { everyRisk, levelOf, riskRanks, risks } from '../projects/risks.js'
import type { SheetNoun } from '../sheets/nouns.js'
import { byIds, pagesOf } from '../store/page.js'
import type { Read } from '../store/store.js'
import { PERSON_STATUSES } from '../vocabulary.js'

/** An entity on its way out, in the shape that REST answers have. */
export type Outgoing = Readonly<Record<string, unknown>>

/** Everything of a noun, page by page; with `isLive`, only what its list shows. */
export function outgoing(read: Read, noun: SheetNoun, isLive: boolean): AsyncGenerator<readonly Outgoing[]> {
  return SOURCES[noun](read, isLive)
}

const SOURCES: Readonly<Record<SheetNoun, (read: Read, isLive: boolean) => AsyncGenerator<readonly Outgoing[]>>> = {
  async *people(read, isLive) {
    for await (const rows of pagesOf(read, personnel, isLive ? {} : { status: PERSON_STATUSES })) {
      const groupsOf = await groupsOfPeople(read, idsOf(rows))
      yield rows.map((row) => ({ ...row, groups: groupsOf.get(row.id) ?? [] }))
    }
  },
  async *groups(read) {
    for await (const rows of pagesOf(read, groups, {})) {
      const counts = await memberCounts(read, idsOf(rows))
      yield rows.map((row) => ({ ...row, memberCount: counts.get(row.id) ?? 0 }))
    }
  },
  async *projects(read) {
    for await (const rows of pagesOf(read, projects, {})) {
      const health = await projectHealth(read, idsOf(rows))
      yield rows.map((row) => ({ ...row, ...health.get(row.id) }))
    }
  },
  async *risks(read, isLive) {
    const rankOf = await riskRanks(read)
    for await (const rows of pagesOf(read, isLive ? risks : everyRisk, {})) {
      const projectOf = await projectsOf(read, rows)
      yield rows.map((row) => ({
        ...row,
        project: projectOf.get(row.projectId),
        level: levelOf(row.score),
        rank: row.live ? rankOf(row.score) : null,
      }))
    }
  },
  async *issues(read, isLive) {
    for await (const rows of pagesOf(read, isLive ? issues : everyIssue, {})) {
      const projectOf = await projectsOf(read, rows)
      yield rows.map((row) => ({ ...row, project: projectOf.get(row.projectId) }))
    }
  },
}

function projectsOf(read: Read, rows: readonly { projectId: string }[]) {
  return byIds(read, projects, [...new Set(rows.map(({ projectId }) => projectId))])
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}
