import { and, between, eq, gte, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { badArgument } from '../errors.js'
import { newId } from '../ids.js'
import { contains, isOneOf, type Optional } from '../store/conditions.js'
import type { List } from '../store/page.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { fold } from '../text.js'
import {
  ASSESSMENT_MAX,
  LEVEL_FLOORS,
  LIVE_RISK_STATUSES,
  RISK_LEVELS,
  type RiskLevel,
  type RiskStatus,
} from '../vocabulary.js'
import { projectIds } from './projects.js'

export type RiskRow = Tables['risk']['$inferSelect']

export interface RiskFilter {
  /** Ids or keys. */
  readonly project?: Optional<readonly string[]>
  readonly status?: Optional<readonly RiskStatus[]>
  readonly level?: Optional<readonly RiskLevel[]>
  readonly minScore?: Optional<number>
  readonly likelihood?: Optional<number>
  readonly impact?: Optional<number>
  /** A null among them means nobody. */
  readonly owner?: Optional<readonly Optional<string>[]>
  readonly category?: Optional<readonly string[]>
  readonly reviewBefore?: Optional<string>
  readonly search?: Optional<string>
  readonly updatedSince?: Optional<string>
}

export const SCORE_MAX = ASSESSMENT_MAX * ASSESSMENT_MAX

/** Likelihood x impact; 0 while unassessed. */
export function scoreOf(likelihood: number | null, impact: number | null): number {
  return (likelihood ?? 0) * (impact ?? 0)
}

export function levelOf(score: number): RiskLevel {
  return RISK_LEVELS.findLast((level) => score >= LEVEL_FLOORS[level]) ?? 'UNASSESSED'
}

/** Every score that an assessment can come to at this level. */
export function scoresOf(level: RiskLevel): number[] {
  const steps = Array.from({ length: ASSESSMENT_MAX }, (_, index) => index + 1)
  return steps.flatMap((one) => steps.map((other) => one * other)).filter((score) => levelOf(score) === level)
}

/** One ascending number that puts the highest score first, and among equals the highest impact. */
export function riskStanding(score: number, impact: number | null): number {
  return -(score * 10 + (impact ?? 0))
}

export function isLiveRisk(status: RiskStatus): boolean {
  return LIVE_RISK_STATUSES.some((live) => live === status)
}

/** The register: whatever is not closed, unless the filter names other statuses. */
export const risks: List<Tables['risk'], RiskFilter> = {
  name: 'risks',
  table: (t) => t.risk,
  order: ({ standing, raisedOn, id }) => [standing, raisedOn, id],
  place: (row) => [row.standing, row.raisedOn, row.id],
  matching,
}

export function risksOfProject(projectId: string): typeof risks {
  return {
    ...risks,
    matching: async (read, filter) => and(eq(read.t.risk.projectId, projectId), await matching(read, filter)),
  }
}

/** The rank of each score among all live risks: 1, 1, 3, ... */
export async function riskRanks({ db, t }: Read): Promise<(score: number) => number> {
  const tally = await db.select().from(t.riskTally)
  return (score) => tally.reduce((rank, row) => (row.score > score ? rank + row.live : rank), 1)
}

async function matching(read: Read, filter: RiskFilter): Promise<SQL | undefined> {
  requireWithin('minScore', filter.minScore, 0, SCORE_MAX)
  requireWithin('likelihood', filter.likelihood, 1, ASSESSMENT_MAX)
  requireWithin('impact', filter.impact, 1, ASSESSMENT_MAX)
  const { risk } = read.t
  const inProjects = filter.project && (await projectIds(read, filter.project))
  return and(
    inStatus(read, filter.status ?? LIVE_RISK_STATUSES),
    inProjects ? read.among(risk.projectId, inProjects) : undefined,
    filter.level ? atLevels(read, filter.level) : undefined,
    filter.minScore == null ? undefined : lte(risk.standing, -filter.minScore * 10),
    filter.likelihood == null ? undefined : eq(risk.likelihood, filter.likelihood),
    filter.impact == null ? undefined : eq(risk.impact, filter.impact),
    filter.owner ? isOneOf(read, risk.ownerId, filter.owner) : undefined,
    filter.category ? read.among(risk.categoryFolded, filter.category.map(fold)) : undefined,
    filter.reviewBefore == null ? undefined : lt(risk.reviewOn, filter.reviewBefore),
    filter.search == null ? undefined : contains(filter.search, risk.searchFolded),
    filter.updatedSince == null ? undefined : gte(risk.updatedAt, filter.updatedSince),
  )
}

function requireWithin(argument: string, value: Optional<number>, least: number, most: number): void {
  if (value != null && (value < least || value > most)) throw badArgument(argument, `Must be from ${least} to ${most}.`)
}

// `live` is said wherever it follows from the status: most indexes have it in front of the order.
function inStatus({ t, among }: Read, statuses: readonly RiskStatus[]): SQL | undefined {
  const asked = new Set(statuses)
  const isAsked = (status: RiskStatus) => asked.has(status)
  const onlyLive = [...asked].every(isLiveRisk) ? eq(t.risk.live, 1) : undefined
  if (onlyLive && LIVE_RISK_STATUSES.every(isAsked)) return onlyLive
  const onlyClosed = LIVE_RISK_STATUSES.some(isAsked) ? undefined : eq(t.risk.live, 0)
  return and(among(t.risk.status, [...asked]), onlyLive ?? onlyClosed)
}

function atLevels(read: Read, levels: readonly RiskLevel[]): SQL | undefined {
  return levels.length === 0 ? sql`false` : or(...[...new Set(levels)].map((level) => atLevel(read, level)))
}

// Levels are runs of scores, and so runs of the key that the list is ordered by.
function atLevel({ t }: Read, level: RiskLevel): SQL | undefined {
  const next = RISK_LEVELS[RISK_LEVELS.indexOf(level) + 1]
  const highest = next ? LEVEL_FLOORS[next] - 1 : SCORE_MAX
  return between(t.risk.standing, riskStanding(highest, ASSESSMENT_MAX), riskStanding(LEVEL_FLOORS[level], 0))
}

export type RiskDraft = Omit<
  RiskRow,
  'id' | 'searchFolded' | 'categoryFolded' | 'score' | 'live' | 'standing' | 'createdAt' | 'updatedAt'
>

/** Enters a risk into its project's register, and into the tally that ranks are read from. */
export async function addRisk({ db, t, at }: Write, draft: RiskDraft): Promise<string> {
  const id = newId('risk', new Date(at))
  const score = scoreOf(draft.likelihood, draft.impact)
  const live = isLiveRisk(draft.status) ? 1 : 0
  await db.insert(t.risk).values({
    id,
    ...draft,
    searchFolded: fold(`${draft.reference}\n${draft.title}`),
    categoryFolded: draft.category && fold(draft.category),
    score,
    live,
    standing: riskStanding(score, draft.impact),
    createdAt: at,
    updatedAt: at,
  })
  if (live) {
    await db
      .insert(t.riskTally)
      .values({ score, live: 1 })
      .onConflictDoUpdate({ target: t.riskTally.score, set: { live: sql`${t.riskTally.live} + 1` } })
  }
  return id
}
