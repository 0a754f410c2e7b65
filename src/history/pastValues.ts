import { type SQL, sql } from 'drizzle-orm'
import { literal } from '../store/literals.js'
import { ISSUE_SEVERITIES, LIVE_RISK_STATUSES, OPEN_ISSUE_STATUSES } from '../vocabulary.js'
import type { PastValue } from './past.js'

/** 1 while a risk is live. */
export const RISK_LIVE: PastValue = {
  field: 'status',
  stored: sql`live`,
  of: (status) => oneWithin(status, LIVE_RISK_STATUSES),
}

/** The score that the history records, whatever it was derived from. */
export const RISK_SCORE: PastValue = {
  field: 'score',
  stored: sql`score`,
  of: (score) => sql`cast(case ${score} when 'null' then '0' else ${score} end as integer)`,
}

/** 1 while an issue is open. */
export const ISSUE_OPEN: PastValue = {
  field: 'status',
  stored: sql`live`,
  of: (status) => oneWithin(status, OPEN_ISSUE_STATUSES),
}

/** The index of the severity. */
export const ISSUE_SEVERITY: PastValue = {
  field: 'severity',
  stored: sql`-standing`,
  of: (severity) => {
    const cases = ISSUE_SEVERITIES.map((name, index) => sql`when ${asJson(name)} then ${literal(index)}`)
    return sql`case ${severity} ${sql.join(cases, sql` `)} else 0 end`
  },
}

/** The due day as a number such as 20270131; 0 for none. */
export const ISSUE_DUE: PastValue = {
  field: 'dueOn',
  stored: dayNumber(sql`coalesce(due_on, '0')`),
  of: (day) => dayNumber(sql`replace(case ${day} when 'null' then '0' else ${day} end, '"', '')`),
}

function dayNumber(day: SQL): SQL {
  return sql`cast(replace(${day}, '-', '') as integer)`
}

function oneWithin(status: SQL, statuses: readonly string[]): SQL {
  return sql`case when ${status} in (${sql.join(statuses.map(asJson), sql`, `)}) then 1 else 0 end`
}

function asJson(name: string): SQL {
  return literal(JSON.stringify(name))
}
