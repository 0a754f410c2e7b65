import { type Summary, total } from '../store/query/views.js'
import type { Tables } from '../store/tables.js'
import {
  ISSUE_SEVERITIES,
  type IssueSeverity,
  OPEN_ISSUE_STATUSES,
  RISK_LEVELS,
  type RiskLevel,
  scoreBoundsOf,
} from '../vocabulary.js'
import { type IssueFilter, issues, type OpenIssueStatus } from './issues.js'
import { type RiskFilter, risks } from './risks.js'

export interface RiskMatrix {
  readonly cells: readonly { readonly likelihood: number; readonly impact: number; readonly count: number }[]
  readonly unassessed: number
  readonly unplaced: number
  readonly levels: readonly { readonly level: RiskLevel; readonly count: number }[]
}

export const riskMatrix = matrixBy(({ likelihood, impact, score }) => [likelihood, impact, score])

/** A residual score has both factors or is missing, so that the columns need no third one. */
export const residualMatrix = matrixBy(({ residualLikelihood, residualImpact }) => [residualLikelihood, residualImpact])

function matrixBy(by: RiskSummary['by']): RiskSummary {
  return { list: risks, by, fold: matrixOf }
}

type RiskSummary = Summary<Tables['risk'], RiskFilter, RiskMatrix>

function matrixOf(groups: Parameters<RiskSummary['fold']>[0]): RiskMatrix {
  const found = groups.map(({ values: [likelihood, impact, score], count }) => ({
    cell:
      likelihood === null || impact === null
        ? undefined
        : { likelihood: Number(likelihood), impact: Number(impact), count },
    score: Number(score ?? Number(likelihood) * Number(impact)),
    count,
  }))
  return {
    cells: found.flatMap(({ cell }) => cell ?? []).sort((a, b) => b.likelihood - a.likelihood || b.impact - a.impact),
    unassessed: total(found.filter(({ score }) => score === 0)),
    unplaced: total(found.filter(({ cell, score }) => !cell && score > 0)),
    levels: RISK_LEVELS.toReversed().map((level) => ({
      level,
      count: total(found.filter(({ score }) => isWithin(level, score))),
    })),
  }
}

function isWithin(level: RiskLevel, score: number): boolean {
  const [lowest, highest] = scoreBoundsOf(level)
  return score >= lowest && score <= highest
}

export interface IssueCounts {
  readonly total: number
  readonly severities: readonly { readonly severity: IssueSeverity; readonly count: number }[]
  readonly statuses: readonly { readonly status: OpenIssueStatus; readonly count: number }[]
}

export const issueCounts: Summary<Tables['issue'], IssueFilter, IssueCounts> = {
  list: issues,
  by: ({ severity, status }) => [severity, status],
  fold: (groups) => ({
    total: total(groups),
    severities: ISSUE_SEVERITIES.toReversed().map((severity) => ({
      severity,
      count: total(groups.filter(({ values }) => values[0] === severity)),
    })),
    statuses: OPEN_ISSUE_STATUSES.map((status) => ({
      status,
      count: total(groups.filter(({ values }) => values[1] === status)),
    })),
  }),
}
