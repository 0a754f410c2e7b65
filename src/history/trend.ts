import { and, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { badArgument, Fault } from '../errors.js'
import { type InProjects, inProjects, projectNaming } from '../projects/projects.js'
import { riskTrend, riskTrendPoint } from '../store/derivedRows.js'
import type { Optional } from '../store/query/conditions.js'
import { conditional } from '../store/query/jsonPage.js'
import type { View } from '../store/query/views.js'
import type { Read } from '../store/store.js'
import { RISK_LEVELS, type RiskLevel, SCORE_MAX, scoreBoundsOf } from '../vocabulary.js'
import { AFTER_ALL, historyExtent, lastBefore, pastChanges } from './past.js'

/** Points of a trend: a year of days fits. */
export const POINTS_MAX = 400

export const TREND_STEPS = ['DAY', 'WEEK', 'MONTH'] as const
type TrendStep = (typeof TREND_STEPS)[number]

export interface TrendArguments {
  readonly from: string
  readonly to: string
  readonly step: TrendStep
  readonly filter?: Optional<InProjects>
}

/** The number of live risks by level, and the sum of their scores, at the end of days. */
export const riskTrendView: View<TrendArguments> = {
  row: riskTrend,
  lists: { points: riskTrendPoint },
  names: { project: projectNaming },
  check: (args) => void daysOf(args),
  extent: historyExtent,
  tables: (read, args, { guard }) => trendTables(read, args, guard),
  // The number of points is checked before.
  size: sql`0`,
  tooMany: (most) => new Fault('TOO_COMPLEX', `There are more than ${most} points.`),
}

const DAY_MS = 86_400_000

/** The days of a trend: from the first in steps, and always the last one too. */
function daysOf({ from, to, step }: TrendArguments): readonly string[] {
  if (to < from) throw badArgument('to', 'Must not be before `from`.')
  const days: string[] = []
  for (let next = Date.parse(from); next < Date.parse(to) && days.length < POINTS_MAX; ) {
    days.push(new Date(next).toISOString().slice(0, 10))
    next = stepped(from, step, days.length)
  }
  if (days.length >= POINTS_MAX) {
    const detail = `From ${from} to ${to} there are more than ${POINTS_MAX} points.`
    throw badArgument(
      'step',
      `${detail} Take a longer step, such as ${step === 'DAY' ? 'WEEK' : 'MONTH'}, or fewer days.`,
    )
  }
  return [...days, to]
}

/** The beginning of a day some steps later; in a shorter month that of its last day. */
function stepped(from: string, step: TrendStep, steps: number): number {
  if (step !== 'MONTH') return Date.parse(from) + steps * (step === 'WEEK' ? 7 : 1) * DAY_MS
  const [year = 0, month = 1, day = 1] = from.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + steps, 0)).getUTCDate()
  return Date.UTC(year, month - 1 + steps, Math.min(day, last))
}

/** The number of its points, also if there are too many. */
export function pointCount(args: TrendArguments): number {
  try {
    return daysOf(args).length
  } catch {
    return POINTS_MAX
  }
}

const SUMS = ['live', 'score', ...RISK_LEVELS.map((level) => level.toLowerCase())]

// Each point is what is stored now, without the changes after that day: they add the state that they left, and take away
// the one that they found. They are counted by range of days and pair of states first, because a million rows take longer.
function trendTables(read: Read, args: TrendArguments, guard: SQL | undefined): SQL {
  const { risk, change } = read.t
  const { id, entity, projectId, stateFrom, stateTo } = pastChanges(read)
  const pairs = read.pairs(daysOf(args).map((day) => [day, `${day}T24:00:00.000Z`]))
  const ofProject = (column: AnyPgColumn) => inProjects(read, column, args.filter)
  const isCounted = sql`${entity} = 'RISK' and ${id} > span.first and ${id} <= span.last and ${stateTo} is not null`
  const parts = [
    sql`day as materialized (select row_number() over (order by one) as number, one as day,
      ${lastBefore(read, sql`other`)} as id from ${pairs})`,
    // A clock may have been wrong for a while: no range of ids begins before the one before it.
    sql`cut as materialized (select number, day, max(id) over (order by number rows unbounded preceding) as last from day)`,
    // The last range has the changes after the last point.
    sql`span as materialized (select number, lag(last) over (order by number) as first, last from cut
      union all select max(number) + 1, max(last), ${AFTER_ALL} from cut)`,
    sql`counted as materialized (select span.number, ${stateFrom} as found, ${stateTo} as remained, count(*) as changes
      from span cross join ${change} c${conditional(and(guard, isCounted, ofProject(projectId)))} group by 1, 2, 3)`,
    sql`moved as materialized (select number, ${sumsOf((name) => `sum(changes * (${added(name, 'remained')} - ${added(name, 'found')}))`)}
      from counted group by number)`,
    sql`present as materialized (select ${sumsOf((name) => `coalesce(sum(${added(name, '(score + 1)')}), 0)`)}
      from ${risk}${conditional(and(sql`live = 1`, ofProject(risk.projectId)))})`,
    sql`undone as materialized (select span.number, ${sumsOf((name) => `coalesce(sum(coalesce(moved.${name}, 0)) over after, 0)`)}
      from span left join moved on moved.number = span.number
      window after as (order by span.number desc rows between unbounded preceding and 1 preceding))`,
    sql`risk_trend_point as materialized (select cut.number as position, cut.day as "on",
      ${sumsOf((name) => `cast(case when cut.last = 0 then 0 else present.${name} - undone.${name} end as integer)`)}
      from cut cross join present join undone on undone.number = cut.number)`,
    sql.raw('risk_trend as (select 1 as id, 0 as points)'),
  ]
  return sql`with ${sql.join(parts, sql`, `)}`
}

function sumsOf(sum: (name: string) => string): SQL {
  return sql.raw(SUMS.map((name) => `${sum(name)} as ${name}`).join(', '))
}

/** What a risk in this state (`riskState`) adds to a sum. */
function added(name: string, state: string): string {
  if (name === 'score') return `case when ${state} > 0 then ${state} - 1 else 0 end`
  const [lowest, highest] = name === 'live' ? [0, SCORE_MAX] : scoreBoundsOf(name.toUpperCase() as RiskLevel)
  return `case when ${state} between ${lowest + 1} and ${highest + 1} then 1 else 0 end`
}
