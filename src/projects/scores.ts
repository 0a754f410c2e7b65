import { or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { literal } from '../store/literals.js'
import type { Computed } from '../store/query/relations.js'
import type { Tables } from '../store/tables.js'
import { ASSESSMENT_MAX, LEVEL_FLOORS, RISK_LEVELS, type RiskLevel, scoreBoundsOf } from '../vocabulary.js'

/** Likelihood x impact; else the score that the source gives; 0 while unassessed. */
export function scoreOf(likelihood: number | null, impact: number | null, scoreGiven: number | null): number {
  return likelihood !== null && impact !== null ? likelihood * impact : (scoreGiven ?? 0)
}

type OfRisk = Computed<Tables['risk']>

export function levelOf(score: SQLWrapper): SQL {
  const cases = RISK_LEVELS.map((level) => sql`when ${score} >= ${literal(LEVEL_FLOORS[level])} then ${literal(level)}`)
  return sql`case ${sql.join(cases.reverse(), sql` `)} end`
}

export const riskLevel: OfRisk = { of: (t) => t.risk, value: (_, { score }) => levelOf(score) }

export function residualScoreOf({ residualLikelihood, residualImpact }: Tables['risk']): SQL {
  return sql`(${residualLikelihood} * ${residualImpact})`
}

/** The score that is expected once the response has taken effect; null if it is not assessed. */
export const residualScore: OfRisk = { of: (t) => t.risk, value: (_, risk) => residualScoreOf(risk) }
export const residualLevel: OfRisk = { of: (t) => t.risk, value: (_, risk) => levelOf(residualScoreOf(risk)) }

/** The competition rank by score among all live risks: 1, 1, 3; null for a closed one. */
export const riskRank: OfRisk = {
  of: (t) => t.risk,
  value: ({ t: { riskTally } }, { live, score }) => {
    const above = sql`select sum(${riskTally.live}) from ${riskTally} where ${riskTally.score} > ${score}`
    return sql`case when ${live} = 1 then 1 + coalesce((${above}), 0) end`
  },
}

/** Whether the sort key of a risk is at one of these levels: each is a range of scores, and so of sort keys. */
export function isAtLevels(sortKey: SQLWrapper, levels: readonly RiskLevel[]): SQL {
  const ranges = [...new Set(levels)].map((level) => {
    const [lowest, highest] = scoreBoundsOf(level)
    return sql`${sortKey} between ${riskSortKey(highest, ASSESSMENT_MAX)} and ${riskSortKey(lowest, 0)}`
  })
  return or(...ranges) ?? sql`false`
}

/** A risk as one number: 0 while it is not live, else one more than its score. */
export function riskState({ live, score }: { readonly live: number; readonly score: number }): number {
  return live * (score + 1)
}

/** An ascending sort key that puts the highest score first, then the highest impact. */
export function riskSortKey(score: number, impact: number | null): number {
  return -(score * 10 + (impact ?? 0))
}
