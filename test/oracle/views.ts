import { type IssueFilter, idsNamed, issuesOf, isUnplaced, type RiskFilter, risksOf } from './lists.js'
import {
  bad,
  type Context,
  compareTexts,
  type Issue,
  isLive,
  isOpen,
  LEVELS,
  levelOf,
  OPEN_STATUSES,
  type Risk,
  rankOf,
  SEVERITIES,
  scoreOf,
} from './rows.js'

/** What is counted: the matrix, the issues, what moved between two instants, and the levels over time. */

export function riskMatrix(context: Context, filter: RiskFilter) {
  const risks = risksOf(context, context.world.all('RISK'), filter)
  const steps = [5, 4, 3, 2, 1]
  const cells = steps.flatMap((likelihood) =>
    steps.map((impact) => ({
      likelihood,
      impact,
      count: risks.filter((risk) => risk.likelihood === likelihood && risk.impact === impact).length,
    })),
  )
  return {
    cells: cells.filter(({ count }) => count > 0),
    unassessed: risks.filter((risk) => scoreOf(risk) === 0).length,
    unplaced: risks.filter(isUnplaced).length,
    levels: LEVELS.map((level) => ({ level, count: risks.filter((one) => levelOf(scoreOf(one)) === level).length })),
  }
}

export function issueCounts(context: Context, filter: IssueFilter) {
  const issues = issuesOf(context, context.world.all('ISSUE'), filter)
  return {
    total: issues.length,
    severities: SEVERITIES.toReversed().map((severity) => ({
      severity,
      count: issues.filter((issue) => issue.severity === severity).length,
    })),
    statuses: OPEN_STATUSES.map((status) => ({
      status,
      count: issues.filter((issue) => issue.status === status).length,
    })),
  }
}

/** Rows as they were, by what was recorded before an instant. */
function before<Row extends { readonly id: string }>(
  past: readonly { readonly at: string; readonly row: Row }[],
  instant: string | null | undefined,
): Map<string, Row> {
  const known = past.filter(({ at }) => instant == null || at < instant)
  return new Map(known.map(({ row }) => [row.id, row]))
}

interface MovementArguments {
  readonly since: string
  readonly until?: string | null
  readonly first?: number | null
  readonly including?: readonly string[] | null
  readonly filter?: { readonly project?: readonly string[] | null; readonly level?: readonly string[] | null } | null
}

interface Moved {
  readonly id: string
  readonly projectId: string
  readonly movement: string
  /** How big the movement is: the numbers by which it is ordered, the highest first. */
  readonly size: readonly number[]
}

function riskMovements({ world }: Context, { since, until }: MovementArguments) {
  const [then, now] = [before(world.pastRisks, since), before(world.pastRisks, until)]
  return [...now.values()].map((risk) => {
    const old = then.get(risk.id)
    const [from, to] = [old && isLive(old) ? old : undefined, isLive(risk) ? risk : undefined]
    const [scoreFrom, scoreTo] = [from ? scoreOf(from) : null, to ? scoreOf(to) : null]
    const difference = (scoreTo ?? 0) - (scoreFrom ?? 0)
    const both = difference > 0 ? 'UP' : difference < 0 ? 'DOWN' : 'UNCHANGED'
    return {
      ...{ id: risk.id, projectId: risk.projectId, reference: risk.reference, title: risk.title },
      movement: from && to ? both : from ? 'CLOSED' : to ? 'NEW' : 'NEITHER',
      ...{ scoreFrom, scoreTo },
      levelFrom: scoreFrom === null ? null : levelOf(scoreFrom),
      levelTo: scoreTo === null ? null : levelOf(scoreTo),
      rankFrom: from ? rankOf(from, [...then.values()]) : null,
      rankTo: to ? rankOf(to, [...now.values()]) : null,
      size: [Math.abs(difference), (scoreFrom ?? 0) + (scoreTo ?? 0)],
    }
  })
}

const DAY_MS = 86_400_000

function issueMovements({ world }: Context, { since, until }: MovementArguments) {
  const then = before(world.pastIssues, since)
  return [...before(world.pastIssues, until).values()].flatMap((issue) => {
    const old = then.get(issue.id)
    const [from, to] = [old && isOpen(old) ? old : undefined, isOpen(issue) ? issue : undefined]
    const gravity = (one: Issue | undefined) => (one ? SEVERITIES.indexOf(one.severity) : -1)
    const worse = gravity(to) - gravity(from)
    const later = from?.dueOn && to?.dueOn ? Math.max(0, (Date.parse(to.dueOn) - Date.parse(from.dueOn)) / DAY_MS) : 0
    const kinds = [
      ...(!from && to ? ['OPENED'] : []),
      ...(from && !to ? ['RESOLVED'] : []),
      ...(from && to && worse > 0 ? ['WORSE'] : []),
      ...(later > 0 ? ['SLIPPED'] : []),
    ]
    return kinds.map((movement) => ({
      ...{ id: issue.id, projectId: issue.projectId, reference: issue.reference, title: issue.title, movement },
      ...{ severityFrom: from?.severity ?? null, severityTo: to?.severity ?? null },
      ...{ dueFrom: from?.dueOn ?? null, dueTo: to?.dueOn ?? null },
      size: [
        movement === 'SLIPPED' ? 0 : Math.abs(worse),
        movement === 'SLIPPED' ? later : 0,
        gravity(from) + gravity(to),
      ],
    }))
  })
}

/** The biggest first; of each kind of movement so many, and what is included. */
function shown<M extends Moved>(moved: readonly M[], { first, including }: MovementArguments): M[] {
  const sorted = moved
    .filter(({ movement }) => movement !== 'UNCHANGED')
    .toSorted((one, other) => {
      const bigger = one.size.map((size, index) => (other.size[index] ?? 0) - size).find((by) => by !== 0)
      return bigger ?? (compareTexts(one.id, other.id) || compareTexts(one.movement, other.movement))
    })
  const placeOf = (one: M) => sorted.filter(({ movement }) => movement === one.movement).indexOf(one)
  return sorted.filter((one) => first == null || placeOf(one) < first || including?.includes(one.id))
}

const MOVEMENTS = ['NEW', 'CLOSED', 'UP', 'DOWN', 'UNCHANGED', 'OPENED', 'RESOLVED', 'WORSE', 'SLIPPED']

function countsOf(moved: readonly { readonly movement: string }[]) {
  const counts = MOVEMENTS.map((name) => [name.toLowerCase(), moved.filter((one) => one.movement === name).length])
  return Object.fromEntries(counts)
}

export function movements(context: Context, args: MovementArguments) {
  const { since, until, filter, first } = args
  if ((until != null && until < since) || (first != null && (first < 1 || first > 1000))) throw bad()
  const projects = filter?.project && idsNamed(context, 'PROJECT', filter.project)
  const levels = filter?.level
  const isIn = ({ projectId }: { projectId: string }) => !projects || projects.includes(projectId)
  const risks = riskMovements(context, args).filter(
    (one) =>
      one.movement !== 'NEITHER' &&
      isIn(one) &&
      (!levels || [one.levelFrom, one.levelTo].some((level) => level !== null && levels.includes(level))),
  )
  const issues = issueMovements(context, args).filter(isIn)
  const byProject = context.world
    .all('PROJECT')
    .toSorted((one, other) => compareTexts(one.key, other.key))
    .map(({ id }) => ({ id, moved: [...risks, ...issues].filter(({ projectId }) => projectId === id) }))
  return {
    since,
    until,
    counts: countsOf([...risks, ...issues]),
    risks: shown(risks, args),
    // What is included is by ids of risks.
    issues: shown(issues, { ...args, including: null }),
    projects: byProject
      .filter(({ moved }) => moved.length > 0)
      .map(({ id, moved }) => ({ projectId: id, counts: countsOf(moved) })),
  }
}

interface TrendArguments {
  readonly from: string
  readonly to: string
  readonly step: string
  readonly filter?: { readonly project?: readonly string[] | null } | null
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The same day so many months later, or the last one of a shorter month. */
function monthsAfter(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return dayOf(Date.UTC(year, month - 1 + months, Math.min(date, last)))
}

export function riskTrend(context: Context, { from, to, step, filter }: TrendArguments) {
  if (to < from) throw bad()
  const days: string[] = []
  for (let index = 0; (days.at(-1) ?? '') < to; index++) {
    const shift = (step === 'WEEK' ? 7 : 1) * index
    const day = step === 'MONTH' ? monthsAfter(from, index) : dayOf(Date.parse(from) + shift * DAY_MS)
    days.push(day < to ? day : to)
    if (days.length > 400) throw bad()
  }
  const projects = filter?.project && idsNamed(context, 'PROJECT', filter.project)
  return {
    points: days.map((on) => {
      const end = new Date(Date.parse(on) + DAY_MS).toISOString()
      const risks: Risk[] = [...before(context.world.pastRisks, end).values()]
      const live = risks.filter((risk) => isLive(risk) && (!projects || projects.includes(risk.projectId)))
      const atLevel = (level: string) => live.filter((risk) => levelOf(scoreOf(risk)) === level).length
      const levels = Object.fromEntries(LEVELS.map((level) => [level.toLowerCase(), atLevel(level)]))
      return { on, live: live.length, ...levels, score: live.reduce((sum, risk) => sum + scoreOf(risk), 0) }
    }),
  }
}
