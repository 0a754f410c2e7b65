import { and, type SQL, sql } from 'drizzle-orm'
import { badArgument, Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { projectNaming } from '../projects/projects.js'
import { boundsOf } from '../projects/scores.js'
import { postgresColumns } from '../store/columns.js'
import type { Optional } from '../store/query/conditions.js'
import { conditional } from '../store/query/jsonPage.js'
import { refersTo } from '../store/query/names.js'
import type { View } from '../store/query/views.js'
import type { Read } from '../store/store.js'
import { RISK_LEVELS, type RiskLevel } from '../vocabulary.js'
import { AFTER_ALL, earliest, historyExtent, pastChanges, recordedIn, touching } from './past.js'
import { RISK_LIVE, RISK_SCORE } from './pastValues.js'

export const TREND_STEPS = ['DAY', 'WEEK', 'MONTH'] as const
export type TrendStep = (typeof TREND_STEPS)[number]

export interface TrendArguments {
  readonly from: string
  readonly to: string
  readonly step: TrendStep
  readonly filter?: Optional<{ readonly project?: Optional<readonly string[]> }>
}

const { table, integer, text } = postgresColumns

// Rows that SQL derives: neither table is stored.

export const riskTrend = table('risk_trend', { id: integer('id').notNull(), points: integer('points').notNull() })

export const riskTrendPoint = table('risk_trend_point', {
  position: integer('position').notNull(),
  on: text('on').notNull(),
  live: integer('live').notNull(),
  unassessed: integer('unassessed').notNull(),
  low: integer('low').notNull(),
  medium: integer('medium').notNull(),
  high: integer('high').notNull(),
  critical: integer('critical').notNull(),
  score: integer('score').notNull(),
})

/** The number of live risks by level, and the sum of their scores, at the end of days. */
export const riskTrendView: View<TrendArguments> = {
  row: riskTrend,
  lists: { points: riskTrendPoint },
  names: { project: projectNaming },
  check: (args) => void daysOf(args),
  extent: historyExtent,
  tables(read, args, { guard }) {
    const project = args.filter?.project
    const ofProject = project ? refersTo(read, read.t.risk.projectId, projectNaming, project) : undefined
    return trendTables(read, daysOf(args), ofProject, guard)
  },
  // The number of points is checked before.
  size: sql`0`,
  tooMany: (most) => new Fault('TOO_COMPLEX', `There are more than ${most} points.`),
}

const DAY_MS = 86_400_000

/** The days of a trend: from the first in steps, and always the last one too. */
export function daysOf({ from, to, step }: TrendArguments): readonly string[] {
  if (to < from) throw badArgument('to', 'Must not be before `from`.')
  const days: string[] = []
  for (let next = Date.parse(from); next < Date.parse(to) && days.length < LIMITS.trendPointsMax; ) {
    days.push(new Date(next).toISOString().slice(0, 10))
    next = stepped(from, step, days.length)
  }
  if (days.length >= LIMITS.trendPointsMax) {
    const detail = `From ${from} to ${to} there are more than ${LIMITS.trendPointsMax} points.`
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
    return LIMITS.trendPointsMax
  }
}

/** Labels the changes after the last point; greater than every day. */
const AFTER = sql.raw("'9999-99-99'")
const SUMS = ['live', 'score', ...RISK_LEVELS.map((level) => level.toLowerCase())]

/**
 * Each point is what is stored now, without the changes after that day. Every change of a risk's status or score counts
 * for the day range that its id falls into: what it left, less what it found.
 */
function trendTables(read: Read, days: readonly string[], ofProject: SQL | undefined, guard: SQL | undefined): SQL {
  const { risk, change } = read.t
  const { id, entityId, recordedAt } = pastChanges(read)
  const pairs = read.pairs(days.map((day) => [day, `${day}T24:00:00.000Z`]))
  const recorded = [RISK_SCORE, RISK_LIVE].flatMap((value) => [
    recordedIn(read, value, 'from'),
    recordedIn(read, value, 'to'),
  ])
  const isOfProject = ofProject && sql`${entityId} in (select ${risk.id} from ${risk} where ${ofProject})`
  const where = and(
    guard,
    sql`${id} > span.first and ${id} <= span.last`,
    touching(read, 'RISK', [RISK_SCORE, RISK_LIVE]),
    isOfProject,
  )
  const window = sql` over (partition by entity_id order by id desc rows unbounded preceding)`
  const sums = SUMS.map(
    (name) => sql`sum(${contribution(name, 'to')} - ${contribution(name, 'from')}) as ${sql.raw(name)}`,
  )
  const parts = [
    sql`day as materialized (select one as day, other as until, coalesce(lag(other) over (order by one), '') as since from ${pairs})`,
    sql`newest as materialized (select day, (select max(${id}) from ${change} c where ${recordedAt} >= since and ${recordedAt} < until) as id from day)`,
    sql`cut as materialized (select day, coalesce(max(id) over (order by day rows unbounded preceding), 0) as last from newest)`,
    sql`span as materialized (select day, lag(last) over (order by day) as first, last from cut
      union all select ${AFTER}, max(last), ${AFTER_ALL} from cut)`,
    sql`touched as (select span.day, ${entityId} as entity_id, ${id} as id,
      ${aliased(recorded, ['score_from', 'score_to', 'live_from', 'live_to'])} from span cross join ${change} c${conditional(where)}
      union all select null, id, ${AFTER_ALL}, score, score, live, live from ${risk}${conditional(ofProject)})`,
    sql`folded as (select day, score_to, live_to, ${earliest(sql`id`, sql`score_from`, window)} as score_from,
      ${earliest(sql`id`, sql`live_from`, window)} as live_from from touched)`,
    sql`state as (select day, score_from, live_from, coalesce(score_to, score_from) as score_to, coalesce(live_to, live_from) as live_to from folded)`,
    sql`moved as materialized (select day, ${sql.join(sums, sql`, `)} from state where day is not null group by day)`,
    sql`present as materialized (select ${presentSums()} from ${risk}${conditional(and(sql`live = 1`, ofProject))})`,
    sql`undone as materialized (select span.day, span.last, ${undone()} from span left join moved on moved.day = span.day
      window after as (order by span.day desc rows between unbounded preceding and 1 preceding))`,
    sql`risk_trend_point as materialized (select row_number() over (order by undone.day) as position, undone.day as "on", ${points()}
      from undone cross join present where undone.day <> ${AFTER})`,
    sql.raw('risk_trend as (select 1 as id, 0 as points)'),
  ]
  return sql`with ${sql.join(parts, sql`, `)}`
}

function aliased(values: readonly SQL[], names: readonly string[]): SQL {
  return sql.join(
    values.map((value, index) => sql`${value} as ${sql.raw(names[index] ?? '')}`),
    sql`, `,
  )
}

/** What a risk in this state adds to a sum. */
function contribution(name: string, side: 'from' | 'to'): SQL {
  const [live, score] = [`live_${side}`, `score_${side}`]
  if (name === 'live') return sql.raw(live)
  if (name === 'score') return sql.raw(`${live} * ${score}`)
  return sql.raw(`case when ${live} = 1 and ${isAt(score, name)} then 1 else 0 end`)
}

function isAt(score: string, name: string): string {
  const [lowest, highest] = boundsOf(name.toUpperCase() as RiskLevel)
  return `${score} between ${lowest} and ${highest}`
}

function presentSums(): SQL {
  const sums = SUMS.map((name) => {
    const one =
      name === 'live' ? '1' : name === 'score' ? 'score' : `case when ${isAt('score', name)} then 1 else 0 end`
    return `coalesce(sum(${one}), 0) as ${name}`
  })
  return sql.raw(sums.join(', '))
}

function undone(): SQL {
  return sql.raw(SUMS.map((name) => `coalesce(sum(coalesce(moved.${name}, 0)) over after, 0) as ${name}`).join(', '))
}

function points(): SQL {
  const values = SUMS.map(
    (name) => `cast(case when undone.last = 0 then 0 else present.${name} - undone.${name} end as integer) as ${name}`,
  )
  return sql.raw(values.join(', '))
}
