import { and, count, eq, gte, max, or, type SQL } from 'drizzle-orm'
import { newId } from '../ids.js'
import { contains, type Optional } from '../store/conditions.js'
import type { List } from '../store/page.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { fold } from '../text.js'
import type { ProjectStatus } from '../vocabulary.js'

export type ProjectRow = Tables['project']['$inferSelect']

export interface ProjectFilter {
  readonly status?: Optional<readonly ProjectStatus[]>
  readonly search?: Optional<string>
  readonly updatedSince?: Optional<string>
}

/** What a project's risks and issues add up to. */
export interface ProjectHealth {
  readonly openRiskCount: number
  readonly openIssueCount: number
  readonly topRiskScore: number | null
}

export const projects: List<Tables['project'], ProjectFilter> = {
  name: 'projects',
  table: (t) => t.project,
  order: ({ key, id }) => [key, id],
  place: (row) => [row.key, row.id],
  matching,
}

export async function projectsByKeys(
  { db, t, among }: Read,
  keys: readonly string[],
): Promise<Map<string, ProjectRow>> {
  const rows = await db.select().from(t.project).where(among(t.project.key, keys))
  return new Map(rows.map((row) => [row.key, row]))
}

/** Ids and keys never look alike, so either will do. */
export async function projectByIdOrKey(read: Read, idOrKey: string): Promise<ProjectRow | undefined> {
  return (
    await read.db
      .select()
      .from(read.t.project)
      .where(named(read, [idOrKey]))
      .limit(1)
  ).at(0)
}

/** The ids of the projects that these ids and keys name; what names none is passed over. */
export async function projectIds(read: Read, idsOrKeys: readonly string[]): Promise<string[]> {
  const rows = await read.db.select({ id: read.t.project.id }).from(read.t.project).where(named(read, idsOrKeys))
  return rows.map(({ id }) => id)
}

function named({ t, among }: Read, idsOrKeys: readonly string[]): SQL | undefined {
  const keys = idsOrKeys.map((text) => text.toUpperCase())
  return or(among(t.project.id, idsOrKeys), among(t.project.key, keys))
}

export async function projectHealth(
  { db, t, among }: Read,
  ids: readonly string[],
): Promise<Map<string, ProjectHealth>> {
  const risks = await db
    .select({ id: t.risk.projectId, live: count(), top: max(t.risk.score) })
    .from(t.risk)
    .where(and(among(t.risk.projectId, ids), eq(t.risk.live, 1)))
    .groupBy(t.risk.projectId)
  const issues = await db
    .select({ id: t.issue.projectId, open: count() })
    .from(t.issue)
    .where(and(among(t.issue.projectId, ids), eq(t.issue.live, 1)))
    .groupBy(t.issue.projectId)
  const riskOf = new Map(risks.map((row) => [row.id, row]))
  const issueOf = new Map(issues.map((row) => [row.id, row]))
  const health = (id: string): ProjectHealth => ({
    openRiskCount: riskOf.get(id)?.live ?? 0,
    openIssueCount: issueOf.get(id)?.open ?? 0,
    topRiskScore: riskOf.get(id)?.top ?? null,
  })
  return new Map(ids.map((id) => [id, health(id)]))
}

function matching({ t, among }: Read, filter: ProjectFilter): SQL | undefined {
  return and(
    filter.status ? among(t.project.status, filter.status) : undefined,
    filter.search == null ? undefined : contains(filter.search, t.project.searchFolded),
    filter.updatedSince == null ? undefined : gte(t.project.updatedAt, filter.updatedSince),
  )
}

export type ProjectDraft = Pick<ProjectRow, 'key' | 'name' | 'description' | 'url' | 'status'>

export async function addProject({ db, t, at }: Write, draft: ProjectDraft): Promise<string> {
  const id = newId('project', new Date(at))
  const row = {
    id,
    ...draft,
    searchFolded: fold(`${draft.key}\n${draft.name}`),
    syncedAt: at,
    createdAt: at,
    updatedAt: at,
  }
  await db.insert(t.project).values(row)
  return id
}
