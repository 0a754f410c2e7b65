import { and, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { checkSize, details } from '../details.js'
import { badArgument } from '../errors.js'
import {
  day,
  link,
  namesOf,
  oneOf,
  patched,
  patchedFields,
  required,
  requireFields,
  text,
  type Values,
  whole,
} from '../fields.js'
import { Ledger, type Stored } from '../history/ledger.js'
import { newId } from '../ids.js'
import { holderNaming } from '../personnel/people.js'
import { equalsFolded, type Naming, type Optional } from '../store/query/conditions.js'
import type { List } from '../store/query/page.js'
import type { Relation } from '../store/query/relations.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { fold, type InputCheck } from '../text.js'
import {
  ASSESSMENT_MAX,
  LIVE_RISK_STATUSES,
  type Ownership,
  RISK_RESPONSES,
  RISK_STATUSES,
  type RiskLevel,
  type RiskStatus,
  SCORE_MAX,
} from '../vocabulary.js'
import { ENTRY_ORDERS, type EntryFilter, entryMatches, entryWith, everyOf, scopeOfHolders } from './projectEntries.js'
import { type Assignee, projectNaming } from './projects.js'
import { isAtLevels, residualScoreOf, riskSortKey, riskState, scoreOf } from './scores.js'

export type RiskRow = Tables['risk']['$inferSelect']

export interface RiskFilter extends EntryFilter {
  readonly status?: Optional<readonly RiskStatus[]>
  readonly level?: Optional<readonly RiskLevel[]>
  readonly minScore?: Optional<number>
  readonly minResidualScore?: Optional<number>
  readonly likelihood?: Optional<number>
  readonly impact?: Optional<number>
  readonly residualLikelihood?: Optional<number>
  readonly residualImpact?: Optional<number>
  readonly unplaced?: Optional<boolean>
  /** A null in the list means nobody. */
  readonly owner?: Optional<readonly Optional<string>[]>
  readonly ownership?: Optional<readonly Ownership[]>
  readonly ownerDepartment?: Optional<readonly string[]>
  readonly category?: Optional<readonly string[]>
  readonly mitigated?: Optional<boolean>
  readonly reviewBefore?: Optional<string>
  readonly reviewAfter?: Optional<string>
}

export function isLiveRisk(status: unknown): boolean {
  return LIVE_RISK_STATUSES.some((live) => live === status)
}

/** The register: all risks that are not closed, unless the filter has other statuses. */
export const risks: List<Tables['risk'], RiskFilter> = {
  name: 'risks',
  table: (t) => t.risk,
  order: ({ sortKey, raisedOn, id }) => [sortKey, raisedOn, id],
  orders: ENTRY_ORDERS,
  matching,
  indexed: ['project', 'status', 'level', 'minScore', 'likelihood', 'impact', 'owner', 'category'],
  names: { project: projectNaming, owner: holderNaming },
  needs: ({ ownership, ownerDepartment }) => scopeOfHolders(ownership, ownerDepartment),
}

export const riskNaming: Naming = {
  kind: 'risk',
  identifiers: 'its id',
  table: risks.table,
}

export const everyRisk = everyOf('everyRisk', risks)

export const risksOfProject: Relation<Tables['project'], Tables['risk'], RiskFilter> = {
  of: (t) => t.project,
  list: risks,
  where: (_, project, risk) => eq(risk.projectId, project.id),
}

export const risksOfPerson: Relation<Tables['person'], Tables['risk'], RiskFilter> = {
  of: (t) => t.person,
  list: risks,
  where: (_, person, risk) => eq(risk.ownerId, person.id),
}

const FACTORS = ['likelihood', 'impact', 'residualLikelihood', 'residualImpact'] as const

function matching(read: Read, filter: RiskFilter): SQL | undefined {
  requireWithin('minScore', filter.minScore, 0, SCORE_MAX)
  requireWithin('minResidualScore', filter.minResidualScore, 0, SCORE_MAX)
  for (const factor of FACTORS) requireWithin(factor, filter[factor], 1, ASSESSMENT_MAX)
  const { risk } = read.t
  const { owner: who, ownership: how, ownerDepartment: departments } = filter
  const owner = { id: risk.ownerId, name: risk.ownerName, who, how, departments }
  return and(
    inStatus(read, filter.status ?? LIVE_RISK_STATUSES),
    entryMatches(read, risk, filter, owner),
    filter.level ? isAtLevels(risk.sortKey, filter.level) : undefined,
    filter.minScore == null ? undefined : lte(risk.sortKey, -filter.minScore * 10),
    filter.minResidualScore == null ? undefined : gte(residualScoreOf(risk), filter.minResidualScore),
    ...FACTORS.map((factor) => (filter[factor] == null ? undefined : eq(risk[factor], filter[factor]))),
    filter.unplaced == null ? undefined : isUnplaced(read, filter.unplaced),
    filter.category ? equalsFolded(read, risk.categoryFolded, filter.category) : undefined,
    filter.mitigated == null ? undefined : isMitigated(read, filter.mitigated),
    filter.reviewBefore == null ? undefined : lt(risk.reviewOn, filter.reviewBefore),
    filter.reviewAfter == null ? undefined : gt(risk.reviewOn, filter.reviewAfter),
  )
}

function requireWithin(argument: string, value: Optional<number>, least: number, most: number): void {
  if (value != null && (value < least || value > most)) throw badArgument(argument, `Must be from ${least} to ${most}.`)
}

// `live` is added to every status: most indexes begin with it.
function inStatus({ t, among }: Read, statuses: readonly RiskStatus[]): SQL | undefined {
  const wanted = new Set(statuses)
  const isWanted = (status: RiskStatus) => wanted.has(status)
  const onlyLive = [...wanted].every(isLiveRisk) ? eq(t.risk.live, 1) : undefined
  if (onlyLive && LIVE_RISK_STATUSES.every(isWanted)) return onlyLive
  const others = LIVE_RISK_STATUSES.some(isWanted) ? inArray(t.risk.live, [0, 1]) : eq(t.risk.live, 0)
  return and(among(t.risk.status, [...wanted]), onlyLive ?? others)
}

// With a score but without factors: in no cell of the matrix, and not unassessed either.
function isUnplaced({ t }: Read, isWanted: boolean): SQL | undefined {
  const { likelihood, score } = t.risk
  return isWanted ? and(isNull(likelihood), gt(score, 0)) : or(isNotNull(likelihood), eq(score, 0))
}

/** What people write where nothing is done, besides marks alone: "-", "…", "??". */
export const NO_MITIGATION = ['n/a', 'n.a', 'na', 'none', 'tbd'] as const
const MARKS = ' -–—.…?!'

function isMitigated({ t: { risk }, among }: Read, isWanted: boolean): SQL {
  const words = sql`rtrim(lower(${risk.mitigation}), ${MARKS})`
  const isEmpty = sql`${risk.mitigation} is null or ${among(words, ['', ...NO_MITIGATION])}`
  return isWanted ? sql`not (${isEmpty})` : sql`(${isEmpty})`
}

const steps = (meaning: string, example: string) => whole(1, ASSESSMENT_MAX, meaning, example)

export const RISK_FIELDS = {
  reference: required(text('reference', "Its name in the project's own register.", 'R-7')),
  title: required(text('headline', 'What may happen, in one line.', 'Steel arrives late')),
  description: text('description', 'What may happen, in detail.', 'The mill has a backlog of ten weeks.'),
  category: text('category', 'The kind of risk, in the words of the project.', 'Supply'),
  likelihood: steps('How likely it is; give both likelihood and impact, or neither.', '4'),
  impact: steps('How severe it would be.', '5'),
  scoreGiven: whole(
    0,
    SCORE_MAX,
    'The score, only where likelihood and impact are not given; they take precedence.',
    '',
  ),
  status: oneOf(RISK_STATUSES, 'Its status; OPEN by default.'),
  response: oneOf(RISK_RESPONSES, 'The response to it.'),
  mitigation: text('description', 'What is done about it, in words.', 'A second mill is on contract.'),
  cause: text('description', 'What would cause it.', 'One mill makes this profile.'),
  residualLikelihood: steps('How likely it will be after the response; give both residual values, or neither.', '2'),
  residualImpact: steps('How severe it would be after the response.', '4'),
  url: link('The link to it in its own system.', 'https://projects.example.com/apollo/risks/7'),
  raisedOn: day('The day it was raised; today by default.', '2026-03-01'),
  reviewOn: day('The day of the next review.', '2027-01-31'),
  dueOn: day('The day by which the response is due.', '2027-03-31'),
  details: details('Cost', '12,000 EUR'),
}
type RiskValues = Values<typeof RISK_FIELDS>

export function risksLedger(write: Write): Ledger<RiskRow> {
  return new Ledger(write, {
    kind: 'RISK',
    table: (t) => t.risk,
    projectOf: ({ projectId }) => projectId,
    stateOf: (risk) => riskState(risk),
    tracked: [...namesOf(RISK_FIELDS), 'score', 'ownerId', 'ownerName'],
    follow: followScores,
  })
}

export function checkRisk(before: RiskRow | undefined, values: RiskValues, check: InputCheck): void {
  if (!before) requireFields(RISK_FIELDS, values, check)
  requireBoth('likelihood', 'impact')
  requireBoth('residualLikelihood', 'residualImpact')
  checkSize(RISK_FIELDS, values, before, check)

  function requireBoth(one: Factor, other: Factor): void {
    const isJudged = (name: Factor) => patched(values[name], before?.[name]) !== null
    if (isJudged(one) === isJudged(other) || check.has(one) || check.has(other)) return
    check.violation(isJudged(one) ? other : one, `Give both ${one} and ${other}, or neither.`)
  }
}

type Factor = (typeof FACTORS)[number]

/** The product of the factors if a different score is given beside them, which is not stored then. */
export function scoreInstead(before: RiskRow | undefined, values: RiskValues): number | undefined {
  const { likelihood, impact } = patchedFields(RISK_FIELDS, values, before)
  if (values.scoreGiven == null || likelihood === null || impact === null) return undefined
  return values.scoreGiven === likelihood * impact ? undefined : likelihood * impact
}

/** A risk as it would be stored: the given values merged with the row before. */
export function riskWith(
  write: Write,
  before: RiskRow | undefined,
  values: RiskValues & { projectId: string; id?: string | null | undefined; owner?: Assignee },
): RiskRow {
  const { projectId, id, owner } = values
  const facts = patchedFields(RISK_FIELDS, values, before)
  const { category, likelihood, impact } = facts
  const scoreGiven = likelihood === null ? facts.scoreGiven : null
  const score = scoreOf(likelihood, impact, scoreGiven)
  const status = values.status ?? before?.status ?? 'OPEN'
  return {
    id: before?.id ?? id ?? newId('risk', new Date(write.at)),
    projectId,
    ...facts,
    ...entryWith(write, before, values),
    live: isLiveRisk(status) ? 1 : 0,
    sortKey: riskSortKey(score, impact),
    status,
    categoryFolded: category && fold(category),
    scoreGiven,
    score,
    ownerId: patched(owner?.id, before?.ownerId),
    ownerName: patched(owner?.name, before?.ownerName),
  }
}

/** Updates the counts by score that ranks are computed from. */
export async function followScores({ db, t }: Write, stored: readonly Stored<RiskRow>[]): Promise<void> {
  const moved = new Map<number, number>()
  const add = (risk: RiskRow | undefined, by: number) => {
    if (risk?.live) moved.set(risk.score, (moved.get(risk.score) ?? 0) + by)
  }
  for (const { before, after } of stored) {
    add(before, -1)
    add(after, 1)
  }
  for (const [score, by] of moved) {
    if (by === 0) continue
    await db
      .insert(t.riskTally)
      .values({ score, live: Math.max(by, 0) })
      .onConflictDoUpdate({ target: t.riskTally.score, set: { live: sql`${t.riskTally.live} + ${by}` } })
  }
}
