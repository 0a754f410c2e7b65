import { type AnyColumn, and, between, eq, gte, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { badArgument } from '../errors.js'
import { day, link, oneOf, patched, required, requireFields, text, type Values, whole } from '../fields.js'
import { Ledger, type Stored } from '../history/ledger.js'
import { newId } from '../ids.js'
import { personNaming } from '../personnel/people.js'
import { literal } from '../store/literals.js'
import { contains, type Optional } from '../store/query/conditions.js'
import { type Naming, refersTo } from '../store/query/names.js'
import type { List } from '../store/query/page.js'
import type { Computed, Relation } from '../store/query/relations.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { fold, type InputCheck } from '../text.js'
import {
  ASSESSMENT_MAX,
  LEVEL_FLOORS,
  LIVE_RISK_STATUSES,
  RISK_LEVELS,
  RISK_RESPONSES,
  RISK_STATUSES,
  type RiskLevel,
  type RiskStatus,
} from '../vocabulary.js'
import { entryWith } from './entries.js'
import { type Assignee, projectNaming } from './projects.js'

export type RiskRow = Tables['risk']['$inferSelect']

export interface RiskFilter {
  /** Ids or keys. */
  readonly project?: Optional<readonly string[]>
  readonly status?: Optional<readonly RiskStatus[]>
  readonly level?: Optional<readonly RiskLevel[]>
  readonly minScore?: Optional<number>
  readonly likelihood?: Optional<number>
  readonly impact?: Optional<number>
  /** A null in the list means nobody. */
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

/** The level of a risk, by its score. */
export const riskLevel: Computed<Tables['risk']> = { of: (t) => t.risk, value: (_, { score }) => levelOf(score) }

/** The level of a score; null for none. */
export function levelOf(score: AnyColumn | SQL): SQL {
  const cases = RISK_LEVELS.map((level) => sql`when ${score} >= ${literal(LEVEL_FLOORS[level])} then ${literal(level)}`)
  return sql`case ${sql.join(cases.reverse(), sql` `)} end`
}

/** The competition rank by score among all live risks: 1, 1, 3; null for a closed one. */
export const riskRank: Computed<Tables['risk']> = {
  of: (t) => t.risk,
  value: ({ t: { riskTally } }, { live, score }) => {
    const above = sql`select sum(${riskTally.live}) from ${riskTally} where ${riskTally.score} > ${score}`
    return sql`case when ${live} = 1 then 1 + coalesce((${above}), 0) end`
  },
}

/** Every possible score of this level. */
export function scoresOf(level: RiskLevel): number[] {
  const steps = Array.from({ length: ASSESSMENT_MAX }, (_, index) => index + 1)
  const [lowest, highest] = boundsOf(level)
  return steps.flatMap((one) => steps.map((other) => one * other)).filter((it) => it >= lowest && it <= highest)
}

/** The lowest and the highest score of a level. */
export function boundsOf(level: RiskLevel): readonly [lowest: number, highest: number] {
  const next = RISK_LEVELS[RISK_LEVELS.indexOf(level) + 1]
  return [LEVEL_FLOORS[level], next ? LEVEL_FLOORS[next] - 1 : SCORE_MAX]
}

/** An ascending sort key that puts the highest score first, then the highest impact. */
export function riskStanding(score: number, impact: number | null): number {
  return -(score * 10 + (impact ?? 0))
}

export function isLiveRisk(status: RiskStatus): boolean {
  return LIVE_RISK_STATUSES.some((live) => live === status)
}

/** The register: all risks that are not closed, unless the filter has other statuses. */
export const risks: List<Tables['risk'], RiskFilter> = {
  name: 'risks',
  table: (t) => t.risk,
  order: ({ standing, raisedOn, id }) => [standing, raisedOn, id],
  matching,
  indexed: ['project', 'status', 'level', 'minScore', 'likelihood', 'impact', 'owner', 'category'],
  names: { project: projectNaming, owner: personNaming },
}

/** How filters name risks. */
export const riskNaming: Naming = {
  kind: 'risk',
  ways: 'its id',
  table: risks.table,
}

/** All risks, live or not, in the order of one index: for exports. */
export const everyRisk: typeof risks = {
  ...risks,
  name: 'everyRisk',
  order: ({ projectId, reference }) => [projectId, reference],
  matching: () => undefined,
}

export const risksOfProject: Relation<Tables['project'], Tables['risk'], RiskFilter> = {
  of: (t) => t.project,
  list: risks,
  where: (_, project, risk) => eq(risk.projectId, project.id),
}

/** The risks that a person owns. */
export const risksOfPerson: Relation<Tables['person'], Tables['risk'], RiskFilter> = {
  of: (t) => t.person,
  list: risks,
  where: (_, person, risk) => eq(risk.ownerId, person.id),
}

function matching(read: Read, filter: RiskFilter): SQL | undefined {
  requireWithin('minScore', filter.minScore, 0, SCORE_MAX)
  requireWithin('likelihood', filter.likelihood, 1, ASSESSMENT_MAX)
  requireWithin('impact', filter.impact, 1, ASSESSMENT_MAX)
  const { risk } = read.t
  return and(
    inStatus(read, filter.status ?? LIVE_RISK_STATUSES),
    filter.project ? refersTo(read, risk.projectId, projectNaming, filter.project) : undefined,
    filter.level ? atLevels(read, filter.level) : undefined,
    filter.minScore == null ? undefined : lte(risk.standing, -filter.minScore * 10),
    filter.likelihood == null ? undefined : eq(risk.likelihood, filter.likelihood),
    filter.impact == null ? undefined : eq(risk.impact, filter.impact),
    filter.owner ? refersTo(read, risk.ownerId, personNaming, filter.owner) : undefined,
    filter.category ? read.among(risk.categoryFolded, filter.category.map(fold)) : undefined,
    filter.reviewBefore == null ? undefined : lt(risk.reviewOn, filter.reviewBefore),
    filter.search == null ? undefined : contains(filter.search, risk.searchFolded),
    filter.updatedSince == null ? undefined : gte(risk.updatedAt, filter.updatedSince),
  )
}

function requireWithin(argument: string, value: Optional<number>, least: number, most: number): void {
  if (value != null && (value < least || value > most)) throw badArgument(argument, `Must be from ${least} to ${most}.`)
}

// `live` is added if it follows from the status: most indexes begin with it.
function inStatus({ t, among }: Read, statuses: readonly RiskStatus[]): SQL | undefined {
  const wanted = new Set(statuses)
  const isWanted = (status: RiskStatus) => wanted.has(status)
  const onlyLive = [...wanted].every(isLiveRisk) ? eq(t.risk.live, 1) : undefined
  if (onlyLive && LIVE_RISK_STATUSES.every(isWanted)) return onlyLive
  const onlyClosed = LIVE_RISK_STATUSES.some(isWanted) ? undefined : eq(t.risk.live, 0)
  return and(among(t.risk.status, [...wanted]), onlyLive ?? onlyClosed)
}

function atLevels(read: Read, levels: readonly RiskLevel[]): SQL | undefined {
  return levels.length === 0 ? sql`false` : or(...[...new Set(levels)].map((level) => atLevel(read, level)))
}

// A level is a range of scores, and so a range of the sort key of the list.
function atLevel({ t }: Read, level: RiskLevel): SQL | undefined {
  const [lowest, highest] = boundsOf(level)
  return between(t.risk.standing, riskStanding(highest, ASSESSMENT_MAX), riskStanding(lowest, 0))
}

const steps = (meaning: string, example: string) => whole(1, ASSESSMENT_MAX, meaning, example)

/** The input fields of a risk. */
export const RISK_FIELDS = {
  reference: required(text('reference', "Its name in the project's own register.", 'R-7')),
  title: required(text('headline', 'What may happen, in one line.', 'Steel arrives late')),
  description: text('description', 'What may happen, in detail.', 'The mill has a backlog of ten weeks.'),
  category: text('category', 'The kind of risk, in the words of the project.', 'Supply'),
  likelihood: steps('How likely it is; give both likelihood and impact, or neither.', '4'),
  impact: steps('How severe it would be.', '5'),
  status: oneOf(RISK_STATUSES, 'Its status; OPEN by default.'),
  response: oneOf(RISK_RESPONSES, 'The response to it.'),
  url: link('The link to it in its own system.', 'https://projects.example.com/apollo/risks/7'),
  raisedOn: day('The day it was raised; today by default.', '2026-03-01'),
  reviewOn: day('The day of the next review.', '2027-01-31'),
}
export type RiskValues = Values<typeof RISK_FIELDS>

export function risksLedger(write: Write): Ledger<RiskRow> {
  return new Ledger(write, {
    kind: 'RISK',
    table: (t) => t.risk,
    projectOf: ({ projectId }) => projectId,
    tracked: [
      ...(['reference', 'title', 'description', 'category', 'likelihood', 'impact', 'score', 'status'] as const),
      ...(['response', 'ownerId', 'ownerName', 'url', 'raisedOn', 'reviewOn'] as const),
    ],
  })
}

/** Checks a risk beyond the single fields. */
export function checkRisk(before: RiskRow | undefined, values: RiskValues, check: InputCheck): void {
  if (!before) requireFields(RISK_FIELDS, values, check)
  const isJudged = (name: 'likelihood' | 'impact') => patched(values[name], before?.[name]) !== null
  if (isJudged('likelihood') === isJudged('impact') || check.has('likelihood') || check.has('impact')) return
  const missing = isJudged('likelihood') ? 'impact' : 'likelihood'
  check.flaw(missing, 'Give both likelihood and impact, or neither.')
}

/** A risk as it would be stored: the given values merged with the row before. */
export function riskWith(
  write: Write,
  before: RiskRow | undefined,
  { projectId, id, owner, ...values }: RiskValues & { projectId: string; id?: string; owner?: Assignee },
): RiskRow {
  const category = patched(values.category, before?.category)
  const likelihood = patched(values.likelihood, before?.likelihood)
  const impact = patched(values.impact, before?.impact)
  const status = values.status ?? before?.status ?? 'OPEN'
  const score = scoreOf(likelihood, impact)
  return {
    id: before?.id ?? id ?? newId('risk', new Date(write.at)),
    projectId,
    ...entryWith(write, before, values),
    live: isLiveRisk(status) ? 1 : 0,
    standing: riskStanding(score, impact),
    status,
    category,
    categoryFolded: category && fold(category),
    likelihood,
    impact,
    score,
    response: patched(values.response, before?.response),
    ownerId: patched(owner?.id, before?.ownerId),
    ownerName: patched(owner?.name, before?.ownerName),
    reviewOn: patched(values.reviewOn, before?.reviewOn),
  }
}

/** Updates the counts by score that ranks are computed from. */
export async function tally({ db, t }: Write, stored: readonly Stored<RiskRow>[]): Promise<void> {
  const moved = new Map<number, number>()
  const count = (risk: RiskRow | undefined, by: number) => {
    if (risk?.live) moved.set(risk.score, (moved.get(risk.score) ?? 0) + by)
  }
  for (const { before, after } of stored) {
    count(before, -1)
    count(after, 1)
  }
  for (const [score, by] of moved) {
    if (by === 0) continue
    await db
      .insert(t.riskTally)
      .values({ score, live: Math.max(by, 0) })
      .onConflictDoUpdate({ target: t.riskTally.score, set: { live: sql`${t.riskTally.live} + ${by}` } })
  }
}
