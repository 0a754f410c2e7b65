import { and, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { checkSize, details } from '../details.js'
import {
  byDefault,
  day,
  link,
  namesOf,
  oneOf,
  patched,
  patchedFields,
  required,
  requireFields,
  ruled,
  text,
  type Values,
  whole,
} from '../fields.js'
import { Ledger, type Stored } from '../history/ledger.js'
import { newId } from '../ids.js'
import { equalsFolded, type Naming } from '../store/query/conditions.js'
import {
  anyOf,
  anyText,
  type FilterOf,
  filteredList,
  flag,
  INDEXED,
  oneDay,
  oneNumber,
} from '../store/query/filters.js'
import { idMember, nounOf, shown } from '../store/query/nouns.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { fold, type InputCheck } from '../text.js'
import { ASSESSMENT_MAX, LIVE_RISK_STATUSES, type RiskStatus, SCORE_MAX } from '../vocabulary.js'
import {
  departmentFilter,
  dueFilters,
  ENTRY_ORDERS,
  entryFilters,
  entryWith,
  holderFilter,
  holderMembers,
  inProjectFilters,
  ofItsHolder,
  ofItsProject,
  ofProject,
  ownershipFilter,
} from './projectEntries.js'
import type { Assignee } from './projects.js'
import {
  isAtLevels,
  residualLevel,
  residualScore,
  residualScoreOf,
  riskLevel,
  riskRank,
  riskSortKey,
  riskState,
  scoreOf,
} from './scores.js'

export type RiskRow = Tables['risk']['$inferSelect']

export function isLiveRisk(status: unknown): boolean {
  return LIVE_RISK_STATUSES.some((live) => live === status)
}

/** What people write where nothing is done, besides marks alone: "-", "…", "??". */
const NO_MITIGATION = ['n/a', 'n.a', 'na', 'none', 'tbd'] as const
const MARKS = ' -–—.…?!'

const held = ({ risk }: Tables) => ({ id: risk.ownerId, name: risk.ownerName })
const factor = (name: Factor, description: string, options = {}) =>
  oneNumber(1, ASSESSMENT_MAX, description, ({ t }, value) => eq(t.risk[name], value), options)

const FILTERS = {
  ...inProjectFilters((t) => t.risk),
  status: anyOf('RiskStatus', 'With one of these statuses; by default all that are not CLOSED.', inStatus, {
    ...INDEXED,
    absent: LIVE_RISK_STATUSES,
  }),
  level: anyOf('RiskLevel', 'At one of these levels.', ({ t }, levels) => isAtLevels(t.risk.sortKey, levels), INDEXED),
  minScore: oneNumber(
    0,
    SCORE_MAX,
    'With this score or a higher one.',
    ({ t }, least) => lte(t.risk.sortKey, riskSortKey(least, 0)),
    INDEXED,
  ),
  minResidualScore: oneNumber(0, SCORE_MAX, 'With this residual score or a higher one.', ({ t }, least) =>
    gte(residualScoreOf(t.risk), least),
  ),
  likelihood: factor('likelihood', 'With this likelihood.', INDEXED),
  impact: factor('impact', 'With this impact.', INDEXED),
  residualLikelihood: factor('residualLikelihood', 'With this residual likelihood.'),
  residualImpact: factor('residualImpact', 'With this residual impact.'),
  unplaced: flag('Whether it has a score but not both factors: `unplaced` in `riskMatrix`.', isUnplaced),
  owner: holderFilter(held, 'Owned by'),
  ownership: ownershipFilter(held, 'Owned in one of these ways.'),
  ownerDepartment: departmentFilter(held, 'Owned by'),
  category: anyText(
    'category',
    'In one of these categories; case-insensitive.',
    (read, names) => equalsFolded(read, read.t.risk.categoryFolded, names),
    INDEXED,
  ),
  mitigated: flag(
    `Whether it has a mitigation; marks such as "-", or only ${NO_MITIGATION.map((text) => `"${text}"`).join(', ')}, count as none.`,
    isMitigated,
  ),
  reviewBefore: oneDay('With a review before this day.', ({ t }, day) => lt(t.risk.reviewOn, day)),
  reviewAfter: oneDay('With a review after this day.', ({ t }, day) => gt(t.risk.reviewOn, day)),
  ...dueFilters((t) => t.risk, 'With a response due'),
  ...entryFilters((t) => t.risk),
}
export type RiskFilter = FilterOf<typeof FILTERS>

/** The register: all risks that are not closed, unless the filter has other statuses. */
export const risks = filteredList((t) => t.risk, FILTERS, {
  name: 'risks',
  order: ({ sortKey, raisedOn, id }) => [sortKey, raisedOn, id],
  orders: ENTRY_ORDERS,
})

export const riskNaming: Naming = {
  kind: 'risk',
  identifiers: 'its id',
  table: risks.table,
}

export const risksOfProject = ofItsProject(risks)
export const risksOfPerson = ofItsHolder(risks, 'ownerId')

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

function isMitigated({ t: { risk }, among }: Read, isWanted: boolean): SQL {
  const words = sql`rtrim(lower(${risk.mitigation}), ${MARKS})`
  const isEmpty = sql`${risk.mitigation} is null or ${among(words, ['', ...NO_MITIGATION])}`
  return isWanted ? sql`not (${isEmpty})` : sql`(${isEmpty})`
}

const BOTH = 'Give both likelihood and impact, or neither.'
const BOTH_RESIDUAL = 'Give both residual values, or neither.'
const steps = (meaning: string, rule: string, example: string) =>
  ruled(whole(1, ASSESSMENT_MAX, `${meaning}; none while unassessed.`, example), rule)

export const RISK = nounOf({
  id: idMember('The id of the risk.'),
  project: ofProject,
  reference: required(text('reference', "Its name in the project's own register, such as R-7.", 'R-7')),
  title: required(text('headline', 'What may happen, in one line.', 'Steel arrives late')),
  description: text('description', 'What may happen, in detail.', 'The mill has a backlog of ten weeks.'),
  category: text('category', 'The kind of risk, in the words of the project.', 'Supply'),
  likelihood: steps('How likely it is', BOTH, '4'),
  impact: steps('How severe it would be', BOTH, '5'),
  scoreGiven: ruled(
    whole(0, SCORE_MAX, 'The score as the source gives it, if it gives no likelihood and impact.', ''),
    'Likelihood and impact take precedence.',
  ),
  score: shown(
    'Int',
    'Likelihood times impact, or else scoreGiven, 0 while unassessed: the current exposure with the measures in place.',
  ),
  level: shown('RiskLevel', 'The level of the score.', { computed: riskLevel }),
  rank: shown(
    'Int',
    'The rank by score among all risks that are not closed, whatever the filter: 1, 1, 3. Null for a closed one.',
    { computed: riskRank, isNullable: true },
  ),
  status: byDefault(oneOf('RiskStatus', 'Its status.'), 'OPEN'),
  response: oneOf('RiskResponse', 'The response to it.'),
  mitigation: text('description', 'What is done about it, in words.', 'A second mill is on contract.'),
  cause: text('description', 'What would cause it.', 'One mill makes this profile.'),
  residualLikelihood: steps('How likely it will be after the response', BOTH_RESIDUAL, '2'),
  residualImpact: steps('How severe it would be after the response', BOTH_RESIDUAL, '4'),
  residualScore: shown(
    'Int',
    'Residual likelihood times residual impact: the exposure that remains after the response.',
    { computed: residualScore, isNullable: true },
  ),
  residualLevel: shown('RiskLevel', 'The level of the residual score.', { computed: residualLevel, isNullable: true }),
  ...holderMembers('owner'),
  url: link('The link to it in its own system.', 'https://projects.example.com/apollo/risks/7'),
  raisedOn: byDefault(day('The day it was raised.', '2026-03-01'), 'Today'),
  reviewOn: day('The day of the next review.', '2027-01-31'),
  dueOn: day('The day by which the response is due.', '2027-03-31'),
  details: details('Cost', '12,000 EUR'),
})
type RiskValues = Values<typeof RISK.facts>

export function risksLedger(write: Write): Ledger<RiskRow> {
  return new Ledger(write, {
    kind: 'RISK',
    table: (t) => t.risk,
    unique: ['reference'],
    projectOf: ({ projectId }) => projectId,
    stateOf: (risk) => riskState(risk),
    tracked: [...namesOf(RISK.facts), 'score', 'ownerId', 'ownerName'],
    follow: followScores,
  })
}

export function checkRisk(before: RiskRow | undefined, values: RiskValues, check: InputCheck): void {
  if (!before) requireFields(RISK.facts, values, check)
  requireBoth('likelihood', 'impact')
  requireBoth('residualLikelihood', 'residualImpact')
  checkSize(RISK.facts, values, before, check)

  function requireBoth(one: Factor, other: Factor): void {
    const isJudged = (name: Factor) => patched(values[name], before?.[name]) !== null
    if (isJudged(one) === isJudged(other) || check.has(one) || check.has(other)) return
    check.violation(isJudged(one) ? other : one, `Give both ${one} and ${other}, or neither.`)
  }
}

type Factor = 'likelihood' | 'impact' | 'residualLikelihood' | 'residualImpact'

/** The product of the factors if a different score is given beside them, which is not stored then. */
export function scoreInstead(before: RiskRow | undefined, values: RiskValues): number | undefined {
  const { likelihood, impact } = patchedFields(RISK.facts, values, before)
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
  const facts = patchedFields(RISK.facts, values, before)
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
